//! C1: the tree of swept boxes (A 4.1, L 2.3), the default.
//!
//! A deviation from the papers, for speed: their trees are binary, built top-down by splitting, and link their
//! leaves. Ours is [`crate::block_tree`]: eight children per node, built bottom-up along a space-filling curve
//! and refitted bottom-up. It gives the same pairs.

use super::{BroadPhase, BroadPhaseError, Counts};
use crate::block_tree::kernel::{self, Kernel};
use crate::block_tree::prepared::{Half, Prepared};
use crate::block_tree::search::SearchCounts;
use crate::block_tree::sinks::Keep;
use crate::{Candidates, Surface, Sweep};
use muslin_model::parallel;

/// Leaf blocks per piece of parallel work.
const PIECE: usize = 64;

/// The tree of blocks of eight boxes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    prepared: Prepared,
}

impl BroadPhase for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.prepared.update(surface, sweep, thickness);
        let p = &self.prepared;
        let boxes = p.true_boxes(surface, sweep, thickness);
        let kernel = Kernel::detect();
        let mut done = SearchCounts::default();
        find_half(kernel, p.vertex_face(), |a, b| boxes.vertex_face(a, b), &mut candidates.vertex_face, &mut done);
        find_half(kernel, p.edge_edge(), |a, b| boxes.edge_edge(a, b), &mut candidates.edge_edge, &mut done);
        let primitives = surface.vertex_count() + surface.edges().len() + surface.triangles().len();
        Ok(Counts { cells: p.nodes(), registrations: primitives as u64, tests: done.tests, ..Counts::default() })
    }
}

/// Finds the pairs of one kind.
fn find_half<const N: usize, const M: usize>(
    kernel: Kernel,
    half: Half<N, M>,
    overlap: impl Fn(u32, u32) -> bool + Sync,
    found: &mut Vec<[u32; 2]>,
    done: &mut SearchCounts,
) {
    let leaves = half.a.filled_leaves();
    let pieces = parallel::map(leaves.div_ceil(PIECE), |piece| {
        let mut sink = Keep { overlap: &overlap, pairs: Vec::new() };
        let part = piece * PIECE..((piece + 1) * PIECE).min(leaves);
        let (counts, _) = kernel::run(kernel, half.search(Default::default()), part, &mut sink);
        (sink.pairs, counts)
    });
    found.clear();
    found.reserve(pieces.iter().map(|(pairs, _)| pairs.len()).sum());
    for (pairs, counts) in pieces {
        found.extend(pairs.into_iter().map(|slots| half.named(slots)));
        *done = done.plus(counts);
    }
}
