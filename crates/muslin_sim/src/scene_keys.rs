//! A scene as a list of keys and values, so that two can be compared and the difference named.
//!
//! The list is taken from the pretty debug text, line by line as it is produced: every field of every type is
//! there without a second description that could forget one, and numbers are exact. Short lists stay in one
//! line; long ones (the vertices of a mesh) become a hash, so the list stays small whatever the scene holds.

use crate::scene::Scene;
use std::fmt::{self, Write};

/// Lists with more elements than this are shown as a hash.
const MOST_ELEMENTS: usize = 64;

/// One key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneKey {
    /// Path with dots, much as in a scene file: `cloth.0.material.shear`.
    pub key: String,
    /// Its value.
    pub value: String,
}

impl Scene {
    /// All keys of the scene, in the order of its fields.
    pub fn keys(&self) -> Vec<SceneKey> {
        let mut reader = Reader::default();
        // Writing into memory cannot fail.
        let _ = write!(reader, "{self:#?}");
        reader.end_line();
        reader.keys
    }
}

/// An open bracket.
struct Level {
    /// Length of the path outside.
    outer: usize,
    kind: Kind,
    elements: usize,
    /// First key inside.
    first: usize,
    /// Whether an element has elements of its own.
    nested: bool,
    /// Hash of all values inside a list.
    hash: Option<blake3::Hasher>,
}

/// What a bracket holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Named fields.
    Fields,
    /// A list, or a tuple such as a vector.
    Elements,
    /// One value that might have been absent.
    Some,
}

#[derive(Default)]
struct Reader {
    line: String,
    path: String,
    levels: Vec<Level>,
    keys: Vec<SceneKey>,
}

impl Write for Reader {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut parts = text.split('\n');
        self.line.push_str(parts.next().unwrap_or_default());
        for part in parts {
            self.end_line();
            self.line.push_str(part);
        }
        Ok(())
    }
}

impl Reader {
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.trim();
        let text = text.strip_suffix(',').unwrap_or(text);
        if matches!(text, "}" | "]" | ")") {
            self.close();
        } else if text.ends_with(['{', '[', '(']) {
            self.open(text);
        } else if !text.is_empty() {
            let outer = self.path.len();
            let value = self.enter(text);
            self.keep(value);
            self.path.truncate(outer);
        }
        self.line = line;
        self.line.clear();
    }

    /// Goes into the element that a line begins; returns its text after the name.
    fn enter<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(level) = self.levels.last_mut() else { return text };
        level.elements += 1;
        if level.kind == Kind::Elements && level.elements > MOST_ELEMENTS {
            self.keys.truncate(level.first);
        }
        let number = (level.elements - 1).to_string();
        let (name, rest) = match level.kind {
            Kind::Some => return text,
            Kind::Elements => (number.as_str(), text),
            Kind::Fields => text.split_once(": ").unwrap_or((text, "")),
        };
        if !self.path.is_empty() {
            self.path.push('.');
        }
        // Scene files have these in the singular.
        self.path.push_str(match name {
            "cloths" => "cloth",
            "obstacles" => "obstacle",
            "pins" => "pin",
            name => name,
        });
        rest
    }

    fn open(&mut self, text: &str) {
        if let Some(level) = self.levels.last_mut() {
            level.nested = true;
        }
        let outer = self.path.len();
        let rest = self.enter(text);
        let head = rest[..rest.len() - 1].trim_end();
        let kind = match (rest.as_bytes().last(), head) {
            (Some(b'{'), _) => Kind::Fields,
            (_, "Some") => Kind::Some,
            _ => Kind::Elements,
        };
        // The name of a struct or of a variant; that of a tuple, `DVec3(`, says nothing beside its values.
        if kind == Kind::Fields && !self.levels.is_empty() {
            self.keep(head);
        }
        let hash = rest.ends_with('[').then(blake3::Hasher::new);
        self.levels.push(Level { outer, kind, elements: 0, first: self.keys.len(), nested: false, hash });
    }

    /// Notes a value under the present path.
    fn keep(&mut self, value: &str) {
        for hash in self.levels.iter_mut().filter_map(|level| level.hash.as_mut()) {
            hash.update(value.as_bytes());
            hash.update(b"\n");
        }
        let crowded = |level: &Level| level.kind == Kind::Elements && level.elements > MOST_ELEMENTS;
        if !self.levels.iter().any(crowded) {
            self.keys.push(SceneKey { key: self.path.clone(), value: value.into() });
        }
    }

    fn close(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if level.kind == Kind::Elements {
            let all = || self.keys[level.first..].iter().map(|k| k.value.as_str()).collect::<Vec<_>>().join(", ");
            let value = match &level.hash {
                Some(hash) if level.elements > MOST_ELEMENTS => {
                    Some(format!("{} elements, hash {}", level.elements, &hash.finalize().to_hex()[..16]))
                }
                _ if level.nested => None,
                _ => Some(format!("[{}]", all())),
            };
            if let Some(value) = value {
                self.keys.truncate(level.first);
                // An outer list may be crowded: then there is no key either.
                let crowded = |level: &Level| level.kind == Kind::Elements && level.elements > MOST_ELEMENTS;
                if !self.levels.iter().any(crowded) {
                    self.keys.push(SceneKey { key: self.path.clone(), value });
                }
            }
        }
        self.path.truncate(level.outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scene::ClothShape, settings::Settings};
    use glam::{DVec2, DVec3};
    use muslin_model::{Environment, Material, Mesh};

    fn scene() -> Scene {
        let mesh = Mesh {
            positions: (0..100).map(|v| DVec3::new(f64::from(v), 0.1, 0.2)).collect(),
            triangles: vec![[0, 1, 2]],
            uv: vec![[DVec2::ZERO, DVec2::X, DVec2::Y]],
            texture: Vec::new(),
        };
        let cloth = crate::scene::ClothSpec {
            name: "sheet, \"odd\" {".into(),
            shape: ClothShape::Mesh(mesh),
            placement: Default::default(),
            material: Material::woven_cotton(),
            stretch: crate::scene::StretchModel::Membrane,
            bend: crate::scene::BendModel::None,
            loads: Vec::new(),
            wrinkles: Vec::new(),
            pins: Vec::new(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            warp_angle: 0.0,
            perturbation: 0.0,
            perturbation_seed: 0,
        };
        Scene {
            name: "a".into(),
            description: String::new(),
            duration: 1.0 / 3.0,
            frames_per_second: 60.0,
            settings: Settings::default(),
            environment: Environment::default(),
            cloths: vec![cloth],
            obstacles: Vec::new(),
            claims: Default::default(),
            start: Default::default(),
            camera: None,
        }
    }

    fn value(scene: &Scene, key: &str) -> String {
        let keys = scene.keys();
        let found = keys.iter().find(|k| k.key == key);
        found.unwrap_or_else(|| panic!("{key} is not in {keys:#?}")).value.clone()
    }

    #[test]
    fn keys_have_paths_and_exact_values() {
        let scene = scene();
        assert_eq!(value(&scene, "duration"), "0.3333333333333333");
        assert_eq!(value(&scene, "settings.integrator"), "LinearBackwardEuler");
        assert_eq!(value(&scene, "cloth.0.velocity"), "[0.0, 0.0, 0.0]");
        assert_eq!(value(&scene, "cloth.0.name"), r#""sheet, \"odd\" {""#);
        assert_eq!(value(&scene, "camera"), "None");
        let mut seen: Vec<String> = scene.keys().into_iter().map(|k| k.key).collect();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count, "a key occurs twice");
    }

    #[test]
    fn long_lists_become_a_hash_that_any_bit_changes() {
        let mut other = scene();
        let shape = |scene: &Scene| value(scene, "cloth.0.shape.0.positions");
        let before = shape(&other);
        assert!(before.starts_with("100 elements, hash ") && scene().keys().len() < 200, "{before}");
        let ClothShape::Mesh(mesh) = &mut other.cloths[0].shape else { unreachable!("made above") };
        mesh.positions[70].y = f64::from_bits(mesh.positions[70].y.to_bits() + 1);
        assert_ne!(shape(&other), before);
    }

    #[test]
    fn a_change_shows_under_its_key_alone() {
        let mut other = scene();
        other.cloths[0].velocity.y = 2.0;
        other.settings.adaptive = scene().settings.adaptive;
        let changed: Vec<SceneKey> = other.keys().into_iter().filter(|k| !scene().keys().contains(k)).collect();
        assert_eq!(changed, [SceneKey { key: "cloth.0.velocity".into(), value: "[0.0, 2.0, 0.0]".into() }]);
    }
}
