//! A symmetric matrix of 3×3 blocks, upper half stored, whose pattern never changes.

use super::{
    Pattern,
    product::{self, Kernel, ProductWork},
};
use crate::{
    constraints::Constraints,
    domains::{BlockPart, ElementRanges},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;
use std::ops::Range;
use std::sync::Arc;

/// A block-sparse symmetric matrix.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    /// Which blocks exist.
    pub pattern: Arc<Pattern>,
    /// The blocks, in the pattern's order.
    pub blocks: Vec<DMat3>,
}

impl BlockMatrix {
    /// A zero matrix.
    pub fn new(pattern: Arc<Pattern>) -> Self {
        let blocks = vec![DMat3::ZERO; pattern.columns.len()];
        BlockMatrix { pattern, blocks }
    }

    /// Sets the matrix to a diagonal one; `weights` are repeated on the three axes.
    pub fn set_diagonal(&mut self, weights: impl Fn(usize) -> f64) {
        self.blocks.fill(DMat3::ZERO);
        for row in 0..self.pattern.rows() {
            self.blocks[self.pattern.row_starts[row] as usize] = DMat3::from_diagonal(DVec3::splat(weights(row)));
        }
    }

    /// Runs `body(elements, part)` over all elements of a force; see [`crate::Domains::accumulate`].
    pub fn accumulate(&mut self, elements: &ElementRanges, body: impl Fn(Range<usize>, &mut BlockPart) + Sync + Send) {
        let pattern = &self.pattern;
        let mut tasks = Vec::with_capacity(pattern.domains.count());
        let mut rest = &mut self.blocks[..];
        for (domain, interior) in elements.interior.iter().enumerate() {
            let rows = pattern.domains.range(domain);
            let (first, end) = (pattern.row_starts[rows.start], pattern.row_starts[rows.end]);
            let (part, tail) = rest.split_at_mut((end - first) as usize);
            rest = tail;
            tasks.push((interior.clone(), BlockPart { first, blocks: part }));
        }
        parallel::for_each(tasks, |(range, mut part)| body(range, &mut part));
        body(elements.crossing.clone(), &mut BlockPart { first: 0, blocks: &mut self.blocks });
    }

    /// Replaces A by S A S + (I − S) on the held vertices, scaled like their diagonal: the matrix of the
    /// free motion, still symmetric and positive definite.
    pub fn constrain(&mut self, constraints: &Constraints) {
        let mut held: Vec<Option<usize>> = vec![None; self.pattern.rows()];
        constraints.vertices.iter().enumerate().for_each(|(k, &v)| held[v as usize] = Some(k));
        for row in 0..self.pattern.rows() {
            for slot in self.pattern.row(row) {
                let column = self.pattern.columns[slot] as usize;
                let block = &mut self.blocks[slot];
                if let Some(k) = held[row] {
                    *block = constraints.free[k] * *block;
                }
                if let Some(k) = held[column] {
                    let free = constraints.free[k];
                    if row == column {
                        let scale = (block.x_axis.x + block.y_axis.y + block.z_axis.z).max(f64::MIN_POSITIVE);
                        let scale = if free == DMat3::ZERO { 1.0 } else { scale };
                        *block = *block * free + (DMat3::IDENTITY - free) * scale;
                    } else {
                        *block *= free;
                    }
                }
            }
        }
    }

    /// out = A x. Solvers that multiply often keep the work array; see [`Self::multiply_with`].
    pub fn multiply(&self, x: &[DVec3], out: &mut [DVec3]) {
        self.multiply_with(x, out, &mut ProductWork::default());
    }

    /// out = A x, without allocation that grows with the mesh.
    pub fn multiply_with(&self, x: &[DVec3], out: &mut [DVec3], work: &mut ProductWork) {
        product::multiply(self, Kernel::detect(), x, out, work);
    }

    /// The diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> DMat3 {
        self.blocks[self.pattern.row_starts[row] as usize]
    }
}
