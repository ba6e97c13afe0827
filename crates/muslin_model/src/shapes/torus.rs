//! A torus whose mesh encloses the true one on the outside and in the hole.
//!
//! The mesh is a ring of `n` equal pieces: a closed profile polygon P in the half plane (ρ, z), repeated at
//! `n` angles and joined by flat trapezoids. At an angle δ from the middle of a piece its section is P with
//! ρ scaled by c = cos(π/n)/cos δ, between c₀ = cos(π/n) in the middle and 1 at the ends. The mesh
//! encloses the torus exactly when every such section encloses the true circle D, that is when P holds D/c
//! for all these c, and P is convex, so when it holds D and D/c₀ (an ellipse, wider by 1/c₀ and further
//! out). P is therefore the polygon of tangents to these two at equally spaced normals: each facet touches
//! the torus, in the hole at its ends (where chords bow towards the axis) and outside in its middle.
//! Just enlarging the tube by 1/cos(π/m)/cos(π/n) would not do: the outer chords miss by a part of the
//! outer radius, not of the tube's.

use super::error::{ROUNDING_MARGIN, ShapeError, check_count, check_length, check_vertices};
use super::rings::{push_band, push_ring};
use crate::mesh::Mesh;
use glam::DVec2;
use std::f64::consts::{PI, TAU};

/// A torus around the z axis and the origin. `radius` is that of the centre line [m], `tube` that of the
/// tube [m]; `segments` counts those around the axis and those around the tube.
pub fn torus(radius: f64, tube: f64, segments: [usize; 2]) -> Result<Mesh, ShapeError> {
    let [around, sides] = segments;
    check_length("torus", "radius", radius)?;
    check_length("torus", "tube", tube)?;
    check_count("torus", "segments around the axis", around, 3)?;
    check_count("torus", "segments around the tube", sides, 3)?;
    check_vertices("torus", around, sides)?;
    // Also with its margin the mesh must not reach the axis.
    if tube + 2.0 * margin(radius, tube) >= radius {
        let (smaller, larger) = ("tube", "radius");
        return Err(ShapeError::Order { shape: "torus", smaller, small: tube, larger, large: radius });
    }
    let mut mesh = Mesh::default();
    for corner in profile(radius, tube, around, sides) {
        push_ring(&mut mesh.positions, corner.x, corner.y, around);
    }
    let n = around as u32;
    for ring in 0..sides as u32 {
        push_band(&mut mesh.triangles, ring * n, (ring + 1) % sides as u32 * n, around);
    }
    Ok(mesh)
}

/// How much further out than touching the facets lie [m].
fn margin(radius: f64, tube: f64) -> f64 {
    ROUNDING_MARGIN * (radius + tube)
}

/// Corners (ρ, z) of the profile, counter-clockwise with ρ to the right [m].
fn profile(radius: f64, tube: f64, around: usize, sides: usize) -> Vec<DVec2> {
    let least = (PI / around as f64).cos();
    // The first tangent is the one in the hole, so that the hole is exactly as narrow as the true one.
    let normal = |k: usize| DVec2::from_angle(PI + TAU * k as f64 / sides as f64);
    let support = |n: DVec2| {
        let circle = radius * n.x + tube;
        let ellipse = radius / least * n.x + tube * DVec2::new(n.x / least, n.y).length();
        circle.max(ellipse) + margin(radius, tube)
    };
    (0..sides)
        .map(|k| {
            let (a, b) = (normal(k), normal(k + 1));
            let (ha, hb) = (support(a), support(b));
            // Where a·p = ha and b·p = hb.
            DVec2::new(ha * b.y - hb * a.y, a.x * hb - b.x * ha) / a.perp_dot(b)
        })
        .collect()
}
