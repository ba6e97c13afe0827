//! The one-iteration scheme where something holds the cloth off.
//!
//! The cloth's own forces are linearised once, where its motion would carry it: Φ becomes a quadratic q with a positive
//! definite matrix, and none of the buckling that makes the full solve long (`bench/newton.md`) is left; the cloth is
//! assembled once. The supports keep their laws. Linear models of them that follow their forces (see
//! [`crate::tangents`]) find the balance in two or three solves where contacts rest, in six to ten where much cloth
//! arrives at once. It is found when contact is right: nothing pulls, no gap is below its floor, friction is within
//! its limit. Which gap between floor and range belongs to which force is no physics, and is not waited for.
//!
//! Where that does not end, there is a slower way that does: the supports' potentials are convex, so is their sum with
//! q, and Newton's method with a line search finds its only minimum from anywhere. Friction limits follow the
//! normal forces that the minimum shows, in [`MOST_RENEWALS`] further minimisations.
//!
//! What is lost is of second order in the way between the first guess and the end: it shows as stretch. Whoever
//! wants less takes shorter steps, best where the stretch says so (`settings.adaptive`).

use super::{
    Newton, Phase, StepError, StepInput, StepOutcome,
    evaluation::{Evaluation, ROUND_OFF, SUFFICIENT_DECREASE, longest},
    mending::Mending,
};
use crate::{
    forces::HessianKind,
    grips::FOLLOWED,
    linear::{BlockMatrix, Ending, PcgOutcome, PcgSettings, ProductWork, dot},
    supports::Places,
    system::System,
    tangents::Tangents,
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// The minimum is reached when a whole step has foretold the forces of the supports, taken together, to this part of them
/// or of a mean vertex weight [-].
const FORETOLD: f64 = 0.1;
/// Friction is right when no more than this part of it, taken together, is held by springs beyond their limit, or pushes back what has turned
/// round [-]. It is a part of friction and not of the normal forces, and a small one: with a tenth of those a sheet held on a slope 2.5 times as steep as it should.
const EXCESS: f64 = 0.01;
/// Iterations after which the search has to judge what there is.
const MOST_ITERATIONS: usize = 12;
/// Friction limits are right when their last change, taken together, was below this part of them [-].
const RENEWED: f64 = 0.2;
/// And their sum is right below this one [-]: what is shared out anew among contacts hardly matters, what is missing of it does.
const RENEWED_IN_ALL: f64 = 0.02;
/// Gaps may end this part of their floor below it [-]; the check begins at a half.
const TOO_DEEP: f64 = 0.25;
/// After this many solves, errors this many times as large will do [-]: where much cloth arrives at once, sticking and
/// slipping contacts may change places for long, with forces that hardly matter.
const PATIENT: usize = 5;
const IMPATIENCE: f64 = 3.0;
/// Solves with models that follow the forces; beyond them the slow and sure search takes over.
const MOST_SOLVES: usize = 10;
/// While normal forces are wrong by more than this [-], friction limits wait, and linear solves are done to the second,
/// a relative tolerance [-], only.
const UNSETTLED: f64 = 0.5;
const LOOSE: f64 = 0.1;
/// A factor serves the next matrix only if supports have moved by less than this part of their range [-].
const SERVES: f64 = 1.0;
/// Relative tolerance of a linear solve [-]: the next iteration mends what it leaves.
const LINEAR: f64 = 1e-2;
/// Halvings along a direction.
const MOST_HALVINGS: usize = 30;
/// Times that friction limits are renewed within a step.
const MOST_RENEWALS: usize = 1;
/// A change of the friction limits below this many mean vertex weights is none [-].
const SAME_FRICTION: f64 = 0.05;

/// The linearised cloth: q.
struct Quadratic {
    matrix: BlockMatrix,
    /// Where it is linearised [m], and the gradient there [N].
    base: Vec<DVec3>,
    gradient: Vec<DVec3>,
    /// The matrix times the way from the base [N].
    pull: Vec<DVec3>,
}

impl Quadratic {
    /// Puts the gradient at some positions [N] into `out` and the way there [m] into `way`; returns q [J].
    fn gradient_at(&mut self, x: &[DVec3], way: &mut [DVec3], out: &mut [DVec3], product: &mut ProductWork) -> f64 {
        let Quadratic { matrix, base, gradient, pull } = self;
        parallel::fill(way, |i| x[i] - base[i]);
        matrix.multiply_with(way, pull, product);
        parallel::fill(out, |i| gradient[i] + pull[i]);
        dot(gradient, way) + 0.5 * dot(pull, way)
    }
}

/// Whether cloth and supports are in balance.
#[derive(PartialEq)]
enum Balance {
    Found,
    Open,
}

/// Arrays of a linearised step.
#[derive(Default)]
pub(super) struct Linearised {
    cloth: Option<Quadratic>,
    /// The matrix times the direction [N].
    turn: Vec<DVec3>,
    direction: Vec<DVec3>,
    /// The first guess [m].
    first: Vec<DVec3>,
    /// Second derivatives of the supports [N/m].
    stiffness: Vec<DMat3>,
    /// Where they go.
    places: Vec<Places>,
    tangents: Tangents,
    mending: Mending,
    /// τ of the scheme [s].
    tau: f64,
}

/// What a linear solve is about.
struct Aim<'a> {
    cloth: &'a BlockMatrix,
    /// Second derivatives of the supports [N/m], and where they go.
    hessians: &'a [DMat3],
    places: &'a [Places],
    /// Relative tolerance [-].
    tolerance: f64,
    ending: Ending,
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
        work.tau = tau;
        input.constraints.impose(&mut self.x);
        work.first.clone_from(&self.x);
        system.supports.find_places(&system.pattern, &mut work.places);
        let result = self.settle(system, input, &mut work, &mut outcome);
        self.linearised = work;
        result?;
        let values = Self::evaluate(system, &self.inertial, tau, &self.x, &mut self.gradient);
        outcome.force_evaluations += 2;
        // Forces that are lost leave no direction to go: without this the cloth would stand still, and nobody would know.
        if let Some(vertex) = self.gradient.iter().position(|force| !force.is_finite()) {
            return Err(StepError::NotFinite { vertex: vertex as u32 });
        }
        outcome.worst_residual = Evaluation::new(system, input, &self.gradient, values).residual;
        outcome.work = values.powers.over(input.step);
        outcome.work.react(input.constraints, &self.gradient, &phase.positions, &self.x);
        Ok(outcome)
    }

    /// Finds the balance of cloth and supports, the quick way or the sure one.
    fn settle(
        &mut self,
        system: &mut System,
        input: &StepInput,
        work: &mut Linearised,
        outcome: &mut StepOutcome,
    ) -> Result<(), StepError> {
        if self.balance(system, input, work, outcome)? == Balance::Found {
            return Ok(());
        }
        self.x.clone_from(&work.first);
        system.supports.list.iter_mut().for_each(|support| support.friction = support.coefficient * support.load);
        self.minimise(system, input, work, outcome)?;
        for _ in 0..MOST_RENEWALS {
            let regripped = system.regrip(&self.x);
            if system.supports.renew_friction(&self.x) <= SAME_FRICTION * system.mean_weight() && !regripped {
                break;
            }
            self.minimise(system, input, work, outcome)?;
        }
        Ok(())
    }

    /// Counts an iteration, unless somebody asked to stop.
    fn begin_iteration(&self, outcome: &mut StepOutcome) -> Result<(), StepError> {
        outcome.newton_iterations += 1;
        if self.interrupt.is_overdue() { Err(StepError::Interrupted) } else { Ok(()) }
    }

    /// Gradient and matrix of the cloth alone where its motion carries it.
    fn linearise(&mut self, system: &mut System, phase: &Phase, input: &StepInput, tau: f64, work: &mut Linearised) {
        let none = || vec![DVec3::ZERO; phase.positions.len()];
        let cloth = work.cloth.get_or_insert_with(|| Quadratic {
            matrix: BlockMatrix::new(system.pattern.clone()),
            base: none(),
            gradient: none(),
            pull: none(),
        });
        work.turn.resize(self.x.len(), DVec3::ZERO);
        work.direction.resize(self.x.len(), DVec3::ZERO);
        parallel::fill(&mut cloth.base, |i| phase.positions[i] + phase.velocities[i] * input.step);
        let supports = std::mem::take(&mut system.supports);
        Self::evaluate(system, &self.inertial, tau, &cloth.base, &mut cloth.gradient);
        cloth.matrix.set_diagonal(|row| system.masses[row] / (tau * tau));
        system.add_hessian(&cloth.base, HessianKind::Carried, &mut cloth.matrix);
        system.supports = supports;
    }

    /// Looks for the balance of cloth and supports with models that follow the forces.
    fn balance(
        &mut self,
        system: &mut System,
        input: &StepInput,
        work: &mut Linearised,
        outcome: &mut StepOutcome,
    ) -> Result<Balance, StepError> {
        let Linearised { cloth: Some(cloth), direction, tangents, mending, places, tau, .. } = work else {
            return Ok(Balance::Open);
        };
        let tau = *tau;
        let weight = system.mean_weight();
        let (mut tolerance, mut ending) = (LINEAR, Ending::Foretold);
        let masses = &system.masses;
        tangents.begin(&mut system.supports, &self.x, |v| masses[v as usize] / (tau * tau));
        mending.begin(&system.masses, input.constraints);
        self.direction.preconditioner.failed();
        for solve in 1..=MOST_SOLVES {
            self.begin_iteration(outcome)?;
            cloth.gradient_at(&self.x, direction, &mut self.gradient, &mut self.product);
            tangents.add_gradient(&system.supports, &self.x, &mut self.gradient);
            let hessians = tangents.hessians(&system.supports);
            let aim = Aim { cloth: &cloth.matrix, hessians, places, tolerance, ending };
            let solved = self.aim_linearised(system, input, aim, direction, outcome);
            let direction = &*direction;
            parallel::update(&mut self.x, |i, x| *x + direction[i]);
            let wrong = tangents.follow(&mut system.supports, &self.x, weight);
            let settled = wrong.normal <= UNSETTLED;
            let followed =
                if settled { tangents.follow_speeds(&mut system.supports, &self.x, &system.masses) } else { 0.0 };
            let [renewed, in_all] =
                if settled { tangents.renew_friction(&mut system.supports, weight) } else { [f64::INFINITY; 2] };
            let patience = if solve <= PATIENT { 1.0 } else { IMPATIENCE };
            let right = wrong.contact <= patience * FORETOLD
                && renewed <= patience * RENEWED
                && in_all <= patience * RENEWED_IN_ALL;
            let found = right
                && wrong.excess <= patience * EXCESS
                && followed <= patience * FOLLOWED
                && (wrong.deepest <= TOO_DEEP || mending.widen(&system.supports, TOO_DEEP, &mut self.x));
            if found && !tangents.change_holds(&mut system.supports, &self.x) {
                tangents.settle(&mut system.supports, &self.x);
                return Ok(Balance::Found);
            }
            // The old factor would need five to twenty-five iterations; what changed of it costs three, and needs one.
            self.direction.preconditioner.failed();
            tolerance = if settled { LINEAR } else { LOOSE };
            // What a solve leaves while forces are far from right, the next one mends.
            let shown = !settled && solved.iterations == 1 && solved.relative_residual <= tolerance;
            ending = if shown { Ending::Trusted } else { Ending::Foretold };
        }
        Ok(Balance::Open)
    }

    /// Minimises q plus the potential of the supports, from `x`.
    fn minimise(
        &mut self,
        system: &System,
        input: &StepInput,
        work: &mut Linearised,
        outcome: &mut StepOutcome,
    ) -> Result<(), StepError> {
        let Linearised { cloth: Some(cloth), turn, direction, stiffness, places, .. } = work else { return Ok(()) };
        let weight = system.mean_weight();
        let range = system.supports.list.iter().map(|support| support.range).fold(f64::INFINITY, f64::min);
        for _ in 0..MOST_ITERATIONS {
            self.begin_iteration(outcome)?;
            let stored = cloth.gradient_at(&self.x, direction, &mut self.gradient, &mut self.product);
            let (held, _) = system.supports.add_gradient(&self.x, &mut self.gradient);
            stiffness.clear();
            stiffness.extend(system.supports.list.iter().map(|support| support.hessian(support.at(&self.x))));
            let aim =
                Aim { cloth: &cloth.matrix, hessians: stiffness, places, tolerance: LINEAR, ending: Ending::Foretold };
            self.aim_linearised(system, input, aim, direction, outcome);
            // Along the direction q is a parabola.
            cloth.matrix.multiply_with(direction, turn, &mut self.product);
            let (slope, bend) = (dot(&cloth.gradient, direction) + dot(&cloth.pull, direction), dot(turn, direction));
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
        aim: Aim,
        direction: &mut [DVec3],
        outcome: &mut StepOutcome,
    ) -> PcgOutcome {
        let mut matrix = self.direction.matrix.take().unwrap_or_else(|| BlockMatrix::new(system.pattern.clone()));
        let blocks = &aim.cloth.blocks;
        parallel::fill(&mut matrix.blocks, |k| blocks[k]);
        matrix.links.clear();
        system.supports.add_hessians(aim.hessians, aim.places, &mut matrix);
        matrix.constrain(input.constraints);
        let solver = &mut self.direction;
        solver.preconditioner.place(&self.x);
        solver.preconditioner.prepare(&matrix, input.constraints);
        let gradient = &self.gradient;
        parallel::fill(&mut self.trial_gradient, |i| -gradient[i]);
        input.constraints.filter(&mut self.trial_gradient);
        let settings = PcgSettings { relative_tolerance: aim.tolerance, most_iterations: solver.most_iterations };
        let preconditioner = solver.preconditioner.as_mut();
        solver.pcg.ending = aim.ending;
        let solved = solver.pcg.solve(&matrix, preconditioner, &self.trial_gradient, direction, settings);
        solver.pcg.ending = Ending::Seen;
        outcome.pcg_iterations += solved.iterations;
        outcome.unfinished_solves += usize::from(solved.unfinished());
        solver.matrix = Some(matrix);
        solved
    }
}
