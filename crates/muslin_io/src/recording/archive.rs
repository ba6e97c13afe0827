//! `frames.npz`, with `obstacles.npz` beside it; or any other `NAME.npz`, with `NAME.obstacles.npz`.

use super::{
    Recording, RecordingError,
    npz::{Archive, NOT_OURS},
    unfit,
};
use crate::output::Cast;
use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind};
use std::path::Path;

/// The archives of a run.
pub struct Archives {
    cast: Cast,
    /// Each archive's frames and how many points they have.
    frames: Vec<(Archive, usize)>,
}

impl Archives {
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let mut archives = Archives { cast: Cast::default(), frames: Vec::new() };
        archives.add(path, BodyKind::Cloth)?;
        // `obstacles.npz` beside an archive of another name may be those of another run.
        let obstacles = match path.file_name().is_some_and(|name| name == "frames.npz") {
            true => path.with_file_name("obstacles.npz"),
            false => path.with_extension("obstacles.npz"),
        };
        if obstacles.exists() {
            archives.add(&obstacles, BodyKind::Obstacle)?;
        }
        let name = path.parent().and_then(|folder| folder.canonicalize().ok());
        let name = name.and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
        archives.cast.name = name.unwrap_or_else(|| "frames".into());
        Ok(archives)
    }

    fn add(&mut self, path: &Path, kind: BodyKind) -> Result<(), RecordingError> {
        let mut archive = Archive::open(path)?;
        let shape = archive.shape("X", "<f8")?;
        let [frames, points, 3] = shape[..] else {
            return Err(unfit(path, format!("`X` has the shape {shape:?}"), "it must be frames × vertices × 3"));
        };
        if kind == BodyKind::Cloth && (frames == 0 || points == 0) {
            return Err(unfit(path, format!("it has {frames} frames of {points} vertices"), NOT_OURS));
        }
        let triangles = archive.integers("F")?;
        let (first, first_face) = (self.cast.mesh.positions.len(), self.cast.mesh.triangles.len());
        if triangles.len() % 3 != 0 || triangles.iter().any(|&v| v < 0 || v as usize >= points) {
            return Err(unfit(path, "`F` names vertices that are not there", NOT_OURS));
        }
        let positions = archive.numbers("V0")?;
        let uv = if archive.has("UV") { archive.numbers("UV")? } else { Vec::new() };
        let texture = if archive.has("texture") { archive.numbers("texture")? } else { Vec::new() };
        let rate = archive.numbers("fps")?;
        let names = if archive.has("body_names") { archive.texts("body_names")? } else { Vec::new() };
        let starts = if archive.has("body_starts") { archive.integers("body_starts")? } else { Vec::new() };
        if positions.len() != 3 * points || rate.len() != 1 || !(rate[0] > 0.0) || starts.len() != 2 * names.len() {
            return Err(unfit(path, "its arrays do not fit each other", NOT_OURS));
        }
        let mesh = &mut self.cast.mesh;
        mesh.positions.extend(positions.chunks_exact(3).map(|p| DVec3::new(p[0], p[1], p[2])));
        mesh.triangles.extend(triangles.chunks_exact(3).map(|t| [0, 1, 2].map(|k| t[k] as u32 + first as u32)));
        let corners = |c: &[f64]| [0, 1, 2].map(|k| DVec2::new(c[2 * k], c[2 * k + 1]));
        if kind == BodyKind::Cloth && uv.len() == 2 * triangles.len() {
            mesh.uv.extend(uv.chunks_exact(6).map(corners));
        }
        if !texture.is_empty() && texture.len() == 2 * triangles.len() {
            let shown = |c: &[f64]| c.iter().all(|x| x.is_finite()).then(|| corners(c));
            mesh.append_texture(texture.chunks_exact(6).map(shown));
        }
        let faces = triangles.len() / 3;
        let mut bounds: Vec<[usize; 2]> =
            starts.chunks_exact(2).map(|s| [s[0].max(0) as usize, s[1].max(0) as usize]).collect();
        bounds.push([points, faces]);
        if bounds.windows(2).any(|w| w[0][0] > w[1][0] || w[0][1] > w[1][1]) {
            return Err(unfit(path, "the first vertices of its bodies do not ascend", NOT_OURS));
        }
        let moving = match kind {
            BodyKind::Cloth => vec![true; names.len()],
            BodyKind::Obstacle => moving(&mut archive, frames, &bounds)?,
        };
        for ((name, w), moves) in names.into_iter().zip(bounds.windows(2)).zip(moving) {
            self.cast.bodies.push(Body {
                name,
                kind,
                vertices: first + w[0][0]..first + w[1][0],
                triangles: first_face + w[0][1]..first_face + w[1][1],
            });
            self.cast.moving.push(moves);
        }
        self.cast.frames_per_second = rate[0];
        let frames = frames.saturating_sub(1);
        self.cast.frames = if kind == BodyKind::Cloth { frames } else { self.cast.frames.min(frames) };
        self.frames.push((archive, points));
        Ok(())
    }
}

impl Recording for Archives {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn verify(&mut self) -> Result<(), RecordingError> {
        // Reading all rows in order compares: see the archive.
        for (archive, points) in &mut self.frames {
            for frame in 0..=self.cast.frames {
                row(archive, frame, *points)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clear();
        for (archive, points) in &mut self.frames {
            let values = row(archive, frame, *points)?;
            positions.extend(values.chunks_exact(3).map(|p| DVec3::new(p[0], p[1], p[2])));
        }
        Ok(())
    }
}

/// Some frame's coordinates.
fn row(archive: &mut Archive, frame: usize, points: usize) -> Result<Vec<f64>, RecordingError> {
    archive.some_numbers("X", 3 * points * frame, 3 * points)
}

/// Whether each body leaves its place in any frame; `bounds` are the bodies' first points and the end.
fn moving(archive: &mut Archive, frames: usize, bounds: &[[usize; 2]]) -> Result<Vec<bool>, RecordingError> {
    let points = bounds.last().map_or(0, |end| end[0]);
    let mut moving = vec![false; bounds.len() - 1];
    // Frames without points take no bytes, and a header may claim any number of them.
    if points == 0 {
        return Ok(moving);
    }
    let start = if frames > 0 { row(archive, 0, points)? } else { Vec::new() };
    for frame in 1..frames {
        let now = row(archive, frame, points)?;
        for (moves, w) in moving.iter_mut().zip(bounds.windows(2)) {
            *moves |= now[3 * w[0][0]..3 * w[1][0]] != start[3 * w[0][0]..3 * w[1][0]];
        }
    }
    Ok(moving)
}
