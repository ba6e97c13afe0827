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
    /// Blocks outside of the pattern.
    pub links: Vec<Link>,
    /// Place of each row in the list of held vertices plus one, 0 for free ones; all 0 but while constraining.
    held: Vec<u32>,
}

/// A block that the pattern has no place for: products see it, and factors that are planned for it (see
/// [`super::Bridges`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Row of the block; below the column.
    pub row: u32,
    /// Column of the block.
    pub column: u32,
    /// The block; its transpose stands below the diagonal.
    pub block: DMat3,
}

impl BlockMatrix {
    /// A zero matrix.
    pub fn new(pattern: Arc<Pattern>) -> Self {
        let blocks = vec![DMat3::ZERO; pattern.columns.len()];
        BlockMatrix { held: vec![0; pattern.rows()], pattern, blocks, links: Vec::new() }
    }

    /// Sets the matrix to a diagonal one; `weights` are repeated on the three axes.
    pub fn set_diagonal(&mut self, weights: impl Fn(usize) -> f64) {
        parallel::fill(&mut self.blocks, |_| DMat3::ZERO);
        self.links.clear();
        for row in 0..self.pattern.rows() {
            self.blocks[self.pattern.row_starts[row] as usize] = DMat3::from_diagonal(DVec3::splat(weights(row)));
        }
    }

    /// Runs `body(elements, part)` over all elements of a force; see [`crate::Domains::accumulate`].
    pub fn accumulate(&mut self, elements: &ElementRanges, body: impl Fn(Range<usize>, &mut BlockPart) + Sync + Send) {
        let pattern = &self.pattern;
        for groups in elements.rounds() {
            let mut tasks = Vec::with_capacity(groups.len());
            let (mut rest, mut passed) = (&mut self.blocks[..], 0);
            for group in groups {
                let rows = [group.domains.start, group.domains.end].map(|d| pattern.domains.starts[d] as usize);
                let [first, end] = rows.map(|row| pattern.row_starts[row]);
                let (part, tail) = rest[(first - passed) as usize..].split_at_mut((end - first) as usize);
                (rest, passed) = (tail, end);
                tasks.push((group.elements, BlockPart { first, blocks: part }));
            }
            parallel::for_each(tasks, |(range, mut part)| body(range, &mut part));
        }
        body(elements.crossing.clone(), &mut BlockPart { first: 0, blocks: &mut self.blocks });
    }

    /// Adds the block of a pair of vertices, and its transpose for the pair turned around: in its place of the
    /// pattern, or as a link.
    pub fn add_pair(&mut self, i: u32, j: u32, block: DMat3) {
        let (row, column, block) = if i <= j { (i, j, block) } else { (j, i, block.transpose()) };
        let slots = self.pattern.row(row as usize);
        match self.pattern.columns[slots.clone()].binary_search(&column) {
            Ok(k) => self.blocks[slots.start + k] += block,
            Err(_) => self.links.push(Link { row, column, block }),
        }
    }

    /// Replaces A by S A S + (I − S) on the held vertices, scaled like their diagonal: the matrix of the
    /// free motion, still symmetric and positive definite.
    pub fn constrain(&mut self, constraints: &Constraints) {
        if constraints.vertices.is_empty() {
            return;
        }
        let BlockMatrix { pattern, blocks, links, held } = self;
        constraints.vertices.iter().enumerate().for_each(|(k, &v)| held[v as usize] = k as u32 + 1);
        let place = |held: &[u32], v: usize| (held[v] as usize).checked_sub(1);
        for row in 0..pattern.rows() {
            for slot in pattern.row(row) {
                let column = pattern.columns[slot] as usize;
                let block = &mut blocks[slot];
                if let Some(k) = place(held, row) {
                    *block = constraints.free[k] * *block;
                }
                if let Some(k) = place(held, column) {
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
        for link in &mut *links {
            if let Some(k) = place(held, link.row as usize) {
                link.block = constraints.free[k] * link.block;
            }
            if let Some(k) = place(held, link.column as usize) {
                link.block *= constraints.free[k];
            }
        }
        constraints.vertices.iter().for_each(|&v| held[v as usize] = 0);
    }

    /// out = A x. Solvers that multiply often keep the work array; see [`Self::multiply_with`].
    pub fn multiply(&self, x: &[DVec3], out: &mut [DVec3]) {
        self.multiply_with(x, out, &mut ProductWork::default());
    }

    /// out = A x, without allocation that grows with the mesh.
    pub fn multiply_with(&self, x: &[DVec3], out: &mut [DVec3], work: &mut ProductWork) {
        product::multiply(self, Kernel::detect(), x, out, work);
        for link in &self.links {
            out[link.row as usize] += link.block * x[link.column as usize];
            out[link.column as usize] += link.block.transpose() * x[link.row as usize];
        }
    }

    /// The diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> DMat3 {
        self.blocks[self.pattern.row_starts[row] as usize]
    }
}
