//! What Newton's method learns of Φ at one state.

use crate::energy::Powers;

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
