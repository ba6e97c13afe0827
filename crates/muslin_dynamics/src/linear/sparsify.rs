//! Leaving out the weak couplings of a matrix before it is factorised.
//!
//! Bending couples each vertex with some eighteen others, the membrane with six. Cut down to the latter, a
//! factor costs a fifth and its solves a third. A block B between i and j is not simply dropped, which could
//! make the matrix indefinite, but replaced by its bound on the diagonal: for B = σ u vᵀ,
//! 2σ (u·xᵢ)(v·xⱼ) ≤ σ (u·xᵢ)² + σ (v·xⱼ)². With bending blocks (σ n nᵀ, mostly positive) this turns
//! the biharmonic operator into a Laplacian of the same largest eigenvalue: the iteration count then grows
//! with the ratio of the bending length (D h²/ρ)^¼ to the edge, and stays small while edges are longer.

use super::{BlockMatrix, Pattern};
use glam::DMat3;

/// Which couplings remain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparsity {
    /// For each slot, whether it is kept; diagonal blocks always are.
    pub kept: Vec<bool>,
    /// Row of each slot that is not.
    dropped: Vec<(u32, u32)>,
}

impl Sparsity {
    /// Keeps blocks with ‖B‖² > drop² ‖Aᵢᵢ‖ ‖Aⱼⱼ‖; a negative `drop` keeps all.
    pub fn new(matrix: &BlockMatrix, drop: f64) -> Self {
        let pattern: &Pattern = &matrix.pattern;
        let mut kept = vec![true; pattern.columns.len()];
        if drop < 0.0 {
            return Sparsity { kept, dropped: Vec::new() };
        }
        let diagonal: Vec<f64> = (0..pattern.rows()).map(|row| norm_squared(&matrix.diagonal(row)).sqrt()).collect();
        for row in 0..pattern.rows() {
            for slot in pattern.row(row).skip(1) {
                let column = pattern.columns[slot] as usize;
                let bound = drop * drop * diagonal[row] * diagonal[column];
                kept[slot] = !(norm_squared(&matrix.blocks[slot]) <= bound);
            }
        }
        Sparsity::of(pattern, kept)
    }

    /// Keeps the slots that are marked.
    pub fn of(pattern: &Pattern, kept: Vec<bool>) -> Self {
        let slots = (0..pattern.rows()).flat_map(|row| pattern.row(row).skip(1).map(move |slot| (slot, row)));
        let dropped = slots.filter(|&(slot, _)| !kept[slot]).map(|(slot, row)| (slot as u32, row as u32)).collect();
        Sparsity { kept, dropped }
    }

    /// What the dropped blocks of a matrix add to the diagonal.
    pub fn compensate(&self, matrix: &BlockMatrix, out: &mut Vec<DMat3>) {
        out.clear();
        out.resize(matrix.pattern.rows(), DMat3::ZERO);
        for &(slot, row) in &self.dropped {
            let block = matrix.blocks[slot as usize];
            let norm = norm_squared(&block).sqrt();
            if norm > 0.0 {
                out[row as usize] += block * block.transpose() * (1.0 / norm);
                let column = matrix.pattern.columns[slot as usize] as usize;
                out[column] += block.transpose() * block * (1.0 / norm);
            }
        }
    }
}

fn norm_squared(block: &DMat3) -> f64 {
    block.x_axis.length_squared() + block.y_axis.length_squared() + block.z_axis.length_squared()
}
