//! Reads the frames of a run back, in any format that the run could write, to write them in another.
//!
//! A [`Recording`] is a cast and frames that are read one at a time, so that converting needs no more memory than
//! writing. Archives and caches are read in place; files of a sequence one by one; glTF brings a clip, which is
//! asked where everything is at the time of each frame.

mod archive;
mod arrange;
mod cache;
mod clip;
mod npz;
mod run_report;
mod sequence;
mod vtp;

pub use vtp::RecordedFields;

use crate::{meshes::MeshFileError, output::Cast};
use glam::DVec3;
use run_report::RunReport;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file or directory is not what it should be.
    #[error("`{}`: {what}; {remedy}", path.display())]
    Unfit {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The system refuses.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A mesh file is faulty.
    #[error(transparent)]
    Mesh(#[from] MeshFileError),
}

/// Frames that can be read one at a time.
pub trait Recording: Send {
    /// The bodies. Its number of frames is that of the recording, without the start.
    fn cast(&self) -> &Cast;

    /// Compares all frames with the checksums that the file tells, if it tells any.
    fn verify(&mut self) -> Result<(), RecordingError> {
        Ok(())
    }

    /// Sets `positions` to a frame's [m]; number 0 is the start.
    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError>;
}

/// What a file may not say itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hints {
    /// Frames per second that somebody told [1/s]; PLY, OBJ and PC2 do not know it. A file that moves by a clip is
    /// looked at this often.
    pub frames_per_second: Option<f64>,
    /// Frames per second where neither the file, nor its run's report, nor anybody says it [1/s].
    pub otherwise: Option<f64>,
}

fn unfit(path: &Path, what: impl Into<String>, remedy: &'static str) -> RecordingError {
    RecordingError::Unfit { path: path.into(), what: what.into(), remedy }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> RecordingError {
    let path = path.to_path_buf();
    move |source| RecordingError::Read { path: path.clone(), source }
}

/// Frames per second that must be told, by somebody or by the report of the run that a file belongs to.
fn told(path: &Path, hints: &Hints) -> Result<f64, RecordingError> {
    let missing = || unfit(path, "this format does not say how many frames make a second", "give `--fps`");
    let report = || RunReport::around(path).map(|report| report.frames_per_second);
    hints.frames_per_second.or_else(report).or(hints.otherwise).ok_or_else(missing)
}

/// What a run directory may hold, best first: the archive has every bit, the caches hold no obstacles' kinds.
const IN_A_RUN: [&str; 8] = ["frames.npz", "vtk/frames.pvd", "frames.usda", "frames.glb", "ply", "obj", "mdd", "pc2"];

/// What is read of a path: the best that a run's directory holds, anything else as it is.
pub fn source(path: &Path) -> PathBuf {
    let found = IN_A_RUN.iter().map(|name| path.join(name)).find(|found| path.is_dir() && found.exists());
    found.unwrap_or_else(|| path.into())
}

/// Opens a run directory, a file of frames, or a directory of files.
pub fn open(path: &Path, hints: &Hints) -> Result<Box<dyn Recording>, RecordingError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ends = |ending: &str| name.ends_with(ending);
    if path.is_dir() {
        let found = source(path);
        if found != path {
            return open(&found, hints);
        }
        return match cache::in_directory(path)? {
            caches if caches.is_empty() => Ok(Box::new(sequence::MeshSequence::open(path, hints)?)),
            caches => Ok(Box::new(cache::Caches::open(path, &caches, hints)?)),
        };
    }
    if !path.exists() {
        return Err(unfit(path, "there is no such file or directory", "give a run's directory or a file of frames"));
    }
    if ends(".npz") {
        return Ok(Box::new(archive::Archives::open(path)?));
    }
    if ends(".pvd") {
        return Ok(Box::new(vtp::VtpSequence::open(path)?));
    }
    if ends(".pc2") || ends(".mdd") {
        let folder = path.parent().unwrap_or(Path::new("."));
        return Ok(Box::new(cache::Caches::open(folder, &[path.to_path_buf()], hints)?));
    }
    Ok(Box::new(clip::ClipFile::open(path, hints)?))
}
