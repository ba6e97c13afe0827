//! Who is next to whom: edges and their triangles. Fixed for a whole run.

/// Marks the missing triangle of a boundary edge.
pub const NONE: u32 = u32::MAX;

/// The edges of a triangle mesh and their neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Vertex pairs, low index first, in ascending order.
    pub edges: Vec<[u32; 2]>,
    /// The one or two triangles of each edge, the second [`NONE`] on a boundary.
    pub edge_triangles: Vec<[u32; 2]>,
    /// The edges of each triangle: entry k joins its corners k and k+1.
    pub triangle_edges: Vec<[u32; 3]>,
}

impl Topology {
    /// Finds the edges of a mesh; a third triangle at an edge is ignored ([`crate::Mesh::check_cloth`]
    /// refuses such a cloth before).
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
        for (t, tri) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (tri[k], tri[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], t as u32, k as u8));
            }
        }
        sides.sort_unstable();
        let mut topology = Topology { triangle_edges: vec![[NONE; 3]; triangles.len()], ..Default::default() };
        for (edge, t, k) in sides {
            if topology.edges.last() != Some(&edge) {
                topology.edges.push(edge);
                topology.edge_triangles.push([t, NONE]);
            } else if let Some(pair) = topology.edge_triangles.last_mut()
                && pair[1] == NONE
            {
                pair[1] = t;
            }
            topology.triangle_edges[t as usize][k as usize] = (topology.edges.len() - 1) as u32;
        }
        topology
    }

    /// The triangle on the other side of an edge, if there is one.
    pub fn across(&self, edge: u32, triangle: u32) -> Option<u32> {
        let [a, b] = self.edge_triangles[edge as usize];
        let other = if a == triangle { b } else { a };
        (other != NONE).then_some(other)
    }
}

/// The corner of `triangle` that is on neither end of `edge`.
pub fn opposite_corner(triangle: [u32; 3], edge: [u32; 2]) -> usize {
    (0..3).find(|&k| !edge.contains(&triangle[k])).expect("a triangle has a corner off each of its edges")
}
