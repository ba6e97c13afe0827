//! Meshes as OBJ text: one object per body, with normals and texture coordinates (`vt`).

use super::{
    cast::{Frame, Group},
    sequence::{MeshEncoder, end_of},
    text,
    uv::UvTable,
};
use glam::DVec3;
use std::ops::Range;

/// Encodes OBJ files.
pub struct ObjEncoder {
    group: Group,
    bodies: Vec<BodyText>,
}

/// What is the same in all frames of a body.
struct BodyText {
    /// Its vertices in the cast.
    vertices: Range<usize>,
    title: Vec<u8>,
    /// Texture coordinates and faces.
    rest: Vec<u8>,
}

const HEADER: &[u8] = b"# z is up, metres\n";

impl ObjEncoder {
    /// The file of positions and normals of all vertices of the cast.
    pub fn write(&self, positions: &[DVec3], normals: &[DVec3], bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(HEADER);
        for body in &self.bodies {
            bytes.extend_from_slice(&body.title);
            for (word, values) in [(&b"v "[..], positions), (b"vn ", normals)] {
                let values = &values[body.vertices.clone()];
                text::items(bytes, values.len(), |k, line| {
                    line.extend_from_slice(word);
                    text::triple(line, values[k].as_vec3().to_array(), b" ");
                    line.push(b'\n');
                });
            }
            bytes.extend_from_slice(&body.rest);
        }
    }
}

impl MeshEncoder for ObjEncoder {
    const FOLDER: &'static str = "obj";
    const EXTENSION: &'static str = "obj";

    fn new(group: Group) -> Self {
        // OBJ counts all vertices of the file from one.
        let mut first_pair = 1;
        let mut bodies = Vec::new();
        for body in &group.bodies {
            let first = body.vertices.start as u32;
            let triangles: Vec<[u32; 3]> =
                group.triangles[body.triangles.clone()].iter().map(|tri| tri.map(|v| v - first)).collect();
            let uv = group.uv.get(body.triangles.clone()).unwrap_or_default();
            let uv = if uv.iter().any(Option::is_some) { uv } else { &[] };
            let table = UvTable::new(body.vertices.len(), &triangles, uv);
            let mut rest = Vec::new();
            if !uv.is_empty() {
                for pair in &table.pairs {
                    rest.extend_from_slice(b"vt ");
                    text::single(&mut rest, pair.x as f32);
                    rest.push(b' ');
                    text::single(&mut rest, pair.y as f32);
                    rest.push(b'\n');
                }
            }
            for (t, triangle) in triangles.iter().enumerate() {
                rest.push(b'f');
                for (k, v) in triangle.iter().enumerate() {
                    let vertex = v + first + 1;
                    let corner = match table.corners.get(t).filter(|_| uv[t].is_some()) {
                        Some(corners) => format!(" {vertex}/{}/{vertex}", corners[k] + first_pair),
                        None => format!(" {vertex}//{vertex}"),
                    };
                    rest.extend_from_slice(corner.as_bytes());
                }
                rest.push(b'\n');
            }
            if !uv.is_empty() {
                first_pair += table.pairs.len() as u32;
            }
            let vertices = group.vertices.start + body.vertices.start..group.vertices.start + body.vertices.end;
            let title = format!("o {}\n", body.name.replace(char::is_control, " ")).into_bytes();
            bodies.push(BodyText { vertices, title, rest });
        }
        ObjEncoder { group, bodies }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn ending(&self) -> &[u8] {
        self.bodies.last().map_or(&[], |body| end_of(&body.rest))
    }

    fn encode(&mut self, _: f64, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        self.write(frame.positions, frame.normals, bytes);
    }
}
