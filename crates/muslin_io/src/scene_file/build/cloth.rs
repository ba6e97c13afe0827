//! `[[cloth]]`.

use super::{file, maps::Maps, material, motion::placement, older, pin};
use crate::{fabrics as library, scene_file::reader::Reader};
use glam::DVec2;
use muslin_model::{
    Field, Material,
    shapes::{Strand, Triangulation},
};
use muslin_sim::{
    first_empty_pin,
    scene::{BendMemory, BendModel, ClothShape, ClothSpec, PinSelect, RestShape, StretchModel},
};

/// Most vertices of one cloth; beyond it a number has a zero too many.
const MOST_VERTICES: usize = 4_000_000;

pub fn cloth(reader: &Reader<'_>, index: usize) -> ClothSpec {
    let (shape, maps) = shape(reader);
    let with_maps;
    let reader = match &maps {
        Some(maps) => {
            with_maps = reader.with_maps(maps);
            &with_maps
        }
        None => reader,
    };
    let (vertices, faces) = counts(&shape);
    if vertices.is_some_and(|n| n > MOST_VERTICES) {
        let message = format!(
            "`{}` has {} vertices; a cloth may have at most {MOST_VERTICES}",
            reader.path_of("shape"),
            vertices.unwrap_or(0)
        );
        reader.fault(reader.place("shape"), message);
    }
    let material = material::material(reader, "material");
    refuse_wrong_lengths(reader, &material, vertices, faces);
    let stretch = stretch(reader);
    let bend = bend(reader);
    let lacking = |key, has: bool| {
        if !has {
            let message =
                format!("`{}` is `tabulated`, but `{}` has no measured table", reader.path_of(key), material.name);
            reader
                .fault(reader.place(key), message)
                .help(format!("fabrics with one: {}", library::with_tables().join(", ")));
        }
    };
    lacking("stretch", stretch != StretchModel::Tabulated || material.tables.stretch.is_some());
    lacking("bend", bend != BendModel::Tabulated || material.tables.bend.is_some());
    if !matches!(shape, ClothShape::Grid { .. }) {
        if matches!(stretch, StretchModel::GridSprings { .. }) {
            reader.fault(reader.place("stretch"), "`grid-springs` need a grid").help("`membrane` works on every mesh");
        }
        if matches!(bend, BendModel::GridFlexion { .. } | BendModel::GridAngular { .. }) {
            reader.fault(reader.place("bend"), "grid springs need a grid").help("`curvature` works on every mesh");
        }
    }
    let spec = ClothSpec {
        name: reader
            .text("name")
            .unwrap_or_else(|| if index == 0 { "cloth".into() } else { format!("cloth-{}", index + 1) }),
        placement: placement(reader),
        material,
        stretch,
        bend,
        loads: reader.tables("load").iter().map(|r| older::load(r, &shape, vertices)).collect(),
        wrinkles: older::marks(reader, &stretch, vertices),
        pins: reader.tables("pin").iter().map(|r| pin::pin(r, &shape, vertices)).collect(),
        velocity: reader.vector3("velocity"),
        angular_velocity: reader.vector3("angular_velocity_degrees") * (std::f64::consts::PI / 180.0),
        warp_angle: reader.number("warp_degrees").to_radians(),
        perturbation: reader.number("perturbation"),
        perturbation_seed: reader.integer("perturbation_seed"),
        shape,
    };
    refuse_empty_box(reader, &spec);
    spec
}

/// A box that holds no vertex is a fault of the file, and only the placed cloth tells.
fn refuse_empty_box(reader: &Reader<'_>, spec: &ClothSpec) {
    if !spec.pins.iter().any(|pin| matches!(pin.select, PinSelect::Box { .. })) || reader.has_faults() {
        return;
    }
    let Some(empty) = first_empty_pin(spec) else { return };
    let pins = reader.tables("pin");
    let pin = &pins[empty];
    pin.fault(pin.place("box"), format!("`{}` holds no vertex of the cloth", pin.path_of("box")))
        .help("it is compared with the vertices where they start, after `translation`, `rotation_degrees` and `scale`");
}

fn shape(reader: &Reader<'_>) -> (ClothShape, Option<Maps>) {
    let fallback = ClothShape::Grid { vertices: [2, 2], size: DVec2::ONE, triangulation: Triangulation::RightDiagonal };
    let Some((kind, keys)) = reader.variant("shape") else { return (fallback, None) };
    let shape = match kind {
        "grid" => ClothShape::Grid {
            vertices: keys.integers2("vertices"),
            size: keys.vector2("size"),
            triangulation: triangulation(&keys),
        },
        "disc" => ClothShape::Disc { radius: keys.number("radius"), rings: keys.integer("rings") as usize },
        "tube" => ClothShape::Tube {
            radius: keys.number("radius"),
            height: keys.number("height"),
            vertices: keys.integers2("vertices"),
        },
        "reef-strand" => ClothShape::ReefStrand {
            strand: if keys.integer("strand") == 2 { Strand::Second } else { Strand::First },
            size: keys.number("size"),
            width: keys.number("width"),
            vertices: keys.integers2("vertices"),
        },
        "rabbit" => ClothShape::Rabbit { height: keys.number("height"), cells: keys.integer("cells") as usize },
        "file" => match file::cloth(&keys) {
            Some((mesh, maps)) => return (ClothShape::Mesh(mesh), Some(maps)),
            None => return (fallback, Some(Maps::default())),
        },
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    };
    (shape, None)
}

/// Vertices and faces where the shape alone says them.
fn counts(shape: &ClothShape) -> (Option<usize>, Option<usize>) {
    match shape {
        ClothShape::Grid { vertices: [nx, ny], .. } => {
            (nx.checked_mul(*ny), Some(2 * nx.saturating_sub(1) * ny.saturating_sub(1)))
        }
        ClothShape::ReefStrand { vertices: [along, across], .. } => {
            (along.checked_mul(*across), Some(2 * along.saturating_sub(1) * across.saturating_sub(1)))
        }
        ClothShape::Tube { vertices: [around, along], .. } => {
            (around.checked_mul(*along), Some(2 * around * along.saturating_sub(1)))
        }
        ClothShape::Mesh(mesh) => (Some(mesh.positions.len()), Some(mesh.triangles.len())),
        ClothShape::Disc { .. } | ClothShape::Rabbit { .. } => (None, None),
    }
}

fn refuse_wrong_lengths(reader: &Reader<'_>, material: &Material, vertices: Option<usize>, faces: Option<usize>) {
    let (Some(vertices), Some(faces)) = (vertices, faces) else { return };
    for (name, field) in material.fields() {
        let (found, expected, what) = match field {
            Field::Uniform(_) => continue,
            Field::PerVertex(values) => (values.len(), vertices, "vertices"),
            Field::PerFace(values) => (values.len(), faces, "faces"),
        };
        if found != expected {
            let path = reader.path_of("material");
            let message = format!("`{path}.{name}` has {found} values, but the cloth has {expected} {what}");
            reader.fault(reader.place("material"), message);
        }
    }
}

fn triangulation(grid: &Reader<'_>) -> Triangulation {
    let straight_columns = grid.integer("straight_columns") as usize;
    let Some((kind, keys)) = grid.variant("triangulation") else { return Triangulation::RightDiagonal };
    match kind {
        "right-diagonal" => Triangulation::RightDiagonal,
        "alternating" => Triangulation::Alternating,
        "irregular" => Triangulation::Irregular { seed: keys.integer("seed"), straight_columns },
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn stretch(reader: &Reader<'_>) -> StretchModel {
    let Some((kind, keys)) = reader.variant("stretch") else { return StretchModel::Membrane };
    match kind {
        "membrane" => StretchModel::Membrane,
        "tabulated" => StretchModel::Tabulated,
        "hysteresis" => StretchModel::Hysteresis,
        "edge-springs" => StretchModel::EdgeSprings { tension_only: keys.flag("tension_only") },
        "grid-springs" => StretchModel::GridSprings {
            critical_damping: keys.flag("critical_damping"),
            constants: keys.optional_vector2("constants").map(|c| c.to_array()),
            older: older::older(&keys),
        },
        "baraff-witkin" => StretchModel::BaraffWitkin {
            area_exponent: keys.number("area_exponent"),
            rest: keys.vector2("rest").to_array(),
        },
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn bend(reader: &Reader<'_>) -> BendModel {
    let Some((kind, keys)) = reader.variant("bend") else { return BendModel::Curvature };
    match kind {
        "curvature" => BendModel::Curvature,
        "tabulated" => BendModel::Tabulated,
        "baraff-witkin" => BendModel::BaraffWitkin,
        "modes" => BendModel::Modes,
        "hinge-springs" => BendModel::HingeSprings,
        "grid-flexion" => BendModel::GridFlexion { constant: keys.optional_number("constant") },
        "grid-angular" => BendModel::GridAngular { constant: keys.optional_number("constant") },
        "hysteresis" => remembering(BendMemory::Hysteresis, &keys),
        "plasticity" => remembering(BendMemory::Plasticity, &keys),
        "none" => BendModel::None,
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn remembering(memory: BendMemory, keys: &Reader<'_>) -> BendModel {
    let rest = match keys.variant("rest") {
        Some(("start", _)) => RestShape::Start,
        _ => RestShape::Flat,
    };
    BendModel::Remembering { memory, rest, substeps: keys.integer("substeps") as u32 }
}
