//! Scenes, settings and the step itself. Read `step.rs` first.

pub mod adaptive;
mod advance;
mod bodies;
mod build;
mod cascade_settings;
mod commit;
mod contact;
mod drive;
mod error;
pub mod hands;
mod hash;
mod integrate;
mod memory;
pub mod older;
pub mod places;
mod refusal;
pub mod report;
pub mod scene;
mod scene_keys;
mod scene_shapes;
pub mod settings;
pub mod simulation;
mod step;
mod warnings;

pub use bodies::first_empty_pin;
pub use contact::{Grip, Pinch, PressingContact, StartFault, StartFaultKind};
pub use hands::Hands;
pub use report::{Energy, Stage, StageCost, Tally};
pub use scene::{BendModel, ClothShape, ClothSpec, ObstacleShape, ObstacleSpec, Scene, StretchModel};
pub use scene_keys::SceneKey;
pub use settings::Settings;
pub use simulation::{SimError, Simulation};
