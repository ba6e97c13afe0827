//! Symplectic Euler: the velocity from the old position, the position from the new velocity.
//!
//! V's "explicit Euler" (methods 4.6 and 4.27) is this scheme. Order 1, but the map preserves area in phase
//! space, so that without damping the energy swings around its start by O(h) and does not drift. Stable for
//! ωh < 2.

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    stages::{HeldMotion, Moment, commit, fit},
};
use crate::system::System;
use glam::DVec3;
use muslin_model::parallel;

/// The scheme with its work arrays.
#[derive(Clone, Debug, Default)]
pub struct SymplecticEuler {
    held: HeldMotion,
    acceleration: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl Integrator for SymplecticEuler {
    fn name(&self) -> &'static str {
        "symplectic-euler"
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, step, held) = (phase.positions.len(), input.step, input.constraints);
        for work in [&mut self.acceleration, &mut self.x, &mut self.v] {
            fit(work, count);
        }
        self.held.begin(&phase.positions, input);
        self.v.copy_from_slice(&phase.velocities);
        self.held.carry(held, &mut self.v);
        let at = Moment { time: input.time, positions: &phase.positions, velocities: &self.v };
        self.held.accelerate(system, held, at, &mut self.acceleration);
        self.held.count(1.0);
        parallel::zip_axpy(&mut self.v, step, &self.acceleration);
        let (v, start) = (&self.v, &phase.positions);
        parallel::fill(&mut self.x, |i| start[i] + v[i] * step);
        let work = self.held.work(system, held, &phase.velocities, step);
        commit(phase, input, &mut self.x, &mut self.v)?;
        Ok(StepOutcome { force_evaluations: 1, work, ..Default::default() })
    }
}
