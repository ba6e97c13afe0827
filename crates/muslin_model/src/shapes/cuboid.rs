//! A box.

use super::error::{ShapeError, check_length};
use crate::mesh::Mesh;
use glam::DVec3;

/// The triangles of a box whose vertex k has the high x, y, z where the bits 0, 1, 2 of k are set.
const TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1], // low z
    [4, 5, 7],
    [4, 7, 6], // high z
    [0, 1, 5],
    [0, 5, 4], // low y
    [2, 6, 7],
    [2, 7, 3], // high y
    [0, 4, 6],
    [0, 6, 2], // low x
    [1, 3, 7],
    [1, 7, 5], // high x
];

/// A box around the origin with sides along the axes [m]. Flat, so the mesh is exact.
pub fn cuboid(size: DVec3) -> Result<Mesh, ShapeError> {
    check_length("box", "size along x", size.x)?;
    check_length("box", "size along y", size.y)?;
    check_length("box", "size along z", size.z)?;
    let side = |k: u32, axis: u32| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
    let positions = (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2)) * size).collect();
    Ok(Mesh { positions, triangles: TRIANGLES.to_vec(), ..Mesh::default() })
}
