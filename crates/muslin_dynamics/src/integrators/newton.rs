//! The implicit schemes: backward Euler, its one-iteration form, and BDF2, as one minimisation.
//!
//! All three have v = (x − x̂)/τ and solve M (v − v̂)/τ = f(x, v), with hatted quantities combined from the
//! past (variable-step BDF2 with r = h/h₋: weights (1+r)²/(1+2r) and −r²/(1+2r), τ = h (1+r)/(1+2r);
//! backward Euler: x̂ = xₙ, τ = h). That is the minimum of Φ in [`crate::forces`]. Newton's method with the
//! projected Hessian always descends, so with enough inertia added to its matrix Φ falls from anywhere; how much, and
//! when the projection may be left out, is decided in [`super::trust`].
//!
//! * The first guess continues the motion, xₙ + h vₙ: its error is of second order in h, one Newton
//!   iteration better than xₙ.
//! * A step turns the cloth along straight lines and so stretches it by the second order of the turn. The next
//!   step takes that stretch back, but its tension in the matrix would stiffen the cloth sideways many times too
//!   much. So the matrix has the stress that the last step aimed at, to first order, as the multipliers of a
//!   primal-dual method, not the stress at `x`.
//! * Tried and dropped (`bench/newton.md`): shorter steps along the same direction, second-order corrections,
//!   minimising over the last few directions, other first guesses, damping by the turn of each element.
//! * The linear tolerance follows the non-linear progress (Eisenstat and Walker 1996, choice 2), so early
//!   iterations are cheap and the last ones still converge fast.

use super::{
    ImplicitScheme, Integrator, Phase, StepError, StepInput, StepOutcome, Tolerances,
    direction::{Direction, Here, LinearSolve},
    evaluation::{Evaluation, ROUND_OFF, SUFFICIENT_DECREASE, Values, longest},
    floor::Floor,
    linearised::Linearised,
    trust::Trust,
};
use crate::{
    interrupt::Interrupt,
    linear::{Preconditioner, ProductWork, dot},
    system::{Past, System},
};
use glam::DVec3;
use muslin_model::parallel;

/// Loosest and tightest relative tolerance of a linear solve within Newton's method [-].
const LOOSEST_LINEAR: f64 = 1e-2;
const TIGHTEST_LINEAR: f64 = 1e-5;
/// Relative tolerance of the one solve of the linear scheme [-].
const LINEAR_SCHEME: f64 = 1e-6;
/// After a correction below this many edge lengths [-] that also cut the residual to below the ratio [-],
/// the matrix has hardly changed and serves once more: assembly costs as much as three gradients.
const LAGGED_CORRECTION: f64 = 0.05;
const LAGGED_RATIO: f64 = 0.25;
/// Part of the residual's tolerance below which a residual is round-off [-].
const SETTLED: f64 = 1e-9;
/// Decreases of Φ below this many times its noise are not judged [-].
const SILENT: f64 = 100.0;
/// Dampings tried before the search gives up: the last would move the cloth by less than round-off.
const MOST_TRIALS: usize = 40;

/// Newton's method with its work arrays.
pub struct Newton {
    scheme: ImplicitScheme,
    tolerances: Tolerances,
    pub(super) direction: Direction,
    pub(super) interrupt: Interrupt,
    trust: Trust,
    reference: Vec<DVec3>,
    pub(super) inertial: Vec<DVec3>,
    pub(super) x: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) trial_gradient: Vec<DVec3>,
    velocities: Vec<DVec3>,
    pub(super) linearised: Linearised,
    pub(super) product: ProductWork,
}

/// A step along the direction that is to be tried.
struct Attempt<'a> {
    tau: f64,
    /// Of further linear solves.
    tolerance: f64,
    now: Evaluation,
    floor: Floor,
    outcome: &'a mut StepOutcome,
}

impl Newton {
    /// A solver for one scheme.
    pub fn new(scheme: ImplicitScheme, tolerances: Tolerances, preconditioner: Box<dyn Preconditioner>) -> Self {
        Newton {
            scheme,
            tolerances,
            direction: Direction::new(preconditioner, tolerances.most_linear_iterations),
            interrupt: Interrupt::default(),
            trust: Trust::default(),
            reference: Vec::new(),
            inertial: Vec::new(),
            x: Vec::new(),
            trial: Vec::new(),
            gradient: Vec::new(),
            trial_gradient: Vec::new(),
            velocities: Vec::new(),
            linearised: Linearised::default(),
            product: ProductWork::default(),
        }
    }

    /// Sets τ, x̂ and y = x̂ + τ v̂ + τ² g; returns (τ, weight of the start in hatted quantities).
    fn set_past(&mut self, system: &System, phase: &Phase, step: f64) -> (f64, f64) {
        let two_step = self.scheme == ImplicitScheme::Bdf2 && phase.previous_step > 0.0;
        let r = step / phase.previous_step;
        let (tau, w) = if two_step {
            (step * (1.0 + r) / (1.0 + 2.0 * r), (1.0 + r).powi(2) / (1.0 + 2.0 * r))
        } else {
            (step, 1.0)
        };
        let n = phase.positions.len();
        for v in [
            &mut self.reference,
            &mut self.inertial,
            &mut self.trial,
            &mut self.gradient,
            &mut self.trial_gradient,
            &mut self.velocities,
        ] {
            v.resize(n, DVec3::ZERO);
        }
        self.direction.fit(n);
        let combine = |start: DVec3, before: DVec3| if two_step { start * w + before * (1.0 - w) } else { start };
        parallel::fill(&mut self.reference, |i| combine(phase.positions[i], phase.previous_positions[i]));
        let reference = &self.reference;
        parallel::fill(&mut self.inertial, |i| {
            reference[i]
                + combine(phase.velocities[i], phase.previous_velocities[i]) * tau
                + system.gravity * (tau * tau)
        });
        (tau, w)
    }

    /// Φ and its gradient at `trial` or `x`.
    pub(super) fn evaluate(
        system: &System,
        inertial: &[DVec3],
        tau: f64,
        x: &[DVec3],
        gradient: &mut [DVec3],
    ) -> Values {
        let scale = 1.0 / (tau * tau);
        parallel::fill(gradient, |i| (x[i] - inertial[i]) * (system.masses[i] * scale));
        let inertia =
            0.5 * scale * parallel::sum(x.len(), |i| system.masses[i] * (x[i] - inertial[i]).length_squared());
        let (forces, powers) = system.add_gradient(x, gradient);
        Values { potential: inertia + forces, magnitude: inertia.abs() + forces.abs(), powers }
    }

    /// Solves for the direction from `x`; returns whether held vertices move in it.
    fn aim(
        &mut self,
        system: &System,
        input: &StepInput,
        tau: f64,
        solve: LinearSolve,
        outcome: &mut StepOutcome,
    ) -> bool {
        let here = Here { system, input, tau, x: &self.x, gradient: &self.gradient };
        self.direction.solve(here, solve, &mut self.trust, outcome)
    }

    /// Sets `trial` to the end of the whole step along the direction and evaluates Φ there.
    fn try_whole(&mut self, system: &System, input: &StepInput, tau: f64, outcome: &mut StepOutcome) -> Evaluation {
        let (x, direction) = (&self.x, &self.direction.vector);
        parallel::fill(&mut self.trial, |i| x[i] + direction[i]);
        let values = Self::evaluate(system, &self.inertial, tau, &self.trial, &mut self.trial_gradient);
        outcome.force_evaluations += 1;
        Evaluation::new(system, input, &self.trial_gradient, values)
    }

    /// Finds `trial` with a lower Φ: the whole step along `direction`, else that of a matrix with more inertia, and so
    /// on; `None` if there is none above round-off.
    fn search(&mut self, system: &System, input: &StepInput, attempt: Attempt) -> Option<Evaluation> {
        let Attempt { tau, now, .. } = attempt;
        for _ in 0..MOST_TRIALS {
            if self.interrupt.is_overdue() {
                return None;
            }
            let slope = dot(&self.gradient, &self.direction.vector);
            let next = self.try_whole(system, input, tau, attempt.outcome);
            let noise = ROUND_OFF * (now.values.magnitude + next.values.magnitude);
            let decrease = now.values.potential - next.values.potential;
            // The model's decrease is half of its slope. Where that drowns in noise, Φ has nothing to say.
            let foretold = -0.5 * slope;
            // So it has at a residual of nothing but the round-off of positions, which `noise` does not know.
            let Tolerances { residual, .. } = self.tolerances;
            let settled = now.residual <= SETTLED * residual || attempt.floor.covers(now.residual, residual);
            let silent = settled || (foretold <= SILENT * noise && decrease.abs() <= SILENT * noise);
            if silent || decrease >= 2.0 * SUFFICIENT_DECREASE * foretold - noise {
                self.trust.accept(if silent { 1.0 } else { decrease / foretold });
                return Some(next);
            }
            self.trust.refuse();
            let solve = LinearSolve { tolerance: attempt.tolerance, assemble: Some(self.trust.kind()) };
            self.aim(system, input, tau, solve, attempt.outcome);
        }
        None
    }

    fn finish(&mut self, phase: &mut Phase, input: &StepInput, tau: f64) -> Result<(), StepError> {
        input.constraints.impose(&mut self.x);
        let (x, reference) = (&self.x, &self.reference);
        parallel::fill(&mut self.velocities, |i| (x[i] - reference[i]) / tau);
        if let Some(vertex) = x.iter().zip(&self.velocities).position(|(x, v)| !(x.is_finite() && v.is_finite())) {
            return Err(StepError::NotFinite { vertex: vertex as u32 });
        }
        std::mem::swap(&mut phase.previous_positions, &mut phase.positions);
        std::mem::swap(&mut phase.previous_velocities, &mut phase.velocities);
        phase.positions.copy_from_slice(&self.x);
        phase.velocities.copy_from_slice(&self.velocities);
        phase.previous_step = input.step;
        Ok(())
    }
}

impl Integrator for Newton {
    fn memory(&self) -> Option<&dyn Preconditioner> {
        Some(self.direction.preconditioner.as_ref())
    }

    fn memory_mut(&mut self) -> Option<&mut dyn Preconditioner> {
        Some(self.direction.preconditioner.as_mut())
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.direction.heed(interrupt);
        self.interrupt = interrupt.clone();
    }

    fn name(&self) -> &'static str {
        match self.scheme {
            ImplicitScheme::BackwardEuler => "backward-euler",
            ImplicitScheme::LinearBackwardEuler => "linear-backward-euler",
            ImplicitScheme::Bdf2 => "bdf2",
        }
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (tau, start_weight) = self.set_past(system, phase, input.step);
        system.begin_step(&Past {
            start: &phase.positions,
            before: &phase.previous_positions,
            start_weight,
            tau,
            time_end: input.time + input.step,
        });
        self.x.clear();
        let linear = self.scheme == ImplicitScheme::LinearBackwardEuler;
        if phase.guess.is_empty() {
            self.x.extend(phase.positions.iter().zip(&phase.velocities).map(|(&x, &v)| x + v * input.step));
        } else {
            self.x.extend_from_slice(&phase.guess);
        }

        if linear && !system.supports.list.is_empty() {
            let outcome = self.solve_linearised(system, phase, input, tau)?;
            self.finish(phase, input, tau)?;
            return Ok(outcome);
        }
        let mut outcome = StepOutcome::default();
        let values = Self::evaluate(system, &self.inertial, tau, &self.x, &mut self.gradient);
        let mut now = Evaluation::new(system, input, &self.gradient, values);
        let mut forcing = LOOSEST_LINEAR;
        let mut correction = f64::INFINITY;
        self.trust = Trust::default();
        let mut assemble = Some(self.trust.kind());
        let mut floor = Floor::default();
        loop {
            // Before anything else: a solve that was given up leaves a short correction, which proves nothing.
            if self.interrupt.is_overdue() {
                return Err(StepError::Interrupted);
            }
            let tolerance = floor.tolerance(self.tolerances.residual);
            let good = now.residual <= tolerance && correction <= self.tolerances.correction;
            if good || (linear && outcome.newton_iterations == 1) {
                break;
            }
            // The first iteration has assembled a matrix.
            if outcome.newton_iterations == 1 {
                floor.set(self.direction.matrix.as_ref(), &self.x, system);
            }
            floor.check(&now, self.tolerances.residual)?;
            if outcome.newton_iterations == self.tolerances.most_iterations || !now.residual.is_finite() {
                return Err(now.not_converged(outcome.newton_iterations, correction));
            }
            outcome.newton_iterations += 1;
            if outcome.newton_iterations > 1 && assemble.is_some() {
                // `trial` is where the last iteration came from.
                system.carry(&self.trial, &self.direction.vector);
            }
            let solve = LinearSolve { tolerance: if linear { LINEAR_SCHEME } else { forcing }, assemble };
            let moving = self.aim(system, input, tau, solve, &mut outcome);
            let found = if moving || linear {
                // A step that moves held vertices to their targets is taken whole: Φ need not fall on it.
                Some(self.try_whole(system, input, tau, &mut outcome))
            } else {
                self.search(system, input, Attempt { tau, tolerance: forcing, now, floor, outcome: &mut outcome })
            };
            let Some(next) = found else {
                if self.interrupt.is_overdue() {
                    return Err(StepError::Interrupted);
                }
                return Err(now.not_converged(outcome.newton_iterations, correction));
            };
            let moved = longest(&self.direction.vector) / system.edge_length;
            // A damped correction is a short one and proves nothing.
            correction = if self.direction.damping > 0.0 { f64::INFINITY } else { moved };
            std::mem::swap(&mut self.x, &mut self.trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
            let ratio = next.residual / now.residual;
            let serves = correction <= LAGGED_CORRECTION && ratio <= LAGGED_RATIO;
            assemble = (!serves).then_some(self.trust.kind());
            forcing = (0.9 * ratio * ratio).clamp(TIGHTEST_LINEAR, LOOSEST_LINEAR);
            now = next;
        }
        outcome.worst_residual = now.residual;
        outcome.work = now.values.powers.over(input.step);
        outcome.work.react(input.constraints, &self.gradient, &phase.positions, &self.x);
        self.finish(phase, input, tau)?;
        Ok(outcome)
    }
}
