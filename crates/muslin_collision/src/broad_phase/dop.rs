//! 18-DOPs: a second, finer look at pairs of features (W 5.3, 5.3.5).
//!
//! A box bounds three directions; an 18-DOP bounds the six diagonals of the coordinate planes as well. A pair
//! whose intervals on a diagonal are apart cannot meet. The pairs left are a part of the box pairs.
//!
//! Rounding loses nothing. Rounded sums are monotone: if the true intervals of two features overlap, so do
//! the rounded ones, because the rounded lower end of one is the rounding of a number that is not above the
//! other's upper end.

use crate::{Surface, Sweep};
use glam::DVec3;
use muslin_model::parallel;

/// Length of a diagonal direction such as (1, 1, 0) [-]: a distance counts that much along it. The nearest f64
/// lies above √2.
const DIAGONAL: f64 = std::f64::consts::SQRT_2;

/// The intervals of a feature on the diagonals x+y, x−y, x+z, x−z, y+z, y−z.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Diagonals {
    low: [f64; 6],
    high: [f64; 6],
}

impl Diagonals {
    const EMPTY: Diagonals = Diagonals { low: [f64::INFINITY; 6], high: [f64::NEG_INFINITY; 6] };

    fn add(&mut self, p: DVec3) {
        let along = [p.x + p.y, p.x - p.y, p.x + p.z, p.x - p.z, p.y + p.z, p.y - p.z];
        for k in 0..6 {
            self.low[k] = self.low[k].min(along[k]);
            self.high[k] = self.high[k].max(along[k]);
        }
    }

    fn grown(mut self, margin: f64) -> Self {
        if margin > 0.0 {
            for k in 0..6 {
                // Once for the rounded sum, once for the rounded difference.
                self.low[k] = (self.low[k].next_down() - margin).next_down();
                self.high[k] = (self.high[k].next_up() + margin).next_up();
            }
        }
        self
    }

    fn overlaps(&self, other: &Diagonals) -> bool {
        (0..6).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

/// The diagonal intervals of all vertices, edges and faces over a step; boxes are looked at before.
#[derive(Clone, Debug, Default)]
pub(super) struct Dops {
    vertices: Vec<Diagonals>,
    edges: Vec<Diagonals>,
    faces: Vec<Diagonals>,
}

impl Dops {
    /// Computes the intervals anew, in the same memory.
    pub fn update(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64) {
        let (start, end) = (sweep.start(), sweep.end());
        let margin = if thickness > 0.0 { (0.5 * thickness * DIAGONAL).next_up() } else { 0.0 };
        let swept = |ids: &[u32]| {
            let mut diagonals = Diagonals::EMPTY;
            for &v in ids {
                diagonals.add(start[v as usize]);
                diagonals.add(end[v as usize]);
            }
            diagonals.grown(margin)
        };
        self.vertices.resize(surface.vertex_count(), Diagonals::EMPTY);
        parallel::fill(&mut self.vertices, |v| swept(&[v as u32]));
        self.edges.resize(surface.edges().len(), Diagonals::EMPTY);
        parallel::fill(&mut self.edges, |e| swept(&surface.edges()[e]));
        self.faces.resize(surface.triangles().len(), Diagonals::EMPTY);
        parallel::fill(&mut self.faces, |f| swept(&surface.triangles()[f]));
    }

    /// Whether the intervals of a vertex and a face overlap on all diagonals.
    pub fn vertex_meets_face(&self, vertex: u32, face: u32) -> bool {
        self.vertices[vertex as usize].overlaps(&self.faces[face as usize])
    }

    /// Whether the intervals of two edges overlap on all diagonals.
    pub fn edges_meet(&self, a: u32, b: u32) -> bool {
        self.edges[a as usize].overlaps(&self.edges[b as usize])
    }
}

/// How pairs of features are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureCulling {
    /// By their boxes: exactly the box pairs are left.
    #[default]
    Boxes,
    /// By their 18-DOPs as W does: fewer pairs are left, and every one that can be a contact.
    Dops,
}
