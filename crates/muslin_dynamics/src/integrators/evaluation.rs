//! What Newton's method learns of Φ at one state.

use super::{StepError, StepInput};
use crate::{energy::Powers, system::System};
use glam::DVec3;

/// Armijo's constant: the part of the foretold decrease that a step must reach [-].
pub(super) const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Potentials are sums with cancellation; differences below this part of their terms are noise [-].
pub(super) const ROUND_OFF: f64 = 1e-13;

/// Φ and what comes with it.
#[derive(Clone, Copy)]
pub(super) struct Values {
    /// Φ [J].
    pub potential: f64,
    /// Sum of the magnitudes of Φ's terms, the scale of its round-off [J].
    pub magnitude: f64,
    /// Powers of what is not conservative.
    pub powers: Powers,
}

/// What one evaluation of Φ gives.
#[derive(Clone, Copy)]
pub(super) struct Evaluation {
    pub values: Values,
    /// Largest filtered gradient over the mean weight [-], and its vertex.
    pub residual: f64,
    pub vertex: u32,
}

impl Evaluation {
    /// Looks for the largest part of a gradient [N] that constraints leave.
    pub fn new(system: &System, input: &StepInput, gradient: &[DVec3], values: Values) -> Self {
        let weight = system.mean_weight();
        let mut worst = (0.0, 0u32);
        let constraints = input.constraints;
        let mut next = 0;
        for (i, g) in gradient.iter().enumerate() {
            let held = next < constraints.vertices.len() && constraints.vertices[next] as usize == i;
            let g = if held { constraints.free[next] * *g } else { *g };
            next += usize::from(held);
            let size = g.length_squared();
            // `!(<=)` so that a NaN wins.
            if !(size <= worst.0) {
                worst = (size, i as u32);
            }
        }
        Evaluation { values, residual: worst.0.sqrt() / weight, vertex: worst.1 }
    }

    /// The error that tells of it, after so many iterations and a last correction in edge lengths [-].
    pub fn not_converged(&self, iterations: usize, correction: f64) -> StepError {
        StepError::NotConverged { iterations, vertex: self.vertex, residual: self.residual, correction }
    }
}

/// Length of the longest vector [m].
pub(super) fn longest(values: &[DVec3]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| most.max(v.length_squared())).sqrt()
}
