//! Puts a GLB file together from positions that were gathered.
//!
//! # Morph targets, compactly
//! Frame 0 is the mesh; target k − 1 is what frame k differs from it, and at the time of frame k its weight is one and
//! all others zero. Between frames weights, and so positions, are linear. The weights of n frames would be n² numbers, so
//! they are a sparse accessor with n entries. Differences of position are 16-bit integers (`KHR_mesh_quantization`),
//! scaled by the body's largest motion through its node: a body that moves by a metre is right to 15 µm.
//! Differences of normals are 8-bit integers, which reach from −1 to 1; a frame in which a normal turns further has
//! floats. That is 12 bytes per vertex and frame instead of 24.
//!
//! y is up in glTF: (x, y, z) becomes (x, z, −y).

use super::{
    atomic::AtomicFile,
    cast::Cast,
    glb_json::Description,
    normals::vertex_normals,
    parts::PartFile,
    seal::{Seal, Weighing},
    uv::UvTable,
    writer::{OutputError, damaged, fails, lost},
};
use glam::DVec3;
use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

/// A body as the file has it.
pub(super) struct BodyMesh {
    /// Which body of the cast.
    pub body: usize,
    /// The body's vertex behind each vertex of the file; a seam repeats some at the end.
    pub sources: Vec<u32>,
    /// The body's own triangles.
    triangles: Vec<[u32; 3]>,
    /// The file's triangles.
    pub corners: Vec<[u32; 3]>,
    /// Texture coordinates of the file's vertices; empty if there are none.
    pub uv: Vec<[f32; 2]>,
    /// Where its positions are in a gathered frame [bytes]; `None` if it does not move.
    offset: Option<u64>,
    /// At frame 0, y up [m].
    pub start: Vec<DVec3>,
    start_normals: Vec<DVec3>,
    /// Unit of the quantised differences [m].
    pub scale: f64,
    /// Of frames 1, 2, …
    pub frames: Vec<FrameRange>,
}

/// What must be known of a frame before it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameRange {
    /// Smallest and largest difference from the start [m].
    pub low: DVec3,
    pub high: DVec3,
    /// Whether differences of normals fit into 8-bit integers.
    pub narrow: bool,
}

/// Looks whether a file of an earlier run is as long as its header says.
pub(super) fn inspect(path: &Path) -> Result<(), OutputError> {
    let mut header = [0; 12];
    let mut file = File::open(path).map_err(lost(path))?;
    let length = file.metadata().map_err(fails(path))?.len();
    let read = file.read_exact(&mut header);
    let [magic, _, told] = *header.as_chunks::<4>().0 else { return Ok(()) };
    match read.is_ok() && magic == *b"glTF" && u64::from(u32::from_le_bytes(told)) == length {
        true => Ok(()),
        false => Err(damaged(path, format!("it has {length} bytes, which is not what its header says"))),
    }
}

/// A vector of the file: y up.
fn y_up(p: DVec3) -> DVec3 {
    DVec3::new(p.x, p.z, -p.y)
}

/// A difference in units of 1/32767 of the scale.
pub(super) fn quantise(difference: f64, scale: f64) -> i16 {
    (difference / scale * f64::from(i16::MAX)).round() as i16
}

impl BodyMesh {
    fn new(cast: &Cast, body: usize, offset: &mut u64) -> Self {
        let group = cast.alone(body);
        let count = group.vertices.len();
        let (sources, corners, uv) = match group.uv.is_empty() {
            true => ((0..count as u32).collect(), group.triangles.clone(), Vec::new()),
            false => {
                let table = UvTable::new(count, &group.triangles, &group.uv);
                // A picture's rows run downwards in glTF.
                let pairs = table.pairs.iter().map(|p| [p.x as f32, 1.0 - p.y as f32]).collect();
                (table.vertices, table.corners, pairs)
            }
        };
        let start: Vec<DVec3> = cast.mesh.positions[group.vertices].iter().map(|&p| y_up(p)).collect();
        let mut mesh = BodyMesh {
            body,
            sources,
            corners,
            uv,
            offset: cast.moving[body].then_some(*offset),
            start_normals: Vec::new(),
            scale: 1.0,
            frames: Vec::new(),
            triangles: group.triangles,
            start,
        };
        if cast.moving[body] {
            *offset += 12 * count as u64;
        }
        vertex_normals(&mesh.start, &mesh.triangles, &mut mesh.start_normals);
        mesh
    }

    /// Positions at a frame, y up [m].
    fn read(&self, part: &PartFile, first: u64, out: &mut Vec<DVec3>) -> Result<(), OutputError> {
        let mut bytes = vec![0; 12 * self.start.len()];
        part.read_at(first + self.offset.unwrap_or(0), &mut bytes)?;
        let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        out.clear();
        out.extend(bytes.chunks_exact(12).map(|p| y_up(DVec3::new(number(p), number(&p[4..]), number(&p[8..])))));
        Ok(())
    }

    fn measure(&mut self, positions: &[DVec3], normals: &[DVec3]) {
        let differences = positions.iter().zip(&self.start).map(|(x, start)| *x - *start);
        let (low, high) =
            differences.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
        let turned = normals.iter().zip(&self.start_normals).map(|(n, start)| (*n - *start).abs().max_element());
        self.frames.push(FrameRange { low, high, narrow: turned.fold(0.0, f64::max) <= 1.0 });
    }

    fn write_start(&self, out: &mut impl Write) -> io::Result<()> {
        self.corners.iter().flatten().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
        self.uv.iter().flatten().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        let scaled = |&v: &u32| (self.start[v as usize] / self.scale).as_vec3().to_array();
        let normal = |&v: &u32| self.start_normals[v as usize].as_vec3().to_array();
        let numbers = self.sources.iter().map(scaled).chain(self.sources.iter().map(normal));
        numbers.flatten().try_for_each(|x| out.write_all(&x.to_le_bytes()))
    }

    fn write_frame(&self, k: usize, positions: &[DVec3], normals: &[DVec3], out: &mut Vec<u8>) {
        out.clear();
        for &v in &self.sources {
            let difference = positions[v as usize] - self.start[v as usize];
            let numbers = difference.to_array().map(|d| quantise(d, self.scale));
            numbers.iter().for_each(|q| out.extend_from_slice(&q.to_le_bytes()));
            // Vertices are aligned to four bytes.
            out.extend_from_slice(&[0; 2]);
        }
        for &v in &self.sources {
            let difference = normals[v as usize] - self.start_normals[v as usize];
            if self.frames[k].narrow {
                out.extend(difference.to_array().map(|d| (d * f64::from(i8::MAX)).round() as i8 as u8));
                out.push(0);
            } else {
                out.extend(difference.as_vec3().to_array().into_iter().flat_map(f32::to_le_bytes));
            }
        }
    }
}

/// Most bytes that the description of a body, of a frame of a body, and of everything else take.
const DESCRIPTION: [u64; 3] = [4096, 1400, 4096];

/// Most bytes of a file without frames, and of each frame.
pub fn most_bytes(cast: &Cast) -> [u64; 2] {
    let (mut constant, mut frame, mut offset) = (DESCRIPTION[2] + 6 * cast.name.len() as u64, 12, 0);
    for body in 0..cast.bodies.len() {
        let mesh = BodyMesh::new(cast, body, &mut offset);
        let vertices = mesh.sources.len() as u64;
        let seams = vertices - mesh.start.len() as u64;
        // Corners, coordinates, positions and normals; numbers of a seam have up to eleven characters.
        constant += 12 * mesh.corners.len() as u64 + (8 + 24) * vertices + 11 * seams + DESCRIPTION[0];
        constant += 12 * cast.bodies[body].name.len() as u64;
        // Positions as 16-bit integers, normals as floats at worst.
        frame += if mesh.offset.is_some() { (8 + 12) * vertices + DESCRIPTION[1] } else { 0 };
    }
    [constant, frame]
}

/// Writes the file of so many frames; it gets its name when it is whole. Returns what it weighs.
pub fn write(target: &Path, cast: &Cast, part: &PartFile, frames: usize) -> Result<Seal, OutputError> {
    let mut record = 0;
    let mut bodies: Vec<BodyMesh> = (0..cast.bodies.len()).map(|b| BodyMesh::new(cast, b, &mut record)).collect();
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for mesh in bodies.iter_mut().filter(|mesh| mesh.offset.is_some() && frames > 0) {
        // The gathered start, not the model's: both are rounded alike then.
        mesh.read(part, 0, &mut positions)?;
        mesh.start.clone_from(&positions);
        vertex_normals(&positions, &mesh.triangles, &mut mesh.start_normals);
        for k in 1..frames {
            mesh.read(part, k as u64 * record, &mut positions)?;
            vertex_normals(&positions, &mesh.triangles, &mut normals);
            mesh.measure(&positions, &normals);
        }
        let most = |range: &FrameRange| range.low.abs().max(range.high.abs()).max_element();
        let largest = mesh.frames.iter().map(most).fold(0.0, f64::max);
        // The node's scale is read in single precision, so it is a number that has it.
        mesh.scale = if largest > 0.0 { f64::from((largest as f32).next_up()) } else { 1.0 };
    }
    let description = Description::new(cast, &bodies, frames)
        .map_err(|reason| OutputError::TooLarge { path: target.into(), reason })?;
    let mut file = AtomicFile::create(target).map_err(fails(target))?;
    let mut out = Weighing::new(target, &mut file.writer);
    let io = |result: io::Result<()>| result.map_err(fails(target));
    io(out.write_all(&description.head))?;
    io(description.write_animation(&mut out, cast, frames))?;
    let mut bytes = Vec::new();
    for mesh in &bodies {
        io(mesh.write_start(&mut out))?;
        for k in 0..mesh.frames.len() {
            mesh.read(part, (k + 1) as u64 * record, &mut positions)?;
            vertex_normals(&positions, &mesh.triangles, &mut normals);
            mesh.write_frame(k, &positions, &normals, &mut bytes);
            io(out.write_all(&bytes))?;
        }
    }
    let seal = out.seal;
    file.finish().map_err(fails(target))?;
    Ok(seal)
}
