//! A piece of ground.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::DVec3;

/// A square of the plane z = 0 around the origin that faces up, cut into `cells` × `cells` squares of two
/// triangles. One cell is exact and the cheapest; more keep the triangles near the size of the cloth's where
/// a search structure or a picture profits from it.
pub fn plane(size: f64, cells: usize) -> Result<Mesh, ShapeError> {
    check_length("plane", "size", size)?;
    check_count("plane", "cells", cells, 1)?;
    let n = cells.saturating_add(1);
    check_vertices("plane", n, n)?;
    let at = |k: usize| size * (k as f64 / cells as f64 - 0.5);
    let positions = (0..n * n).map(|v| DVec3::new(at(v / n), at(v % n), 0.0)).collect();
    let mut triangles = Vec::with_capacity(2 * cells * cells);
    for i in 0..cells {
        for j in 0..cells {
            let a = (i * n + j) as u32;
            let (b, c, d) = (a + n as u32, a + n as u32 + 1, a + 1);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Ok(Mesh { positions, triangles, ..Mesh::default() })
}
