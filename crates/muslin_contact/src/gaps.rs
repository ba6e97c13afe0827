//! How near is near.
//!
//! Gaps are distances between mid-surfaces. A pair begins to repel at its *range*: the thickness of the cloth, or of
//! both cloths in the mean, but no more than half of what the pair has at rest, so that a fine flat mesh does
//! not repel itself. Everything else is a part of the range:
//!
//! | gap | what it is |
//! |---|---|
//! | range | repulsion begins |
//! | [`TARGET`] × range | what every response leaves |
//! | [`CHECK`] × range | what every committed state keeps; nearer is a violation |
//!
//! A state whose pairs all keep the check can always be returned to: its zero motion passes.

use glam::DVec3;
use muslin_collision::{PairKind, Surface, narrow_phase::minimum_separation};
use muslin_model::{BodyKind, Model};

/// The part of its range that a pair keeps in every committed state [-]. Above 0.1, the smallest gap that users
/// are promised, by more than the certified test's error.
pub const CHECK: f64 = 0.11;

/// The part of its range that a response leaves at least [-]: twice the check, so that a state after a response
/// is no limiting case of it.
pub const TARGET: f64 = 0.25;

/// Bodies are this far apart in the array of rest positions [m], so that half the distance between two of them
/// never counts.
const APART: f64 = 1e6;

/// Ranges of all pairs.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// Thickness at each vertex [m]; 0 on obstacles.
    thickness: Vec<f64>,
    /// Rest positions, bodies far apart [m].
    rest: Vec<DVec3>,
    largest: f64,
    smallest: f64,
}

impl Gaps {
    /// The gaps of a model's cloths.
    pub fn new(model: &Model) -> Self {
        let count = model.mesh.positions.len();
        let (mut thickness, mut uses) = (vec![0.0; count], vec![0.0; count]);
        let mut rest = model.mesh.positions.clone();
        for (face, material) in model.cloth_triangles().zip(&model.materials) {
            for (corner, &v) in model.mesh.triangles[face].iter().enumerate() {
                thickness[v as usize] += material.thickness;
                uses[v as usize] += 1.0;
                rest[v as usize] = model.mesh.uv[face][corner].extend(0.0);
            }
        }
        for (t, n) in thickness.iter_mut().zip(uses) {
            *t /= f64::max(n, 1.0);
        }
        for (k, body) in model.bodies.iter().enumerate() {
            let aside = DVec3::Z * (APART * (k + 1) as f64);
            rest[body.vertices.clone()].iter_mut().for_each(|p| *p += aside);
            debug_assert!(body.kind == BodyKind::Obstacle || thickness[body.vertices.start] > 0.0);
        }
        let cloth = &thickness[model.cloth_vertices()];
        Gaps {
            largest: cloth.iter().copied().fold(0.0, f64::max),
            smallest: cloth.iter().copied().fold(f64::INFINITY, f64::min),
            thickness,
            rest,
        }
    }

    /// The largest range of any pair [m].
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The smallest thickness of a cloth [m].
    pub fn smallest(&self) -> f64 {
        self.smallest
    }

    /// Rest positions in which bodies are far apart [m].
    pub fn rest(&self) -> &[DVec3] {
        &self.rest
    }

    /// The range of a pair [m].
    pub fn range(&self, kind: PairKind, vertices: [u32; 4]) -> f64 {
        let thickest = |side: &[u32]| side.iter().map(|&v| self.thickness[v as usize]).fold(0.0, f64::max);
        let (a, b) = vertices.split_at(side_a(kind));
        let (a, b) = (thickest(a), thickest(b));
        let thickness = if a > 0.0 && b > 0.0 { 0.5 * (a + b) } else { a.max(b) };
        minimum_separation(kind, vertices.map(|v| self.rest[v as usize]), thickness)
    }
}

/// How many of a pair's four vertices are its side a.
pub fn side_a(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

/// The four vertices of a pair, side a first.
pub fn vertices(surface: &Surface, kind: PairKind, a: u32, b: u32) -> [u32; 4] {
    match kind {
        PairKind::VertexFace => {
            let [p, q, r] = surface.triangles()[b as usize];
            [a, p, q, r]
        }
        PairKind::EdgeEdge => {
            let ([p, q], [r, s]) = (surface.edges()[a as usize], surface.edges()[b as usize]);
            [p, q, r, s]
        }
    }
}
