//! The reference of scene files mentions every choice that a scene can make.

use crate::tree;

/// Each choice: the file that defines it, its enum, and the key of scene files that makes it.
const CHOICES: [(&str, &str, &str); 9] = [
    ("muslin_sim/src/settings.rs", "IntegratorKind", "settings.integrator"),
    ("muslin_sim/src/settings.rs", "PreconditionerKind", "settings.linear.preconditioner"),
    ("muslin_sim/src/settings.rs", "LimiterKind", "settings.limiter"),
    ("muslin_collision/src/broad_phase/kind.rs", "BroadPhaseKind", "settings.collision.broad_phase"),
    ("muslin_sim/src/scene.rs", "StretchModel", "cloth.stretch"),
    ("muslin_sim/src/scene.rs", "BendModel", "cloth.bend"),
    ("muslin_sim/src/scene.rs", "BendMemory", "cloth.bend"),
    ("muslin_sim/src/scene_shapes.rs", "ClothShape", "cloth.shape"),
    ("muslin_sim/src/scene_shapes.rs", "ObstacleShape", "obstacle.shape"),
];

/// A variant that scene files do not name: its kinds, an enum of their own above, are choices themselves.
const GROUP: &str = "Remembering";

/// Names of an enum's variants, without those that hold data given by a program (`Mesh(Mesh)`).
fn variants(source: &str, name: &str) -> Vec<String> {
    let head = format!("pub enum {name} {{\n");
    let body = source.split_once(&head).unwrap_or_else(|| panic!("{name} is defined")).1;
    let body = body.split("\n}").next().unwrap_or_default();
    body.lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()) && !line.contains('('))
        .map(|line| line.trim_end_matches([' ', ',', '{', '}']).to_owned())
        .filter(|variant| variant != GROUP)
        .collect()
}

/// `RungeKutta4`, `runge-kutta-4` and `"runge-kutta-4"` are the same name.
fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// The part of the reference on the choices of a key.
fn section<'a>(reference: &'a str, key: &str) -> &'a str {
    let heading = format!("### Choices of `{key}`\n");
    let body = reference.split_once(&heading).map_or("", |(_, body)| body);
    body.split("\n#").next().unwrap_or_default()
}

fn missing(names: &[String], section: &str) -> Vec<String> {
    let mentioned: Vec<String> = section.split('`').skip(1).step_by(2).map(squashed).collect();
    names.iter().filter(|name| !mentioned.contains(&squashed(name))).cloned().collect()
}

#[test]
fn the_reference_mentions_every_choice_of_a_scene() {
    let read = |path: &str| std::fs::read_to_string(tree::root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let reference = read("docs/scene-file.md");
    let mut faults = Vec::new();
    for (file, name, key) in CHOICES {
        let names = variants(&read(&format!("crates/{file}")), name);
        assert!(!names.is_empty(), "{name} has variants");
        let missing = missing(&names, section(&reference, key));
        faults.extend(missing.iter().map(|variant| format!("{name}::{variant} is not among the choices of `{key}`")));
    }
    tree::assert_none(faults);
}

#[test]
fn a_choice_that_nobody_documents_is_found() {
    let source = "/// Doc.\npub enum Kind {\n    /// One.\n    RungeKutta4,\n    /// Two.\n    Verlet {\n        /// x\n        \
                  epsilon: f64,\n    },\n    Mesh(Mesh),\n}\n\npub enum Other {\n    Third,\n}\n";
    let names = variants(source, "Kind");
    assert_eq!(names, ["RungeKutta4", "Verlet"]);
    let reference =
        "### Choices of `a`\n\n- `runge-kutta-4`, `\"verlet\"`\n\n### Choices of `b`\n\n- `runge-kutta-4`, verlet\n";
    assert!(missing(&names, section(reference, "a")).is_empty());
    assert_eq!(missing(&names, section(reference, "b")), ["Verlet"]);
    assert_eq!(missing(&names, section(reference, "c")).len(), 2);
}
