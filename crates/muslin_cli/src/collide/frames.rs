//! Two frames of one mesh.

use glam::DVec3;
use muslin::collision::{Surface, Sweep, SweepError};
use muslin::io::meshes;
use std::path::Path;

/// A surface and its positions at the start and the end of a step.
pub struct Frames {
    pub surface: Surface,
    start: Vec<DVec3>,
    end: Vec<DVec3>,
}

impl Frames {
    /// Reads both files and checks that they are of one mesh, with finite coordinates.
    pub fn read(start_path: &Path, end_path: &Path) -> Result<Self, String> {
        let read = |path: &Path| meshes::read(path).map_err(|error| error.to_string());
        let (start, end) = (read(start_path)?, read(end_path)?);
        let (first, second) = (start_path.display(), end_path.display());
        if start.positions.len() != end.positions.len() {
            return Err(format!(
                "{first} has {} vertices, {second} has {}; both must be frames of one mesh",
                start.positions.len(),
                end.positions.len()
            ));
        }
        if start.triangles.len() != end.triangles.len() {
            return Err(format!(
                "{first} has {} triangles, {second} has {}; both must be frames of one mesh",
                start.triangles.len(),
                end.triangles.len()
            ));
        }
        if let Some(t) = (0..start.triangles.len()).find(|&t| start.triangles[t] != end.triangles[t]) {
            return Err(format!(
                "triangle {t} has the vertices {:?} in {first}, but {:?} in {second}; both must be frames of one mesh",
                start.triangles[t], end.triangles[t]
            ));
        }
        if start.triangles.is_empty() {
            return Err(format!("{first} has no triangles; there is nothing to collide"));
        }
        let surface =
            Surface::new(start.positions.len(), &start.triangles).map_err(|error| format!("{first}: {error}"))?;
        let frames = Frames { surface, start: start.positions, end: end.positions };
        match Sweep::new(&frames.surface, &frames.start, &frames.end) {
            Ok(_) => Ok(frames),
            Err(SweepError::NotFinite { vertex, end, position }) => {
                let file = if end == "start" { first } else { second };
                Err(format!("{file}: vertex {vertex} is at {position}; coordinates must be finite and below 1e100"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// The motion from one frame to the other.
    pub fn sweep(&self) -> Result<Sweep<'_>, SweepError> {
        Sweep::new(&self.surface, &self.start, &self.end)
    }
}
