//! Preconditioned conjugate gradients.

use super::{BlockMatrix, Preconditioner};
use glam::DVec3;
use muslin_model::parallel;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgSettings {
    /// Stop when the preconditioned residual √(rᵀ P r) has fallen by this factor [-].
    pub relative_tolerance: f64,
    /// Give up after this many iterations.
    pub most_iterations: usize,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgOutcome {
    /// Iterations taken.
    pub iterations: usize,
    /// Final √(rᵀ P r) over the initial one [-].
    pub relative_residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Whether a direction of negative curvature was met; the solution is then the last good iterate.
    pub indefinite: bool,
}

/// Conjugate gradients with their work vectors, kept so that a solve allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Pcg {
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    ap: Vec<DVec3>,
}

/// Sum of the dot products of two arrays, in a fixed order.
pub fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    parallel::sum(a.len(), |i| a[i].dot(b[i]))
}

impl Pcg {
    /// Solves A x = b from x = 0. The matrix is already constrained and `b` filtered.
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        preconditioner: &mut dyn Preconditioner,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: PcgSettings,
    ) -> PcgOutcome {
        let n = b.len();
        for work in [&mut self.r, &mut self.z, &mut self.p, &mut self.ap] {
            work.resize(n, DVec3::ZERO);
        }
        x.fill(DVec3::ZERO);
        self.r.copy_from_slice(b);
        preconditioner.apply(&self.r, &mut self.z);
        self.p.copy_from_slice(&self.z);
        let mut rz = dot(&self.r, &self.z);
        let first = rz;
        let mut outcome = PcgOutcome { iterations: 0, relative_residual: 0.0, converged: true, indefinite: false };
        if !(first > 0.0) {
            outcome.converged = first == 0.0;
            return outcome;
        }
        let goal = settings.relative_tolerance * settings.relative_tolerance * first;
        for iteration in 1..=settings.most_iterations {
            matrix.multiply(&self.p, &mut self.ap);
            let curvature = dot(&self.p, &self.ap);
            if !(curvature > 0.0) {
                outcome = PcgOutcome { indefinite: true, converged: false, ..outcome };
                return outcome;
            }
            let alpha = rz / curvature;
            parallel::zip_axpy(x, alpha, &self.p);
            parallel::zip_axpy(&mut self.r, -alpha, &self.ap);
            preconditioner.apply(&self.r, &mut self.z);
            let next = dot(&self.r, &self.z);
            outcome.iterations = iteration;
            outcome.relative_residual = (next.max(0.0) / first).sqrt();
            if next <= goal {
                preconditioner.solved(iteration);
                return outcome;
            }
            let beta = next / rz;
            rz = next;
            let z = &self.z;
            parallel::update(&mut self.p, |i, p| z[i] + *p * beta);
        }
        outcome.converged = false;
        preconditioner.solved(settings.most_iterations);
        outcome
    }
}
