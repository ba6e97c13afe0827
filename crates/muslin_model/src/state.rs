//! Everything that changes during a run, and so everything that a checkpoint must hold.

use crate::model::Model;
use glam::DVec3;

/// The mutable state of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Committed steps so far.
    pub steps: u64,
    /// Positions of all vertices [m].
    pub positions: Vec<DVec3>,
    /// Velocities of all vertices [m/s].
    pub velocities: Vec<DVec3>,
    /// Positions one step before [m]; the two-step schemes need them.
    pub previous_positions: Vec<DVec3>,
    /// Velocities one step before [m/s].
    pub previous_velocities: Vec<DVec3>,
    /// Length of the last committed step [s]; 0 before the first.
    pub previous_step: f64,
    /// Counter and length that an adaptive step carries on: the step it would take next [s], 0 if none.
    pub adaptive_step: f64,
    /// Steps taken since the adaptive step last changed.
    pub adaptive_successes: u32,
    /// Steps to take before the adaptive step grows; 0 before the first.
    pub adaptive_wait: u32,
    /// Whether the last change of the adaptive step was a growth that no step has confirmed yet.
    pub adaptive_grown: bool,
}

impl State {
    /// The state at time zero: everything where the model says, moving as the model says.
    pub fn new(model: &Model) -> Self {
        State {
            time: 0.0,
            steps: 0,
            positions: model.mesh.positions.clone(),
            velocities: model.start_velocities.clone(),
            previous_positions: model.mesh.positions.clone(),
            previous_velocities: model.start_velocities.clone(),
            previous_step: 0.0,
            adaptive_step: 0.0,
            adaptive_successes: 0,
            adaptive_wait: 0,
            adaptive_grown: false,
        }
    }

    /// The first vertex whose position or velocity is not finite.
    pub fn first_not_finite(&self) -> Option<usize> {
        self.positions.iter().zip(&self.velocities).position(|(x, v)| !(x.is_finite() && v.is_finite()))
    }
}
