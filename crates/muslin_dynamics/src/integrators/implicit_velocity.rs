//! Velocities that feel their own damping: v = v₀ + τ M⁻¹ f(t, x, v) at fixed positions x.
//!
//! Damping is linear in v and air drag nearly so; Newton's method needs −∂f/∂v. A force has no method for
//! it, but its incremental potential does: with a reference x̂ = x − σv the Hessian is ∂²U + C/σ + O(1), so
//! σ times it tends to C = −∂f/∂v as σ → 0. The rest is of order σ and only slows Newton's method by that
//! factor, because the residual is taken with the true force.

use super::{
    StepError,
    stages::{HeldMotion, Moment, fit, longest},
};
use crate::{
    constraints::Constraints,
    forces::HessianKind,
    interrupt::Interrupt,
    linear::{BlockJacobi, BlockMatrix, Pcg, PcgOutcome, PcgSettings, Preconditioner},
    system::{Past, System},
};
use glam::DVec3;
use muslin_model::parallel;

/// σ over τ [-]: small against 1 so that elasticity leaves the matrix, large against round-off.
const REFERENCE: f64 = 1e-8;
/// Part of the first residual that may be left [-]. Relative, because a residual is an acceleration times τ:
/// any fixed velocity would swallow small accelerations at small steps. With linear damping one iteration
/// leaves less.
const RESIDUAL: f64 = 1e-9;
/// Residual over the largest velocity that is mere rounding [-].
const ROUND_OFF: f64 = 1e-15;
/// Relative tolerance of the linear solve [-]; the matrix is well conditioned, so it costs little.
const LINEAR: f64 = 1e-10;
/// Newton iterations before the solve fails; linear damping needs one.
const MOST_ITERATIONS: usize = 20;
/// Conjugate-gradient iterations before a linear solve stops.
const MOST_LINEAR_ITERATIONS: usize = 10_000;

/// The velocities to find.
pub(super) struct VelocityProblem<'a> {
    /// Held directions keep the velocity they come with.
    pub constraints: &'a Constraints,
    /// Time of the forces [s].
    pub time: f64,
    /// Positions [m].
    pub positions: &'a [DVec3],
    /// τ [s].
    pub tau: f64,
    /// v₀ [m/s].
    pub from: &'a [DVec3],
}

/// Work done by solves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VelocityCost {
    pub newton_iterations: usize,
    pub pcg_iterations: usize,
    pub force_evaluations: usize,
    pub unfinished_solves: usize,
    /// Largest residual of the last solve over the mean vertex weight [-].
    pub worst_residual: f64,
}

/// Newton's method with its matrix and work arrays.
#[derive(Debug, Default)]
pub(super) struct ImplicitVelocity {
    matrix: Option<BlockMatrix>,
    preconditioner: BlockJacobi,
    pcg: Pcg,
    interrupt: Interrupt,
    residual: Vec<DVec3>,
    correction: Vec<DVec3>,
    reference: Vec<DVec3>,
}

impl ImplicitVelocity {
    /// Hands over what to look at during long solves.
    pub(super) fn heed(&mut self, interrupt: &Interrupt) {
        self.pcg.heed(interrupt);
        self.interrupt = interrupt.clone();
    }

    /// Solves for the velocities, beginning with v₀.
    pub(super) fn solve(
        &mut self,
        system: &mut System,
        held: &mut HeldMotion,
        problem: &VelocityProblem,
        v: &mut [DVec3],
        cost: &mut VelocityCost,
    ) -> Result<(), StepError> {
        let count = v.len();
        for work in [&mut self.residual, &mut self.correction, &mut self.reference] {
            fit(work, count);
        }
        v.copy_from_slice(problem.from);
        let mut tolerance = ROUND_OFF * longest(v).1;
        let mut worst = (0, f64::INFINITY);
        for iteration in 0..MOST_ITERATIONS {
            if self.interrupt.is_overdue() {
                return Err(StepError::Interrupted);
            }
            let at = Moment { time: problem.time, positions: problem.positions, velocities: v };
            held.accelerate(system, problem.constraints, at, &mut self.residual);
            cost.force_evaluations += 1;
            let (from, tau) = (problem.from, problem.tau);
            parallel::update(&mut self.residual, |i, a| from[i] - v[i] + *a * tau);
            // (M + τC) δ = M r with C positive semi-definite: no correction outweighs the residual.
            worst = longest(&self.residual);
            if !worst.1.is_finite() {
                return Err(StepError::NotFinite { vertex: worst.0 });
            }
            if iteration == 0 {
                tolerance = tolerance.max(RESIDUAL * worst.1);
            }
            // Not before the first correction, unless there is nothing to correct at all.
            if worst.1 <= tolerance && (iteration > 0 || worst.1 == 0.0) {
                cost.worst_residual = residual_in_weights(system, problem.tau, worst);
                return Ok(());
            }
            let solved = self.correct(system, problem, v);
            cost.pcg_iterations += solved.iterations;
            cost.unfinished_solves += usize::from(solved.unfinished());
            cost.newton_iterations += 1;
        }
        Err(StepError::NotConverged {
            iterations: MOST_ITERATIONS,
            vertex: worst.0,
            residual: residual_in_weights(system, problem.tau, worst),
            correction: worst.1 * problem.tau / system.edge_length,
        })
    }

    /// One Newton iteration from the residual; returns how its linear solve went.
    fn correct(&mut self, system: &mut System, problem: &VelocityProblem, v: &mut [DVec3]) -> PcgOutcome {
        let (x, tau, sigma) = (problem.positions, problem.tau, REFERENCE * problem.tau);
        parallel::fill(&mut self.reference, |i| x[i] - v[i] * sigma);
        let reference = &self.reference;
        let past = Past { start: reference, before: reference, start_weight: 1.0, tau: sigma, time_end: problem.time };
        system.begin_step(&past);
        let matrix = self.matrix.get_or_insert_with(|| BlockMatrix::new(system.pattern.clone()));
        let weight = 1.0 / (tau * sigma);
        matrix.set_diagonal(|i| system.masses[i] * weight);
        system.add_hessian(x, HessianKind::Exact, matrix);
        matrix.constrain(problem.constraints);
        self.preconditioner.prepare(matrix, problem.constraints);
        let masses = &system.masses;
        parallel::update(&mut self.residual, |i, r| *r * (masses[i] * weight));
        problem.constraints.filter(&mut self.residual);
        let settings = PcgSettings { relative_tolerance: LINEAR, most_iterations: MOST_LINEAR_ITERATIONS };
        let outcome = self.pcg.solve(matrix, &mut self.preconditioner, &self.residual, &mut self.correction, settings);
        parallel::zip_axpy(v, 1.0, &self.correction);
        outcome
    }
}

/// The force that a velocity error stands for, over the mean vertex weight [-].
fn residual_in_weights(system: &System, tau: f64, worst: (u32, f64)) -> f64 {
    system.masses[worst.0 as usize] * worst.1 / (tau * system.mean_weight())
}
