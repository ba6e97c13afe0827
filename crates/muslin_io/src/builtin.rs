//! The scenes that come with Muslin, embedded so that the command works from anywhere.

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinScene {
    /// What `muslin run` calls it by.
    pub name: &'static str,
    /// Its directory under `scenes/`.
    pub group: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($group:literal / $name:literal),* $(,)?) => {
        &[$(BuiltinScene {
            name: $name,
            group: $group,
            text: include_str!(concat!("../../../scenes/", $group, "/", $name, ".toml")),
        }),*]
    };
}

/// All built-in scenes, in the order of listings.
pub const SCENES: &[BuiltinScene] = scenes![
    "hello" / "drape",
    "hello" / "hang",
    "hello" / "flag",
    "hello" / "curtain",
    "hello" / "twist",
    "hello" / "swing",
    "hello" / "laundry",
    "hello" / "scarf",
    "contact" / "cube",
    "contact" / "torus",
    "contact" / "sphere",
    "contact" / "sphere-one",
    "contact" / "rotating-ball",
    "contact" / "stack",
    "contact" / "funnel",
    "contact" / "pinch",
    "contact" / "pinch-impossible",
    "contact" / "fold-flat",
    "contact" / "body-drape",
    "contact" / "crumple",
    "contact" / "ribbon-knot",
    "validate" / "free-fall",
    "validate" / "spring",
    "validate" / "pendulum",
    "validate" / "chain",
    "validate" / "catenary",
    "validate" / "cantilever",
    "validate" / "buckling",
    "validate" / "sheet",
    "papers" / "v-7-stretch",
    "papers" / "v-7-limiter",
    "papers" / "v-7-wind",
    "papers" / "v-7-wind-conditions",
    "papers" / "v-7-conditions",
    "papers" / "v-7-shear",
    "papers" / "v-7-bend",
    "papers" / "v-7-diagonals",
    "papers" / "v-7-elongation",
    "papers" / "v-7-flexion",
    "papers" / "v-7-sides",
    "papers" / "v-7-transfer",
    "papers" / "v-7-curves",
    "papers" / "v-7-orthogonal",
    "papers" / "v-7-realignment",
    "papers" / "v-7-wrinkles",
    "papers" / "v-7-undulations",
    "papers" / "w-4-twist",
    "papers" / "w-4-squeeze",
    "papers" / "w-4-ball",
    "papers" / "w-4-arm",
    "papers" / "w-4-knee",
    "papers" / "w-4-clamp",
    "papers" / "w-7-incline",
    "papers" / "w-7-stick-slip",
    "papers" / "w-7-card",
    "papers" / "w-7-slide",
    "papers" / "w-7-sphere",
];

/// A built-in scene by name.
pub fn find(name: &str) -> Option<&'static BuiltinScene> {
    SCENES.iter().find(|s| s.name == name)
}
