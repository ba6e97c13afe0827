//! The default detection: the tree's search and the narrow phase in one pass.
//!
//! Box pairs never reach main memory. They leave the search in batches of a thousand, the hull filter rejects
//! nineteen of twenty, and the certified test decides the rest, piece by piece of the tree. The pieces are
//! joined in their order and the impacts sorted, so the result does not depend on threads or on the tree.

use super::ascending::{Room, ascending};
use super::decide::Question;
use super::{DetectSettings, Detection, Impact};
use crate::block_tree::kernel::{self, Kernel};
use crate::block_tree::prepared::{Half, Prepared};
use crate::block_tree::search::{SearchCounts, Work};
use crate::block_tree::sinks::Filter;
use crate::{Counts, PairKind, Surface, Sweep};
use muslin_model::parallel;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Leaf blocks per piece of parallel work.
const PIECE: usize = 64;

/// Finds impacts; keeps its memory from call to call.
#[derive(Clone, Debug)]
pub struct Detector {
    prepared: Prepared,
    kernel: Kernel,
    /// Memory of the pieces, and of the lists of both kinds.
    spare: Vec<Lists>,
    rooms: [Room; 2],
    /// Vertices of the surface that they were filled for: a group of eight may read numbers that are left from before.
    vertices: usize,
}

/// Lists that a piece fills; their memory serves again.
#[derive(Clone, Debug, Default)]
struct Lists {
    impacts: Vec<Impact>,
    left: Vec<[u32; 2]>,
    doubtful: Vec<[u32; 2]>,
    work: Work,
}

impl Default for Detector {
    fn default() -> Self {
        Detector::with_kernel(Kernel::detect())
    }
}

/// What one piece of the tree gave.
struct Piece {
    kind: PairKind,
    lists: Lists,
    counts: SearchCounts,
    refined: u64,
    total: Duration,
    narrow: Duration,
}

impl Detector {
    /// A detector that uses the given instructions; the default chooses the fastest.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Detector { prepared: Prepared::default(), kernel, spare: Vec::new(), rooms: Default::default(), vertices: 0 }
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

    /// Levels of the tree that the last motion was searched with; 0 before the first.
    pub fn levels(&self) -> usize {
        self.prepared.face_levels()
    }

    /// The boxes on a level of that tree, to look at: 0 are the swept faces, each next level holds eight of the one
    /// below [m].
    pub fn boxes(&self, level: usize) -> Vec<crate::Box3> {
        self.prepared.face_boxes(level)
    }

    /// All impacts of a motion.
    pub fn detect(&mut self, surface: &Surface, sweep: &Sweep, settings: &DetectSettings) -> Detection {
        let begin = Instant::now();
        if self.vertices != surface.vertex_count() {
            self.spare.clear();
            self.vertices = surface.vertex_count();
        }
        self.prepared.update(surface, sweep, settings.thickness);
        let prepared = begin.elapsed();
        let mut detection = Detection::default();
        let (mut total, mut narrow) = (Duration::ZERO, Duration::ZERO);
        let question = Question { surface, sweep, settings };
        let spare = Mutex::new(std::mem::take(&mut self.spare));
        let pieces = self.pieces(question, &spare);
        let of_kind =
            |kind| pieces.iter().filter(move |piece| piece.kind == kind).map(|piece| &piece.lists.impacts[..]);
        let [of_vertices, of_edges] = &mut self.rooms;
        (detection.vertex_face, detection.edge_edge) = parallel::join(
            || ascending(surface.vertex_count(), of_kind(PairKind::VertexFace), of_vertices),
            || ascending(surface.edges().len(), of_kind(PairKind::EdgeEdge), of_edges),
        );
        for piece in &pieces {
            match piece.kind {
                PairKind::VertexFace => detection.counts.vertex_face_candidates += piece.counts.pairs,
                PairKind::EdgeEdge => detection.counts.edge_edge_candidates += piece.counts.pairs,
            }
            detection.counts.broad_phase.tests += piece.counts.tests;
            detection.counts.refined += piece.refined;
            total += piece.total;
            narrow += piece.narrow;
        }
        // Pieces that are a few thousand allocations would each time be got from the system again.
        self.spare = spare.into_inner().unwrap_or_default();
        self.spare.extend(pieces.into_iter().map(|piece| piece.lists));
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

    /// Takes back a detection that nobody needs any more: its memory serves the next one.
    pub fn give_back(&mut self, detection: Detection) {
        let [of_vertices, of_edges] = &mut self.rooms;
        (of_vertices.impacts, of_edges.impacts) = (detection.vertex_face, detection.edge_edge);
    }

    /// Searches and decides both kinds, piece by piece: all pieces in one loop, so that threads wait once only.
    fn pieces(&self, question: Question, spare: &Mutex<Vec<Lists>>) -> Vec<Piece> {
        let p = &self.prepared;
        let boxes = p.true_boxes(question.surface, question.sweep, question.settings.thickness);
        let [vertices, edges] = [p.vertices.filled_leaves(), p.edges.filled_leaves()];
        let leaves = |piece: usize, count: usize| piece * PIECE..((piece + 1) * PIECE).min(count);
        let first = edges.div_ceil(PIECE);
        parallel::map(first + vertices.div_ceil(PIECE), |piece| {
            // Which memory a piece gets changes no result.
            let room = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
            if piece < first {
                let overlap = |a, b| boxes.edge_edge(a, b);
                self.piece::<2, 2, 4, 4>(p.edge_edge(), (leaves(piece, edges), room), overlap, question)
            } else {
                let overlap = |a, b| boxes.vertex_face(a, b);
                let leaves = leaves(piece - first, vertices);
                self.piece::<1, 3, 2, 6>(p.vertex_face(), (leaves, room), overlap, question)
            }
        })
    }

    /// Some leaf blocks of one kind; the last two numbers are points, twice the corners.
    fn piece<const N: usize, const M: usize, const PA: usize, const PB: usize>(
        &self,
        half: Half<N, M>,
        (leaves, lists): (Range<usize>, Lists),
        overlap: impl Fn(u32, u32) -> bool,
        question: Question,
    ) -> Piece {
        let begin = Instant::now();
        let (a, b) = half.points();
        let Lists { mut impacts, mut left, doubtful, work } = lists;
        left.clear();
        let mut filter: Filter<N, M, PA, PB, _> =
            Filter { a, b, separation: self.prepared.thickness(), overlap, left, doubtful, spent: Duration::ZERO };
        let (counts, work) = kernel::run(self.kernel, half.search(work), leaves, &mut filter);
        let decide = Instant::now();
        impacts.clear();
        let named = filter.left.iter().map(|&slots| half.named(slots));
        impacts.extend(named.filter_map(|pair| question.impact(half.kind, pair)));
        let narrow = filter.spent + decide.elapsed();
        let refined = filter.left.len() as u64;
        let lists = Lists { impacts, left: filter.left, doubtful: filter.doubtful, work };
        Piece { kind: half.kind, lists, counts, refined, total: begin.elapsed(), narrow }
    }
}
