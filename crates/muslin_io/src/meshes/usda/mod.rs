//! USD as text (`.usda`): meshes with their transforms, primvars, and points over time.
//!
//! Units and up axis are the layer's; where it is silent they are USD's own defaults, centimetres and y. Every mesh
//! becomes a part named by its path's last name. Points with time samples become one clip of the whole file.
//! Transforms over time are not read, and neither is `.usdc`, which is binary.

mod layer;

use super::{
    error::{Fault, FaultKind, Place},
    file_mesh::{Attribute, Clip, Corners, FileMesh, Part, UpAxis, body_kind},
    polygons::{MOST_CORNERS, Polygons},
};
use crate::input::Input;
use glam::{DMat4, DQuat, DVec2, DVec3};
use layer::{Prim, Property, Value};
use muslin_model::VertexFrames;
use std::{io::Read, sync::Arc};

/// USD's own defaults.
const DEFAULT_UNIT: f64 = 0.01;
const DEFAULT_RATE: f64 = 24.0;

/// Numbers of all frames per byte of the file [-]; few samples on many large meshes could ask for more.
const NUMBERS_PER_BYTE: usize = 64;

/// First vertex, transform and samples (time, coordinates) of a mesh that moves.
type Moving = (usize, DMat4, Vec<(f64, Vec<f64>)>);

/// What is gathered over all meshes.
#[derive(Default)]
struct Gathered {
    mesh: FileMesh,
    polygons: Polygons,
    /// One per corner; NaN where there is none.
    uv: Vec<DVec2>,
    /// First vertex, transform and samples of each mesh that moves.
    moving: Vec<Moving>,
}

/// Reads a whole file.
pub fn read(input: &mut Input) -> Result<FileMesh, Fault> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let size = bytes.len();
    if bytes.starts_with(b"PXR-USDC") {
        let message = "this is a binary USD file";
        return Err(Fault::new(Place::File, FaultKind::Unsupported, message, "export it as .usda"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let layer = layer::read(&text)?;
    drop(text);
    drop(bytes);
    let number = |key: &str| {
        layer.metadata.iter().find(|(k, _)| k == key).and_then(|(_, v)| match v {
            Value::Numbers(values) => values.first().copied().filter(|x| *x > 0.0 && x.is_finite()),
            _ => None,
        })
    };
    let z_up = layer.metadata.iter().any(|(k, v)| k == "upAxis" && *v == Value::Texts(vec!["Z".into()]));
    let rate = number("timeCodesPerSecond").or(number("framesPerSecond")).unwrap_or(DEFAULT_RATE);
    let mut gathered = Gathered::default();
    gathered.mesh.metres_per_unit = Some(number("metersPerUnit").unwrap_or(DEFAULT_UNIT));
    gathered.mesh.up = Some(if z_up { UpAxis::Z } else { UpAxis::Y });
    for prim in &layer.prims {
        gathered.prim(prim, DMat4::IDENTITY)?;
    }
    drop(layer);
    gathered.finish(rate, size)
}

fn fault(prim: &Prim, kind: FaultKind, message: impl Into<String>) -> Fault {
    Fault::new(Place::Object(prim.path.clone()), kind, message, "export the file again")
}

impl Gathered {
    fn prim(&mut self, prim: &Prim, parent: DMat4) -> Result<(), Fault> {
        let (local, moves) = local(prim)?;
        if has_mesh(prim) {
            // What carries no mesh, such as a camera, may move as it likes.
            self.mesh.unmoved.extend(moves.iter().map(|op| format!("`{op}` over time of {}", prim.path)));
        }
        let world = parent * local;
        if prim.kind == "Mesh" {
            self.add(prim, world)?;
        }
        prim.children.iter().try_for_each(|child| self.prim(child, world))
    }

    fn add(&mut self, prim: &Prim, world: DMat4) -> Result<(), Fault> {
        let (first, first_face) = (self.mesh.positions.len(), self.polygons.len());
        let samples = match prim.get("points.timeSamples").map(|p| &p.value) {
            Some(Value::Samples(samples)) => samples.clone(),
            _ => Vec::new(),
        };
        let points = prim.numbers("points").or(samples.first().map(|(_, p)| p.as_slice()));
        let points = points.ok_or_else(|| fault(prim, FaultKind::Syntax, "the mesh has no points"))?;
        let count = points.len() / 3;
        if samples.iter().any(|(_, p)| p.len() != 3 * count) || points.len() % 3 != 0 {
            return Err(fault(prim, FaultKind::Value, "the mesh has a changing number of points"));
        }
        self.mesh.positions.extend(points.chunks_exact(3).map(|p| world.transform_point3(DVec3::from_slice(p))));
        if !samples.is_empty() {
            self.moving.push((first, world, samples));
        }
        self.faces(prim, first, count)?;
        let corners = prim.numbers("faceVertexIndices").unwrap_or(&[]).len();
        for property in &prim.properties {
            self.primvar(prim, property, first..first + count, first_face, corners)?;
        }
        let name = prim.path.rsplit('/').next().unwrap_or_default().to_string();
        // Faces for now; triangles when they are cut.
        let kind = match prim.get("muslin:kind").map(|p| &p.value) {
            Some(Value::Texts(kind)) => body_kind(kind.first().map_or("", String::as_str)),
            _ => None,
        };
        self.mesh.parts.push(Part { name, triangles: first_face..self.polygons.len(), kind });
        Ok(())
    }

    fn faces(&mut self, prim: &Prim, first: usize, count: usize) -> Result<(), Fault> {
        let (counts, indices) = (prim.numbers("faceVertexCounts"), prim.numbers("faceVertexIndices"));
        let (Some(counts), Some(indices)) = (counts, indices) else {
            return Err(fault(prim, FaultKind::Syntax, "the mesh has no faces"));
        };
        let mut rest = indices;
        let left_handed = prim.get("orientation").is_some_and(|p| p.value == Value::Texts(vec!["leftHanded".into()]));
        for (face, n) in counts.iter().enumerate() {
            let wanted = *n as usize;
            if !(3..=MOST_CORNERS).contains(&wanted) || wanted > rest.len() || n.fract() != 0.0 {
                let message = format!("face {face} has {n} corners, {} are left", rest.len());
                return Err(fault(prim, FaultKind::Value, message));
            }
            let (corners, others) = rest.split_at(wanted);
            rest = others;
            for &v in corners {
                if !(v >= 0.0 && v < count as f64 && v.fract() == 0.0) {
                    let message = format!("face {face} names point {v} of {count}");
                    return Err(fault(prim, FaultKind::Index, message));
                }
                self.polygons.corners.push((first + v as usize) as u32);
            }
            if left_handed {
                let start = self.polygons.corners.len() - wanted;
                self.polygons.corners[start + 1..].reverse();
            }
            self.polygons.end_face(wanted);
        }
        if !rest.is_empty() {
            let message = format!("`faceVertexIndices` has {} corners more than `faceVertexCounts` counts", rest.len());
            return Err(fault(prim, FaultKind::Value, message));
        }
        if self.polygons.corners.len() >= u32::MAX as usize {
            return Err(fault(prim, FaultKind::TooLarge, "the file holds more than 4 billion corners"));
        }
        Ok(())
    }

    fn primvar(
        &mut self,
        prim: &Prim,
        property: &Property,
        vertices: std::ops::Range<usize>,
        first_face: usize,
        corners: usize,
    ) -> Result<(), Fault> {
        let Some(name) = property.name.strip_prefix("primvars:").filter(|n| !n.contains(':')) else { return Ok(()) };
        let Value::Numbers(values) = &property.value else { return Ok(()) };
        let (faces, count) = (self.polygons.len() - first_face, vertices.len());
        let elements = match property.interpolation.as_deref() {
            Some("vertex" | "varying") => count,
            Some("uniform") => faces,
            Some("faceVarying") => corners,
            _ => return Ok(()),
        };
        if matches!(name, "st" | "UVMap" | "uv") {
            return self.pattern(prim, property, values, vertices, (first_face, corners));
        }
        if elements == 0 || property.interpolation.as_deref() == Some("faceVarying") || values.len() % elements != 0 {
            return Ok(());
        }
        let components = values.len() / elements;
        let (list, start) = match property.interpolation.as_deref() {
            Some("uniform") => (&mut self.mesh.face_attributes, first_face),
            _ => (&mut self.mesh.vertex_attributes, vertices.start),
        };
        let name = if name == "displayColor" { "color" } else { name };
        let at = list.iter().position(|a| a.name == name && a.components == components).unwrap_or_else(|| {
            list.push(Attribute { name: name.to_string(), components, values: Vec::new() });
            list.len() - 1
        });
        list[at].values.resize(start * components, f64::NAN);
        list[at].values.extend_from_slice(values);
        Ok(())
    }

    fn pattern(
        &mut self,
        prim: &Prim,
        property: &Property,
        values: &[f64],
        vertices: std::ops::Range<usize>,
        (first_face, corners): (usize, usize),
    ) -> Result<(), Fault> {
        let table: Vec<DVec2> = values.chunks_exact(2).map(DVec2::from_slice).collect();
        let indices = prim.numbers(&format!("{}:indices", property.name));
        let pick = |k: usize| match indices {
            Some(indices) => indices.get(k).and_then(|i| table.get(*i as usize)).copied().unwrap_or(DVec2::NAN),
            None => table.get(k).copied().unwrap_or(DVec2::NAN),
        };
        let start = self.polygons.face(first_face.min(self.polygons.len().saturating_sub(1))).start;
        let by_corner = property.interpolation.as_deref() == Some("faceVarying");
        self.uv.resize(start, DVec2::NAN);
        let left_handed = prim.get("orientation").is_some_and(|p| p.value == Value::Texts(vec!["leftHanded".into()]));
        if by_corner && left_handed {
            let message = "a left-handed mesh with coordinates per corner is not read";
            return Err(fault(prim, FaultKind::Unsupported, message));
        }
        for k in 0..corners {
            let vertex = self.polygons.corners[start + k] as usize - vertices.start;
            self.uv.push(pick(if by_corner { k } else { vertex }));
        }
        Ok(())
    }

    fn finish(self, rate: f64, size: usize) -> Result<FileMesh, Fault> {
        let Gathered { mut mesh, polygons, mut uv, moving } = self;
        if polygons.is_empty() {
            let remedy = "check that the file is a layer with meshes of its own; references are not followed";
            return Err(Fault::new(Place::File, FaultKind::Syntax, "the file holds no mesh", remedy));
        }
        let cut = polygons.cut(&mesh.positions);
        mesh.triangles = cut.corners.iter().map(|t| t.map(|k| polygons.corners[k as usize])).collect();
        if uv.iter().any(|p| p.is_finite()) {
            uv.resize(polygons.corners.len(), DVec2::NAN);
            let named = |k: u32| if uv[k as usize].is_finite() { k } else { Corners::<DVec2>::NONE };
            let triangles = cut.corners.iter().map(|t| t.map(named)).collect();
            mesh.uv = Some(Corners { values: uv, triangles });
        }
        for part in &mut mesh.parts {
            let triangle = |face: usize| match cut.faces.is_empty() {
                true => face,
                false => cut.faces.partition_point(|&f| (f as usize) < face),
            };
            part.triangles = triangle(part.triangles.start)..triangle(part.triangles.end);
        }
        for (attributes, count) in
            [(&mut mesh.vertex_attributes, mesh.positions.len()), (&mut mesh.face_attributes, polygons.len())]
        {
            attributes.iter_mut().for_each(|a| a.values.resize(count * a.components, f64::NAN));
        }
        mesh.faces = cut.faces;
        mesh.clips = clip(&mesh.positions, &moving, rate, size)?.into_iter().collect();
        Ok(mesh)
    }
}

/// All points over time, at every time that any of them has a sample.
fn clip(rest: &[DVec3], moving: &[Moving], rate: f64, size: usize) -> Result<Option<Clip>, Fault> {
    let mut times: Vec<f64> = moving.iter().flat_map(|(_, _, s)| s.iter().map(|(t, _)| *t)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    if times.is_empty() {
        return Ok(None);
    }
    if times.len().saturating_mul(3 * rest.len()) > size.saturating_mul(NUMBERS_PER_BYTE) {
        let message = "few samples would become very many frames of the whole file";
        return Err(Fault::new(Place::File, FaultKind::TooLarge, message, "split the file"));
    }
    let mut frames = Vec::with_capacity(times.len());
    for &time in &times {
        let mut frame = rest.to_vec();
        for (first, world, samples) in moving {
            let next = samples.partition_point(|(t, _)| *t <= time);
            let (a, b) = (&samples[next.saturating_sub(1)], &samples[next.min(samples.len() - 1)]);
            let s = if b.0 > a.0 { ((time - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) } else { 0.0 };
            for (k, (p, q)) in a.1.chunks_exact(3).zip(b.1.chunks_exact(3)).enumerate() {
                let (p, q) = (DVec3::from_slice(p), DVec3::from_slice(q));
                frame[first + k] = world.transform_point3(p + (q - p) * s);
            }
        }
        frames.push(frame);
    }
    let times = times.iter().map(|t| t / rate).collect();
    let frames = VertexFrames::new(times, frames)
        .map_err(|e| Fault::new(Place::File, FaultKind::Value, e.to_string(), "export it again"))?;
    Ok(Some(Clip { name: "points".into(), deformation: Arc::new(frames), frames_per_second: Some(rate) }))
}

/// Whether a prim is or carries a mesh.
fn has_mesh(prim: &Prim) -> bool {
    prim.kind == "Mesh" || prim.children.iter().any(has_mesh)
}

/// A prim's own transform at its first time, and the parts of it that change later. At any time samples overrule a value
/// without time, as USD has it.
fn local(prim: &Prim) -> Result<(DMat4, Vec<&str>), Fault> {
    let (mut matrix, mut moves) = (DMat4::IDENTITY, Vec::new());
    let Some(Value::Texts(order)) = prim.get("xformOpOrder").map(|p| &p.value) else { return Ok((matrix, moves)) };
    for op in order {
        let samples = match prim.get(&format!("{op}.timeSamples")).map(|p| &p.value) {
            Some(Value::Samples(samples)) => samples.as_slice(),
            _ => &[],
        };
        if samples.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            moves.push(op.as_str());
        }
        let kind = op.strip_prefix("xformOp:").and_then(|rest| rest.split(':').next()).unwrap_or_default();
        let values = samples.first().map_or(prim.numbers(op).unwrap_or(&[]), |(_, first)| first);
        let axis = |letter: char, degrees: f64| {
            let axis = match letter {
                'X' => DVec3::X,
                'Y' => DVec3::Y,
                _ => DVec3::Z,
            };
            DMat4::from_axis_angle(axis, degrees.to_radians())
        };
        matrix *= match (kind, values) {
            ("translate", [x, y, z]) => DMat4::from_translation(DVec3::new(*x, *y, *z)),
            ("scale", [x, y, z]) => DMat4::from_scale(DVec3::new(*x, *y, *z)),
            ("rotateX" | "rotateY" | "rotateZ", [angle]) => axis(kind.chars().last().unwrap_or('Z'), *angle),
            ("orient", [w, x, y, z]) => DMat4::from_quat(DQuat::from_xyzw(*x, *y, *z, *w).normalize()),
            // Rows of USD's matrices are columns of ours: points stand on the left there.
            ("transform", values) if values.len() == 16 => DMat4::from_cols_slice(values),
            // The first letter turns first: it stands on the right.
            (kind, [x, y, z]) if kind.len() == 9 && kind.starts_with("rotate") => {
                let angle = |letter| match letter {
                    'X' => *x,
                    'Y' => *y,
                    _ => *z,
                };
                kind[6..].chars().fold(DMat4::IDENTITY, |m, letter| axis(letter, angle(letter)) * m)
            }
            _ => {
                let message = format!("the transform `{}` is not read", super::excerpt(op.as_bytes()));
                return Err(fault(prim, FaultKind::Unsupported, message));
            }
        };
    }
    Ok((matrix, moves))
}
