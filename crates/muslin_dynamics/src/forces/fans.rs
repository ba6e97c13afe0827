//! The faces around each vertex, for normals of vertices: V's mean of the unit normals of the adjacent triangles.

use super::Layout;
use glam::DVec3;
use muslin_model::Model;

/// Faces around the vertices of some cloths, in the solver's order.
#[derive(Clone, Debug)]
pub(crate) struct Fans {
    starts: Vec<u32>,
    faces: Vec<[u32; 3]>,
}

impl Fans {
    /// Those of some faces of the model.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let solver = |f: u32| model.mesh.triangles[f as usize].map(|v| layout.solver_from_model[v as usize]);
        let mut corners: Vec<(u32, [u32; 3])> = faces.iter().flat_map(|&f| solver(f).map(|v| (v, solver(f)))).collect();
        // Stable: around a vertex faces stay in the model's order.
        corners.sort_by_key(|&(v, _)| v);
        let mut starts = vec![0u32; layout.solver_from_model.len() + 1];
        corners.iter().for_each(|&(v, _)| starts[v as usize + 1] += 1);
        for v in 1..starts.len() {
            starts[v] += starts[v - 1];
        }
        Fans { starts, faces: corners.into_iter().map(|(_, face)| face).collect() }
    }

    /// Unit normal of a vertex [-]; zero where its faces are folded onto each other or have no area.
    pub fn normal(&self, vertex: u32, positions: &[DVec3]) -> DVec3 {
        let range = self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
        let sum: DVec3 = self.faces[range]
            .iter()
            .map(|face| {
                let [a, b, c] = face.map(|v| positions[v as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .sum();
        sum.normalize_or_zero()
    }
}
