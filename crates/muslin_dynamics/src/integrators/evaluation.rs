//! What Newton's method learns of Φ at one state.

use super::StepError;
use crate::energy::Powers;
use glam::DVec3;

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
    /// The error that tells of it, after so many iterations and a last correction in edge lengths [-].
    pub fn not_converged(&self, iterations: usize, correction: f64) -> StepError {
        StepError::NotConverged { iterations, vertex: self.vertex, residual: self.residual, correction }
    }
}

/// Length of the longest vector [m].
pub(super) fn longest(values: &[DVec3]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| most.max(v.length_squared())).sqrt()
}

/// Largest distance between two sets of positions [m].
pub(super) fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance_squared(*b))).sqrt()
}
