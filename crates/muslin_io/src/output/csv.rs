//! `totals.csv`: quantities of the whole cloth, one line per frame.
//!
//! Time, area, centroid and bounds follow from the positions; energies, work, strain and counts come from the
//! simulation, and a converted file does not have them. Each line is added whole, so the file can be read at any
//! time.

use super::{
    cast::{Cast, Frame},
    parts::{self, PartFile},
    seal::Seal,
    text,
    writer::{Ending, FrameWriter, OutputError, Written},
};
use glam::DVec3;
use muslin_model::BodyKind;
use std::path::{Path, PathBuf};

/// Writes the table.
pub struct CsvWriter {
    path: PathBuf,
    file: Option<PartFile>,
}

const FIRST: &str =
    "frame,time_s,area_m2,centroid_x_m,centroid_y_m,centroid_z_m,low_x_m,low_y_m,low_z_m,high_x_m,high_y_m,high_z_m";

impl CsvWriter {
    /// Writes into a directory.
    pub fn new(directory: &Path) -> Self {
        CsvWriter { path: directory.join("totals.csv"), file: None }
    }
}

/// Area [m²], centroid of the surface [m] and the box around the cloth [m].
fn geometry(cast: &Cast, positions: &[DVec3]) -> (f64, [DVec3; 3]) {
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for body in cast.bodies.iter().filter(|b| b.kind == BodyKind::Cloth) {
        for triangle in &cast.mesh.triangles[body.triangles.clone()] {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let part = 0.5 * (b - a).cross(c - a).length();
            area += part;
            moment += (a + b + c) * (part / 3.0);
        }
        for &p in &positions[body.vertices.clone()] {
            (low, high) = (low.min(p), high.max(p));
        }
    }
    let centroid = if area > 0.0 { moment / area } else { 0.5 * (low + high) };
    (area, [centroid, low, high])
}

impl FrameWriter for CsvWriter {
    fn begin(&mut self, _: &Cast) -> Result<(), OutputError> {
        self.file = Some(PartFile::create(&self.path)?);
        Ok(())
    }

    fn inspect(&self, _: &Cast, frames: usize, _: Ending) -> Result<Vec<Seal>, OutputError> {
        // One line more: the first names the columns.
        parts::inspect_lines(&self.path, frames + 1).map(|seal| vec![seal]).map_err(|error| match error {
            OutputError::TooShort { path, found, wanted } => {
                OutputError::TooShort { path, found: found.saturating_sub(1), wanted: wanted - 1 }
            }
            other => other,
        })
    }

    fn reopen(&mut self, _: &Cast, _: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.file = seals.into_iter().next().map(PartFile::reopen).transpose()?;
        Ok(())
    }

    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        let mut lines = String::new();
        if frame.number == 0 {
            lines.push_str(FIRST);
            frame.totals.iter().for_each(|(name, _)| lines.extend([",", name]));
            lines.push('\n');
        }
        let (area, points) = geometry(cast, frame.positions);
        let coordinates = points.into_iter().flat_map(|p| p.to_array());
        let values = [cast.time(frame.number), area].into_iter().chain(coordinates);
        lines.push_str(&frame.number.to_string());
        for value in values.chain(frame.totals.iter().map(|(_, value)| *value)) {
            lines.push(',');
            lines.push_str(&text::double(value));
        }
        lines.push('\n');
        self.file.as_mut().map_or(Ok(()), |file| file.append(lines.as_bytes()))
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.file.as_mut().map_or(Ok(()), PartFile::sync)
    }

    fn seals(&self) -> Vec<Seal> {
        self.file.iter().map(PartFile::seal).collect()
    }

    fn finish(&mut self, _: &Cast, _: Ending) -> Result<Written, OutputError> {
        let seals = self.file.take().map(|file| file.seal());
        Ok(Written { paths: vec![self.path.clone()], seals: seals.into_iter().collect(), ledger: None })
    }
}
