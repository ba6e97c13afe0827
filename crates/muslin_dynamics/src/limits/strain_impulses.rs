//! Strain limiting with impulses (Bridson, Fedkiw and Anderson 2002; L 2.2, W 7.4): the ends of an edge that
//! would become too long, or change its length too fast, get equal and opposite impulses along it, and their
//! end positions follow.
//!
//! An impulse takes at most the relative motion of the ends along the edge, so it is inelastic: the kinetic
//! energy of the step's mean motion, (x − x_start)/h, falls with every one.
//! * An edge may become as long as the limit, or stay as long as it already was. Impulses only stop what
//!   still pulls it; pulling back what was too long *before* the step would add energy. That is done
//!   afterwards on the positions alone.
//! * The limit on the rate is on the change of strain within the step, to either side (Bridson et al. use
//!   0.1). Against shortening the impulse is capped: an edge that turns over within the step is not pushed
//!   out again.

use super::{
    LimitReport, LimitedEdges, Limiter,
    sweep::{Bounds, Passes, Sweep},
};
use crate::{constraints::Constraints, integrators::Phase};
use glam::DVec3;
use muslin_model::parallel;

/// The limiter with its work arrays.
#[derive(Clone, Debug)]
pub struct StrainImpulses {
    sweep: Sweep,
    /// Largest elongation [-].
    limit: f64,
    /// Largest change of strain within a step [-].
    rate_limit: f64,
    most_sweeps: usize,
    before: Vec<DVec3>,
    /// Edge vectors at the start of the step [m].
    start_edges: Vec<DVec3>,
}

impl StrainImpulses {
    /// A limit on the elongation of edges [-] and on its change within a step [-] (infinity for none), with
    /// at most this many passes over the edges.
    pub fn new(edges: LimitedEdges, limit: f64, rate_limit: f64, most_sweeps: usize) -> Self {
        StrainImpulses {
            sweep: Sweep::new(edges),
            limit,
            rate_limit,
            most_sweeps,
            before: Vec::new(),
            start_edges: Vec::new(),
        }
    }
}

impl Limiter for StrainImpulses {
    fn name(&self) -> &'static str {
        "strain-impulses"
    }

    fn inverse_masses(&mut self) -> &mut [f64] {
        &mut self.sweep.edges.inverse_masses
    }

    fn limit(&mut self, phase: &mut Phase, constraints: &Constraints, step: f64) -> LimitReport {
        self.before.clone_from(&phase.positions);
        self.start_edges.clear();
        let start = &phase.previous_positions;
        self.start_edges.extend(self.sweep.edges.ends.iter().map(|&[a, b]| start[b as usize] - start[a as usize]));

        let (longest, rate, start_edges) = (1.0 + self.limit, self.rate_limit, &self.start_edges);
        let sweeps = Passes::UntilMet(self.most_sweeps);
        let mut passes = self.sweep.run(constraints, &mut phase.positions, sweeps, |edge, rest, direction| {
            let first = start_edges[edge].length();
            Bounds {
                low: first - rate * rest,
                high: (longest * rest).max(first).min(first + rate * rest),
                // At most the approach along the edge is undone; nothing if the ends part.
                push_reach: start_edges[edge].dot(direction),
            }
        });
        let (x, before) = (&phase.positions, &self.before);
        parallel::update(&mut phase.velocities, |i, v| *v + (x[i] - before[i]) / step);

        let rests = &self.sweep.edges.rest_lengths;
        if start_edges.iter().zip(rests).any(|(d, rest)| d.length() > longest * rest) {
            passes += self.sweep.run(constraints, &mut phase.positions, sweeps, |_, rest, _| Bounds {
                low: 0.0,
                high: longest * rest,
                push_reach: 0.0,
            });
        }
        self.sweep.edges.report(&phase.positions, self.limit, passes)
    }
}
