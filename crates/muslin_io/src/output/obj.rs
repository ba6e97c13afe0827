//! Meshes as OBJ text: one object per body, with normals and texture coordinates (`vt`).

use super::{
    cast::{Frame, Group},
    seal::{Weighed, Weighing},
    sequence::{ENDING, MeshEncoder},
    text,
    uv::UvTable,
};
use glam::DVec3;
use std::{
    io::{self, Write},
    ops::Range,
};

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
    rest: Weighed,
}

const HEADER: &[u8] = b"# z is up, metres\n";

impl ObjEncoder {
    /// Writes the file of positions and normals of all vertices of the cast.
    pub fn write<W: Write>(&self, positions: &[DVec3], normals: &[DVec3], out: &mut Weighing<W>) -> io::Result<()> {
        out.write_all(HEADER)?;
        for body in &self.bodies {
            out.write_all(&body.title)?;
            let (positions, normals) = (&positions[body.vertices.clone()], &normals[body.vertices.clone()]);
            let vertex = |k: usize, line: &mut Vec<u8>| {
                line.extend_from_slice(b"v ");
                text::triple(line, positions[k].as_vec3().to_array(), b" ");
                line.push(b'\n');
            };
            text::items(positions.len(), vertex, |lines| out.write_all(lines))?;
            let normal = |k: usize, line: &mut Vec<u8>| {
                line.extend_from_slice(b"vn ");
                text::unit_triple(line, normals[k].to_array(), b" ");
                line.push(b'\n');
            };
            text::items(normals.len(), normal, |lines| out.write_all(lines))?;
            body.rest.write(out)?;
        }
        Ok(())
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
                    rest.push(b' ');
                    text::whole(&mut rest, vertex);
                    rest.push(b'/');
                    if let Some(corners) = table.corners.get(t).filter(|_| uv[t].is_some()) {
                        text::whole(&mut rest, corners[k] + first_pair);
                    }
                    rest.push(b'/');
                    text::whole(&mut rest, vertex);
                }
                rest.push(b'\n');
            }
            if !uv.is_empty() {
                first_pair += table.pairs.len() as u32;
            }
            let vertices = group.vertices.start + body.vertices.start..group.vertices.start + body.vertices.end;
            let title = format!("o {}\n", body.name.replace(char::is_control, " ")).into_bytes();
            bodies.push(BodyText { vertices, title, rest: rest.into() });
        }
        ObjEncoder { group, bodies }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn ending(&self) -> &[u8] {
        self.bodies.last().map_or(&[], |body| body.rest.end(ENDING))
    }

    fn encode<W: Write>(&mut self, _: f64, frame: &Frame<'_>, out: &mut Weighing<W>) -> io::Result<()> {
        self.write(frame.positions, frame.normals, out)
    }
}
