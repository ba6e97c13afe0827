//! A cylinder with round ends.

use super::error::{LENGTHS, ROUNDING_MARGIN, ShapeError, check_count, check_length, check_vertices};
use super::rings::{push_band, push_ring};
use crate::mesh::Mesh;
use glam::DVec3;
use std::f64::consts::PI;

/// A capsule along the z axis around the origin: a cylinder of `length` [m], which may be 0, between two
/// half spheres. `segments` counts those around; the round ends have steps of about the same angle.
///
/// The profile is the polygon whose sides touch the true one: along the wall and at equal angles up to the
/// pole. The rings are wider than the profile by 1/cos(π/segments), so that the middles of their chords
/// touch too. Each facet thus touches the true capsule at one point or line.
pub fn capsule(radius: f64, length: f64, segments: usize) -> Result<Mesh, ShapeError> {
    check_length("capsule", "radius", radius)?;
    if length != 0.0 && !LENGTHS.contains(&length) {
        return Err(ShapeError::Length { shape: "capsule", parameter: "length", value: length });
    }
    check_count("capsule", "segments", segments, 3)?;
    check_vertices("capsule", segments, segments)?;
    // Sides of the profile touch at the elevations 0, step, 2 step … ; the last one and its mirror image
    // meet in the pole, half a step further.
    let rings = ((segments + 2) / 4).max(2) - 1;
    let step = PI / (2 * rings + 1) as f64;
    let size = radius + 0.5 * length;
    let margin = ROUNDING_MARGIN * size;
    let corner = (radius + margin) / (0.5 * step).cos();
    let widening = 1.0 / (PI / segments as f64).cos();
    let mut mesh = Mesh::default();
    let elevation = |k: usize| (k as f64 + 0.5) * step;
    for k in (0..rings).rev() {
        let (sin, cos) = elevation(k).sin_cos();
        push_ring(&mut mesh.positions, corner * cos * widening, -0.5 * length - corner * sin, segments);
    }
    for k in 0..rings {
        let (sin, cos) = elevation(k).sin_cos();
        push_ring(&mut mesh.positions, corner * cos * widening, 0.5 * length + corner * sin, segments);
    }
    let n = segments as u32;
    let south = mesh.positions.len() as u32;
    mesh.positions.push(DVec3::new(0.0, 0.0, -0.5 * length - corner));
    mesh.positions.push(DVec3::new(0.0, 0.0, 0.5 * length + corner));
    for ring in 0..2 * rings as u32 - 1 {
        push_band(&mut mesh.triangles, ring * n, (ring + 1) * n, segments);
    }
    let last = (2 * rings as u32 - 1) * n;
    for k in 0..n {
        let next = (k + 1) % n;
        mesh.triangles.push([south, next, k]);
        mesh.triangles.push([south + 1, last + k, last + next]);
    }
    Ok(mesh)
}
