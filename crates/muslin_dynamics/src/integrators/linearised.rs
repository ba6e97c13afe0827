//! The one-iteration scheme where something holds the cloth off.
//!
//! The cloth's own forces are linearised once, where its motion would carry it: Φ becomes a quadratic q with a positive
//! definite matrix. The supports keep their true potentials, which are convex. So is the sum, and Newton's method with
//! a line search finds its only minimum from anywhere: none of the buckling that makes the full solve long
//! (`bench/newton.md`) is in it, and the cloth is assembled once. Friction limits follow the normal forces that the
//! minimum shows, in [`MOST_RENEWALS`] further minimisations.
//!
//! What is lost is of second order in the way between the first guess and the end: it shows as stretch. Whoever
//! wants less takes shorter steps, best where the stretch says so (`settings.adaptive`).

use super::{
    Newton, Phase, StepError, StepInput, StepOutcome,
    evaluation::{Evaluation, longest},
};
use crate::{
    forces::HessianKind,
    linear::{BlockMatrix, PcgSettings, dot},
    system::System,
};
use glam::DVec3;
use muslin_model::parallel;

/// The minimum is reached when a whole step has foretold the forces of the supports, taken together, to this part of them
/// or of a mean vertex weight [-].
const FORETOLD: f64 = 0.1;
/// Iterations after which the search has to judge what there is.
const MOST_ITERATIONS: usize = 12;
/// A factor serves the next matrix only if supports have moved by less than this part of their range [-].
const SERVES: f64 = 1.0;
/// Relative tolerance of a linear solve [-]: the next iteration mends what it leaves.
const LINEAR: f64 = 1e-2;
/// Armijo's constant [-], and the noise of potentials as a part of their size [-].
const SUFFICIENT_DECREASE: f64 = 1e-4;
const ROUND_OFF: f64 = 1e-13;
/// Halvings along a direction.
const MOST_HALVINGS: usize = 30;
/// Times that friction limits are renewed within a step.
const MOST_RENEWALS: usize = 1;
/// A change of the friction limits below this many mean vertex weights is none [-].
const SAME_FRICTION: f64 = 0.05;

/// Arrays of the linearised cloth.
#[derive(Default)]
pub(super) struct Linearised {
    matrix: Option<BlockMatrix>,
    /// Where it is linearised [m], and the gradient there [N].
    base: Vec<DVec3>,
    gradient: Vec<DVec3>,
    /// The matrix times the way from the base, and times the direction [N].
    pull: Vec<DVec3>,
    turn: Vec<DVec3>,
    direction: Vec<DVec3>,
}

impl Newton {
    /// Solves the linearised step with supports; `x` holds the first guess and gets the solution.
    pub(super) fn solve_linearised(
        &mut self,
        system: &mut System,
        phase: &Phase,
        input: &StepInput,
        tau: f64,
    ) -> Result<StepOutcome, StepError> {
        let mut outcome = StepOutcome::default();
        let mut work = std::mem::take(&mut self.linearised);
        self.linearise(system, phase, input, tau, &mut work);
        input.constraints.impose(&mut self.x);
        let mut result = self.minimise(system, input, &mut work, &mut outcome);
        for _ in 0..MOST_RENEWALS {
            if result.is_err() || system.supports.renew_friction(&self.x) <= SAME_FRICTION * system.mean_weight() {
                break;
            }
            result = self.minimise(system, input, &mut work, &mut outcome);
        }
        self.linearised = work;
        result?;
        let values = Self::evaluate(system, &self.inertial, tau, &self.x, &mut self.gradient);
        outcome.force_evaluations += 2;
        outcome.worst_residual = Evaluation::new(system, input, &self.gradient, values).residual;
        outcome.work = values.powers.over(input.step);
        outcome.work.react(input.constraints, &self.gradient, &phase.positions, &self.x);
        Ok(outcome)
    }

    /// Gradient and matrix of the cloth alone where its motion carries it.
    fn linearise(&mut self, system: &mut System, phase: &Phase, input: &StepInput, tau: f64, work: &mut Linearised) {
        for array in [&mut work.base, &mut work.gradient, &mut work.pull, &mut work.turn, &mut work.direction] {
            array.resize(self.x.len(), DVec3::ZERO);
        }
        parallel::fill(&mut work.base, |i| phase.positions[i] + phase.velocities[i] * input.step);
        let supports = std::mem::take(&mut system.supports);
        Self::evaluate(system, &self.inertial, tau, &work.base, &mut work.gradient);
        let matrix = work.matrix.get_or_insert_with(|| BlockMatrix::new(system.pattern.clone()));
        matrix.set_diagonal(|row| system.masses[row] / (tau * tau));
        system.add_hessian(&work.base, HessianKind::Carried, matrix);
        system.supports = supports;
    }

    /// Minimises q plus the potential of the supports, from `x`.
    fn minimise(
        &mut self,
        system: &System,
        input: &StepInput,
        work: &mut Linearised,
        outcome: &mut StepOutcome,
    ) -> Result<(), StepError> {
        let Linearised { matrix: Some(cloth), base, gradient, pull, turn, direction } = work else { return Ok(()) };
        let weight = system.mean_weight();
        let range = system.supports.list.iter().map(|support| support.range).fold(f64::INFINITY, f64::min);
        for _ in 0..MOST_ITERATIONS {
            if self.interrupt.is_overdue() {
                return Err(StepError::Interrupted);
            }
            outcome.newton_iterations += 1;
            let x = &self.x;
            parallel::fill(direction, |i| x[i] - base[i]);
            cloth.multiply_with(direction, pull, &mut self.product);
            let stored = dot(gradient, direction) + 0.5 * dot(pull, direction);
            parallel::fill(&mut self.gradient, |i| gradient[i] + pull[i]);
            let (held, _) = system.supports.add_gradient(&self.x, &mut self.gradient);
            self.aim_linearised(system, input, cloth, direction, outcome);
            // Along the direction q is a parabola.
            cloth.multiply_with(direction, turn, &mut self.product);
            let (slope, bend) = (dot(gradient, direction) + dot(pull, direction), dot(turn, direction));
            let steepness = dot(&self.gradient, direction);
            let noise = ROUND_OFF * (held.abs() + stored.abs());
            let mut part = 1.0;
            for _ in 0..MOST_HALVINGS {
                let (x, direction) = (&self.x, &*direction);
                parallel::fill(&mut self.trial, |i| x[i] + direction[i] * part);
                let rise = system.supports.potential(&self.trial) - held;
                let change = part * (slope + 0.5 * part * bend) + rise;
                if change <= SUFFICIENT_DECREASE * part * steepness + noise {
                    break;
                }
                part *= 0.5;
            }
            let surprise = system.supports.surprise(&self.x, &self.trial, weight);
            std::mem::swap(&mut self.x, &mut self.trial);
            let moved = longest(direction);
            if !(moved <= SERVES * range) {
                self.direction.preconditioner.failed();
            }
            if surprise <= FORETOLD && part == 1.0 {
                break;
            }
        }
        Ok(())
    }

    /// Sets `direction` to the Newton step of the cloth's matrix and the supports' at `x`.
    fn aim_linearised(
        &mut self,
        system: &System,
        input: &StepInput,
        cloth: &BlockMatrix,
        direction: &mut [DVec3],
        outcome: &mut StepOutcome,
    ) {
        let mut matrix = self.direction.matrix.take().unwrap_or_else(|| BlockMatrix::new(system.pattern.clone()));
        matrix.blocks.copy_from_slice(&cloth.blocks);
        matrix.links.clear();
        system.supports.add_hessian(&self.x, &mut matrix);
        matrix.constrain(input.constraints);
        let solver = &mut self.direction;
        solver.preconditioner.place(&self.x);
        solver.preconditioner.prepare(&matrix, input.constraints);
        let gradient = &self.gradient;
        parallel::fill(&mut self.trial_gradient, |i| -gradient[i]);
        input.constraints.filter(&mut self.trial_gradient);
        let settings = PcgSettings { relative_tolerance: LINEAR, most_iterations: solver.most_iterations };
        let preconditioner = solver.preconditioner.as_mut();
        let solved = solver.pcg.solve(&matrix, preconditioner, &self.trial_gradient, direction, settings);
        outcome.pcg_iterations += solved.iterations;
        outcome.unfinished_solves += usize::from(solved.unfinished());
        solver.matrix = Some(matrix);
    }
}
