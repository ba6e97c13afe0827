//! The default detection: the tree's search and the narrow phase in one pass.
//!
//! Box pairs never reach main memory. They leave the search in batches of a thousand, the hull filter rejects
//! nineteen of twenty, and the certified test decides the rest, piece by piece of the tree. The pieces are
//! joined in their order and the impacts sorted, so the result does not depend on threads or on the tree.

use super::{DetectSettings, Detection, Impact};
use crate::block_tree::kernel::{self, Kernel};
use crate::block_tree::prepared::Prepared;
use crate::block_tree::search::{Search, SearchCounts, Sides};
use crate::block_tree::sinks::{EdgeEdgeFilter, VertexFaceFilter};
use crate::narrow_phase::{minimum_separation, time_of_impact};
use crate::{Counts, PairKind, Query, Surface, Sweep};
use muslin_model::parallel;
use std::time::{Duration, Instant};

/// Leaf blocks per piece of parallel work.
const PIECE: usize = 64;

/// Finds impacts; keeps its memory from call to call.
#[derive(Clone, Debug)]
pub struct Detector {
    prepared: Prepared,
    kernel: Kernel,
}

impl Default for Detector {
    fn default() -> Self {
        Detector { prepared: Prepared::default(), kernel: Kernel::detect() }
    }
}

/// What one piece of the tree gave.
struct Piece {
    impacts: Vec<Impact>,
    counts: SearchCounts,
    refined: u64,
    total: Duration,
    narrow: Duration,
}

impl Detector {
    /// A detector that uses the given instructions; the default chooses the fastest.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Detector { prepared: Prepared::default(), kernel }
    }

    /// A detector whose blocks are made once, from a state such as the cloth at rest, and only refitted from then
    /// on. The blocks are patches of the cloth and stay tight as it moves; sorting is saved in each step. The
    /// impacts are the same. As the order comes from a constant state and not from the step before, the counts
    /// do not depend on history either.
    pub fn with_order_of(surface: &Surface, rest: &[glam::DVec3]) -> Result<Self, crate::SweepError> {
        let mut detector = Detector::default();
        detector.prepared.keep_order_of(surface, &Sweep::new(surface, rest, rest)?);
        Ok(detector)
    }

    /// All impacts of a motion.
    pub fn detect(&mut self, surface: &Surface, sweep: &Sweep, settings: &DetectSettings) -> Detection {
        let begin = Instant::now();
        self.prepared.update(surface, sweep, settings.thickness);
        let prepared = begin.elapsed();
        let vertex_face =
            self.pieces(self.prepared.vertices.leaves(), |leaves| self.vertex_face(leaves, surface, sweep, settings));
        let edge_edge =
            self.pieces(self.prepared.edges.leaves(), |leaves| self.edge_edge(leaves, surface, sweep, settings));
        let mut detection = Detection::default();
        let (mut total, mut narrow) = (Duration::ZERO, Duration::ZERO);
        for (pieces, impacts, candidates) in [
            (vertex_face, &mut detection.vertex_face, &mut detection.counts.vertex_face_candidates),
            (edge_edge, &mut detection.edge_edge, &mut detection.counts.edge_edge_candidates),
        ] {
            for piece in pieces {
                impacts.extend(piece.impacts);
                *candidates += piece.counts.pairs;
                detection.counts.broad_phase.tests += piece.counts.tests;
                detection.counts.refined += piece.refined;
                total += piece.total;
                narrow += piece.narrow;
            }
            impacts.sort_unstable_by_key(|i| (i.a, i.b));
        }
        let primitives = surface.vertex_count() + surface.edges().len() + surface.triangles().len();
        let tests = detection.counts.broad_phase.tests;
        detection.counts.broad_phase =
            Counts { cells: self.prepared.nodes(), registrations: primitives as u64, tests, ..Counts::default() };
        let passed = begin.elapsed();
        let share = narrow.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE);
        detection.cost.narrow = passed.saturating_sub(prepared).mul_f64(share.clamp(0.0, 1.0));
        detection.cost.broad = passed.saturating_sub(detection.cost.narrow);
        detection.cost.bytes = self.prepared.bytes();
        detection
    }

    fn pieces(&self, leaves: usize, run: impl Fn(std::ops::Range<usize>) -> Piece + Sync + Send) -> Vec<Piece> {
        parallel::map(leaves.div_ceil(PIECE), |p| run(p * PIECE..((p + 1) * PIECE).min(leaves)))
    }

    fn vertex_face(
        &self,
        leaves: std::ops::Range<usize>,
        surface: &Surface,
        sweep: &Sweep,
        settings: &DetectSettings,
    ) -> Piece {
        let begin = Instant::now();
        let p = &self.prepared;
        let boxes = p.true_boxes(surface, sweep, settings.thickness);
        let mut filter = VertexFaceFilter {
            a: &p.vertices.records,
            b: &p.faces.records,
            separation: p.thickness(),
            overlap: |a, b| boxes.vertex_face(a, b),
            left: Vec::new(),
            doubtful: Vec::new(),
            spent: Duration::ZERO,
        };
        let search = Search::new(p.vertices.side(), p.faces.side(), Sides::Different);
        let counts = kernel::run(self.kernel, search, leaves, &mut filter);
        let (left, spent) = (filter.left, filter.spent);
        let named = left.iter().map(|&[a, b]| [p.vertices.order[a as usize], p.faces.order[b as usize]]);
        let decide = Instant::now();
        let impacts = decide_all(PairKind::VertexFace, named, settings, |[a, b]| {
            let [p, q, r] = surface.triangles()[b as usize];
            (sweep.vertex_face(surface, a, b), [a, p, q, r])
        });
        let narrow = spent + decide.elapsed();
        Piece { impacts, counts, refined: left.len() as u64, total: begin.elapsed(), narrow }
    }

    fn edge_edge(
        &self,
        leaves: std::ops::Range<usize>,
        surface: &Surface,
        sweep: &Sweep,
        settings: &DetectSettings,
    ) -> Piece {
        let begin = Instant::now();
        let p = &self.prepared;
        let boxes = p.true_boxes(surface, sweep, settings.thickness);
        let mut filter = EdgeEdgeFilter {
            a: &p.edges.records,
            b: &p.edges.records,
            separation: p.thickness(),
            overlap: |a, b| boxes.edge_edge(a, b),
            left: Vec::new(),
            doubtful: Vec::new(),
            spent: Duration::ZERO,
        };
        let search = Search::new(p.edges.side(), p.edges.side(), Sides::Same);
        let counts = kernel::run(self.kernel, search, leaves, &mut filter);
        let (left, spent) = (filter.left, filter.spent);
        let named = left.iter().map(|slots| {
            let [a, b] = slots.map(|s| p.edges.order[s as usize]);
            [a.min(b), a.max(b)]
        });
        let decide = Instant::now();
        let impacts = decide_all(PairKind::EdgeEdge, named, settings, |[a, b]| {
            let ([p, q], [r, s]) = (surface.edges()[a as usize], surface.edges()[b as usize]);
            (sweep.edge_edge(surface, a, b), [p, q, r, s])
        });
        let narrow = spent + decide.elapsed();
        Piece { impacts, counts, refined: left.len() as u64, total: begin.elapsed(), narrow }
    }
}

/// The certified test of each pair.
fn decide_all(
    kind: PairKind,
    pairs: impl Iterator<Item = [u32; 2]>,
    settings: &DetectSettings,
    query: impl Fn([u32; 2]) -> (Query, [u32; 4]),
) -> Vec<Impact> {
    let impact = |pair: [u32; 2]| {
        let (query, vertices) = query(pair);
        let separation = match settings.rest {
            Some(rest) if settings.thickness > 0.0 => {
                minimum_separation(kind, vertices.map(|v| rest[v as usize]), settings.thickness)
            }
            _ => settings.thickness,
        };
        let time = time_of_impact(kind, &query, separation)?;
        Some(Impact { a: pair[0], b: pair[1], time })
    };
    pairs.filter_map(impact).collect()
}
