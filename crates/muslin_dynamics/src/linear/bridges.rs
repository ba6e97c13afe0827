//! Couplings outside of a matrix's pattern that a factor has places for.
//!
//! Where two layers of cloth press on each other, their vertices are coupled, and the pattern, made from the cloth
//! alone, has no block for them: they are links. A factor without them takes the two layers for two separate
//! supports; conjugate gradients then need tens of iterations to tell the layers of each other. So a plan is made
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
    /// The pairs.
    pub pairs: Vec<[u32; 2]>,
}

impl Bridges {
    /// The pairs of some links.
    pub fn new(links: &[Link]) -> Self {
        let mut pairs: Vec<[u32; 2]> = links.iter().map(|link| [link.row, link.column]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Bridges { pairs }
    }

    fn place(&self, link: &Link) -> Option<usize> {
        self.pairs.binary_search(&[link.row, link.column]).ok()
    }

    /// Whether a plan with these places serves a matrix with these links: all have one, and not far too many are empty.
    pub fn serve(&self, links: &[Link]) -> bool {
        self.pairs.len() <= TOO_WIDE * links.len() && links.iter().all(|link| self.place(link).is_some())
    }

    /// The sum of the links of each pair.
    ///
    /// # Panics
    /// If a link has no place.
    pub fn gather(&self, links: &[Link], out: &mut Vec<DMat3>) {
        out.clear();
        out.resize(self.pairs.len(), DMat3::ZERO);
        for link in links {
            out[self.place(link).expect("a plan serves its matrix")] += link.block;
        }
    }
}
