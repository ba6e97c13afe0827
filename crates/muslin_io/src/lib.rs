//! Scene files, built-in scenes and the files that a run writes.

pub mod builtin;
pub mod output;
pub mod reference;
pub mod scene_file;
pub mod schema;

pub use scene_file::{LoadedScene, ParameterInfo, SceneError, load, parse};
