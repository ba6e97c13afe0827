//! The residual that numbers cannot resolve.
//!
//! A force is stiffness times a difference of positions, and positions are rounded: beside a stiffness K at a
//! place x it is only known to K |x| ε. If that is more than the tolerance, Newton's method reaches it, if at all, by
//! luck, and shorter steps do not help. Such a step is better ended after a few attempts than after all of them: what
//! cannot be told from zero there is as large as the weight of the cloth.
//!
//! Without gravity there is no weight that could be lost in it, and the tolerance, in weights on Earth, says nothing of
//! what matters. A residual of round-off stands for positions that are wrong in their last digits, and inner forces
//! cancel whatever these are: such a step is solved as well as it can be.

use super::{StepError, evaluation::Evaluation};
use crate::{linear::BlockMatrix, system::System};
use glam::DVec3;
use muslin_model::parallel;

/// A residual within this many times the round-off is noise [-]: a vertex sums the rounding of some twenty terms.
const NOISE: f64 = 10.0;
/// Iterations within the noise before the step is given up: luck has had its chance.
const MOST_ATTEMPTS: usize = 10;

/// Round-off of the residual in one step, and how often the residual was within it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Floor {
    /// Round-off of forces over the mean vertex weight [-].
    height: f64,
    /// Whether gravity pulls.
    has_weight: bool,
    attempts: usize,
}

impl Floor {
    /// Learns the stiffness from the step's first matrix, at positions [m].
    pub fn set(&mut self, matrix: Option<&BlockMatrix>, positions: &[DVec3], system: &System) {
        let Some(matrix) = matrix else { return };
        let size = |row: usize| {
            let block = matrix.diagonal(row);
            let stiffness = block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z);
            stiffness * positions[row].abs().max_element()
        };
        let pieces = parallel::map(positions.len().div_ceil(parallel::CHUNK), |c| {
            let end = ((c + 1) * parallel::CHUNK).min(positions.len());
            (c * parallel::CHUNK..end).map(size).fold(0.0, f64::max)
        });
        self.height = pieces.into_iter().fold(0.0, f64::max) * f64::EPSILON / system.mean_weight();
        self.has_weight = system.gravity != DVec3::ZERO;
    }

    /// Whether a residual is noise that the tolerance does not allow for; both in mean vertex weights [-].
    pub fn covers(&self, residual: f64, tolerance: f64) -> bool {
        self.height > tolerance && residual <= NOISE * self.height
    }

    /// The residual of a solved step, where this is the tolerance; both in mean vertex weights [-].
    pub fn tolerance(&self, tolerance: f64) -> f64 {
        if self.height > tolerance && !self.has_weight { NOISE * self.height } else { tolerance }
    }

    /// Counts a state that is not solved to the tolerance [-]; an error if there is no hope.
    pub fn check(&mut self, now: &Evaluation, tolerance: f64) -> Result<(), StepError> {
        self.attempts += usize::from(self.covers(now.residual, tolerance));
        match self.attempts > MOST_ATTEMPTS {
            true => Err(StepError::RoundOff { vertex: now.vertex, residual: now.residual, floor: self.height }),
            false => Ok(()),
        }
    }
}
