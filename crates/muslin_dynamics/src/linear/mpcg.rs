//! The modified preconditioned conjugate gradients of Baraff and Witkin (1998, section 5.3; V 4.2.7 and
//! appendix C): constraints by *mass modification*, on the unconstrained matrix.
//!
//! A held vertex has infinite mass in its held directions: W = S/m with S the projector of free directions
//! (0 to 3 axes). Its change there is prescribed, z. The iteration starts at z and filters every residual
//! and direction by S, so the prescribed part never changes: it is exact to the last bit. On the free
//! directions it is the preconditioned method for SᵀAS with the right-hand side S (b − A z).
//!
//! Where V's appendix is wrong:
//! * the preconditioner is P = diag(A), so that c = P⁻¹ r divides by the diagonal. V prints P_ii = 1/A_ii with
//!   the same c = P⁻¹ r, which multiplies by it and squares the condition instead of curing it;
//!   [`Diagonal::AsPrinted`] is kept to show what that costs;
//! * it stops on the residual of x = z, S (b − A z), in the norm of P⁻¹. V compares with filter(b),
//!   which ignores what z has already solved or spoiled, and weighs it by P instead of its inverse.
//!
//! It may begin elsewhere than at z, for instance where the last solve of nearly the same system ended. The residual to stop on is that
//! of z all the same: a good beginning saves iterations and changes no tolerance.
//!
//! [`super::Pcg`] solves the same problem on a matrix that was constrained beforehand and takes any
//! preconditioner; this one leaves the matrix as it is.

use super::{BlockMatrix, PcgOutcome, PcgSettings, pcg::dot};
use crate::{constraints::Constraints, interrupt::Interrupt};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// How the diagonal preconditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonal {
    /// Residuals are divided by it: P_ii = A_ii.
    #[default]
    Divides,
    /// Residuals are multiplied by it, as V's appendix C prints.
    AsPrinted,
}

/// The held part of the unknown.
#[derive(Clone, Copy, Debug)]
pub struct Prescribed<'a> {
    /// Held vertices and their free directions; the targets are not used.
    pub constraints: &'a Constraints,
    /// z: the value of the unknown at each held vertex; only held directions count.
    pub values: &'a [DVec3],
}

/// The solver with its work vectors.
#[derive(Clone, Debug, Default)]
pub struct Mpcg {
    diagonal: Diagonal,
    weights: Vec<DVec3>,
    r: Vec<DVec3>,
    s: Vec<DVec3>,
    c: Vec<DVec3>,
    q: Vec<DVec3>,
    interrupt: Interrupt,
}

impl Mpcg {
    /// A solver with this use of the diagonal.
    pub fn new(diagonal: Diagonal) -> Self {
        Mpcg { diagonal, ..Default::default() }
    }

    /// Hands over what to look at in each iteration. An interrupted solve ends unfinished.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// Solves A x = b on the free directions with x = z on the held ones, from the free part of what `x` holds. The matrix is
    /// symmetric and unconstrained. `relative_residual` of the outcome is √(rᵀ P⁻¹ r) over its value at x = z.
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        held: Prescribed,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: PcgSettings,
    ) -> PcgOutcome {
        let (n, constraints) = (b.len(), held.constraints);
        for work in [&mut self.weights, &mut self.r, &mut self.s, &mut self.c, &mut self.q] {
            work.resize(n, DVec3::ZERO);
        }
        let use_of_diagonal = self.diagonal;
        parallel::fill(&mut self.weights, |i| {
            let block = matrix.diagonal(i);
            let diagonal = DVec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z);
            match use_of_diagonal {
                Diagonal::Divides => diagonal.recip(),
                Diagonal::AsPrinted => diagonal,
            }
        });

        constraints.filter(x);
        let begins_at_z = x.iter().all(|x| *x == DVec3::ZERO);
        self.s.clone_from_slice(x);
        x.fill(DVec3::ZERO);
        for ((&v, &free), &z) in constraints.vertices.iter().zip(&constraints.free).zip(held.values) {
            x[v as usize] = (DMat3::IDENTITY - free) * z;
        }
        let first = self.begin(matrix, constraints, b, x);
        let mut outcome = PcgOutcome { iterations: 0, relative_residual: 0.0, converged: true, indefinite: false };
        if !(first > 0.0) {
            outcome.converged = first == 0.0;
            return outcome;
        }

        let goal = settings.relative_tolerance * settings.relative_tolerance * first;
        let mut delta = first;
        if !begins_at_z {
            parallel::zip_axpy(x, 1.0, &self.s);
            delta = self.begin(matrix, constraints, b, x);
            outcome.relative_residual = (delta.max(0.0) / first).sqrt();
            if delta <= goal {
                return outcome;
            }
        }
        for iteration in 1..=settings.most_iterations {
            if self.interrupt.is_overdue() {
                break;
            }
            matrix.multiply(&self.c, &mut self.q);
            constraints.filter(&mut self.q);
            let curvature = dot(&self.c, &self.q);
            if !(curvature > 0.0) {
                return PcgOutcome { indefinite: true, converged: false, ..outcome };
            }
            let alpha = delta / curvature;
            parallel::zip_axpy(x, alpha, &self.c);
            parallel::zip_axpy(&mut self.r, -alpha, &self.q);
            let (r, weights) = (&self.r, &self.weights);
            parallel::fill(&mut self.s, |i| weights[i] * r[i]);
            let next = dot(&self.r, &self.s);
            outcome.iterations = iteration;
            outcome.relative_residual = (next.max(0.0) / first).sqrt();
            if next <= goal {
                return outcome;
            }
            let (s, beta) = (&self.s, next / delta);
            parallel::update(&mut self.c, |i, c| s[i] + *c * beta);
            constraints.filter(&mut self.c);
            delta = next;
        }
        PcgOutcome { converged: false, ..outcome }
    }

    /// Residual and first direction at some values of the unknown; returns rᵀ P⁻¹ r.
    fn begin(&mut self, matrix: &BlockMatrix, constraints: &Constraints, b: &[DVec3], x: &[DVec3]) -> f64 {
        matrix.multiply(x, &mut self.q);
        let q = &self.q;
        parallel::fill(&mut self.r, |i| b[i] - q[i]);
        constraints.filter(&mut self.r);
        let (r, weights) = (&self.r, &self.weights);
        parallel::fill(&mut self.c, |i| weights[i] * r[i]);
        constraints.filter(&mut self.c);
        dot(&self.r, &self.c)
    }
}
