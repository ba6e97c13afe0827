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
    use muslin_model::Archive;
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
    fn a_factor_with_a_kept_order_comes_back_from_an_archive_with_the_same_bits() {
        let mut first = LaggedCholesky::new(Reach::Full, Vec::new());
        let all = |matrix: &BlockMatrix, factor: &mut LaggedCholesky| {
            factor.failed();
            factor.prepare(matrix, &Constraints::default());
            let b: Vec<DVec3> = (0..matrix.pattern.rows()).map(|v| DVec3::new(1.0, (v as f64).cos(), 0.5)).collect();
            let mut x = b.clone();
            factor.apply(&b, &mut x);
            x
        };
        // The second plan keeps the order of the first: a few more bridges of many.
        let mut more = layers(200.0, &[0, 3, 17]);
        all(&layers(200.0, &[0, 3, 17]), &mut first);
        more.links.push(Link { row: 1, column: 70, block: DMat3::ZERO });
        all(&more, &mut first);
        let mut archive = Archive::default();
        first.save(&mut archive);
        let mut second = LaggedCholesky::new(Reach::Full, Vec::new());
        second.restore(&more.pattern, &archive).unwrap();
        let mut next = layers(150.0, &[0, 3, 17]);
        next.links.push(Link { row: 2, column: 66, block: DMat3::ZERO });
        assert_eq!(all(&next, &mut first), all(&next, &mut second));
        // And it is a right one.
        assert!(left(&mut second, &next) < 1e-4);
        // An order of other vertices, or a tree that does not part what it should, is refused.
        let order = archive.counts("factor.order", 80).unwrap().to_vec();
        for change in [[0, 1], [0, 79], [40, 60]] {
            let (mut damaged, mut swapped) = (archive.clone(), order.clone());
            swapped.swap(change[0], change[1]);
            damaged.put_counts("factor.order", swapped);
            let mut third = LaggedCholesky::new(Reach::Full, Vec::new());
            if third.restore(&more.pattern, &damaged).is_ok() {
                assert!(left(&mut third, &more) < 1e-4, "{change:?}");
            }
        }
        let broken: [(&str, Vec<u64>); 3] =
            [("factor.order", vec![0; 80]), ("factor.pieces", vec![80, 1]), ("factor.fresh_bridges", vec![0])];
        for (name, numbers) in broken {
            let mut damaged = archive.clone();
            damaged.put_counts(name, numbers);
            assert!(LaggedCholesky::new(Reach::Full, Vec::new()).restore(&more.pattern, &damaged).is_err(), "{name}");
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
