//! The pairs that a broad phase hands to the narrow phase.

/// Pairs that may meet, each once. The order is fixed by the input alone, never by the number of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Vertex and face; the vertex is no corner of the face.
    pub vertex_face: Vec<[u32; 2]>,
    /// Two edges without a common vertex, the lower index first.
    pub edge_edge: Vec<[u32; 2]>,
}

impl Candidates {
    /// Forgets all pairs and keeps the memory.
    pub fn clear(&mut self) {
        self.vertex_face.clear();
        self.edge_edge.clear();
    }

    /// Number of pairs of both kinds.
    pub fn len(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sorts both lists, to compare sets.
    pub fn sort(&mut self) {
        self.vertex_face.sort_unstable();
        self.edge_edge.sort_unstable();
    }
}
