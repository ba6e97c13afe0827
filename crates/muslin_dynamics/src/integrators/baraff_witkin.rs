//! The step of Baraff and Witkin (1998; V 4.2.3 to 4.2.7): backward Euler linearised once, solved for the
//! change of velocity with constraints by mass modification.
//!
//! (M + hC + h²K) Δv = h (f − K (h v + y)), with f = f(x, v), K = −∂f/∂x, C = −∂f/∂v, Δv = z on held
//! directions, and then x′ = x + h (v + Δv) + y. (V 4.39 prints h² ∂f/∂x twice; W 3.25 forgets an h.)
//! y moves a vertex within the step without giving it a velocity, and the forces feel it: Baraff and Witkin
//! use it to take a vertex out of an obstacle.
//!
//! [`super::Newton`] in its one-iteration form takes the same step by other means; this one shows the
//! published algorithm, and it alone knows y. K and C come from the incremental potential at the start of
//! the step: H(τ) = K + C/τ, so a huge τ leaves K.

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    stages::{HeldMotion, Moment, commit, fit, longest},
};
use crate::{
    forces::HessianKind,
    interrupt::Interrupt,
    linear::{BlockMatrix, Mpcg, PcgSettings, Prescribed},
    system::{Past, System},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// A τ that switches damping off in the Hessian [s]: any viscosity over it is nothing beside a stiffness.
const ENDLESS: f64 = 1e300;

/// The step with its matrices and work arrays.
#[derive(Debug)]
pub struct BaraffWitkin {
    settings: PcgSettings,
    solver: Mpcg,
    interrupt: Interrupt,
    stiffness: Option<BlockMatrix>,
    matrix: Option<BlockMatrix>,
    held: HeldMotion,
    prescribed: Vec<DVec3>,
    reactions: Vec<DVec3>,
    corrections: Vec<(u32, DVec3)>,
    y: Vec<DVec3>,
    b: Vec<DVec3>,
    work: Vec<DVec3>,
    change: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl BaraffWitkin {
    /// A step whose linear system is solved to these settings.
    pub fn new(settings: PcgSettings) -> Self {
        let none = Vec::new;
        BaraffWitkin {
            settings,
            solver: Mpcg::default(),
            interrupt: Interrupt::default(),
            stiffness: None,
            matrix: None,
            held: HeldMotion::default(),
            prescribed: none(),
            reactions: none(),
            corrections: Vec::new(),
            y: none(),
            b: none(),
            work: none(),
            change: none(),
            x: none(),
            v: none(),
        }
    }

    /// Position corrections y of the next step, by vertex of the solver [m].
    pub fn correct_positions(&mut self, corrections: impl IntoIterator<Item = (u32, DVec3)>) {
        self.corrections.clear();
        self.corrections.extend(corrections);
    }

    /// Sets the matrices: K, and M + h² H(h) = M + hC + h²K.
    fn assemble(&mut self, system: &mut System, phase: &Phase, input: &StepInput) {
        let start = &phase.positions;
        let time_end = input.time + input.step;
        let stiffness = self.stiffness.get_or_insert_with(|| BlockMatrix::new(system.pattern.clone()));
        system.begin_step(&Past { start, before: start, start_weight: 1.0, tau: ENDLESS, time_end });
        stiffness.set_diagonal(|_| 0.0);
        system.add_hessian(start, HessianKind::Projected, stiffness);

        let matrix = self.matrix.get_or_insert_with(|| BlockMatrix::new(system.pattern.clone()));
        system.begin_step(&Past { start, before: start, start_weight: 1.0, tau: input.step, time_end });
        let scale = 1.0 / (input.step * input.step);
        matrix.set_diagonal(|i| system.masses[i] * scale);
        system.add_hessian(start, HessianKind::Projected, matrix);
        system.pushes.iter().for_each(|push| matrix.add_pair(push.vertex, push.vertex, push.drag * (1.0 / input.step)));
    }
}

impl Integrator for BaraffWitkin {
    fn name(&self) -> &'static str {
        "baraff-witkin"
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.solver.heed(interrupt);
        self.interrupt = interrupt.clone();
    }

    // Asked for only where something pushes: it costs a product with the matrix.
    fn reactions(&self) -> &[DVec3] {
        &self.reactions
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, step, held) = (phase.positions.len(), input.step, input.constraints);
        for work in [&mut self.y, &mut self.b, &mut self.work, &mut self.change, &mut self.x, &mut self.v] {
            fit(work, count);
        }
        self.y.fill(DVec3::ZERO);
        self.corrections.drain(..).for_each(|(v, y)| self.y[v as usize] += y);
        self.held.begin(&phase.positions, input);
        self.assemble(system, phase, input);
        let (Some(stiffness), Some(matrix)) = (&self.stiffness, &self.matrix) else {
            unreachable!("`assemble` has just made both")
        };

        // b over h²: (M a − K (h v + y))/h.
        let at = Moment { time: input.time + step, positions: &phase.positions, velocities: &phase.velocities };
        self.held.accelerate(system, held, at, &mut self.b);
        let (y, v_start) = (&self.y, &phase.velocities);
        parallel::fill(&mut self.x, |i| v_start[i] * step + y[i]);
        stiffness.multiply(&self.x, &mut self.work);
        let (work, masses) = (&self.work, &system.masses);
        parallel::update(&mut self.b, |i, a| (*a * masses[i] - work[i]) / step);
        for push in &system.pushes {
            let v = push.vertex as usize;
            self.b[v] += push.at(v_start[v]) / step;
        }

        // z: the change of velocity that leads to the target, what y does not already do.
        self.prescribed.clear();
        let targets = held.vertices.iter().zip(&held.free).zip(&held.targets);
        self.prescribed.extend(targets.map(|((&v, &free), &target)| {
            let v = v as usize;
            (DMat3::IDENTITY - free) * ((target - phase.positions[v] - y[v]) / step - phase.velocities[v])
        }));
        let prescribed = Prescribed { constraints: held, values: &self.prescribed };
        // Where a solve of the same step ended, if there was one.
        let (change, guess, start) = (&mut self.change, &phase.guess, &phase.positions);
        if guess.len() == count {
            parallel::fill(change, |i| (guess[i] - start[i] - y[i]) / step - v_start[i]);
        } else {
            change.fill(DVec3::ZERO);
        }
        let solved = self.solver.solve(matrix, prescribed, &self.b, &mut self.change, self.settings);

        self.reactions.clear();
        if !system.pushes.is_empty() {
            // What the held directions take: h (A Δv − b). The forces on them are not in b yet.
            matrix.multiply(&self.change, &mut self.work);
            let (inertia, b) = (&self.work, &self.b);
            let taken = held.vertices.iter().zip(&held.free).zip(&self.held.forces);
            self.reactions.extend(taken.map(|((&v, &free), &force)| {
                let v = v as usize;
                (DMat3::IDENTITY - free) * ((inertia[v] - b[v]) * step - force)
            }));
        }

        let (change, start) = (&self.change, &phase.positions);
        parallel::fill(&mut self.v, |i| v_start[i] + change[i]);
        let v = &self.v;
        parallel::fill(&mut self.x, |i| start[i] + v[i] * step + y[i]);
        held.impose(&mut self.x);

        // What the linearisation and the linear solve leave of m (v′ − v)/h = f(x′, v′).
        let at = Moment { time: input.time + step, positions: &self.x, velocities: &self.v };
        self.held.accelerate(system, held, at, &mut self.work);
        self.held.count(1.0);
        let (v, masses) = (&self.v, &system.masses);
        parallel::update(&mut self.work, |i, a| ((v[i] - v_start[i]) / step - *a) * masses[i]);
        for push in &system.pushes {
            let i = push.vertex as usize;
            self.work[i] -= push.at(v[i]);
        }
        held.filter(&mut self.work);
        let (vertex, residual) = longest(&self.work);
        let worst_residual = residual / system.mean_weight();
        if !residual.is_finite() {
            return Err(StepError::NotFinite { vertex });
        }
        if self.interrupt.is_overdue() {
            return Err(StepError::Interrupted);
        }
        if !solved.converged {
            let correction = longest(&self.change).1 * step / system.edge_length;
            return Err(StepError::NotConverged { iterations: 1, vertex, residual: worst_residual, correction });
        }
        let mut work = self.held.work(system, held, &phase.velocities, step);
        let (left, x) = (&self.work, &self.x);
        work.unbalanced = parallel::sum(count, |i| left[i].dot(x[i] - start[i]));
        commit(phase, input, &mut self.x, &mut self.v)?;
        Ok(StepOutcome {
            newton_iterations: 1,
            pcg_iterations: solved.iterations,
            worst_residual,
            force_evaluations: 2,
            unfinished_solves: 0,
            work,
        })
    }
}
