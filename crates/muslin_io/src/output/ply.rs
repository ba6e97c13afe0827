//! Meshes as binary little-endian PLY, for viewers. Coordinates are f32 there; NumPy archives keep all bits.
//!
//! Material coordinates are `s`, `t` of the vertices; cloth with a seam has them as a list `texcoord` of the faces
//! instead, the way MeshLab writes them.

use super::{
    cast::{Frame, Group},
    sequence::MeshEncoder,
    uv::UvTable,
};

/// Encodes PLY files.
pub struct PlyEncoder {
    group: Group,
    header: Vec<u8>,
    /// Material coordinates of each vertex, if they have one each.
    pairs: Vec<[f32; 2]>,
    faces: Vec<u8>,
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
            "ply\nformat binary_little_endian 1.0\ncomment z is up, metres\nelement vertex {count}\n\
             property float x\nproperty float y\nproperty float z\n\
             property float nx\nproperty float ny\nproperty float nz\n"
        );
        if per_vertex.is_some() {
            header.push_str("property float s\nproperty float t\n");
        }
        let triangles = group.triangles.len();
        header.push_str(&format!("element face {triangles}\nproperty list uchar int vertex_indices\n"));
        if per_corner.is_some() {
            header.push_str("property list uchar float texcoord\n");
        }
        header.push_str("end_header\n");
        let mut faces = Vec::new();
        for (t, triangle) in group.triangles.iter().enumerate() {
            faces.push(3);
            faces.extend(triangle.iter().flat_map(|v| v.to_le_bytes()));
            if per_corner.is_some() {
                faces.push(6);
                let pairs = group.uv[t].iter().flat_map(|p| p.as_vec2().to_array());
                faces.extend(pairs.flat_map(f32::to_le_bytes));
            }
        }
        let pairs = per_vertex.map_or_else(Vec::new, |t| t.pairs.iter().map(|p| p.as_vec2().to_array()).collect());
        PlyEncoder { header: header.into_bytes(), pairs, faces, group }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn encode(&mut self, _: f64, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&self.header);
        for (k, v) in self.group.vertices.clone().enumerate() {
            let (x, n) = (frame.positions[v].as_vec3().to_array(), frame.normals[v].as_vec3().to_array());
            x.into_iter().chain(n).for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
            if let Some(pair) = self.pairs.get(k) {
                pair.iter().for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
            }
        }
        bytes.extend_from_slice(&self.faces);
    }
}
