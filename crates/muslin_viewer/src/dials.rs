//! The sliders of the page: what of a scene can be turned while it runs.

use crate::document::{Document, list};
use glam::DVec3;
use muslin::{Field, Material, Scene, sim::settings::ContactMethod};
use serde::Serialize;
use toml_edit::value;

/// A slider.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dial {
    /// Its name in messages.
    pub id: String,
    /// The heading that it stands under.
    pub group: String,
    /// What it says.
    pub label: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Whether equal ways are equal factors.
    pub logarithmic: bool,
    /// Value now.
    pub value: f64,
}

/// Values of a fabric that one slider turns together, in the ratio of the file.
struct Property {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    keys: &'static [&'static str],
}

/// Turned together because a fabric is refused whose bias rigidity does not fit its others.
const PROPERTIES: [Property; 5] = [
    Property { name: "density", label: "Weight", unit: "kg/m²", keys: &["area_density"] },
    Property { name: "stretch", label: "Stretch", unit: "N/m", keys: &["stretch_warp", "stretch_weft"] },
    Property { name: "shear", label: "Shear", unit: "N/m", keys: &["shear"] },
    Property { name: "bending", label: "Bending", unit: "N·m", keys: &["bend_warp", "bend_weft", "bend_bias"] },
    Property {
        name: "damping",
        label: "Damping",
        unit: "N·s/m",
        keys: &["damping_warp", "damping_weft", "damping_shear", "damping_bend"],
    },
];

/// A fabric's value may be turned by this factor up and down [-].
const REACH: f64 = 100.0;
/// Fastest wind [m/s]: a storm.
const STORM: f64 = 20.0;
/// Largest coefficient of friction [-]: rubber.
const ROUGH: f64 = 1.5;
/// Shortest and longest step [s].
const STEPS: [f64; 2] = [1.0 / 1000.0, 1.0 / 20.0];
/// Drag along the normal of still air that a wind slider switches on [-]: that of the built-in scenes.
const USUAL_DRAG: f64 = 1.0;

/// All sliders of a scene; `file` is the scene as its file says, `now` as it is.
pub fn dials(file: &Scene, now: &Scene) -> Vec<Dial> {
    let mut dials = Vec::new();
    for (k, (cloth, original)) in now.cloths.iter().zip(&file.cloths).enumerate() {
        for property in &PROPERTIES {
            let first = property.keys[0];
            let (Some(value), Some(middle)) = (uniform(&cloth.material, first), uniform(&original.material, first))
            else {
                continue;
            };
            if !(middle > 0.0) || property.keys.iter().any(|key| uniform(&original.material, key).is_none()) {
                continue;
            }
            dials.push(Dial {
                id: format!("cloth.{k}.{}", property.name),
                group: format!("Fabric of {}", cloth.name),
                label: property.label,
                unit: property.unit,
                low: middle / REACH,
                high: middle * REACH,
                logarithmic: true,
                value,
            });
        }
    }
    for (axis, label) in ["Wind x", "Wind y", "Wind z"].into_iter().enumerate() {
        let value = now.environment.wind.velocity[axis];
        let (low, high) = (value.min(-STORM), value.max(STORM));
        let id = format!("wind.{}", ["x", "y", "z"][axis]);
        dials.push(Dial { id, group: "Air".into(), label, unit: "m/s", low, high, logarithmic: false, value });
    }
    if now.settings.contact.method != ContactMethod::None {
        let friction = &now.settings.contact.friction;
        let sides = [
            ("friction.object", "On obstacles", friction.object),
            ("friction.cloth", "Cloth on cloth", friction.cloth),
        ];
        // A law of several terms has no single number to turn.
        for (id, label, value) in
            sides.into_iter().filter(|side| side.2.is_coulomb()).map(|(id, label, law)| (id, label, law.kinetic))
        {
            let (id, group) = (id.to_string(), "Friction".to_string());
            let high = value.max(ROUGH);
            dials.push(Dial { id, group, label, unit: "", low: 0.0, high, logarithmic: false, value });
        }
    }
    let value = now.settings.step;
    let (low, high) = (value.min(STEPS[0]), value.max(STEPS[1]));
    let (id, group) = ("step".to_string(), "Solver".to_string());
    dials.push(Dial { id, group, label: "Time step", unit: "s", low, high, logarithmic: true, value });
    dials
}

fn uniform(material: &Material, key: &str) -> Option<f64> {
    let (_, field) = material.fields().into_iter().find(|(name, _)| *name == key)?;
    match field {
        Field::Uniform(value) => Some(*value),
        Field::PerVertex(_) | Field::PerFace(_) => None,
    }
}

/// Turns a slider in a scene's text. The error says why it cannot be.
pub fn turn(document: &mut Document, file: &Scene, now: &Scene, id: &str, to: f64) -> Result<(), String> {
    let Some(dial) = dials(file, now).into_iter().find(|dial| dial.id == id) else {
        return Err(format!("there is no slider `{id}`"));
    };
    // A slider's own ends, with room for rounding on the way.
    let room = 1e-6 * (dial.high - dial.low);
    if !(to >= dial.low - room && to <= dial.high + room) {
        return Err(format!("`{id}` goes from {} to {}, not to {to}", dial.low, dial.high));
    }
    let parts: Vec<&str> = id.split('.').collect();
    match parts[..] {
        ["cloth", number, name] => {
            let property = PROPERTIES.iter().find(|p| p.name == name);
            let material = number.parse().ok().and_then(|k: usize| file.cloths.get(k)).map(|cloth| &cloth.material);
            if let (Some(property), Some(material)) = (property, material) {
                let factor = to / uniform(material, property.keys[0]).unwrap_or(1.0);
                for key in property.keys {
                    let new = uniform(material, key).unwrap_or(0.0) * factor;
                    document.set(&format!("cloth.{number}.material.{key}"), value(new));
                }
            }
        }
        ["wind", axis] => {
            let mut wind: DVec3 = now.environment.wind.velocity;
            let axis = ["x", "y", "z"].iter().position(|a| *a == axis).unwrap_or(0);
            wind[axis] = to;
            document.set("environment.wind.velocity", list(wind.to_array()));
            if now.environment.wind.normal_drag == 0.0 {
                document.set("environment.wind.normal_drag", value(USUAL_DRAG));
            }
        }
        ["friction", side] => document.set(&format!("settings.contact.friction_{side}"), value(to)),
        _ => document.set("settings.step", value(to)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Source;

    fn drape() -> (Document, Scene) {
        let document = Document::read(&Source { name: "drape".into(), settings: vec!["resolution=6".into()] }).unwrap();
        let scene = document.scene().unwrap();
        (document, scene)
    }

    #[test]
    fn every_slider_changes_its_value_and_nothing_else() {
        let (_, file) = drape();
        for dial in dials(&file, &file) {
            let (mut document, _) = drape();
            let to = if dial.logarithmic { dial.value * 1.5 } else { 0.3 * dial.high + 0.1 };
            turn(&mut document, &file, &file, &dial.id, to).unwrap();
            let now = document.scene().unwrap();
            let changed: Vec<Dial> = dials(&file, &now)
                .into_iter()
                .filter(|d| dials(&file, &file).iter().find(|b| b.id == d.id).unwrap().value != d.value)
                .collect();
            assert_eq!(changed.len(), 1, "{}: {changed:?}", dial.id);
            assert!((changed[0].value / to - 1.0).abs() < 1e-12 && changed[0].id == dial.id);
        }
    }

    #[test]
    fn bending_keeps_its_ratios() {
        let (mut document, file) = drape();
        let before = &file.cloths[0].material;
        let warp = uniform(before, "bend_warp").unwrap();
        turn(&mut document, &file, &file, "cloth.0.bending", 10.0 * warp).unwrap();
        let after = document.scene().unwrap().cloths[0].material.clone();
        for key in ["bend_warp", "bend_weft", "bend_bias"] {
            let ratio = uniform(&after, key).unwrap() / uniform(before, key).unwrap();
            assert!((ratio - 10.0).abs() < 1e-9, "{key}: {ratio}");
        }
    }

    #[test]
    fn a_slider_cannot_be_turned_beyond_its_ends() {
        let (mut document, file) = drape();
        for (id, to) in
            [("step", 1.0), ("step", 0.0), ("wind.x", 1e9), ("wind.w", 1.0), ("cloth.9.shear", 1.0), ("", 0.0)]
        {
            assert!(turn(&mut document, &file, &file, id, to).is_err(), "{id} {to}");
        }
    }
}
