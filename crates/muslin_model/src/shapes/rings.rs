//! Rings of vertices around the z axis and the bands between them.

use glam::DVec3;
use std::f64::consts::TAU;

/// Appends a ring of `segments` vertices at a radius and height [m]; the first lies on the x axis.
pub(super) fn push_ring(positions: &mut Vec<DVec3>, radius: f64, height: f64, segments: usize) {
    positions.extend((0..segments).map(|k| {
        let (sin, cos) = (TAU * k as f64 / segments as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, height)
    }));
}

/// Appends the triangles between the rings whose first vertices are `low` and `high`; they face away from
/// the axis when the ring at `high` is the upper one. The four corners of a cell lie in one plane (two
/// parallel chords), so the choice of the diagonal does not change the surface.
pub(super) fn push_band(triangles: &mut Vec<[u32; 3]>, low: u32, high: u32, segments: usize) {
    let n = segments as u32;
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([low + k, low + next, high + next]);
        triangles.push([low + k, high + next, high + k]);
    }
}
