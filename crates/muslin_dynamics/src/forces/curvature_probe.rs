//! The curvature of every cloth triangle as a quantity to look at, whatever model bends the cloth.
//!
//! It is the quadratic fit of [`super::patch`], which is exact for every quadratic surface on every mesh; the
//! bending model of [`super::curvature`] measures the same up to its treatment of borders.

use super::patch::Patch;
use glam::DVec3;
use muslin_model::{Model, parallel};

/// Measures curvatures of a model's cloth.
pub struct CurvatureProbe {
    /// Where the fit of each triangle begins in the arrays below, and where the last one ends.
    starts: Vec<u32>,
    vertices: Vec<u32>,
    weights: Vec<DVec3>,
}

impl CurvatureProbe {
    /// Prepares the fits of all cloth triangles.
    pub fn new(model: &Model) -> Self {
        let faces = model.cloth_triangles().len();
        let mut probe = CurvatureProbe { starts: vec![0], vertices: Vec::new(), weights: Vec::new() };
        for patch in parallel::map(faces, |face| Patch::new(model, face as u32)) {
            probe.vertices.extend_from_slice(&patch.vertices);
            probe.weights.extend_from_slice(&patch.weights);
            probe.starts.push(probe.vertices.len() as u32);
        }
        probe
    }

    /// Sets `out` to the curvature of each triangle along warp and weft and its twist κ₁₂ [1/m], positive where the
    /// cloth bends towards its normal. Positions are of the model's vertices [m].
    pub fn measure(&self, positions: &[DVec3], out: &mut Vec<DVec3>) {
        out.resize(self.starts.len() - 1, DVec3::ZERO);
        parallel::fill(out, |face| {
            let patch = self.starts[face] as usize..self.starts[face + 1] as usize;
            let (vertices, weights) = (&self.vertices[patch.clone()], &self.weights[patch]);
            let [a, b, c] = [0, 1, 2].map(|k| positions[vertices[k] as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let corners = vertices.iter().zip(weights);
            let [k11, k22, twice] =
                corners.fold(DVec3::ZERO, |sum, (&v, &w)| sum + w * normal.dot(positions[v as usize])).to_array();
            DVec3::new(k11, k22, 0.5 * twice)
        });
    }
}
