//! Verlet's scheme on positions, with V's damping ε (V 7.2.2, equation 7.8).
//!
//! With w = (xₙ − xₙ₋₁)/h₋ the mean velocity of the step before,
//!
//! xₙ₊₁ = xₙ + h [(1 − ε) w + ½ (h + h₋) aₙ].
//!
//! At equal steps this is V 7.8. For unequal ones V's h² aₙ is wrong in first order: the two mean velocities
//! are half of both steps apart in time, hence ½ (h + h₋). The first step has no xₙ₋₁; it takes the one that
//! a step backwards from (x, v) would give, w = v − ½ h a.
//!
//! Velocity at the end: V's (xₙ₊₁ − xₙ)/h belongs to the middle of the step and is of first order.
//! (xₙ₊₁ − xₙ)/h + ½ h aₙ costs nothing more and is of second order, so that damping forces keep the order.
//!
//! * Order 2 at ε = 0, energy bounded, reversible in time. ε takes a part of the motion in *each step*, a
//!   damping rate of ε/h that grows as the step shrinks: with ε > 0 the scheme has no limit as h → 0.
//! * The momentum lives in the positions of two steps. Whoever changes velocities alone between steps sets
//!   `previous_step` to 0, and the scheme starts again from them.

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    stages::{HeldMotion, Moment, commit, fit},
};
use crate::system::System;
use glam::DVec3;
use muslin_model::parallel;

/// The scheme with its work arrays.
#[derive(Clone, Debug, Default)]
pub struct Verlet {
    /// ε: part of the motion lost in each step [-].
    epsilon: f64,
    held: HeldMotion,
    acceleration: Vec<DVec3>,
    start_velocities: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl Verlet {
    /// The scheme with a damping of ε per step [-]; 0 for none.
    pub fn new(epsilon: f64) -> Self {
        Verlet { epsilon, ..Default::default() }
    }
}

impl Integrator for Verlet {
    fn name(&self) -> &'static str {
        "verlet"
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, step, held) = (phase.positions.len(), input.step, input.constraints);
        for work in [&mut self.acceleration, &mut self.start_velocities, &mut self.x, &mut self.v] {
            fit(work, count);
        }
        self.held.begin(&phase.positions, input);
        self.start_velocities.copy_from_slice(&phase.velocities);
        self.held.carry(held, &mut self.start_velocities);
        if phase.previous_step > 0.0 {
            // Held directions change their velocity between steps; at that instant they have neither the old
            // nor the new one, and damping would lag by half a step. Free directions are not affected.
            let (old, share) = (&phase.velocities, step / (step + phase.previous_step));
            parallel::update(&mut self.start_velocities, |i, &new| new + (old[i] - new) * share);
        }
        let at = Moment { time: input.time, positions: &phase.positions, velocities: &self.start_velocities };
        self.held.accelerate(system, held, at, &mut self.acceleration);
        self.held.count(1.0);

        let (a, x, v_start) = (&self.acceleration, &phase.positions, &self.start_velocities);
        let (before, step_before, kept) = (&phase.previous_positions, phase.previous_step, 1.0 - self.epsilon);
        // First the mean velocity of this step, then both end values from it.
        if step_before > 0.0 {
            let kick = 0.5 * (step + step_before);
            parallel::fill(&mut self.v, |i| (x[i] - before[i]) * (kept / step_before) + a[i] * kick);
        } else {
            parallel::fill(&mut self.v, |i| (v_start[i] - a[i] * (0.5 * step)) * kept + a[i] * step);
        }
        self.held.carry(held, &mut self.v);
        let mean = &self.v;
        parallel::fill(&mut self.x, |i| x[i] + mean[i] * step);
        parallel::zip_axpy(&mut self.v, 0.5 * step, a);
        let work = self.held.work(system, held, &phase.velocities, step);
        commit(phase, input, &mut self.x, &mut self.v)?;
        Ok(StepOutcome { force_evaluations: 1, work, ..Default::default() })
    }
}
