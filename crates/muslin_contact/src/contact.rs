//! A contact: a pair of primitives that are near each other, as a stencil of four vertices.

use glam::DVec3;
use muslin_collision::{PairKind, Query, narrow_phase::Proximity};

/// Names a pair: its kind, its first and its second primitive. Ordered, so that lists of pairs can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairKey {
    /// 0 for a vertex and a face, 1 for two edges.
    pub kind: u8,
    /// The vertex, or the lower edge.
    pub a: u32,
    /// The face, or the higher edge.
    pub b: u32,
}

impl PairKey {
    /// The key of a pair.
    pub fn new(kind: PairKind, a: u32, b: u32) -> Self {
        PairKey { kind: u8::from(kind == PairKind::EdgeEdge), a, b }
    }

    /// Kind, first and second primitive.
    pub fn numbers(self) -> [u32; 3] {
        [u32::from(self.kind), self.a, self.b]
    }

    /// Its kind.
    pub fn kind(self) -> PairKind {
        if self.kind == 0 { PairKind::VertexFace } else { PairKind::EdgeEdge }
    }
}

/// A pair with its stencil, vertex–face and edge–edge alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Which pair.
    pub key: PairKey,
    /// Its vertices.
    pub vertices: [u32; 4],
    /// Their weights: side a positive, side b negative, each with sum ±1 [-]. Together they give the vector from
    /// side b to side a.
    pub weights: [f64; 4],
    /// Unit vector from side b to side a [-].
    pub normal: DVec3,
    /// Fraction of the step at which the stencil was taken [-].
    pub time: f64,
    /// Gap at which the pair begins to repel [m].
    pub range: f64,
}

impl Contact {
    /// The stencil of a pair at a fraction of a motion; none if the sides touch there and so have no direction.
    pub fn at(key: PairKey, vertices: [u32; 4], query: &Query, time: f64, range: f64) -> Option<Self> {
        let near = Proximity::new(key.kind(), query.at(time));
        let normal = near.vector.try_normalize()?;
        Some(Contact { key, vertices, weights: near.weights, normal, time, range })
    }

    /// Weighted sum of some vectors of all vertices: the vector from side b to side a, or its velocity.
    pub fn difference(&self, values: &[DVec3]) -> DVec3 {
        self.vertices.iter().zip(self.weights).map(|(&v, w)| values[v as usize] * w).sum()
    }

    /// The same at a fraction of a motion.
    pub fn difference_at(&self, start: &[DVec3], end: &[DVec3], time: f64) -> DVec3 {
        let at = |v: usize| start[v] + (end[v] - start[v]) * time;
        self.vertices.iter().zip(self.weights).map(|(&v, w)| at(v as usize) * w).sum()
    }

    /// Gap along the normal [m].
    pub fn gap(&self, positions: &[DVec3]) -> f64 {
        self.normal.dot(self.difference(positions))
    }
}
