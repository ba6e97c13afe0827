//! Frames as bytes: what goes over the wire sixty times a second.
//!
//! A frame is a header of [`HEADER`] bytes and three arrays, in little-endian order and in the layout that a graphics
//! card reads, so that the page hands the whole message to it without touching a vertex:
//!
//! | bytes | what |
//! |---|---|
//! | 6 per vertex, padded to 4 | position: three `u16` between the corners of the box in the header |
//! | 4 per vertex | normal: two `u16`, the octahedral map of the unit sphere |
//! | 1 per vertex, padded to 4 | colour value: `u8` between the two ends in the header |
//!
//! Sixteen bits over a box of a metre are 15 µm. A vertex that is not finite has the normal [`BROKEN`]; the page leaves
//! its triangles out.

use crate::skin::Part;
use glam::{DVec3, Vec2, Vec3};
use muslin::collision::Box3;
use muslin::sim::{Grip, PressingContact};

/// Bytes before the arrays.
pub const HEADER: usize = 192;
/// Numbers of the plots in a header.
pub const MOST_STATS: usize = 28;
/// Kind of a message: a frame.
pub const FRAME: u32 = 1;
/// Kind of a message: what stays the same from frame to frame.
pub const TOPOLOGY: u32 = 2;
/// Kind of a message: boxes of the broad phase.
pub const BOXES: u32 = 3;
/// Kind of a message: contacts and impact zones.
pub const CONTACTS: u32 = 4;
/// Normal of a vertex that is not finite. The octahedral map has it only as a corner, which the others avoid.
pub const BROKEN: [u16; 2] = [u16::MAX, u16::MAX];

/// What a frame says besides its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caption {
    /// Number of the run, if several are shown.
    pub run: u32,
    /// Rises when the meshes change; frames of an old one are stale.
    pub epoch: u32,
    /// Rises with every frame sent to anybody; acknowledgements name it.
    pub sequence: u32,
    /// Number of the frame; 0 is the start.
    pub frame: u32,
    /// Time [s].
    pub time: f64,
    /// Number of the colour field in the list that the page was given; 0 is none.
    pub field: u32,
    /// The values at the two ends of the colours.
    pub range: [f32; 2],
    /// Numbers of the plots, in the order that the page was given.
    pub stats: Vec<f32>,
}

/// Writes a frame. `values` has a number per vertex of the mesh, or is empty.
pub fn frame(caption: &Caption, part: &Part, positions: &[DVec3], normals: &[Vec3], values: &[f32]) -> Vec<u8> {
    let count = part.vertices.len();
    let mut out = Vec::with_capacity(frame_size(count));
    let finite = |v: u32| positions[v as usize].is_finite();
    let shown = part.vertices.iter().filter(|v| finite(**v)).map(|v| positions[*v as usize]);
    let (low, high) = shown.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let (low, size) = if low.x <= high.x { (low, high - low) } else { (DVec3::ZERO, DVec3::ZERO) };
    header(caption, count, low, size, &mut out);
    let scale = DVec3::from_array(size.to_array().map(|s| if s > 0.0 { f64::from(u16::MAX) / s } else { 0.0 }));
    for &v in &part.vertices {
        // A cast takes NaN to 0.
        let q = ((positions[v as usize] - low) * scale + 0.5).to_array().map(|x| x as u16);
        q.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
    }
    pad(&mut out);
    for (k, &v) in part.vertices.iter().enumerate() {
        let [x, y] = if finite(v) { octahedral(part.normal_of(k, normals)) } else { BROKEN };
        out.extend_from_slice(&x.to_le_bytes());
        out.extend_from_slice(&y.to_le_bytes());
    }
    let [first, last] = caption.range;
    let scale = if last > first { 255.0 / (last - first) } else { 0.0 };
    out.extend(part.vertices.iter().map(|&v| match values.get(v as usize) {
        Some(value) => ((value - first) * scale + 0.5) as u8,
        None => 0,
    }));
    pad(&mut out);
    out
}

/// Bytes of a frame with so many drawn vertices.
pub fn frame_size(vertices: usize) -> usize {
    HEADER + (6 * vertices).next_multiple_of(4) + 4 * vertices + vertices.next_multiple_of(4)
}

fn header(caption: &Caption, count: usize, low: DVec3, size: DVec3, out: &mut Vec<u8>) {
    for number in [FRAME, caption.run, caption.epoch, caption.sequence, caption.frame, count as u32] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    for number in low.to_array().into_iter().chain(size.to_array()) {
        out.extend_from_slice(&(number as f32).to_le_bytes());
    }
    out.extend_from_slice(&caption.time.to_le_bytes());
    out.extend_from_slice(&caption.field.to_le_bytes());
    out.extend_from_slice(&caption.range[0].to_le_bytes());
    out.extend_from_slice(&caption.range[1].to_le_bytes());
    let stats = &caption.stats[..caption.stats.len().min(MOST_STATS)];
    out.extend_from_slice(&(stats.len() as u32).to_le_bytes());
    stats.iter().for_each(|s| out.extend_from_slice(&s.to_le_bytes()));
    out.resize(HEADER, 0);
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

/// The octahedral map of a unit vector (Cigolle et al., "A survey of efficient representations for independent unit
/// vectors", 2014, section 3.2).
fn octahedral(n: Vec3) -> [u16; 2] {
    let flat = Vec2::new(n.x, n.y) / (n.x.abs() + n.y.abs() + n.z.abs());
    let sign = |x: f32| if x < 0.0 { -1.0 } else { 1.0 };
    let p = match n.z < 0.0 {
        true => Vec2::new((1.0 - flat.y.abs()) * sign(flat.x), (1.0 - flat.x.abs()) * sign(flat.y)),
        false => flat,
    };
    // One below the largest number, which means a broken vertex.
    p.to_array().map(|x| ((x * 0.5 + 0.5).clamp(0.0, 1.0) * f32::from(u16::MAX - 1) + 0.5) as u16)
}

/// What stays the same: triangles, bodies and patterns of the moving part, and the whole of the still part.
///
/// Kind, run, epoch, then for each part the numbers of vertices and triangles; then for each part its vertices' numbers
/// (`u32`), pattern (two `f32`), triangles (`u32`) and bodies (`u8`, padded); then a frame of the still part.
pub fn topology(run: u32, epoch: u32, parts: [&Part; 2], still_frame: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |number: u32| out.extend_from_slice(&number.to_le_bytes());
    [TOPOLOGY, run, epoch].into_iter().for_each(&mut put);
    parts.iter().flat_map(|p| [p.vertices.len() as u32, p.triangles.len() as u32]).for_each(&mut put);
    for part in parts {
        part.vertices.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        part.uv.iter().flat_map(|uv| uv.to_array()).for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        part.triangles.iter().flatten().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        out.extend_from_slice(&part.bodies);
        pad(&mut out);
    }
    out.extend_from_slice(still_frame);
    out
}

/// Boxes: kind, run, epoch, how many, then the two corners of each as six `f32` [m].
pub fn boxes(run: u32, epoch: u32, boxes: &[Box3]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + 24 * boxes.len());
    [BOXES, run, epoch, boxes.len() as u32].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    let numbers = boxes.iter().flat_map(|b| [b.low, b.high]).flat_map(|p| p.to_array());
    numbers.for_each(|x| out.extend_from_slice(&(x as f32).to_le_bytes()));
    out
}

/// Contacts and zones: kind, run, epoch, how many contacts and how many vertices of zones; then of each contact its
/// point [m], its normal [-] and what friction does (0 sticks, 1 slips) as seven `f32`; then the vertices (`u32`).
pub fn contacts(run: u32, epoch: u32, contacts: &[PressingContact], zones: &[Vec<u32>]) -> Vec<u8> {
    let vertices: usize = zones.iter().map(Vec::len).sum();
    let mut out = Vec::with_capacity(20 + 28 * contacts.len() + 4 * vertices);
    let head = [CONTACTS, run, epoch, contacts.len() as u32, vertices as u32];
    head.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    for contact in contacts {
        let slips = f64::from(contact.grip == Grip::Slips);
        let numbers = contact.point.to_array().into_iter().chain(contact.normal.to_array()).chain([slips]);
        numbers.for_each(|x| out.extend_from_slice(&(x as f32).to_le_bytes()));
    }
    zones.iter().flatten().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(p: [u16; 2]) -> Vec3 {
        let [x, y] = p.map(|q| f32::from(q) / f32::from(u16::MAX - 1) * 2.0 - 1.0);
        let z = 1.0 - x.abs() - y.abs();
        let fold = (-z).max(0.0);
        Vec3::new(x - fold.copysign(x), y - fold.copysign(y), z).normalize()
    }

    #[test]
    fn normals_survive_the_wire_to_a_ten_thousandth() {
        let mut worst = 0.0f32;
        for k in 0..2000 {
            let z = 1.0 - 2.0 * (k as f32 + 0.5) / 2000.0;
            let (sin, cos) = (2.399_963 * k as f32).sin_cos();
            let n = Vec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
            assert_ne!(octahedral(n), BROKEN);
            worst = worst.max(decode(octahedral(n)).distance(n));
        }
        assert!(worst < 1e-4, "{worst}");
        for n in [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z] {
            assert!(decode(octahedral(n)).distance(n) < 1e-4, "{n}");
        }
    }

    #[test]
    fn twenty_thousand_triangles_take_less_than_130_kilobytes() {
        // A grid of 101 × 101 vertices has 20 000 triangles.
        assert!(frame_size(101 * 101) <= 130_000, "{}", frame_size(101 * 101));
    }
}
