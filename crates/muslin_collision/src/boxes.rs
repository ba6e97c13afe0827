//! Axis-aligned boxes of what a primitive sweeps in a step.

use crate::{Surface, Sweep};
use glam::DVec3;
use muslin_model::parallel;

/// An axis-aligned box, closed: boxes that touch overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Lowest corner [m].
    pub low: DVec3,
    /// Highest corner [m].
    pub high: DVec3,
}

impl Box3 {
    /// The box of nothing: it overlaps nothing and joins to the other.
    pub const EMPTY: Box3 = Box3 { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The smallest box around points.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Box3::EMPTY, |b, p| Box3 { low: b.low.min(p), high: b.high.max(p) })
    }

    /// The smallest box around both.
    pub fn join(self, other: Box3) -> Self {
        Box3 { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether the closed boxes have a point in common.
    pub fn overlaps(&self, other: &Box3) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// The box grown by `margin` [m] on each side, rounded outwards; a margin of 0 changes nothing.
    pub fn grown(self, margin: f64) -> Self {
        if margin == 0.0 {
            return self;
        }
        let (low, high) = (self.low - margin, self.high + margin);
        let down = |x: f64| x.next_down();
        let up = |x: f64| x.next_up();
        Box3 {
            low: DVec3::new(down(low.x), down(low.y), down(low.z)),
            high: DVec3::new(up(high.x), up(high.y), up(high.z)),
        }
    }

    /// The middle [m].
    pub fn centre(&self) -> DVec3 {
        self.low * 0.5 + self.high * 0.5
    }
}

/// The thickened swept boxes of all vertices, edges and faces.
///
/// Each box holds the primitive at the start and at the end of the step, and so all along the way, grown by
/// half the thickness on each side: two primitives that come as near as the thickness have overlapping boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweptBoxes {
    /// One box per vertex.
    pub vertices: Vec<Box3>,
    /// One box per edge.
    pub edges: Vec<Box3>,
    /// One box per face.
    pub faces: Vec<Box3>,
}

impl SweptBoxes {
    /// The boxes of a motion at a thickness [m].
    pub fn new(surface: &Surface, sweep: &Sweep, thickness: f64) -> Self {
        let mut boxes = SweptBoxes::default();
        boxes.update(surface, sweep, thickness);
        boxes
    }

    /// Computes the boxes anew, in the same memory.
    pub fn update(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64) {
        let swept = |ids: &[u32]| swept_box(sweep, ids, thickness);
        self.vertices.resize(surface.vertex_count(), Box3::EMPTY);
        parallel::fill(&mut self.vertices, |v| swept(&[v as u32]));
        self.edges.resize(surface.edges().len(), Box3::EMPTY);
        parallel::fill(&mut self.edges, |e| swept(&surface.edges()[e]));
        self.faces.resize(surface.triangles().len(), Box3::EMPTY);
        parallel::fill(&mut self.faces, |f| swept(&surface.triangles()[f]));
    }
}

/// The box that some vertices sweep, grown by half the thickness [m] on each side.
pub fn swept_box(sweep: &Sweep, vertices: &[u32], thickness: f64) -> Box3 {
    let (start, end) = (sweep.start(), sweep.end());
    let points = vertices.iter().flat_map(|&v| [start[v as usize], end[v as usize]]);
    Box3::around(points).grown(0.5 * thickness)
}
