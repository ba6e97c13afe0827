//! The quadratic fit around a triangle: an estimate of second derivatives that is exact for every quadratic
//! surface, whatever the mesh. [`super::slope`] corrects edge slopes with it.
//!
//! Interpolate linearly on the triangle; what the vertices around it deviate from that is fitted by the
//! three second derivatives (least squares, exact for the usual six vertices). Neighbours are unfolded into
//! the triangle's material plane one edge at a time, each laid along the common edge by its own rest shape,
//! so a seam between two pattern pieces bends like the rest of the cloth.

use glam::{DMat3, DVec2, DVec3};
use muslin_model::Model;

/// The most vertices that a fit gathers.
const MOST_VERTICES: usize = 16;

/// The fit is well posed when the smallest eigenvalue of its normal matrix, in units of the triangle's
/// area, exceeds this [-]. Regular patches have 0.02 and more; far below it the fit would be dominated by
/// round-off and by the third derivatives of the surface.
const SMALLEST_EIGENVALUE: f64 = 2e-3;

/// Directions of curvature with an eigenvalue below this cannot be seen by the patch at all (a strip one
/// triangle wide) and count as zero [-].
const UNSEEN_EIGENVALUE: f64 = 1e-6;

/// Second derivatives as a linear function of the patch's vertices; its triangle's corners come first.
pub(super) struct Patch {
    /// Model vertices.
    pub vertices: Vec<u32>,
    /// Weights of each vertex in (x_,11, x_,22, 2x_,12) [1/m²].
    pub weights: Vec<DVec3>,
    /// How far it had to reach.
    pub rings: Rings,
}

/// The rings of neighbours that a fit needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rings {
    /// The first one was enough.
    One,
    /// The first one was not.
    More,
}

impl Patch {
    /// Gathers rings of triangles until the fit is well posed.
    pub fn new(model: &Model, face: u32) -> Self {
        let corners = model.mesh.triangles[face as usize];
        let uv = model.mesh.uv[face as usize];
        let unit = model.mesh.rest_area(face as usize).sqrt();
        let mut gathered = Gathered { vertices: corners.to_vec(), places: uv.to_vec(), unit };
        let mut ring = vec![(face, uv)];
        let mut visited = vec![face];
        let mut rings = Rings::One;
        loop {
            let mut next = Vec::new();
            for &(t, places) in &ring {
                for k in 0..3 {
                    let edge = model.topology.triangle_edges[t as usize][k];
                    let Some(other) = model.topology.across(edge, t) else { continue };
                    // Obstacle triangles share no edge with cloth, so `other` has material coordinates.
                    if visited.contains(&other) {
                        continue;
                    }
                    visited.push(other);
                    let laid = unfold(model, t, k, places, other);
                    for (j, &v) in model.mesh.triangles[other as usize].iter().enumerate() {
                        if !gathered.vertices.contains(&v) && gathered.vertices.len() < MOST_VERTICES {
                            gathered.vertices.push(v);
                            gathered.places.push(laid[j]);
                        }
                    }
                    next.push((other, laid));
                }
            }
            let done = next.is_empty() || gathered.vertices.len() == MOST_VERTICES;
            let (values, vectors) = eigen(gathered.normal_matrix());
            if values.min_element() >= SMALLEST_EIGENVALUE || done {
                return gathered.fit(rings, values, vectors);
            }
            rings = Rings::More;
            ring = next;
        }
    }
}

/// Lays triangle `other` beside edge `k` of triangle `t`, whose corners lie at `places`.
pub(super) fn unfold(model: &Model, t: u32, k: usize, places: [DVec2; 3], other: u32) -> [DVec2; 3] {
    let tri = model.mesh.triangles[t as usize];
    let (a, b) = (tri[k], tri[(k + 1) % 3]);
    let (pa, pb) = (places[k], places[(k + 1) % 3]);
    let index = |v: u32| model.mesh.triangles[other as usize].iter().position(|&w| w == v).expect("the common edge");
    let uv = model.mesh.uv[other as usize];
    let (qa, qb) = (uv[index(a)], uv[index(b)]);
    // The rotation that turns the other's edge into ours; lengths stay the other's own.
    let rotation = ((pb - pa).normalize()).rotate((qb - qa).normalize() * DVec2::new(1.0, -1.0));
    uv.map(|q| pa + rotation.rotate(q - qa))
}

struct Gathered {
    vertices: Vec<u32>,
    places: Vec<DVec2>,
    /// Length that makes the fit dimensionless [m].
    unit: f64,
}

impl Gathered {
    /// Rows of the fit: an outer vertex deviates from the triangle's linear interpolation by
    /// row·(x_,11, x_,22, 2x_,12), and by its own barycentric coordinates from the corners.
    fn row(&self, k: usize) -> (DVec3, [f64; 3]) {
        let [p0, p1, p2] = [self.places[0], self.places[1], self.places[2]];
        let (a, b, p) = ((p1 - p0) / self.unit, (p2 - p0) / self.unit, (self.places[k] - p0) / self.unit);
        let det = a.perp_dot(b);
        let (l1, l2) = (p.perp_dot(b) / det, a.perp_dot(p) / det);
        let half = |q: DVec2| DVec3::new(0.5 * q.x * q.x, 0.5 * q.y * q.y, 0.5 * q.x * q.y);
        (half(p) - half(a) * l1 - half(b) * l2, [1.0 - l1 - l2, l1, l2])
    }

    /// Σ w r rᵀ over the outer vertices; nearer ones count more.
    fn normal_matrix(&self) -> DMat3 {
        (3..self.vertices.len()).fold(DMat3::ZERO, |sum, k| {
            let (r, _) = self.row(k);
            let r = r * self.weight(k);
            sum + DMat3::from_cols(r * r.x, r * r.y, r * r.z)
        })
    }

    /// Weight of an outer vertex: one over its squared distance from the triangle's centre [-].
    fn weight(&self, k: usize) -> f64 {
        let centre = (self.places[0] + self.places[1] + self.places[2]) / 3.0;
        1.0 / ((self.places[k] - centre) / self.unit).length_squared()
    }

    /// Least squares through the eigenvalues and eigenvectors of the normal matrix, without the unseen directions.
    fn fit(self, rings: Rings, values: DVec3, vectors: DMat3) -> Patch {
        let inverse = DVec3::from_array(values.to_array().map(|v| if v > UNSEEN_EIGENVALUE { 1.0 / v } else { 0.0 }));
        let pseudo = vectors * DMat3::from_diagonal(inverse) * vectors.transpose();
        let mut weights = vec![DVec3::ZERO; self.vertices.len()];
        for k in 3..self.vertices.len() {
            let (row, barycentric) = self.row(k);
            // The unknowns are (x_,11, x_,22, 2x_,12)·unit²; see `row`.
            let w = pseudo * row * (self.weight(k) * self.weight(k)) / (self.unit * self.unit);
            weights[k] = w;
            for c in 0..3 {
                weights[c] -= w * barycentric[c];
            }
        }
        Patch { vertices: self.vertices, weights, rings }
    }
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi rotations.
fn eigen(mut a: DMat3) -> (DVec3, DMat3) {
    let mut v = DMat3::IDENTITY;
    // Cyclic sweeps converge quadratically; six reach round-off for any 3×3 matrix.
    for _ in 0..6 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            if apq == 0.0 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            let mut j = DMat3::IDENTITY;
            j.col_mut(p)[p] = c;
            j.col_mut(q)[q] = c;
            j.col_mut(q)[p] = s;
            j.col_mut(p)[q] = -s;
            a = j.transpose() * a * j;
            v *= j;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), v)
}
