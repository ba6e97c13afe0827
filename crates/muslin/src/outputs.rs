//! Hands every frame to the writers that were asked for.

use crate::{error::Error, options::Format};
use glam::DVec3;
use muslin_io::output::{NpzWriter, write_ply};
use muslin_model::Model;
use std::{
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
};

/// The open files of a run.
pub struct Outputs {
    directory: PathBuf,
    frames_npz: Option<NpzWriter>,
    obstacles_npz: Option<NpzWriter>,
    ply: Option<PlySequence>,
    parts: Parts,
}

/// Ranges of the model's mesh.
struct Parts {
    cloth: Range<usize>,
    obstacles: Range<usize>,
    cloth_triangles: Range<usize>,
    obstacle_triangles: Range<usize>,
}

struct PlySequence {
    directory: PathBuf,
    digits: usize,
    obstacles: ObstacleFiles,
}

/// Whether obstacles need a file per frame.
#[derive(Clone, Copy, PartialEq)]
enum ObstacleFiles {
    None,
    Once,
    EachFrame,
}

/// Fewest digits of a frame's number.
const DIGITS: usize = 4;

fn fails(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    |source| Error::Write { path, source }
}

impl Outputs {
    /// Opens the files for a run of so many frames.
    pub fn open(directory: &Path, formats: &[Format], model: &Model, frames: usize) -> Result<Self, Error> {
        let parts = Parts {
            cloth: model.cloth_vertices(),
            obstacles: model.cloth_vertices().end..model.mesh.positions.len(),
            cloth_triangles: model.cloth_triangles(),
            obstacle_triangles: model.cloth_triangles().end..model.mesh.triangles.len(),
        };
        let mut outputs =
            Outputs { directory: directory.into(), frames_npz: None, obstacles_npz: None, ply: None, parts };
        if formats.contains(&Format::Npz) {
            outputs.open_npz(model)?;
        }
        if formats.contains(&Format::Ply) {
            let directory = directory.join("ply");
            fs::create_dir(&directory).map_err(fails(&directory))?;
            let obstacles =
                match (outputs.parts.obstacles.is_empty(), model.obstacle_motions.iter().any(Option::is_some)) {
                    (true, _) => ObstacleFiles::None,
                    (false, false) => ObstacleFiles::Once,
                    (false, true) => ObstacleFiles::EachFrame,
                };
            let digits = frames.to_string().len().max(DIGITS);
            outputs.ply = Some(PlySequence { directory, digits, obstacles });
        }
        Ok(outputs)
    }

    fn open_npz(&mut self, model: &Model) -> Result<(), Error> {
        let path = self.directory.join("frames.npz");
        let begin = || {
            let mut npz = NpzWriter::create(&path)?;
            npz.triangles("F", &model.mesh.triangles[self.parts.cloth_triangles.clone()])?;
            npz.points("V0", &model.mesh.positions[self.parts.cloth.clone()])?;
            npz.begin_frames("X", self.parts.cloth.len())?;
            Ok(npz)
        };
        self.frames_npz = Some(begin().map_err(fails(&path))?);
        let path = self.directory.join("obstacles.npz");
        let first = self.parts.obstacles.start as u32;
        let begin = || {
            let mut npz = NpzWriter::create(&path)?;
            let own = |tri: &[u32; 3]| tri.map(|v| v - first);
            let triangles: Vec<_> =
                model.mesh.triangles[self.parts.obstacle_triangles.clone()].iter().map(own).collect();
            npz.triangles("F", &triangles)?;
            npz.begin_frames("X", self.parts.obstacles.len())?;
            Ok(npz)
        };
        self.obstacles_npz = Some(begin().map_err(fails(&path))?);
        Ok(())
    }

    /// Writes a frame; number 0 is the start.
    pub fn add(&mut self, number: usize, model: &Model, positions: &[DVec3]) -> Result<(), Error> {
        let cloth = &positions[self.parts.cloth.clone()];
        let obstacles = &positions[self.parts.obstacles.clone()];
        if let Some(npz) = &mut self.frames_npz {
            npz.add_frame(cloth).map_err(fails(&self.directory.join("frames.npz")))?;
        }
        if let Some(npz) = &mut self.obstacles_npz {
            npz.add_frame(obstacles).map_err(fails(&self.directory.join("obstacles.npz")))?;
        }
        let Some(ply) = &self.ply else { return Ok(()) };
        let path = ply.directory.join(format!("cloth_{number:0width$}.ply", width = ply.digits));
        let triangles = &model.mesh.triangles[self.parts.cloth_triangles.clone()];
        write_ply(&path, cloth, triangles, 0).map_err(fails(&path))?;
        let name = match (ply.obstacles, number) {
            (ObstacleFiles::EachFrame, _) => format!("obstacles_{number:0width$}.ply", width = ply.digits),
            (ObstacleFiles::Once, 0) => "obstacles.ply".to_string(),
            _ => return Ok(()),
        };
        let path = ply.directory.join(name);
        let triangles = &model.mesh.triangles[self.parts.obstacle_triangles.clone()];
        write_ply(&path, obstacles, triangles, self.parts.obstacles.start as u32).map_err(fails(&path))
    }

    /// Finishes the files of all frames so far; returns their names.
    pub fn finish(self) -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        for (npz, name) in [(self.frames_npz, "frames.npz"), (self.obstacles_npz, "obstacles.npz")] {
            if let Some(npz) = npz {
                npz.finish().map_err(fails(&self.directory.join(name)))?;
                files.push(name.to_string());
            }
        }
        files.extend(self.ply.map(|_| "ply".to_string()));
        Ok(files)
    }
}
