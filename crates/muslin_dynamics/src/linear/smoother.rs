//! The smoother of the multilevel preconditioner: symmetric Gauss–Seidel by blocks.
//!
//! M = (D + L) D⁻¹ (D + Lᵀ) with the diagonal blocks D and the lower half L. M − A = L D⁻¹ Lᵀ is never
//! negative, so M is positive definite and smooths every error. An incomplete factorisation, with Dᵢ reduced by
//! Σ Lᵢⱼ Dⱼ⁻¹ Lᵢⱼᵀ, would be exact along the threads of woven cloth, but the bending stencil's far couplings make
//! the largest eigenvalue of M⁻¹ A 130 on a bent sheet of 50² and 5·10⁷ on a flat one (measured), and the scaling that this asks for leaves nothing.
//!
//! Rows are cut into a few groups that know nothing of each other within M and run in parallel.

use super::rows::{Block, Rows, inverse, subtract_product};
use muslin_model::parallel;
use std::ops::Range;

/// Rows per group at least, and groups at most: borders between groups are where M is poor.
const ROWS_PER_GROUP: usize = 8192;
const MOST_GROUPS: usize = 8;
/// Power iterations for the largest eigenvalue of M⁻¹ A, and the margin on their result [-].
const POWER_ITERATIONS: usize = 8;
const MARGIN: f32 = 1.1;

/// A smoother of B×B blocks.
#[derive(Clone, Debug, Default)]
pub struct Smoother<const B: usize> {
    inverses: Vec<Block<B>>,
    groups: Vec<Range<usize>>,
    /// Scales M⁻¹ so that the error of no mode grows [-].
    weight: f32,
}

impl<const B: usize> Smoother<B> {
    /// Learns a matrix. The two vectors are scratch.
    pub fn prepare(&mut self, a: &Rows<B>, x: &mut [[f32; B]], y: &mut [[f32; B]]) {
        let rows = a.count();
        let count = (rows / ROWS_PER_GROUP).clamp(1, MOST_GROUPS);
        self.groups = (0..count).map(|g| g * rows / count..(g + 1) * rows / count).collect();
        self.inverses.resize(rows, [[0.0; B]; B]);
        parallel::fill(&mut self.inverses, |row| inverted_diagonal(a, row));
        self.weight = 1.0;
        self.weight = 1.0 / (MARGIN * self.largest_eigenvalue(a, x, y)).max(1.0);
    }

    /// The largest eigenvalue of M⁻¹ A, from below.
    fn largest_eigenvalue(&self, a: &Rows<B>, x: &mut [[f32; B]], y: &mut [[f32; B]]) -> f32 {
        // A start without structure, the same every time.
        let mut seed = 1_u32;
        for entry in x.iter_mut().flatten() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *entry = (seed >> 8) as f32 / (1 << 23) as f32 - 1.0;
        }
        let zero = vec![[0.0; B]; x.len()];
        let mut value = 1.0;
        for _ in 0..POWER_ITERATIONS {
            a.residual(&zero, x, y);
            let before = size(x);
            self.apply(a, y, x);
            value = size(x) / before;
            let scale = -1.0 / size(x);
            x.iter_mut().flatten().for_each(|v| *v *= scale);
        }
        if value.is_finite() { value } else { 1.0 }
    }

    /// out = w M⁻¹ b.
    pub fn apply(&self, a: &Rows<B>, b: &[[f32; B]], out: &mut [[f32; B]]) {
        let mut rest = out;
        let mut jobs = Vec::with_capacity(self.groups.len());
        for range in &self.groups {
            let (part, tail) = rest.split_at_mut(range.len());
            rest = tail;
            jobs.push((range.clone(), part));
        }
        parallel::for_each(jobs, |(range, out)| {
            let first = range.start;
            for row in range.clone() {
                let mut sum = b[row];
                for k in a.row(row) {
                    let column = a.columns[k] as usize;
                    if column >= row {
                        break;
                    }
                    if column >= first {
                        subtract_product(&a.blocks[k], &out[column - first], &mut sum);
                    }
                }
                out[row - first] = product(&self.inverses[row], &sum);
            }
            for row in range.clone().rev() {
                let mut sum = [0.0; B];
                for k in a.row(row).rev() {
                    let column = a.columns[k] as usize;
                    if column <= row {
                        break;
                    }
                    if column < range.end {
                        subtract_product(&a.blocks[k], &out[column - first], &mut sum);
                    }
                }
                let change = product(&self.inverses[row], &sum);
                for (o, c) in out[row - first].iter_mut().zip(change) {
                    *o += c;
                }
            }
            out.iter_mut().flatten().for_each(|v| *v *= self.weight);
        });
    }
}

fn size<const B: usize>(x: &[[f32; B]]) -> f32 {
    let terms = |i: usize| x[i].iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>();
    parallel::sum(x.len(), terms).sqrt() as f32
}

#[inline(always)]
fn product<const B: usize>(a: &Block<B>, x: &[f32; B]) -> [f32; B] {
    std::array::from_fn(|i| (0..B).map(|j| a[i][j] * x[j]).sum())
}

/// The inverse of a row's diagonal block.
fn inverted_diagonal<const B: usize>(a: &Rows<B>, row: usize) -> Block<B> {
    let own = a.blocks[a.find(row, row as u32)].map(|line| line.map(f64::from));
    let inverted = inverse(&own).unwrap_or_else(|| {
        // Rounding to single precision has cost the block its definiteness: use its diagonal alone.
        let entry = |i: usize, j: usize| if i == j && own[i][i] > 0.0 { 1.0 / own[i][i] } else { 0.0 };
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    });
    inverted.map(|line| line.map(|v| v as f32))
}
