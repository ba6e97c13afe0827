//! Wavefront OBJ: vertices, polygons, pattern coordinates, normals, vertex colours, objects and groups.
//!
//! The file is read line by line and never held as a whole, so that a large one needs little more memory than its
//! mesh. A part begins at each `o`; in a file without `o`, at each `g`. What cloth has no use for (materials,
//! smoothing, lines, points, curves) is counted and named in [`FileMesh::ignored`]; a keyword that OBJ does not
//! have is a fault, because a file in another format must not pass for an empty mesh.

use super::{
    error::{Fault, FaultKind, Place},
    file_mesh::{Attribute, Corners, FileMesh, Part},
    polygons::{MOST_CORNERS, Polygons},
};
use crate::input::Input;
use glam::{DVec2, DVec3};

/// Keywords of the format that say nothing about the surface.
const IGNORED: [&str; 34] = [
    "mtllib",
    "usemtl",
    "s",
    "l",
    "p",
    "vp",
    "mg",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
    "call",
    "csh",
    "res",
];

/// What is gathered while the lines pass.
#[derive(Default)]
struct Gathered {
    mesh: FileMesh,
    polygons: Polygons,
    uv: References<DVec2>,
    normals: References<DVec3>,
    colours: Vec<f64>,
    /// Largest vertex number that a face names, from 0, and its line.
    largest_vertex: (u64, u64),
    objects: Vec<(String, usize)>,
    groups: Vec<(String, usize)>,
    ignored: Vec<(&'static str, u64)>,
}

/// `vt` or `vn` values and the corners that name them.
struct References<T> {
    values: Vec<T>,
    /// One per corner; empty while no corner names any.
    corners: Vec<u32>,
    largest: (u64, u64),
}

impl<T> Default for References<T> {
    fn default() -> Self {
        References { values: Vec::new(), corners: Vec::new(), largest: (0, 0) }
    }
}

impl<T: Copy> References<T> {
    /// Notes the value that a corner names; `corners` of them were noted before.
    fn push(&mut self, index: Option<u64>, corners: usize, line: u64) {
        if self.corners.is_empty() && index.is_none() {
            return;
        }
        self.corners.resize(corners, Corners::<T>::NONE);
        self.corners.push(index.map_or(Corners::<T>::NONE, |k| k as u32));
        if let Some(k) = index
            && k >= self.largest.0
        {
            self.largest = (k, line);
        }
    }

    fn finish(mut self, cut: &[[u32; 3]], corners: usize, keyword: &str) -> Result<Option<Corners<T>>, Fault> {
        if self.corners.is_empty() {
            return Ok(None);
        }
        check_reference(self.largest, self.values.len(), keyword)?;
        self.corners.resize(corners, Corners::<T>::NONE);
        let triangles = cut.iter().map(|t| t.map(|k| self.corners[k as usize])).collect();
        Ok(Some(Corners { values: self.values, triangles }))
    }
}

/// Reads a whole file.
pub fn read(input: &mut Input) -> Result<FileMesh, Fault> {
    let mut gathered = Gathered::default();
    let (mut line, mut more) = (Vec::new(), Vec::new());
    while input.next_line(&mut line)? {
        let number = input.line();
        while line.last() == Some(&b'\\') {
            line.pop();
            if !input.next_line(&mut more)? {
                break;
            }
            line.push(b' ');
            line.extend_from_slice(&more);
        }
        gathered.line(&line, number)?;
    }
    gathered.finish()
}

impl Gathered {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), Fault> {
        let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
        let mut tokens = line[..end].split(u8::is_ascii_whitespace).filter(|t| !t.is_empty());
        let Some(keyword) = tokens.next() else { return Ok(()) };
        match keyword {
            b"v" => self.vertex(tokens, number),
            b"vt" => {
                let (values, count) = numbers::<3>(tokens, number, "vt")?;
                at_least(1, count, number, "vt")?;
                self.uv.values.push(DVec2::new(values[0], values[1]));
                Ok(())
            }
            b"vn" => {
                let (values, count) = numbers::<3>(tokens, number, "vn")?;
                at_least(3, count, number, "vn")?;
                self.normals.values.push(DVec3::from_array(values));
                Ok(())
            }
            b"f" | b"fo" => self.face(tokens, number),
            b"o" => {
                self.objects.push((name(&line[..end]), self.polygons.len()));
                Ok(())
            }
            b"g" => {
                self.groups.push((name(&line[..end]), self.polygons.len()));
                Ok(())
            }
            other => self.ignore(other, number),
        }
    }

    fn vertex<'a>(&mut self, tokens: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let (values, count) = numbers::<7>(tokens, line, "v")?;
        at_least(3, count, line, "v")?;
        if self.mesh.positions.len() as u64 >= u64::from(u32::MAX) - 1 {
            return Err(too_many("vertices", line));
        }
        // Three numbers more than a position are a colour; with a weight before them there are seven.
        let colour = match count {
            6 => Some([values[3], values[4], values[5]]),
            7 => Some([values[4], values[5], values[6]]),
            _ => None,
        };
        if colour.is_some() || !self.colours.is_empty() {
            // Vertices without a colour among coloured ones are white, as programs show them.
            self.colours.resize(3 * self.mesh.positions.len(), 1.0);
            self.colours.extend(colour.unwrap_or([1.0; 3]));
        }
        self.mesh.positions.push(DVec3::new(values[0], values[1], values[2]));
        Ok(())
    }

    fn face<'a>(&mut self, tokens: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let mut count = 0;
        for token in tokens {
            let mut parts = token.split(|&b| b == b'/');
            let missing = || {
                Fault::new(Place::Line(line), FaultKind::Syntax, "a face's corner names no vertex", "write `f 1 2 3`")
            };
            let vertex = index(parts.next(), self.mesh.positions.len(), line, "v")?.ok_or_else(missing)?;
            let uv = index(parts.next(), self.uv.values.len(), line, "vt")?;
            let normal = index(parts.next(), self.normals.values.len(), line, "vn")?;
            if vertex >= self.largest_vertex.0 {
                self.largest_vertex = (vertex, line);
            }
            let before = self.polygons.corners.len();
            self.uv.push(uv, before, line);
            self.normals.push(normal, before, line);
            self.polygons.corners.push(vertex as u32);
            count += 1;
            if count > MOST_CORNERS {
                let message = format!("this face has more than {MOST_CORNERS} corners");
                return Err(Fault::new(Place::Line(line), FaultKind::TooLarge, message, "split it into smaller faces"));
            }
        }
        if self.polygons.corners.len() as u64 >= u64::from(u32::MAX) - 1 {
            return Err(too_many("face corners", line));
        }
        if count < 3 {
            let message = format!("a face needs three corners, this one has {count}");
            return Err(Fault::new(
                Place::Line(line),
                FaultKind::Syntax,
                message,
                "remove it or write it as a line `l`",
            ));
        }
        self.polygons.end_face(count);
        Ok(())
    }

    fn ignore(&mut self, keyword: &[u8], line: u64) -> Result<(), Fault> {
        let Some(&known) = IGNORED.iter().find(|k| k.as_bytes() == keyword) else {
            let text = super::excerpt(keyword);
            return Err(Fault::new(
                Place::Line(line),
                FaultKind::Syntax,
                format!("`{text}` is no keyword of OBJ"),
                "check that the file is an OBJ file; remove the line if the program that wrote it added it",
            ));
        };
        match self.ignored.iter_mut().find(|(k, _)| *k == known) {
            Some((_, count)) => *count += 1,
            None => self.ignored.push((known, 1)),
        }
        Ok(())
    }

    fn finish(self) -> Result<FileMesh, Fault> {
        let Gathered { mut mesh, polygons, uv, normals, mut colours, largest_vertex, objects, groups, ignored } = self;
        if mesh.positions.is_empty() {
            let remedy = "check that the file is an OBJ file and that its export was complete";
            return Err(Fault::new(Place::File, FaultKind::Syntax, "the file holds no vertex", remedy));
        }
        if !polygons.is_empty() {
            check_reference(largest_vertex, mesh.positions.len(), "v")?;
        }
        let cut = polygons.cut(&mesh.positions);
        mesh.triangles = cut.corners.iter().map(|t| t.map(|k| polygons.corners[k as usize])).collect();
        mesh.uv = uv.finish(&cut.corners, polygons.corners.len(), "vt")?;
        mesh.normals = normals.finish(&cut.corners, polygons.corners.len(), "vn")?;
        if !colours.is_empty() {
            colours.resize(3 * mesh.positions.len(), 1.0);
            mesh.vertex_attributes.push(Attribute { name: "color".into(), components: 3, values: colours });
        }
        let marks = if objects.is_empty() { groups } else { objects };
        mesh.parts = parts(marks, &cut.faces, polygons.len(), mesh.triangles.len());
        mesh.faces = cut.faces;
        mesh.ignored = ignored.into_iter().map(|(keyword, count)| format!("{count} `{keyword}` lines")).collect();
        Ok(mesh)
    }
}

/// Parts from the names and the faces at which they begin; a name without faces is no part.
fn parts(mut marks: Vec<(String, usize)>, faces: &[u32], face_count: usize, triangle_count: usize) -> Vec<Part> {
    if marks.first().is_some_and(|(_, face)| *face > 0) {
        marks.insert(0, (String::new(), 0));
    }
    let triangle_of =
        |face: usize| if faces.is_empty() { face } else { faces.partition_point(|&f| (f as usize) < face) };
    let ends = marks.iter().skip(1).map(|(_, face)| *face).chain([face_count]).collect::<Vec<_>>();
    let ranges = marks.into_iter().zip(ends).filter(|((_, start), end)| start < end);
    ranges
        .map(|((name, start), end)| Part {
            name,
            triangles: triangle_of(start)..triangle_of(end).min(triangle_count),
            kind: None,
        })
        .collect()
}

/// What follows the keyword of a line.
fn name(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().split_once(char::is_whitespace).map_or(String::new(), |(_, name)| name.trim().to_string())
}

/// Up to `N` numbers of a line, and how many there were; the rest stays zero.
fn numbers<'a, const N: usize>(
    tokens: impl Iterator<Item = &'a [u8]>,
    line: u64,
    keyword: &str,
) -> Result<([f64; N], usize), Fault> {
    let mut values = [0.0; N];
    let mut count = 0;
    for token in tokens {
        if count == N {
            let message = format!("`{keyword}` takes at most {N} numbers");
            return Err(Fault::new(Place::Line(line), FaultKind::Syntax, message, "remove the others"));
        }
        values[count] = super::number(token, Place::Line(line))?;
        count += 1;
    }
    Ok((values, count))
}

fn at_least(wanted: usize, count: usize, line: u64, keyword: &str) -> Result<(), Fault> {
    if count >= wanted {
        return Ok(());
    }
    let message = format!("`{keyword}` needs {wanted} numbers, found {count}");
    Err(Fault::new(Place::Line(line), FaultKind::Syntax, message, "complete the line"))
}

/// An index of a face's corner, from 0; `None` if it is left out. Negative numbers count back from the last.
fn index(token: Option<&[u8]>, count: usize, line: u64, keyword: &str) -> Result<Option<u64>, Fault> {
    let Some(token) = token.filter(|t| !t.is_empty()) else { return Ok(None) };
    let number = std::str::from_utf8(token).ok().and_then(|t| t.parse::<i64>().ok());
    let fault = |message: String| Fault::new(Place::Line(line), FaultKind::Index, message, "correct the index");
    match number {
        Some(0) => Err(fault(format!("a face names `{keyword}` 0, but OBJ counts from 1"))),
        Some(k) if k < 0 && k.unsigned_abs() > count as u64 => {
            Err(fault(format!("a face names `{keyword}` {k}, but only {count} stand before it")))
        }
        Some(k) if k < 0 => Ok(Some(count as u64 - k.unsigned_abs())),
        Some(k) if k as u64 >= u64::from(u32::MAX) => {
            Err(fault(format!("a face names `{keyword}` {k}; no file has so many")))
        }
        Some(k) => Ok(Some(k as u64 - 1)),
        None => Err(fault(format!("`{}` is no index of `{keyword}`", super::excerpt(token)))),
    }
}

fn check_reference((index, line): (u64, u64), count: usize, keyword: &str) -> Result<(), Fault> {
    if index < count as u64 {
        return Ok(());
    }
    let message = format!("a face names `{keyword}` {}, but the file has only {count}", index + 1);
    Err(Fault::new(Place::Line(line), FaultKind::Index, message, "correct the index or complete the file"))
}

fn too_many(what: &str, line: u64) -> Fault {
    let message = format!("the file holds more than 4 billion {what}");
    Fault::new(Place::Line(line), FaultKind::TooLarge, message, "split it into several files")
}
