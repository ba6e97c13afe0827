//! The slope of the cloth across an edge, as a linear function of nearby vertices.
//!
//! The two triangles of an edge have apexes at (t₁, n₁) and (t₂, n₂), measured along and across the edge from
//! its midpoint, and each has a slope across the edge, s₁ and s₂. On a quadratic surface with second
//! derivatives a = z_tt, b = z_tn, c = z_nn a triangle's slope is off by
//! ½a (tᵢ² − l²/4)/nᵢ + b tᵢ + ½c nᵢ. The mean with weights that cancel c is the slope where the line between
//! the apexes crosses the edge. What is left in a and b is taken off with the quadratic fits of the two
//! triangles, and the slope at the midpoint is exact for every quadratic surface. Where the two triangles
//! form a parallelogram nothing is left, and the slope needs only their four vertices.

use super::patch::{Patch, Rings};
use glam::{DVec2, DVec3};
use muslin_model::{Model, topology::opposite_corner};

/// Corrections below this part of the edge's length are left out [-]: they change the slope of a surface
/// with a radius of one edge length by a millionth.
const NEGLIGIBLE: f64 = 1e-6;

/// Σ weight · x over vertices, in [1/m].
#[derive(Clone, Debug, Default)]
pub(super) struct Slope {
    /// Vertices and their weights [1/m].
    pub terms: Vec<(u32, f64)>,
}

/// An edge as one of its triangles sees it, in that triangle's material plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// First vertex of the edge in the triangle's order.
    pub from: u32,
    /// Second vertex.
    pub to: u32,
    /// The third corner.
    pub apex: u32,
    /// Unit vector along the edge.
    pub tangent: DVec2,
    /// Unit vector across it, out of the triangle.
    pub normal: DVec2,
    /// Length of the edge [m].
    pub length: f64,
    /// The apex from the edge's midpoint, along and across [m].
    apex_at: DVec2,
}

impl Side {
    /// Edge `k` of a triangle.
    pub fn new(model: &Model, face: u32, k: usize) -> Self {
        let (tri, uv) = (model.mesh.triangles[face as usize], model.mesh.uv[face as usize]);
        let (p, q, r) = (uv[k], uv[(k + 1) % 3], uv[(k + 2) % 3]);
        let length = (q - p).length();
        let tangent = (q - p) / length;
        // Counter-clockwise corners: the outside is on the right.
        let normal = DVec2::new(tangent.y, -tangent.x);
        let apex = r - 0.5 * (p + q);
        Side {
            from: tri[k],
            to: tri[(k + 1) % 3],
            apex: tri[(k + 2) % 3],
            tangent,
            normal,
            length,
            apex_at: DVec2::new(apex.dot(tangent), apex.dot(normal)),
        }
    }

    /// Adds a multiple of the triangle's own slope across the edge.
    pub fn add_own_slope(&self, factor: f64, slope: &mut Slope) {
        let (t, k) = (self.apex_at.x / self.length, factor / self.apex_at.y);
        slope.terms.extend([(self.apex, k), (self.from, -k * (0.5 - t)), (self.to, -k * (0.5 + t))]);
    }
}

impl Slope {
    /// The slope at the midpoint of an interior edge, out of its first triangle. `fits` are the quadratic
    /// fits of the two triangles.
    pub fn new(model: &Model, edge: usize, fits: [&Patch; 2]) -> Self {
        let faces = model.topology.edge_triangles[edge];
        let sides = faces.map(|face| {
            let apex = opposite_corner(model.mesh.triangles[face as usize], model.topology.edges[edge]);
            Side::new(model, face, (apex + 1) % 3)
        });
        // The second triangle walks along the edge the other way round; seen from the first, its apex is
        // at minus its own coordinates.
        let [one, two] = [sides[0].apex_at, -sides[1].apex_at];
        let weight = two.y / (two.y - one.y);
        let mut slope = Slope::default();
        sides[0].add_own_slope(weight, &mut slope);
        sides[1].add_own_slope(-(1.0 - weight), &mut slope);

        let quarter = 0.25 * sides[0].length * sides[0].length;
        let along =
            0.5 * (weight * (one.x * one.x - quarter) / one.y + (1.0 - weight) * (two.x * two.x - quarter) / two.y);
        let twist = weight * one.x + (1.0 - weight) * two.x;
        if along.abs().max(twist.abs()) <= NEGLIGIBLE * sides[0].length {
            return slope;
        }
        // A compact fit is preferred to one that had to reach further.
        let share = match (fits[0].rings, fits[1].rings) {
            (Rings::One, Rings::More) => [1.0, 0.0],
            (Rings::More, Rings::One) => [0.0, 1.0],
            _ => [0.5, 0.5],
        };
        for ((fit, side), share) in fits.into_iter().zip(sides).zip(share).filter(|(_, share)| *share > 0.0) {
            let (t, n) = (side.tangent, side.normal);
            let a = DVec3::new(t.x * t.x, t.y * t.y, t.x * t.y);
            let b = DVec3::new(t.x * n.x, t.y * n.y, 0.5 * (t.x * n.y + t.y * n.x));
            // Turned by half a turn, tt and tn are what they were.
            let correction = (a * along + b * twist) * share;
            slope.terms.extend(fit.vertices.iter().zip(&fit.weights).map(|(&v, &w)| (v, -correction.dot(w))));
        }
        slope
    }
}
