//! C1: the tree of swept boxes (A 4.1, L 2.3), the default.
//!
//! A deviation from the papers, for speed: their trees are binary, built top-down by splitting, and link their
//! leaves. Ours is [`crate::block_tree`]: eight children per node, built bottom-up along a space-filling curve
//! and refitted bottom-up. It gives the same pairs.

use super::{BroadPhase, BroadPhaseError, Counts};
use crate::block_tree::kernel::{self, Kernel};
use crate::block_tree::prepared::Prepared;
use crate::block_tree::search::{Search, SearchCounts, Sides};
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
        candidates.clear();
        let mut done = SearchCounts::default();
        let pieces = parallel::map(p.vertices.leaves().div_ceil(PIECE), |piece| {
            let leaves = piece * PIECE..((piece + 1) * PIECE).min(p.vertices.leaves());
            let mut sink = Keep { overlap: |a, b| boxes.vertex_face(a, b), pairs: Vec::new() };
            let search = Search::new(p.vertices.side(), p.faces.side(), Sides::Different);
            let counts = kernel::run(kernel, search, leaves, &mut sink);
            (sink.pairs, counts)
        });
        candidates.vertex_face.reserve(pieces.iter().map(|p| p.0.len()).sum());
        for (pairs, counts) in pieces {
            let named = |[a, b]: [u32; 2]| [p.vertices.order[a as usize], p.faces.order[b as usize]];
            candidates.vertex_face.extend(pairs.into_iter().map(named));
            done = done.plus(counts);
        }
        let pieces = parallel::map(p.edges.leaves().div_ceil(PIECE), |piece| {
            let leaves = piece * PIECE..((piece + 1) * PIECE).min(p.edges.leaves());
            let mut sink = Keep { overlap: |a, b| boxes.edge_edge(a, b), pairs: Vec::new() };
            let search = Search::new(p.edges.side(), p.edges.side(), Sides::Same);
            let counts = kernel::run(kernel, search, leaves, &mut sink);
            (sink.pairs, counts)
        });
        candidates.edge_edge.reserve(pieces.iter().map(|p| p.0.len()).sum());
        for (pairs, counts) in pieces {
            let named = |slots: [u32; 2]| {
                let [a, b] = slots.map(|s| p.edges.order[s as usize]);
                [a.min(b), a.max(b)]
            };
            candidates.edge_edge.extend(pairs.into_iter().map(named));
            done = done.plus(counts);
        }
        let primitives = surface.vertex_count() + surface.edges().len() + surface.triangles().len();
        Ok(Counts { cells: p.nodes(), registrations: primitives as u64, tests: done.tests, ..Counts::default() })
    }
}
