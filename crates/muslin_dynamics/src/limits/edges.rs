//! The edges that a limiter watches.

use super::{LIMIT_TOLERANCE, LimitReport};
use crate::system::System;
use glam::DVec3;
use muslin_model::Model;

/// Edges with rest lengths, in the solver's vertex order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedEdges {
    /// Vertex pairs.
    pub ends: Vec<[u32; 2]>,
    /// Rest length of each [m].
    pub rest_lengths: Vec<f64>,
    /// Inverse mass of each vertex [1/kg].
    pub inverse_masses: Vec<f64>,
}

impl LimitedEdges {
    /// Takes edges between vertices of the model, with their rest lengths [m], into the solver's order.
    pub fn new(system: &System, edges: impl IntoIterator<Item = ([u32; 2], f64)>) -> Self {
        let solver = |v: u32| system.solver_from_model[v as usize];
        let (ends, rest_lengths) = edges.into_iter().map(|(pair, rest)| (pair.map(solver), rest)).unzip();
        let inverse_masses = system.masses.iter().map(|m| 1.0 / m).collect();
        LimitedEdges { ends, rest_lengths, inverse_masses }
    }

    /// All edges of the model's cloths, with their lengths in the rest shape.
    pub fn of_cloths(system: &System, model: &Model) -> Self {
        let topology = &model.topology;
        let faces = model.cloth_triangles();
        let cloth =
            topology.edges.iter().zip(&topology.edge_triangles).filter(|(_, t)| faces.contains(&(t[0] as usize)));
        Self::new(
            system,
            cloth.map(|(&edge, triangles)| {
                let face = triangles[0] as usize;
                let corner = |v: u32| {
                    let k = model.mesh.triangles[face].iter().position(|&w| w == v);
                    model.mesh.uv[face][k.expect("an edge's ends are corners of its triangle")]
                };
                (edge, corner(edge[0]).distance(corner(edge[1])))
            }),
        )
    }

    /// Length of an edge over its rest length, minus one [-].
    #[inline]
    pub fn strain(&self, edge: usize, positions: &[DVec3]) -> f64 {
        let [a, b] = self.ends[edge].map(|v| positions[v as usize]);
        a.distance(b) / self.rest_lengths[edge] - 1.0
    }

    /// What is left beyond a limit on strain.
    pub(super) fn report(&self, positions: &[DVec3], limit: f64, passes: usize) -> LimitReport {
        let mut report = LimitReport { passes, ..Default::default() };
        for edge in 0..self.ends.len() {
            let excess = self.strain(edge, positions) - limit;
            if excess > report.largest_excess.max(LIMIT_TOLERANCE) {
                report.largest_excess = excess;
                report.worst_edge = Some(edge as u32);
            }
        }
        report
    }
}
