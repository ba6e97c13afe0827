//! Explicit Runge–Kutta schemes on (x, v): explicit Euler, the midpoint rule and the classical one.
//!
//! In all three each stage needs only the slope of the stage before, so one loop with two short tables does
//! them. The slope is (v, M⁻¹ f(t, x, v)); V writes RK4 for x alone, which has no velocity to advance.
//! Global orders are 1, 2 and 4; W 3.2.1 quotes those of the local error, one higher.
//!
//! Without damping explicit Euler gains energy at any step; the other two are stable up to ωh = 0 (midpoint,
//! like Euler, but with a growth of fourth order) and 2.83 (RK4).

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    stages::{HeldMotion, Moment, commit, fit},
};
use crate::system::System;
use glam::DVec3;
use muslin_model::parallel;

/// An explicit Runge–Kutta scheme whose stages each follow from the one before.
#[derive(Clone, Debug)]
pub struct RungeKutta {
    name: &'static str,
    /// Where each stage lies in the step [-].
    nodes: &'static [f64],
    /// Weight of each stage's slope; they sum to 1 [-].
    weights: &'static [f64],
    held: HeldMotion,
    start_velocities: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    slope: Vec<DVec3>,
    x_end: Vec<DVec3>,
    v_end: Vec<DVec3>,
}

impl RungeKutta {
    /// Explicit Euler: the slope at the start. Order 1.
    pub fn explicit_euler() -> Self {
        Self::new("explicit-euler", &[0.0], &[1.0])
    }

    /// The midpoint rule, RK2. Order 2.
    pub fn midpoint() -> Self {
        Self::new("midpoint", &[0.0, 0.5], &[0.0, 1.0])
    }

    /// The classical scheme, RK4 (V algorithm 7.2, on x and v). Order 4.
    pub fn classical() -> Self {
        Self::new("runge-kutta-4", &[0.0, 0.5, 0.5, 1.0], &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0])
    }

    fn new(name: &'static str, nodes: &'static [f64], weights: &'static [f64]) -> Self {
        let none = Vec::new;
        RungeKutta {
            name,
            nodes,
            weights,
            held: HeldMotion::default(),
            start_velocities: none(),
            x: none(),
            v: none(),
            slope: none(),
            x_end: none(),
            v_end: none(),
        }
    }
}

impl Integrator for RungeKutta {
    fn name(&self) -> &'static str {
        self.name
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, step, held) = (phase.positions.len(), input.step, input.constraints);
        for work in [&mut self.start_velocities, &mut self.x, &mut self.v, &mut self.slope] {
            fit(work, count);
        }
        fit(&mut self.x_end, count);
        fit(&mut self.v_end, count);
        self.held.begin(&phase.positions, input);
        self.held.follow(input, 0.0);
        self.start_velocities.copy_from_slice(&phase.velocities);
        self.held.carry(held, &mut self.start_velocities);
        self.x_end.copy_from_slice(&phase.positions);
        self.v_end.copy_from_slice(&self.start_velocities);

        let (x_start, v_start) = (&phase.positions, &self.start_velocities);
        for (&node, &weight) in self.nodes.iter().zip(self.weights) {
            // `v` and `slope` still hold the stage before: the slopes that lead to this one.
            let (reach, v, slope) = (node * step, &self.v, &self.slope);
            parallel::fill(&mut self.x, |i| if node == 0.0 { x_start[i] } else { x_start[i] + v[i] * reach });
            parallel::fill(&mut self.v, |i| if node == 0.0 { v_start[i] } else { v_start[i] + slope[i] * reach });
            self.held.follow(input, node);
            self.held.place(held, x_start, &mut self.x);
            self.held.carry(held, &mut self.v);
            let at = Moment { time: input.time + reach, positions: &self.x, velocities: &self.v };
            self.held.accelerate(system, held, at, &mut self.slope);
            self.held.count(weight);
            parallel::zip_axpy(&mut self.x_end, weight * step, &self.v);
            parallel::zip_axpy(&mut self.v_end, weight * step, &self.slope);
        }
        self.held.follow(input, 1.0);
        self.held.carry(held, &mut self.v_end);
        let work = self.held.work(system, held, &phase.velocities, step);
        commit(phase, input, &mut self.x_end, &mut self.v_end)?;
        Ok(StepOutcome { force_evaluations: self.nodes.len(), work, ..Default::default() })
    }
}
