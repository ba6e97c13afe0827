//! Couplings outside of a matrix's pattern that a factor has places for.
//!
//! Where two layers of cloth press on each other, their vertices are coupled, and the pattern, made from the cloth
//! alone, has no block for them: they are links. A factor without them takes the two layers for two separate
//! supports; conjugate gradients then need tens of iterations until the layers know of each other. So a plan is made
//! for the pattern *and* the links of the matrix at hand, and made anew when a matrix has others.
//!
//! A factor that saw some couplings of a support and not all could be indefinite. Therefore a plan serves a matrix only
//! if it has a place for every link.

use super::Link;
use glam::DMat3;

/// A plan is too wide when it has this many times more places than links [-].
const TOO_WIDE: usize = 2;

/// Pairs of vertices, the smaller first, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bridges {
    pairs: Vec<[u32; 2]>,
    /// Where the pairs of each first vertex begin, up to the last that has any, and their number.
    starts: Vec<u32>,
}

impl Bridges {
    /// Some pairs that ascend.
    pub fn of(pairs: Vec<[u32; 2]>) -> Self {
        let rows = pairs.last().map_or(0, |pair| pair[0] as usize + 1);
        let mut starts = vec![0; rows + 1];
        pairs.iter().for_each(|pair| starts[pair[0] as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Bridges { pairs, starts }
    }

    /// The pairs of some links and some others.
    pub fn new(links: &[Link], others: &[[u32; 2]]) -> Self {
        let links = links.iter().map(|link| [link.row, link.column]);
        Bridges::of(ascending(links.chain(others.iter().copied())))
    }

    /// The pairs.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Places for some links, for other pairs and, if that is not too many, for the pairs that had one before: contacts that
    /// part come back, and then no plan is made for them.
    pub fn renewed(&self, links: &[Link], others: &[[u32; 2]]) -> Self {
        let present = Bridges::new(links, others);
        let pairs = ascending(present.pairs.iter().chain(&self.pairs).copied());
        if pairs.len() <= TOO_WIDE * present.pairs.len() { Bridges::of(pairs) } else { present }
    }

    /// Whether a pair has a place.
    pub fn has_place(&self, row: u32, column: u32) -> bool {
        self.place(row, column).is_some()
    }

    fn place(&self, row: u32, column: u32) -> Option<usize> {
        let (start, end) = (*self.starts.get(row as usize)?, *self.starts.get(row as usize + 1)?);
        // A vertex has a few.
        (start as usize..end as usize).find(|&k| self.pairs[k][1] == column)
    }

    /// Whether a plan with these places serves a matrix with these links: all have one, and not far too many are empty.
    pub fn serve(&self, links: &[Link]) -> bool {
        self.pairs.len() <= TOO_WIDE * links.len() && links.iter().all(|link| self.has_place(link.row, link.column))
    }

    /// The sum of the links of each pair.
    ///
    /// # Panics
    /// If a link has no place.
    pub fn gather(&self, links: &[Link], out: &mut Vec<DMat3>) {
        out.clear();
        out.resize(self.pairs.len(), DMat3::ZERO);
        for link in links {
            out[self.place(link.row, link.column).expect("a plan serves its matrix")] += link.block;
        }
    }
}

/// Pairs in ascending order, each once.
fn ascending(pairs: impl Iterator<Item = [u32; 2]>) -> Vec<[u32; 2]> {
    // One number each: sorted in half the time.
    let mut keys: Vec<u64> = pairs.map(|[i, j]| u64::from(i) << 32 | u64::from(j)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| [(key >> 32) as u32, key as u32]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        constraints::Constraints,
        domains::Domains,
        linear::{BlockMatrix, LaggedCholesky, Pattern, Preconditioner, Reach},
    };
    use glam::DVec3;
    use std::sync::Arc;

    /// Two chains, coupled by springs of a strength [N/m] between the vertices that some offsets pair.
    fn layers(strength: f64, offsets: &[u32]) -> BlockMatrix {
        let half = 40;
        let stencils: Vec<[u32; 2]> = (0..2 * half - 1).filter(|v| v + 1 != half).map(|v| [v, v + 1]).collect();
        let pattern = Pattern::new(Domains::new(2 * half as usize), stencils.iter().map(|s| s.as_slice()));
        let mut matrix = BlockMatrix::new(Arc::new(pattern));
        matrix.set_diagonal(|_| 1.0);
        let spring = |matrix: &mut BlockMatrix, i: u32, j: u32, k: f64| {
            let block = DMat3::from_diagonal(DVec3::new(k, 0.7 * k, 0.4 * k));
            matrix.add_pair(i, i, block);
            matrix.add_pair(j, j, block);
            matrix.add_pair(i, j, block * -1.0);
        };
        stencils.iter().for_each(|&[i, j]| spring(&mut matrix, i, j, 30.0));
        for &offset in offsets {
            (0..half - offset).for_each(|v| spring(&mut matrix, v, half + v + offset, strength));
        }
        matrix
    }

    /// What is left of a right-hand side after one application of the factor, relative to it [-].
    fn left(factor: &mut LaggedCholesky, matrix: &BlockMatrix) -> f64 {
        factor.prepare(matrix, &Constraints::default());
        let b: Vec<DVec3> = (0..matrix.pattern.rows()).map(|v| DVec3::new(1.0, (v as f64).sin(), -0.5)).collect();
        let (mut x, mut ax) = (b.clone(), b.clone());
        factor.apply(&b, &mut x);
        matrix.multiply(&x, &mut ax);
        let size = |list: &mut dyn Iterator<Item = DVec3>| list.map(|v| v.length_squared()).sum::<f64>().sqrt();
        size(&mut ax.iter().zip(&b).map(|(ax, b)| *ax - *b)) / size(&mut b.iter().copied())
    }

    #[test]
    fn a_factor_solves_a_matrix_with_links_to_single_precision() {
        for reach in [Reach::Full, Reach::Strong] {
            for offsets in [&[][..], &[0], &[3, 0, 17]] {
                let matrix = layers(200.0, offsets);
                assert_eq!(matrix.links.is_empty(), offsets.is_empty());
                let mut factor = LaggedCholesky::new(reach, Vec::new());
                let left = left(&mut factor, &matrix);
                assert!(left < 1e-4, "{left} of the right-hand side is left with {offsets:?}");
            }
        }
    }

    #[test]
    fn a_plan_is_made_anew_for_links_that_it_has_no_place_for() {
        let mut factor = LaggedCholesky::new(Reach::Full, Vec::new());
        for offsets in [&[0][..], &[0, 5], &[], &[5]] {
            factor.failed();
            let left = left(&mut factor, &layers(200.0, offsets));
            assert!(left < 1e-4, "{left} of the right-hand side is left with {offsets:?}");
        }
    }

    #[test]
    fn places_serve_their_links_and_fewer_but_not_far_fewer_and_no_others() {
        let links = |offsets: &[u32]| layers(1.0, offsets).links;
        let bridges = Bridges::new(&links(&[0, 5]), &[]);
        assert!(bridges.serve(&links(&[0, 5])) && bridges.serve(&links(&[0])));
        assert!(!bridges.serve(&links(&[0, 6])) && !bridges.serve(&links(&[0])[..10]));
        // Old places stay while there are not too many.
        let (wider, other) = (bridges.renewed(&links(&[0, 6]), &[]), bridges.renewed(&links(&[6]), &[]));
        assert!(wider.serve(&links(&[0, 5, 6])) && other.serve(&links(&[6])) && !other.serve(&links(&[0, 6])));
    }
}
