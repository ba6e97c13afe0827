//! Meshes as binary little-endian PLY, for viewers. Coordinates are f32 there; NumPy archives keep all bits.
//!
//! Texture coordinates are `s`, `t` of the vertices; a mesh with a seam has them as a list `texcoord` of the faces
//! instead, the way MeshLab writes them. Where several bodies share a file, a property `body` of the faces says which
//! is which, and comments have the names.

use super::{
    cast::{Frame, Group},
    seal::{Weighed, Weighing},
    sequence::{ENDING, MeshEncoder, PIECE},
    uv::UvTable,
};
use std::io::{self, Write};

/// Encodes PLY files.
pub struct PlyEncoder {
    group: Group,
    header: Vec<u8>,
    /// Texture coordinates of each vertex, if they have one each.
    pairs: Vec<[f32; 2]>,
    faces: Weighed,
}

/// Comments with the numbers and names of bodies that share a file.
fn names(group: &Group) -> String {
    let plain = |name: &str| name.replace(|c: char| c.is_control(), "_");
    let line = |(b, body): (usize, &muslin_model::Body)| format!("comment body {b} is {}\n", plain(&body.name));
    if group.bodies.len() > 1 { group.bodies.iter().enumerate().map(line).collect() } else { String::new() }
}

impl MeshEncoder for PlyEncoder {
    const FOLDER: &'static str = "ply";
    const EXTENSION: &'static str = "ply";

    fn new(group: Group) -> Self {
        let count = group.vertices.len();
        let uv = (!group.uv.is_empty()).then(|| UvTable::new(count, &group.triangles, &group.uv));
        let (per_vertex, per_corner) = match &uv {
            Some(table) if table.is_seamless(count) => (Some(table), None),
            other => (None, other.as_ref()),
        };
        let mut header = format!(
            "ply\nformat binary_little_endian 1.0\ncomment z is up, metres\n{}element vertex {count}\n\
             property float x\nproperty float y\nproperty float z\n\
             property float nx\nproperty float ny\nproperty float nz\n",
            names(&group),
        );
        if per_vertex.is_some() {
            header.push_str("property float s\nproperty float t\n");
        }
        let triangles = group.triangles.len();
        header.push_str(&format!("element face {triangles}\nproperty list uchar int vertex_indices\n"));
        if per_corner.is_some() {
            header.push_str("property list uchar float texcoord\n");
        }
        // Several bodies share a file; each face says whose it is.
        let several = group.bodies.len() > 1;
        if several {
            header.push_str("property int body\n");
        }
        header.push_str("end_header\n");
        let mut faces = Vec::new();
        for (t, triangle) in group.triangles.iter().enumerate() {
            faces.push(3);
            faces.extend(triangle.iter().flat_map(|v| v.to_le_bytes()));
            if per_corner.is_some() {
                faces.push(6);
                let pairs = group.uv[t].unwrap_or_default().into_iter().flat_map(|p| p.as_vec2().to_array());
                faces.extend(pairs.flat_map(f32::to_le_bytes));
            }
            if several {
                let body = group.bodies.iter().position(|body| body.triangles.contains(&t));
                faces.extend_from_slice(&(body.unwrap_or(0) as i32).to_le_bytes());
            }
        }
        let pairs = per_vertex.map_or_else(Vec::new, |t| t.pairs.iter().map(|p| p.as_vec2().to_array()).collect());
        PlyEncoder { header: header.into_bytes(), pairs, faces: faces.into(), group }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn ending(&self) -> &[u8] {
        self.faces.end(ENDING)
    }

    fn encode<W: Write>(&mut self, _: f64, frame: &Frame<'_>, out: &mut Weighing<W>) -> io::Result<()> {
        out.write_all(&self.header)?;
        let vertices = self.group.vertices.clone();
        let (positions, normals) = (&frame.positions[vertices.clone()], &frame.normals[vertices]);
        let size = if self.pairs.is_empty() { 24 } else { 32 };
        let mut bytes = Vec::with_capacity(PIECE);
        for first in (0..positions.len()).step_by(PIECE / size) {
            bytes.clear();
            for k in first..(first + PIECE / size).min(positions.len()) {
                let (x, n) = (positions[k].as_vec3(), normals[k].as_vec3());
                let mut numbers = [x.x, x.y, x.z, n.x, n.y, n.z, 0.0, 0.0];
                self.pairs.get(k).into_iter().for_each(|pair| numbers[6..].copy_from_slice(pair));
                bytes.extend_from_slice(&numbers.map(f32::to_le_bytes).as_flattened()[..size]);
            }
            out.write_all(&bytes)?;
        }
        self.faces.write(out)
    }
}
