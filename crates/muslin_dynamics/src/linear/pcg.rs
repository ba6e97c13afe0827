//! Preconditioned conjugate gradients.

use super::{BlockMatrix, Preconditioner, ProductWork};
use crate::interrupt::Interrupt;
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

/// How a solve ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// When the residual has been seen to be small enough.
    #[default]
    Seen,
    /// One iteration earlier, if the preconditioner is nearly the inverse: its last answer is added as it is, and what
    /// is left afterwards is taken to fall as in the iteration before.
    Foretold,
    /// After the first iteration, without a look at what it left: a solve just before, with a factor as new as this one,
    /// has shown that one is enough. Looking costs as much as the iteration.
    Trusted,
}

/// An iteration that leaves less than this part of the residual shows a preconditioner that is nearly the inverse [-].
const NEARLY_INVERSE: f64 = 0.3;

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

impl PcgOutcome {
    /// Whether the iterations ran out before the tolerance was met.
    pub fn unfinished(&self) -> bool {
        !self.converged && !self.indefinite
    }
}

/// Conjugate gradients with their work vectors, kept so that a solve allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Pcg {
    /// How solves end.
    pub ending: Ending,
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    ap: Vec<DVec3>,
    work: ProductWork,
    interrupt: Interrupt,
}

/// Sum of the dot products of two arrays, in a fixed order.
pub fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    parallel::sum(a.len(), |i| a[i].dot(b[i]))
}

impl Pcg {
    /// Hands over what to look at in each iteration. An interrupted solve ends unfinished.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

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
        let mut rz = dot(&self.r, &self.z);
        if !(rz >= 0.0 && rz.is_finite()) && preconditioner.renew(matrix, usize::MAX) {
            preconditioner.apply(&self.r, &mut self.z);
            rz = dot(&self.r, &self.z);
        }
        self.p.copy_from_slice(&self.z);
        let mut first = rz;
        let mut outcome = PcgOutcome { converged: true, ..PcgOutcome::default() };
        if !(first > 0.0) {
            outcome.converged = first == 0.0;
            // Not the matrix but its preconditioner has shown a negative direction.
            outcome.indefinite = first != 0.0;
            if outcome.indefinite {
                preconditioner.failed();
            }
            return outcome;
        }
        let tolerance = settings.relative_tolerance * settings.relative_tolerance;
        let mut since_renewal = 0;
        outcome = PcgOutcome { converged: false, relative_residual: 1.0, ..outcome };
        for iteration in 1..=settings.most_iterations {
            if self.interrupt.is_overdue() {
                return outcome;
            }
            matrix.multiply_with(&self.p, &mut self.ap, &mut self.work);
            let curvature = dot(&self.p, &self.ap);
            if !(curvature > 0.0) {
                outcome.indefinite = true;
                // A negative direction is the matrix' own; a number that is lost may be the preconditioner's fault.
                if curvature.is_nan() {
                    preconditioner.failed();
                } else {
                    preconditioner.met_indefinite();
                }
                return outcome;
            }
            let alpha = rz / curvature;
            parallel::update_pair(x, &mut self.r, |i, xi, ri| (xi + self.p[i] * alpha, ri - self.ap[i] * alpha));
            outcome.iterations = iteration;
            since_renewal += 1;
            if self.ending == Ending::Trusted {
                (outcome.converged, outcome.relative_residual) = (true, settings.relative_tolerance);
                break;
            }
            preconditioner.apply(&self.r, &mut self.z);
            let mut next = dot(&self.r, &self.z);
            outcome.relative_residual = (next.max(0.0) / first).sqrt();
            if !(next >= 0.0 && next.is_finite()) {
                outcome.indefinite = next < 0.0;
                preconditioner.failed();
                return outcome;
            }
            let fall = next / rz;
            let nearly_inverse = self.ending == Ending::Foretold && fall <= NEARLY_INVERSE * NEARLY_INVERSE;
            outcome.converged = next <= tolerance * first;
            if nearly_inverse && (outcome.converged || next * fall <= tolerance * first) {
                let z = &self.z;
                parallel::update(x, |i, xi| *xi + z[i]);
                outcome.relative_residual *= fall.sqrt();
                outcome.converged = true;
            }
            if outcome.converged {
                break;
            }
            let mut beta = next / rz;
            if preconditioner.renew(matrix, since_renewal) {
                // Progress so far is kept as the same part of the new preconditioner's measure.
                let done = next / first;
                preconditioner.apply(&self.r, &mut self.z);
                next = dot(&self.r, &self.z);
                first = next / done;
                (since_renewal, beta) = (0, 0.0);
            }
            rz = next;
            let z = &self.z;
            parallel::update(&mut self.p, |i, p| z[i] + *p * beta);
        }
        preconditioner.solved(since_renewal, outcome.relative_residual);
        outcome
    }

    /// ‖b − A x‖ over ‖b‖ [-]. The residual of the recurrence drifts from this by rounding; whoever needs a
    /// proof asks for it, at the cost of one product.
    pub fn true_residual(&mut self, matrix: &BlockMatrix, b: &[DVec3], x: &[DVec3]) -> f64 {
        self.ap.resize(b.len(), DVec3::ZERO);
        matrix.multiply_with(x, &mut self.ap, &mut self.work);
        let ap = &self.ap;
        let (error, load) = (parallel::sum(b.len(), |i| (b[i] - ap[i]).length_squared()), dot(b, b));
        if error == 0.0 { 0.0 } else { (error / load).sqrt() }
    }
}
