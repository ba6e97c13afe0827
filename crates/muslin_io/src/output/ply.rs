//! Meshes as binary little-endian PLY, for viewers. Coordinates are f32 there; NumPy archives keep all bits.

use super::atomic::AtomicFile;
use glam::DVec3;
use std::{
    io::{self, Write},
    path::Path,
};

/// Writes vertices and triangles; the triangles' indices count from `first`.
pub fn write_ply(path: &Path, positions: &[DVec3], triangles: &[[u32; 3]], first: u32) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    let out = &mut file.writer;
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment z is up, metres\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        positions.len(),
        triangles.len()
    )?;
    for x in positions.iter().flat_map(|p| p.as_vec3().to_array()) {
        out.write_all(&x.to_le_bytes())?;
    }
    for tri in triangles {
        out.write_all(&[3])?;
        for v in tri {
            out.write_all(&v.wrapping_sub(first).to_le_bytes())?;
        }
    }
    file.finish()
}
