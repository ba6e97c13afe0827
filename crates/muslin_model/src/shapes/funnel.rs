//! A funnel.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use super::rings::{push_band, push_ring};
use crate::mesh::Mesh;

/// The measures of a [`funnel()`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Funnel {
    /// Radius of the opening at the top [m].
    pub top_radius: f64,
    /// Radius of the pipe below [m]; smaller than the opening.
    pub pipe_radius: f64,
    /// Height of the cone [m].
    pub cone_height: f64,
    /// Length of the pipe [m].
    pub pipe_length: f64,
    /// Segments around, at least 3.
    pub segments: usize,
}

/// An open funnel around the z axis: a cone frustum above the plane z = 0 on a pipe below it. It is one
/// sheet without thickness that faces the axis.
///
/// Cloth slides down its inside, so the inside is the side that must be safe: the free space within the
/// mesh lies within the true one. Its vertices lie on the true surface and all chords between them pass
/// on the side of the axis. Cloth that touches it from outside may come closer to the axis than
/// the true surface, by at most a part of 1 − cos(π/segments) of the radius.
pub fn funnel(measures: &Funnel) -> Result<Mesh, ShapeError> {
    let &Funnel { top_radius, pipe_radius, cone_height, pipe_length, segments } = measures;
    check_length("funnel", "top_radius", top_radius)?;
    check_length("funnel", "pipe_radius", pipe_radius)?;
    check_length("funnel", "cone_height", cone_height)?;
    check_length("funnel", "pipe_length", pipe_length)?;
    check_count("funnel", "segments", segments, 3)?;
    check_vertices("funnel", segments, 3)?;
    if pipe_radius >= top_radius {
        let (smaller, larger) = ("pipe_radius", "top_radius");
        return Err(ShapeError::Order { shape: "funnel", smaller, small: pipe_radius, larger, large: top_radius });
    }
    let mut mesh = Mesh::default();
    push_ring(&mut mesh.positions, top_radius, cone_height, segments);
    push_ring(&mut mesh.positions, pipe_radius, 0.0, segments);
    push_ring(&mut mesh.positions, pipe_radius, -pipe_length, segments);
    // From the upper ring to the lower one: the front looks at the axis.
    let n = segments as u32;
    push_band(&mut mesh.triangles, 0, n, segments);
    push_band(&mut mesh.triangles, n, 2 * n, segments);
    Ok(mesh)
}
