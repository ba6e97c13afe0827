//! The linear solve of one Newton iteration: matrix, preconditioner, conjugate gradients, and the way that held
//! vertices still have to go.
//!
//! * Held vertices reach their targets within the first linear solve, which spreads their motion over the
//!   cloth; jumping there beforehand would stretch their triangles by whole edge lengths.
//! * A matrix that keeps the compression of elements may be indefinite; conjugate gradients find out, and it is
//!   assembled again with every element projected.

use super::{StepInput, StepOutcome, trust::Trust};
use crate::{
    forces::HessianKind,
    interrupt::Interrupt,
    linear::{BlockMatrix, Pcg, PcgSettings, Preconditioner},
    system::System,
};
use glam::{DMat3, DVec3};

/// The direction, and what it takes to find it.
pub(super) struct Direction {
    pub preconditioner: Box<dyn Preconditioner>,
    /// Where to go from here [m].
    pub vector: Vec<DVec3>,
    /// The last matrix, and the damping within it [-].
    pub matrix: Option<BlockMatrix>,
    pub damping: f64,
    pub pcg: Pcg,
    pub most_iterations: usize,
    /// Whether the last linear solve met a negative direction.
    indefinite: bool,
    solution: Vec<DVec3>,
    prescribed: Vec<DVec3>,
    work: Vec<DVec3>,
}

/// The state that a direction starts from.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub system: &'a System,
    pub input: &'a StepInput<'a>,
    /// τ of the scheme [s].
    pub tau: f64,
    /// Positions [m] and the gradient of Φ [N].
    pub x: &'a [DVec3],
    pub gradient: &'a [DVec3],
}

/// One linear solve.
#[derive(Clone, Copy)]
pub(super) struct LinearSolve {
    /// Relative tolerance [-].
    pub tolerance: f64,
    /// Which matrix to assemble anew; `None` keeps the last.
    pub assemble: Option<HessianKind>,
}

impl Direction {
    /// A solver with a limit on the iterations of each solve.
    pub fn new(preconditioner: Box<dyn Preconditioner>, most_iterations: usize) -> Self {
        Direction {
            preconditioner,
            vector: Vec::new(),
            matrix: None,
            damping: 0.0,
            pcg: Pcg::default(),
            most_iterations,
            indefinite: false,
            solution: Vec::new(),
            prescribed: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Makes room for so many vertices.
    pub fn fit(&mut self, count: usize) {
        for work in [&mut self.vector, &mut self.solution, &mut self.prescribed, &mut self.work] {
            work.resize(count, DVec3::ZERO);
        }
    }

    /// Hands over what to look at in each iteration.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.pcg.heed(interrupt);
        self.preconditioner.heed(interrupt);
    }

    /// Finds the direction; returns whether held vertices move in it. A matrix that turns out to be indefinite is
    /// projected.
    pub fn solve(&mut self, here: Here, solve: LinearSolve, trust: &mut Trust, outcome: &mut StepOutcome) -> bool {
        let moving = self.solve_once(here, solve, *trust, outcome);
        if self.indefinite && solve.assemble == Some(HessianKind::CarriedExact) {
            trust.project();
            let projected = LinearSolve { assemble: Some(trust.kind()), ..solve };
            return self.solve_once(here, projected, *trust, outcome);
        }
        moving
    }

    fn solve_once(&mut self, here: Here, solve: LinearSolve, trust: Trust, outcome: &mut StepOutcome) -> bool {
        let constraints = here.input.constraints;
        if let Some(kind) = solve.assemble {
            self.assemble(here, kind, trust);
        }
        // Later iterations only find what rounding has left of the held directions; the end of the step settles that.
        let moving = outcome.newton_iterations == 1 && self.prescribe(here);
        let mut matrix = self.matrix.take().expect("the first iteration of a step assembles");
        // The first matrix is not yet constrained here.
        if moving {
            matrix.multiply(&self.prescribed, &mut self.work);
        } else {
            self.work.fill(DVec3::ZERO);
        }
        if solve.assemble.is_some() {
            matrix.constrain(constraints);
            self.preconditioner.place(here.x);
            self.preconditioner.prepare(&matrix, constraints);
        }
        for (b, g) in self.work.iter_mut().zip(here.gradient) {
            *b = -*g - *b;
        }
        constraints.filter(&mut self.work);
        self.run_pcg(&matrix, solve.tolerance, outcome);
        self.matrix = Some(matrix);
        std::mem::swap(&mut self.vector, &mut self.solution);
        if moving {
            for (d, z) in self.vector.iter_mut().zip(&self.prescribed) {
                *d += *z;
            }
        }
        moving
    }

    /// Sets the matrix to the Hessian of Φ.
    fn assemble(&mut self, here: Here, kind: HessianKind, trust: Trust) {
        let system = here.system;
        let matrix = self.matrix.get_or_insert_with(|| BlockMatrix::new(system.pattern.clone()));
        self.damping = trust.damping();
        let scale = (1.0 + self.damping) / (here.tau * here.tau);
        matrix.set_diagonal(|row| system.masses[row] * scale);
        system.add_hessian(here.x, kind, matrix);
    }

    /// Fills `prescribed` with what held vertices still have to move; returns whether any does.
    fn prescribe(&mut self, here: Here) -> bool {
        self.prescribed.fill(DVec3::ZERO);
        let mut any = false;
        let c = here.input.constraints;
        for ((&v, &free), &target) in c.vertices.iter().zip(&c.free).zip(&c.targets) {
            let z = (DMat3::IDENTITY - free) * (target - here.x[v as usize]);
            self.prescribed[v as usize] = z;
            any |= z != DVec3::ZERO;
        }
        any
    }

    /// Solves for `solution` with `work` on the right.
    fn run_pcg(&mut self, matrix: &BlockMatrix, relative_tolerance: f64, outcome: &mut StepOutcome) {
        let settings = PcgSettings { relative_tolerance, most_iterations: self.most_iterations };
        let solved = self.pcg.solve(matrix, self.preconditioner.as_mut(), &self.work, &mut self.solution, settings);
        self.indefinite = solved.indefinite;
        outcome.pcg_iterations += solved.iterations;
        outcome.unfinished_solves += usize::from(solved.unfinished());
    }
}
