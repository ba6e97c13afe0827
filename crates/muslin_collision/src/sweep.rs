//! The motion of one step, as detection sees it.

use crate::{PairKind, Query, Surface};
use glam::DVec3;

/// All vertices at the start and the end of a step; between them each moves on a straight line.
/// For a static question both ends are the same slice.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    start: &'a [DVec3],
    end: &'a [DVec3],
}

/// Why two arrays of positions are no motion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// The ends have different lengths.
    #[error("the start has {start} vertices, the end {end}; both frames must be of the same mesh")]
    DifferentCounts {
        /// Vertices at the start.
        start: usize,
        /// Vertices at the end.
        end: usize,
    },
    /// The motion is of another mesh than the surface.
    #[error("the motion has {motion} vertices, the surface {surface}; both must be of the same mesh")]
    OtherMesh {
        /// Vertices of the motion.
        motion: usize,
        /// Vertices of the surface.
        surface: usize,
    },
    /// A coordinate is NaN, infinite, or too large to take differences of.
    #[error("vertex {vertex} at the {end} of the motion is at {position}; coordinates must be finite and below 1e100")]
    NotFinite {
        /// Vertex index.
        vertex: usize,
        /// `start` or `end`.
        end: &'static str,
        /// The position as text.
        position: String,
    },
}

/// Coordinates at or beyond this are refused: products of three differences must stay finite [m].
pub const LARGEST_COORDINATE: f64 = 1e100;

impl<'a> Sweep<'a> {
    /// Checks that both ends belong to the surface and are finite.
    pub fn new(surface: &Surface, start: &'a [DVec3], end: &'a [DVec3]) -> Result<Self, SweepError> {
        if start.len() != end.len() {
            return Err(SweepError::DifferentCounts { start: start.len(), end: end.len() });
        }
        if start.len() != surface.vertex_count() {
            return Err(SweepError::OtherMesh { motion: start.len(), surface: surface.vertex_count() });
        }
        for (points, end) in [(start, "start"), (end, "end")] {
            let bad = |p: &DVec3| !(p.abs().max_element() < LARGEST_COORDINATE) || p.is_nan();
            if let Some(vertex) = points.iter().position(bad) {
                return Err(SweepError::NotFinite { vertex, end, position: points[vertex].to_string() });
            }
        }
        Ok(Sweep { start, end })
    }

    /// Positions at the start [m].
    pub fn start(&self) -> &'a [DVec3] {
        self.start
    }

    /// Positions at the end [m].
    pub fn end(&self) -> &'a [DVec3] {
        self.end
    }

    /// The query of a vertex and a face: the vertex first.
    pub fn vertex_face(&self, surface: &Surface, vertex: u32, face: u32) -> Query {
        self.query(surface.pair_vertices(PairKind::VertexFace, [vertex, face]))
    }

    /// The query of two edges.
    pub fn edge_edge(&self, surface: &Surface, a: u32, b: u32) -> Query {
        self.query(surface.pair_vertices(PairKind::EdgeEdge, [a, b]))
    }

    /// The query of four vertices.
    pub fn query(&self, vertices: [u32; 4]) -> Query {
        Query { start: vertices.map(|v| self.start[v as usize]), end: vertices.map(|v| self.end[v as usize]) }
    }
}
