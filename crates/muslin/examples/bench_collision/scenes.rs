//! The motions that are measured.

use glam::DVec3;
use muslin::collision::Surface;
use muslin::io::meshes;
use std::path::Path;

/// A mesh at two times.
pub struct Step {
    pub name: String,
    pub surface: Surface,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

/// Reads two frames of one of the public scenes; none where the data is absent.
pub fn public(data: &Path, name: &str, start: &str, end: &str) -> Option<Step> {
    let read = |file: &str| {
        let path = data.join(file);
        path.exists().then(|| meshes::read(&path).unwrap_or_else(|error| panic!("{error}")))
    };
    let (start, end) = (read(start)?, read(end)?);
    let surface = Surface::new(start.positions.len(), &start.triangles).unwrap_or_else(|error| panic!("{error}"));
    Some(Step { name: name.into(), surface, start: start.positions, end: end.positions })
}
