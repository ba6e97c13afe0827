//! A simulation that knows scenes by name.

use crate::error::Error;
use muslin_sim::Scene;
use std::ops::{Deref, DerefMut};

/// A running simulation; everything that [`muslin_sim::Simulation`] can do, and building one from a scene's
/// name or file.
pub struct Simulation(muslin_sim::Simulation);

impl Simulation {
    /// From the name of a built-in scene, or the path of a scene file.
    pub fn from_scene(name_or_path: &str) -> Result<Self, Error> {
        Self::from_scene_with(name_or_path, &[])
    }

    /// The same with `NAME=VALUE` settings, as `muslin run --set` takes them.
    pub fn from_scene_with(name_or_path: &str, settings: &[&str]) -> Result<Self, Error> {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        Self::new(&muslin_io::load(name_or_path, &settings)?.scene)
    }

    /// From plain data.
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        Ok(Simulation(muslin_sim::Simulation::new(scene)?))
    }
}

impl Deref for Simulation {
    type Target = muslin_sim::Simulation;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Simulation {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
