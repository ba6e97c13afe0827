//! The super-elasticity limiter (Provot 1995; V 4.1.3, 6.1 and 7.2.4): over-long edges are shortened to the
//! limit by moving their ends, once or until none is too long.
//!
//! With V's *inverse dynamics* the velocities follow from the corrected positions. V recomputes
//! v = (x − x_start)/h; here the correction over h is added, which is the same for schemes with that
//! velocity (V's Euler, backward Euler), and keeps linear momentum for all others too. If the start of the
//! step was within the limits this never adds kinetic energy of the mean motion: the corrections are
//! projections onto convex sets that hold the start. Without it the edges are pulled back while the
//! velocities go on tearing at them; V 7.1 shows what comes of that.

use super::{
    LimitReport, LimitedEdges, Limiter,
    sweep::{Bounds, Passes, Sweep},
};
use crate::{constraints::Constraints, integrators::Phase};
use glam::DVec3;
use muslin_model::parallel;

/// Passes after which "until none is too long" gives up: far more than a cloth of some hundred edges across
/// needs, few enough to end.
const MOST_PASSES: usize = 10_000;

/// What velocities learn of the correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelocityRule {
    /// They follow from the corrected positions: inverse dynamics.
    FollowPositions,
    /// They stay as they were.
    Keep,
}

/// The limiter with its work arrays.
#[derive(Clone, Debug)]
pub struct SuperElasticity {
    sweep: Sweep,
    /// Largest elongation [-].
    limit: f64,
    /// Passes, 0 for as many as it takes.
    passes: usize,
    rule: VelocityRule,
    before: Vec<DVec3>,
}

impl SuperElasticity {
    /// A limit on the elongation of edges [-], with this many passes; 0 repeats until none is too long.
    pub fn new(edges: LimitedEdges, limit: f64, passes: usize, rule: VelocityRule) -> Self {
        SuperElasticity { sweep: Sweep::new(edges), limit, passes, rule, before: Vec::new() }
    }
}

impl Limiter for SuperElasticity {
    fn name(&self) -> &'static str {
        "super-elasticity"
    }

    fn inverse_masses(&mut self) -> &mut [f64] {
        &mut self.sweep.edges.inverse_masses
    }

    fn limit(&mut self, phase: &mut Phase, constraints: &Constraints, step: f64) -> LimitReport {
        self.before.clone_from(&phase.positions);
        let longest = 1.0 + self.limit;
        let passes = if self.passes == 0 { Passes::UntilMet(MOST_PASSES) } else { Passes::Counted(self.passes) };
        let passes = self.sweep.run(constraints, &mut phase.positions, passes, |_, rest, _| Bounds {
            low: 0.0,
            high: longest * rest,
            push_reach: 0.0,
        });
        if self.rule == VelocityRule::FollowPositions {
            let (x, before) = (&phase.positions, &self.before);
            parallel::update(&mut phase.velocities, |i, v| *v + (x[i] - before[i]) / step);
        }
        self.sweep.edges.report(&phase.positions, self.limit, passes)
    }
}
