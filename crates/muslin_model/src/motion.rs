//! The straight-line motion of one step.

use glam::DVec3;

/// All vertices at the start and at the end of a step; between them each moves on a straight line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Positions at the start of the step [m].
    pub start: Vec<DVec3>,
    /// Positions at its end [m].
    pub end: Vec<DVec3>,
}

impl Motion {
    /// Positions at a fraction of the step, 0 at its start and 1 at its end [m].
    pub fn at(&self, fraction: f64) -> Vec<DVec3> {
        self.start.iter().zip(&self.end).map(|(&a, &b)| a + (b - a) * fraction).collect()
    }
}
