//! Limits on stretch, applied to the candidate end state after Integrate and before contact.
//!
//! Both limiters move the ends of over-long edges along the edge, each by its inverse mass, in a fixed order:
//! linear momentum changes only through held vertices. They differ in what the velocities
//! learn of it.

mod edges;
mod strain_impulses;
mod super_elasticity;
mod sweep;

pub use edges::LimitedEdges;
pub use strain_impulses::StrainImpulses;
pub use super_elasticity::{SuperElasticity, VelocityRule};

use crate::{constraints::Constraints, integrators::Phase};

/// An edge within this part of its rest length of the limit is at the limit [-]: far below what any limit on
/// cloth resolves.
pub const LIMIT_TOLERANCE: f64 = 1e-6;

/// How a limiter left the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Passes over the edges.
    pub passes: usize,
    /// Largest elongation beyond the limit that is left, over the rest length [-]. Not 0 if the passes ran
    /// out, or if held vertices are further apart than the limit allows.
    pub largest_excess: f64,
    /// The edge with it, as numbered when the limiter was built; `None` if no edge is beyond the limit by
    /// more than [`LIMIT_TOLERANCE`].
    pub worst_edge: Option<u32>,
}

/// Shortens over-long edges.
pub trait Limiter: Send {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// Inverse masses by which corrections are shared [1/kg], in the solver's order; for mechanisms that make some count for more.
    fn inverse_masses(&mut self) -> &mut [f64];

    /// Corrects `phase.positions` and `phase.velocities` at the end of a step of length `step` [s] that
    /// began at `phase.previous_positions`. Held directions stay where they are.
    fn limit(&mut self, phase: &mut Phase, constraints: &Constraints, step: f64) -> LimitReport;
}
