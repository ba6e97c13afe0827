//! A directory of mesh files, one per frame: `cloth_0000.ply`, `cloth_0001.ply`, … and the obstacles' beside them.

use super::{
    Hints, Recording, RecordingError, RunReport,
    clip::{Placing, add_bodies},
    told, unfit, unreadable,
};
use crate::{
    meshes::{self, caches::evenly_numbered},
    output::Cast,
};
use glam::DVec3;
use muslin_model::BodyKind;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Files of a sequence.
pub struct MeshSequence {
    cast: Cast,
    /// For each group of bodies: its files in the order of frames, and how many vertices and triangles each has.
    groups: Vec<(Vec<PathBuf>, [usize; 2])>,
}

/// Endings of files that can make a sequence.
const ENDINGS: [&str; 3] = ["ply", "obj", "stl"];

impl MeshSequence {
    pub fn open(directory: &Path, hints: &Hints) -> Result<Self, RecordingError> {
        let mut groups = numbered_files(directory)?;
        let obstacles = groups.remove("obstacles").map(|files| in_order(directory, files)).transpose()?;
        let cloth = groups.remove("cloth").or_else(|| groups.pop_first().map(|(_, files)| files));
        let cloth = cloth.map(|files| in_order(directory, files)).transpose()?;
        let Some(cloth) = cloth else {
            let empty = fs::read_dir(directory).map_err(unreadable(directory))?.next().is_none();
            let what = if empty { "it is empty" } else { "it holds no frames" };
            return Err(unfit(directory, what, "give a run's directory, or one of mesh files like cloth_0000.ply"));
        };
        let rate = told(directory, hints)?;
        let mut sequence = MeshSequence { cast: Cast::default(), groups: Vec::new() };
        sequence.cast.frames_per_second = rate;
        // A run that ended while it wrote may have one file more of the cloth than of obstacles that move.
        let lengths = [Some(cloth.len()), obstacles.as_ref().map(Vec::len).filter(|&n| n > 1)];
        sequence.cast.frames = lengths.into_iter().flatten().min().unwrap_or(1) - 1;
        if let Some(report) = RunReport::around(directory).filter(|report| report.frames > sequence.cast.frames) {
            let what =
                format!("the run wrote frames 0 to {}, the last one here is {}", report.frames, sequence.cast.frames);
            return Err(unfit(directory, what, "put the missing files back, or resume the run"));
        }
        sequence.cast.name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sequence.add(cloth, BodyKind::Cloth)?;
        if let Some(files) = obstacles {
            sequence.add(files, BodyKind::Obstacle)?;
        }
        Ok(sequence)
    }

    fn add(&mut self, files: Vec<PathBuf>, kind: BodyKind) -> Result<(), RecordingError> {
        let mesh = meshes::read(&files[0])?;
        let before = self.cast.bodies.len();
        let name = if kind == BodyKind::Cloth { "cloth" } else { "obstacles" };
        add_bodies(&mut self.cast, &mesh, kind, name);
        self.cast.moving[before..].fill(files.len() > 1);
        self.groups.push((files, [mesh.positions.len(), mesh.triangles.len()]));
        Ok(())
    }
}

impl Recording for MeshSequence {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clear();
        for (files, counts) in &self.groups {
            let path = files.get(frame).unwrap_or(&files[0]);
            let mesh = meshes::read(path)?;
            // However polygons are cut, they give as many triangles.
            let found = [mesh.positions.len(), mesh.triangles.len()];
            for ((found, first), thing) in found.iter().zip(counts).zip(["vertices", "triangles"]) {
                if found != first {
                    let what = format!("it has {found} {thing}, the first file of the sequence {first}");
                    return Err(unfit(
                        path,
                        what,
                        "a sequence must keep its mesh; if the file was cut off, write it again",
                    ));
                }
            }
            let placing = Placing::of(&mesh);
            positions.extend(mesh.positions.iter().map(|&p| placing.apply(p)));
        }
        Ok(())
    }
}

/// Files of one group with their numbers.
type Numbered = Vec<(u64, PathBuf)>;

/// Files by the words before their numbers; a file without a number is a sequence of one.
fn numbered_files(directory: &Path) -> Result<BTreeMap<String, Numbered>, RecordingError> {
    let mut groups: BTreeMap<String, Numbered> = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(unreadable(directory))? {
        let path = entry.map_err(unreadable(directory))?.path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if ENDINGS.contains(&ending.as_str()) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let words = stem.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = stem[words.len()..].parse().unwrap_or(0);
            let group = words.trim_end_matches(['_', '-', '.']).to_string();
            groups.entry(group).or_default().push((number, path));
        }
    }
    Ok(groups)
}

/// The files of a group by their numbers. One that is missing would shift all that follow it in time.
fn in_order(directory: &Path, mut files: Numbered) -> Result<Vec<PathBuf>, RecordingError> {
    files.sort();
    match evenly_numbered(files.iter().map(|(number, _)| *number)) {
        Ok(()) => Ok(files.into_iter().map(|(_, path)| path).collect()),
        Err((what, remedy)) => {
            let name = files[0].1.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(unfit(directory, format!("in the sequence from `{name}` on, {what}"), remedy))
        }
    }
}
