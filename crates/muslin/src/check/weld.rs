//! Vertices of a cloth that a file repeats are one, if they are at the same place in every frame.
//!
//! glTF has one normal and one texture coordinate per vertex, so a mesh that went through it is split along its seams and
//! sharp edges. The triangles on both sides touch along the whole edge without sharing a vertex, and the test for crossings
//! would tell every such pair in every frame. Vertices that part in any frame stay two.

use glam::DVec3;
use muslin_io::recording::{Recording, RecordingError};
use muslin_model::BodyKind;
use std::collections::HashMap;

/// The triangles of a recording with repeated vertices joined; what is nothing then is left out.
pub(super) struct Welded {
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Its number in the recording.
    pub original: Vec<u32>,
    /// Triangles of cloth that are the same as an earlier one, with that one before.
    pub doubled: Vec<[u32; 2]>,
}

/// Joins vertices. Frames are read only as long as any two have not parted.
pub(super) fn weld(recording: &mut dyn Recording) -> Result<Welded, RecordingError> {
    let cast = recording.cast();
    // Obstacles are not judged against themselves. Bodies that touch are still two.
    let cloths = cast.bodies.iter().enumerate().filter(|(_, body)| body.kind == BodyKind::Cloth);
    let members: Vec<(usize, usize)> =
        cloths.flat_map(|(b, body)| body.vertices.clone().map(move |v| (v, b))).collect();
    let mut class: Vec<usize> = members.iter().map(|(_, body)| *body).collect();
    let frames = cast.frames + 1;
    let mut positions = Vec::new();
    for frame in 0..frames {
        recording.read(frame, &mut positions)?;
        let mut known = HashMap::new();
        for ((v, _), class) in members.iter().zip(&mut class) {
            // Zero has one sign here.
            let place = (positions[*v] + DVec3::ZERO).to_array().map(f64::to_bits);
            let next = known.len();
            *class = *known.entry((*class, place)).or_insert(next);
        }
        if known.len() == members.len() {
            break;
        }
    }
    let mut stands_for: Vec<u32> = (0..recording.cast().mesh.positions.len() as u32).collect();
    let mut first = vec![None; members.len()];
    for ((v, _), class) in members.iter().zip(class) {
        stands_for[*v] = *first[class].get_or_insert(*v as u32);
    }
    let mut welded = Welded { triangles: Vec::new(), original: Vec::new(), doubled: Vec::new() };
    let cloth =
        |t: usize| recording.cast().bodies.iter().any(|b| b.kind == BodyKind::Cloth && b.triangles.contains(&t));
    let mut known: HashMap<[u32; 3], u32> = HashMap::new();
    for (t, triangle) in recording.cast().mesh.triangles.iter().enumerate() {
        let joined = triangle.map(|v| stands_for[v as usize]);
        let mut key = joined;
        key.sort_unstable();
        let is_triangle = key[0] < key[1] && key[1] < key[2];
        let earlier = *known.entry(key).or_insert(t as u32);
        if is_triangle && earlier != t as u32 && cloth(t) {
            welded.doubled.push([earlier, t as u32]);
        }
        // As it was, or still a triangle, and not the same as another.
        if joined == *triangle || (is_triangle && earlier == t as u32) {
            welded.triangles.push(joined);
            welded.original.push(t as u32);
        }
    }
    Ok(welded)
}
