//! Leaving out the weak couplings of a matrix before it is factorised.
//!
//! Bending couples each vertex with some eighteen others, the membrane with six. Cut down to the latter, a
//! factor costs a fifth and its solves a third. A block B between i and j is not simply dropped, which could
//! make the matrix indefinite, but replaced by its bound on the diagonal: for B = σ u vᵀ,
//! 2σ (u·xᵢ)(v·xⱼ) ≤ σ (u·xᵢ)² + σ (v·xⱼ)². With bending blocks (σ n nᵀ, mostly positive) this turns
//! the biharmonic operator into a Laplacian of the same largest eigenvalue: the iteration count then grows
//! with the ratio of the bending length (D h²/ρ)^¼ to the edge, and stays small while edges are longer.

use super::{BlockMatrix, Bridges, Link, Pattern};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

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

    /// Deals with the dropped blocks of a matrix: `work.diagonal` becomes what the weak ones add to the diagonal; those
    /// that are strong now, above the same bound, are added to `links` if there is a place for them among some bridges, and
    /// if they are [`STRONGER`] even if there is none. The others without a place, which are treated as weak ones, come to
    /// `work.worthy`. The cloth alone makes no such block; two vertices across a fold that press on each other do.
    pub fn compensate(
        &self,
        matrix: &BlockMatrix,
        drop: f64,
        bridges: &Bridges,
        work: &mut Compensation,
        links: &mut Vec<Link>,
    ) {
        let rows = matrix.pattern.rows();
        let Compensation { diagonal, sizes, pieces, worthy } = work;
        sizes.resize(rows, 0.0);
        parallel::fill(sizes, |v| norm_squared(&matrix.diagonal(v)));
        diagonal.resize(rows, DMat3::ZERO);
        pieces.resize_with(rows.div_ceil(PIECE), Piece::default);
        // Squared, so that no root is needed.
        let bound = drop * drop * drop * drop;
        let sizes = &*sizes;
        let jobs = diagonal.chunks_mut(PIECE).zip(&mut *pieces).enumerate().collect();
        parallel::for_each(jobs, |(k, (own, piece)): (usize, (&mut [DMat3], &mut Piece))| {
            own.fill(DMat3::ZERO);
            piece.beyond.clear();
            piece.strong.clear();
            piece.worthy.clear();
            let [start, end] = [k, k + 1].map(|k| self.dropped.partition_point(|&(_, row)| (row as usize) < k * PIECE));
            for &(slot, row) in &self.dropped[start..end] {
                let block = matrix.blocks[slot as usize];
                let column = matrix.pattern.columns[slot as usize];
                let squared = norm_squared(&block);
                let (fourth, least) = (squared * squared, bound * sizes[row as usize] * sizes[column as usize]);
                let strong = fourth > least;
                if strong && (fourth > STRONGER * least || bridges.has_place(row, column)) {
                    piece.strong.push(Link { row, column, block });
                } else if squared > 0.0 {
                    if strong {
                        piece.worthy.push([row, column]);
                    }
                    let [left, right] = bounds(&block, squared.sqrt());
                    own[row as usize - k * PIECE] += left;
                    match own.get_mut(column as usize - k * PIECE) {
                        Some(target) => *target += right,
                        None => piece.beyond.push((column, right)),
                    }
                }
            }
        });
        worthy.clear();
        for piece in pieces {
            worthy.append(&mut piece.worthy);
            piece.beyond.iter().for_each(|&(column, block)| diagonal[column as usize] += block);
            links.append(&mut piece.strong);
        }
    }
}

/// A strong block without a place is taken for a weak one up to this many times the bound, all in fourth powers [-]: norms
/// four times as large. Else one block or other would come over the bound in every matrix, and each time a plan be made.
const STRONGER: f64 = 256.0;

/// Rows of a piece of parallel work. Fixed: it is part of the result's bits.
const PIECE: usize = 1024;

/// What dropped blocks leave, and the memory to find it.
#[derive(Debug, Default)]
pub struct Compensation {
    /// What they add to each diagonal block.
    pub diagonal: Vec<DMat3>,
    /// ‖Aᵢᵢ‖² of each row.
    sizes: Vec<f64>,
    pieces: Vec<Piece>,
    /// Strong blocks that no link was made of, for want of a place.
    pub worthy: Vec<[u32; 2]>,
}

/// What the rows of a piece leave beyond it.
#[derive(Debug, Default)]
struct Piece {
    /// Added to the diagonal blocks of later pieces.
    beyond: Vec<(u32, DMat3)>,
    /// Blocks that are strong now, and those among them that have no place.
    strong: Vec<Link>,
    worthy: Vec<[u32; 2]>,
}

/// What a block of a norm adds to the diagonal blocks of its row and its column: matrices P and Q with
/// 2 xᵀBy ≤ xᵀPx + yᵀQy.
///
/// For a block of rank one they are BBᵀ/‖B‖ and BᵀB/‖B‖. With singular values σ₁ ≥ σ₂ ≥ σ₃ these have σᵢ²/‖B‖ where σᵢ
/// is needed; σᵢ (1 − σᵢ/‖B‖) is missing, which is at most √2 σ₂. As ‖B‖² − ‖BBᵀ/‖B‖‖² = 2 Σ σᵢ²σⱼ²/‖B‖² over
/// i < j, and σ₁² is at least a third of ‖B‖², σ₂² is at most 3/2 of that difference.
fn bounds(block: &DMat3, norm: f64) -> [DMat3; 2] {
    let left = *block * block.transpose() * (1.0 / norm);
    let right = block.transpose() * *block * (1.0 / norm);
    let missing = (3.0 * (norm * norm - norm_squared(&left)).max(0.0)).sqrt();
    [left, right].map(|bound| bound + DMat3::from_diagonal(DVec3::splat(missing)))
}

fn norm_squared(block: &DMat3) -> f64 {
    block.x_axis.length_squared() + block.y_axis.length_squared() + block.z_axis.length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Domains;
    use std::sync::Arc;

    /// The least eigenvalue of a symmetric matrix is not below `-slack`: Cholesky of the shifted matrix exists.
    fn is_positive(mut a: Vec<Vec<f64>>, slack: f64) -> bool {
        for k in 0..a.len() {
            a[k][k] += slack;
        }
        for k in 0..a.len() {
            if a[k][k] <= 0.0 {
                return false;
            }
            for i in k + 1..a.len() {
                let part = a[i][k] / a[k][k];
                for j in k..a.len() {
                    a[i][j] -= part * a[k][j];
                }
            }
        }
        true
    }

    #[test]
    fn a_dropped_block_that_is_strong_is_a_link_where_it_has_a_place_or_is_very_strong() {
        let stencils: [&[u32]; 2] = [&[0, 1], &[0, 2]];
        let pattern = Arc::new(Pattern::new(Domains::new(3), stencils.into_iter()));
        let drop = 1e-3;
        let dropped = pattern.row(0).find(|&slot| pattern.columns[slot] == 2).unwrap();
        let sparsity = Sparsity::of(&pattern, (0..pattern.columns.len()).map(|slot| slot != dropped).collect());
        let (none, placed) = (Bridges::default(), Bridges::of(vec![[0, 2]]));
        // How strong the block is, over the bound; whether it is a link without and with a place.
        for (strength, links) in [(0.5, [false, false]), (2.0, [false, true]), (6.0, [true, true])] {
            let mut matrix = BlockMatrix::new(pattern.clone());
            matrix.set_diagonal(|_| 1.0);
            let norm = drop * 3f64.sqrt();
            matrix.add_pair(0, 2, DMat3::from_cols(DVec3::X * (-strength * norm), DVec3::ZERO, DVec3::ZERO));
            for (bridges, link) in [&none, &placed].into_iter().zip(links) {
                let (mut work, mut found) = (Compensation::default(), Vec::new());
                sparsity.compensate(&matrix, drop, bridges, &mut work, &mut found);
                assert_eq!(found.len(), usize::from(link), "{strength}");
                assert_eq!(work.worthy, if strength > 1.0 && !link { vec![[0, 2]] } else { vec![] }, "{strength}");
                // What is no link is bounded on the diagonal.
                let bound = work.diagonal[0].x_axis.x;
                assert!((bound - if link { 0.0 } else { strength * norm }).abs() < 1e-9, "{strength}: {bound}");
            }
        }
    }

    #[test]
    fn what_replaces_a_block_bounds_it_whatever_its_rank() {
        let turn = |a: f64| DMat3::from_euler(glam::EulerRot::XYZ, a, 2.0 * a + 0.3, 0.7 - a);
        let values = [[1.0, 0.0, 0.0], [1.0, 0.1, 0.05], [1.0, 0.5, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]];
        for (k, singular) in values.into_iter().enumerate() {
            let block = turn(k as f64) * DMat3::from_diagonal(DVec3::from(singular)) * turn(1.0 - 0.4 * k as f64);
            let [p, q] = bounds(&block, norm_squared(&block).sqrt());
            let entry = |i: usize, j: usize| match (i < 3, j < 3) {
                (true, true) => p.col(j)[i],
                (false, false) => q.col(j - 3)[i - 3],
                (true, false) => -block.col(j - 3)[i],
                (false, true) => -block.col(i - 3)[j],
            };
            let whole: Vec<Vec<f64>> = (0..6).map(|i| (0..6).map(|j| entry(i, j)).collect()).collect();
            assert!(is_positive(whole, 1e-12), "{singular:?}");
            // And a block of rank one costs no more than it must.
            assert!(k > 0 || (p.x_axis.x + p.y_axis.y + p.z_axis.z - 1.0).abs() < 1e-6);
        }
    }
}
