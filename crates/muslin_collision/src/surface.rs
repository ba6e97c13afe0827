//! The constant part of detection: triangles, edges, and who shares a vertex with whom.

use crate::PairKind;
use muslin_model::Topology;

/// A triangle mesh as detection sees it. Fixed for a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    triangle_edges: Vec<[u32; 3]>,
}

/// Why triangles are no surface.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {count} vertices; correct the index")]
    IndexOutOfRange {
        /// Triangle index.
        triangle: usize,
        /// The offending vertex index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A triangle uses one vertex twice.
    #[error("triangle {triangle} (vertices {vertices:?}) uses a vertex twice; remove it")]
    RepeatedVertex {
        /// Triangle index.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// More primitives than an index can name.
    #[error("the mesh has {count} {what}; detection numbers at most {limit}")]
    TooLarge {
        /// How many there are.
        count: usize,
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// The largest number of vertices or triangles; three edges per triangle must fit into 32 bits.
const LIMIT: usize = (u32::MAX / 4) as usize;

impl Surface {
    /// Finds the edges of the triangles. Vertices that no triangle uses are points that may meet faces.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Result<Self, SurfaceError> {
        for (count, what) in [(vertex_count, "vertices"), (triangles.len(), "triangles")] {
            if count > LIMIT {
                return Err(SurfaceError::TooLarge { count, what, limit: LIMIT });
            }
        }
        for (triangle, &vertices) in triangles.iter().enumerate() {
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(SurfaceError::IndexOutOfRange { triangle, vertex, count: vertex_count });
            }
            if vertices[0] == vertices[1] || vertices[1] == vertices[2] || vertices[2] == vertices[0] {
                return Err(SurfaceError::RepeatedVertex { triangle, vertices });
            }
        }
        let topology = Topology::new(triangles);
        Ok(Surface {
            vertex_count,
            triangles: triangles.to_vec(),
            edges: topology.edges,
            triangle_edges: topology.triangle_edges,
        })
    }

    /// Number of vertices, those that no triangle uses included.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Vertices of each edge, low index first; edges in ascending order, each once.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The edges of each triangle: entry k joins its corners k and k+1.
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.triangle_edges
    }

    /// The four vertices of a pair: a vertex and the corners of a face, or the ends of two edges.
    pub fn pair_vertices(&self, kind: PairKind, [a, b]: [u32; 2]) -> [u32; 4] {
        match kind {
            PairKind::VertexFace => {
                let [p, q, r] = self.triangles[b as usize];
                [a, p, q, r]
            }
            PairKind::EdgeEdge => {
                let ([p, q], [r, s]) = (self.edges[a as usize], self.edges[b as usize]);
                [p, q, r, s]
            }
        }
    }

    /// Whether a vertex is a corner of a face; such a pair is never tested.
    pub fn vertex_touches_face(&self, vertex: u32, face: u32) -> bool {
        self.triangles[face as usize].contains(&vertex)
    }

    /// Whether two edges have a vertex in common; such a pair is never tested.
    pub fn edges_touch(&self, a: u32, b: u32) -> bool {
        let ([p, q], [r, s]) = (self.edges[a as usize], self.edges[b as usize]);
        p == r || p == s || q == r || q == s
    }
}
