//! The reference of scene files mentions every choice that a scene can make.

use crate::tree;

/// Where the choices are defined, and which enums are choices of a scene file.
const CHOICES: [(&str, &[&str]); 2] = [
    ("crates/muslin_sim/src/settings.rs", &["IntegratorKind", "PreconditionerKind", "LimiterKind"]),
    ("crates/muslin_sim/src/scene.rs", &["StretchModel", "BendModel", "ClothShape", "ObstacleShape"]),
];

/// Names of an enum's variants, without those that hold data given by a program (`Mesh(Mesh)`).
fn variants(source: &str, name: &str) -> Vec<String> {
    let head = format!("pub enum {name} {{\n");
    let body = source.split_once(&head).unwrap_or_else(|| panic!("{name} is defined")).1;
    let body = body.split("\n}").next().unwrap_or_default();
    body.lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()) && !line.contains('('))
        .map(|line| line.trim_end_matches([' ', ',', '{', '}']).to_owned())
        .collect()
}

/// `RungeKutta4`, `runge-kutta-4` and `"runge-kutta-4"` are the same name.
fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

fn missing(names: &[String], reference: &str) -> Vec<String> {
    let mentioned: Vec<String> = reference.split('`').skip(1).step_by(2).map(squashed).collect();
    names.iter().filter(|name| !mentioned.contains(&squashed(name))).cloned().collect()
}

#[test]
fn the_reference_mentions_every_choice_of_a_scene() {
    let read = |path: &str| std::fs::read_to_string(tree::root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let reference = read("docs/scene-file.md");
    let mut faults = Vec::new();
    for (path, enums) in CHOICES {
        let source = read(path);
        for name in enums {
            let names = variants(&source, name);
            assert!(!names.is_empty(), "{name} has variants");
            faults.extend(missing(&names, &reference).iter().map(|v| format!("{name}::{v} is not in the reference")));
        }
    }
    tree::assert_none(faults);
}

#[test]
fn a_choice_that_nobody_documents_is_found() {
    let source = "/// Doc.\npub enum Kind {\n    /// One.\n    RungeKutta4,\n    /// Two.\n    Verlet {\n        /// x\n        epsilon: f64,\n    },\n    Mesh(Mesh),\n}\n\npub enum Other {\n    Third,\n}\n";
    let names = variants(source, "Kind");
    assert_eq!(names, ["RungeKutta4", "Verlet"]);
    assert!(missing(&names, "`runge-kutta-4` or `\"verlet\"`").is_empty());
    assert_eq!(missing(&names, "`runge-kutta-4`, verlet"), ["Verlet"]);
}
