//! Scenes, settings and the step itself. Read `step.rs` first.

pub mod places;
pub mod scene;
pub mod settings;

pub use scene::{BendModel, ClothShape, ClothSpec, ObstacleShape, ObstacleSpec, Scene, StretchModel};
pub use settings::Settings;
