//! Fabrics by name or as a table over another fabric.

use super::bending_loop;
use crate::{
    fabrics,
    scene_file::{
        reader::Reader,
        suggest::nearest,
        tree::{Node, Value},
    },
    schema::cloth::MATERIAL,
};
use muslin_model::{Field, Material};

/// Tables over tables over tables; more is a mistake.
const DEEPEST: usize = 16;

/// The fabric under a key.
pub fn material(reader: &Reader<'_>, name: &str) -> Material {
    match reader.given(name) {
        Some(node) => of_node(reader, node, reader.path_of(name), DEEPEST),
        None => Material::woven_cotton(),
    }
}

fn of_node(reader: &Reader<'_>, node: &Node, path: String, depth: usize) -> Material {
    match &node.value {
        Value::Text(name) => match fabrics::find(name) {
            Some(fabric) => fabric.material(),
            None => {
                let message = format!("`{path}` must be the name of a fabric or a table, found `{name}`");
                let mut fault = reader.fault_at(node, message);
                match nearest(name, fabrics::all().iter().map(|f| f.name.as_str())) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault.help(
                        "`muslin fabrics` lists the names; an own fabric is a table, for example { base = \"woven-cotton\", shear = 200 }",
                    ),
                };
                Material::woven_cotton()
            }
        },
        Value::Table(_) if depth == 0 => {
            reader.fault_at(node, format!("`{path}` has more than {DEEPEST} bases inside each other"));
            Material::woven_cotton()
        }
        Value::Table(_) => match reader.table_as(node, &MATERIAL, path) {
            Some(table) => of_table(&table, depth),
            None => Material::woven_cotton(),
        },
        _ => {
            reader.fault_at(node, format!("`{path}` must be the name of a fabric or a table, found {}", node.kind()));
            Material::woven_cotton()
        }
    }
}

fn of_table(table: &Reader<'_>, depth: usize) -> Material {
    let mut material = match table.given("base") {
        Some(base) => of_node(table, base, table.path_of("base"), depth - 1),
        None => Material::woven_cotton(),
    };
    if let Some(name) = table.text("name") {
        material.name = name;
    }
    let set = |field: &mut Field, key: &str| {
        if let Some(value) = table.field(key) {
            *field = value;
        }
    };
    set(&mut material.area_density, "area_density");
    set(&mut material.thickness, "thickness");
    set(&mut material.stretch_warp, "stretch_warp");
    set(&mut material.stretch_weft, "stretch_weft");
    set(&mut material.shear, "shear");
    set(&mut material.poisson, "poisson");
    set(&mut material.bend_warp, "bend_warp");
    set(&mut material.bend_weft, "bend_weft");
    // A changed warp or weft takes the bias along: the base's may be too small for it.
    if let (Field::Uniform(warp), Field::Uniform(weft)) = (&material.bend_warp, &material.bend_weft)
        && (table.has("bend_warp") || table.has("bend_weft"))
    {
        material.bend_bias = Field::Uniform(0.5 * (warp + weft));
    }
    set(&mut material.bend_bias, "bend_bias");
    set(&mut material.bend_poisson, "bend_poisson");
    set(&mut material.damping_warp, "damping_warp");
    set(&mut material.damping_weft, "damping_weft");
    set(&mut material.damping_shear, "damping_shear");
    set(&mut material.damping_bend, "damping_bend");
    set(&mut material.bend_hysteresis, "bend_hysteresis");
    set(&mut material.bend_transition, "bend_transition");
    set(&mut material.bend_crease, "bend_crease");
    set(&mut material.bend_fatigue, "bend_fatigue");
    set(&mut material.bend_yield, "bend_yield");
    set(&mut material.shear_hysteresis, "shear_hysteresis");
    set(&mut material.shear_transition, "shear_transition");
    if let Some(initial) = table.optional_number("bend_initial") {
        bending_loop::set_initial_rigidity(table, &mut material, initial);
    }
    bending_loop::refuse_steep(table, &material);
    bending_loop::doubt_width(table, &material);
    refuse_weak_bias(table, &material);
    material
}

/// Twisting must not have a negative stiffness; arrays are checked when the model is built.
fn refuse_weak_bias(table: &Reader<'_>, material: &Material) {
    let fields = (&material.bend_warp, &material.bend_weft, &material.bend_bias, &material.bend_poisson);
    let (Field::Uniform(warp), Field::Uniform(weft), Field::Uniform(bias), Field::Uniform(poisson)) = fields else {
        return;
    };
    let least = 0.25 * (warp + weft) + 0.5 * poisson * (warp * weft).sqrt();
    // The same slack as the model's.
    if *bias < least * (1.0 - 1e-12) {
        let key = ["bend_bias", "bend_poisson", "bend_warp"].into_iter().find(|k| table.has(k)).unwrap_or("base");
        let message = format!(
            "`{}` must be at least (bend_warp + bend_weft)/4 + bend_poisson·√(bend_warp·bend_weft)/2 = {least:e} [N·m], found {bias:e}",
            table.path_of("bend_bias")
        );
        table.fault(table.place(key), message).help("below it twisting would have a negative stiffness");
    }
}
