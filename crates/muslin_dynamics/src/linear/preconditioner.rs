//! What a preconditioner must do, and the simplest one.

use super::{BlockMatrix, Pattern};
use crate::{constraints::Constraints, interrupt::Interrupt};
use glam::{DMat3, DVec3};
use muslin_model::{Archive, ArchiveError, parallel};

/// An approximate inverse of a matrix: symmetric, positive definite and, between two calls of `prepare`,
/// constant.
pub trait Preconditioner: Send {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// Learns a new matrix (already constrained), whose pattern is the one it was built with. May keep what
    /// it learned from an older one if that still serves.
    fn prepare(&mut self, matrix: &BlockMatrix, constraints: &Constraints);

    /// out ≈ A⁻¹ r.
    fn apply(&mut self, r: &[DVec3], out: &mut [DVec3]);

    /// Handed what to look at while it learns. What it was learning when it gave up is never applied.
    fn heed(&mut self, _interrupt: &Interrupt) {}

    /// Told, before `prepare`, at which positions [m] the matrix was assembled.
    fn place(&mut self, _positions: &[DVec3]) {}

    /// Told how the solve went: iterations and the factor by which √(rᵀ P r) fell, so that a lagged
    /// preconditioner knows when it has worn out.
    fn solved(&mut self, _iterations: usize, _reduction: f64) {}

    /// Told that the preconditioner showed a negative direction, or a solve a number that is not finite. A lagged one, which
    /// may be to blame, starts anew with the next matrix.
    fn failed(&mut self) {}

    /// Told that the matrix showed a negative direction. A lagged preconditioner is to blame only if it was made of that matrix.
    fn met_indefinite(&mut self) {}

    /// Asked during a solve that has lasted for some iterations (`usize::MAX` if it cannot go on). A lagged preconditioner may renew itself
    /// and return true; the solver then begins anew from its iterate.
    fn renew(&mut self, _matrix: &BlockMatrix, _iterations: usize) -> bool {
        false
    }

    /// Puts what it keeps from earlier matrices into an archive. Asked between steps.
    fn save(&self, _archive: &mut Archive) {}

    /// Told that a step begins that may be given up.
    fn mark(&mut self) {}

    /// Saves what it kept at the last mark: a step that was given up since leaves no trace.
    fn save_marked(&self, archive: &mut Archive) {
        self.save(archive);
    }

    /// Becomes what it was when it was saved, bit for bit. `pattern` is that of the matrices.
    fn restore(&mut self, _pattern: &Pattern, _archive: &Archive) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// The inverse of each vertex's own 3×3 block.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi {
    inverses: Vec<DMat3>,
}

impl Preconditioner for BlockJacobi {
    fn name(&self) -> &'static str {
        "block-jacobi"
    }

    fn prepare(&mut self, matrix: &BlockMatrix, _constraints: &Constraints) {
        self.inverses.resize(matrix.pattern.rows(), DMat3::ZERO);
        parallel::fill(&mut self.inverses, |row| matrix.diagonal(row).inverse());
    }

    fn apply(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        let inverses = &self.inverses;
        parallel::fill(out, |row| inverses[row] * r[row]);
    }
}
