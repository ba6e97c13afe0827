//! STL, text or binary.
//!
//! STL has no shared vertices: corners at exactly the same place become one vertex, numbered by first use. Its
//! normals and colour bytes repeat or contradict the corners and are not read.

use super::{
    error::{Fault, FaultKind, Place},
    file_mesh::{FileMesh, Part},
    number,
};
use crate::input::Input;
use glam::DVec3;
use std::{collections::HashMap, io::Read};

/// Vertices by the bits of their coordinates.
#[derive(Default)]
struct Welder {
    mesh: FileMesh,
    known: HashMap<[u64; 3], u32>,
}

impl Welder {
    fn vertex(&mut self, p: DVec3) -> u32 {
        // Adding zero turns −0 into 0, which is the same place.
        let key = (p + DVec3::ZERO).to_array().map(f64::to_bits);
        *self.known.entry(key).or_insert_with(|| {
            self.mesh.positions.push(p);
            self.mesh.positions.len() as u32 - 1
        })
    }
}

/// Reads a whole file.
pub fn read(input: &mut Input) -> Result<FileMesh, Fault> {
    // Binary files may begin with `solid` too; only text goes on with `facet`.
    let start = input.peek()?;
    let head = &start[..start.len().min(1024)];
    let text = head.trim_ascii_start().starts_with(b"solid")
        && (head.windows(5).any(|w| w == b"facet") || head.windows(8).any(|w| w == b"endsolid"));
    let mesh = if text { read_text(input)? } else { read_binary(input)? };
    if mesh.triangles.is_empty() {
        let remedy = "check that the file is an STL file and that its export was complete";
        return Err(Fault::new(Place::File, FaultKind::Syntax, "the file holds no triangle", remedy));
    }
    Ok(mesh)
}

fn read_text(input: &mut Input) -> Result<FileMesh, Fault> {
    let mut welder = Welder::default();
    let mut corners: Vec<u32> = Vec::with_capacity(3);
    let mut line = Vec::new();
    while input.next_line(&mut line)? {
        let place = Place::Line(input.line());
        let fault = |message: &str, remedy: &str| Fault::new(place.clone(), FaultKind::Syntax, message, remedy);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        match words.next() {
            Some(b"solid") => {
                let text = String::from_utf8_lossy(&line);
                let name = text.trim().trim_start_matches("solid").trim().to_string();
                let first = welder.mesh.triangles.len();
                welder.mesh.parts.push(Part { name, triangles: first..first, kind: None });
            }
            Some(b"vertex") => {
                let mut p = [0.0; 3];
                for x in &mut p {
                    let word =
                        words.next().ok_or_else(|| fault("a vertex needs three numbers", "complete the line"))?;
                    *x = number(word, place.clone())?;
                }
                corners.push(welder.vertex(DVec3::from_array(p)));
                if corners.len() > 3 {
                    return Err(fault("this facet has more than three vertices", "triangulate the mesh"));
                }
            }
            Some(b"endfacet") => {
                let [a, b, c] = corners[..] else {
                    return Err(fault("this facet has fewer than three vertices", "complete it or remove it"));
                };
                welder.mesh.triangles.push([a, b, c]);
                corners.clear();
                if let Some(part) = welder.mesh.parts.last_mut() {
                    part.triangles.end += 1;
                }
            }
            None | Some(b"facet" | b"outer" | b"endloop" | b"endsolid") => {}
            Some(word) => {
                let message = format!("`{}` is no keyword of STL", super::excerpt(word));
                return Err(Fault::new(place, FaultKind::Syntax, message, "check that the file is an STL file"));
            }
        }
    }
    if !corners.is_empty() {
        let place = Place::Line(input.line());
        return Err(Fault::new(place, FaultKind::Truncated, "the file ends within a facet", "export it again"));
    }
    welder.mesh.parts.retain(|p| !p.triangles.is_empty());
    if welder.mesh.parts.len() == 1 && welder.mesh.parts[0].name.is_empty() {
        welder.mesh.parts.clear();
    }
    Ok(welder.mesh)
}

/// Bytes before the number of triangles, and bytes of each.
const HEADER: usize = 80;
const TRIANGLE: u64 = 50;

fn read_binary(input: &mut Input) -> Result<FileMesh, Fault> {
    let short = || {
        let message = "the file is too short for an STL file";
        Fault::new(Place::File, FaultKind::Truncated, message, "check that the file is an STL file")
    };
    let mut header = [0; HEADER + 4];
    input.read_exact(&mut header).map_err(|_| short())?;
    let count = u32::from_le_bytes([header[80], header[81], header[82], header[83]]);
    if u64::from(count) * TRIANGLE > input.most_left() {
        let message = format!("the header claims {count} triangles, but at most {} bytes are left", input.most_left());
        let remedy = "the file is cut short or no STL file: export it again";
        return Err(Fault::new(Place::File, FaultKind::Truncated, message, remedy));
    }
    let mut welder = Welder::default();
    for index in 0..u64::from(count) {
        let byte = input.position();
        let mut bytes = [0; TRIANGLE as usize];
        input.read_exact(&mut bytes).map_err(|_| {
            let place = Place::Element { name: "triangle".into(), index, byte };
            Fault::new(place, FaultKind::Truncated, "the file ends within this triangle", "export it again")
        })?;
        let real = |k: usize| f64::from(f32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]));
        let corner = |k: usize| DVec3::new(real(12 + 12 * k), real(16 + 12 * k), real(20 + 12 * k));
        let triangle = [corner(0), corner(1), corner(2)].map(|p| welder.vertex(p));
        welder.mesh.triangles.push(triangle);
    }
    Ok(welder.mesh)
}
