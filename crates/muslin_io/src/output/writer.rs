//! What every writer of frames can do.
//!
//! # A stream that can be taken up again
//! A run may be killed at any moment and go on later, bit for bit. So a writer keeps nothing in memory that
//! its files do not tell: after [`FrameWriter::sync`] the frames so far can be found again by
//! [`FrameWriter::reopen`], which drops later ones, whole or half. Files that must not be seen half-written are
//! called `NAME.partial` until [`FrameWriter::finish`]; sequences of files appear file by file, each whole.
//! `reopen` takes up finished files too, because a run that is stopped by its user finishes them.

use super::{
    cast::{Cast, Frame},
    seal::Seal,
};
use std::{
    fs::File,
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

/// Why frames cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system refuses.
    #[error("cannot write `{}`: {source}; {}", path.display(), remedy(source))]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Files of an earlier run have fewer frames than it wrote.
    #[error("{}; put the whole file back, or begin again with --overwrite", self.loss())]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Frames it has.
        found: usize,
        /// Frames that should stay.
        wanted: usize,
    },
    /// A file of an earlier run is not there any more.
    #[error("{}; put it back, or begin again with --overwrite", self.loss())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file of an earlier run is not as it was written.
    #[error("{}; put the whole file back, or begin again with --overwrite", self.loss())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In what it shows.
        what: String,
    },
    /// More than the format can hold. What was gathered stays as `NAME.partial`.
    #[error("`{}` cannot hold this run: {reason}; choose `usd`, `pc2` or `npz`, or fewer frames", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too much.
        reason: String,
    },
    /// A frame that does not fit the cast.
    #[error("frame {number} has {found} vertices instead of {expected}")]
    FrameSize {
        /// The frame.
        number: usize,
        /// Its vertices.
        found: usize,
        /// Vertices of the cast.
        expected: usize,
    },
}

impl OutputError {
    /// Whether a file of an earlier run is not as it was: an older checkpoint may do without it.
    pub fn is_loss(&self) -> bool {
        matches!(self, OutputError::TooShort { .. } | OutputError::Missing { .. } | OutputError::Damaged { .. })
    }

    /// The file or directory that it is about.
    pub fn path(&self) -> Option<&Path> {
        match self {
            OutputError::Write { path, .. } | OutputError::TooShort { path, .. } => Some(path),
            OutputError::Missing { path } | OutputError::Damaged { path, .. } => Some(path),
            OutputError::TooLarge { path, .. } => Some(path),
            OutputError::FrameSize { .. } => None,
        }
    }

    /// What is wrong with a file of an earlier run, without a remedy.
    pub fn loss(&self) -> String {
        match self {
            OutputError::TooShort { path, found, wanted } => {
                format!("`{}` has {found} whole frames of {wanted}", path.display())
            }
            OutputError::Missing { path } => format!("`{}` is missing, but the run has written it", path.display()),
            OutputError::Damaged { path, what } => format!("`{}` is damaged: {what}", path.display()),
            other => other.to_string(),
        }
    }
}

/// Turns the system's refusal to open a file of an earlier run into an error that names it.
pub(super) fn lost(path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_path_buf();
    |source| match source.kind() {
        io::ErrorKind::NotFound => OutputError::Missing { path },
        _ => OutputError::Write { path, source },
    }
}

/// Says so if a file of an earlier run is not there, or does not end with what the run ended it with.
pub(super) fn demand(path: &Path, ending: &[u8]) -> Result<(), OutputError> {
    let mut file = File::open(path).map_err(lost(path))?;
    let length = file.metadata().map_err(fails(path))?.len();
    let mut last = vec![0; ending.len()];
    let start = length.checked_sub(ending.len() as u64);
    let read = start.map(|start| file.seek(io::SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut last)));
    match read {
        Some(Ok(())) if last == ending => Ok(()),
        _ => Err(damaged(path, format!("it ends after {length} bytes, before its end"))),
    }
}

/// A file of an earlier run that is not as it was written.
pub(super) fn damaged(path: &Path, what: impl Into<String>) -> OutputError {
    OutputError::Damaged { path: path.into(), what: what.into() }
}

/// What is said of a file that does not begin as the run began it.
pub(super) const OTHER_BEGINNING: &str = "it does not begin as this run wrote it";

/// What to do when the system refuses to write.
fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "its folder was moved or removed: put it back, or begin again",
        _ => "the result directory must be writable and have room",
    }
}

/// Turns the system's refusal into an error that names the file.
pub(super) fn fails(path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_path_buf();
    |source| OutputError::Write { path, source }
}

/// Whether a stream may be taken up again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All planned frames are there.
    Complete,
    /// The run ended early. What only going on needs is kept.
    Early,
}

/// What a writer has finished.
#[derive(Debug, Default)]
pub struct Written {
    /// Files and directories.
    pub paths: Vec<PathBuf>,
    /// Of whole files.
    pub seals: Vec<Seal>,
    /// A file with a line for each of many files, as [`super::checksums`] has them.
    pub ledger: Option<PathBuf>,
}

/// Writes the frames of a run in one format.
///
/// Frames come in order, number 0 first. Everything is a function of the cast and the frames, so a stream that
/// was taken up again ends with the same bytes as one that never stopped.
pub trait FrameWriter: Send {
    /// Makes the files and writes what stands before the first frame. What an earlier run left is replaced.
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError>;

    /// Looks whether the files of an earlier run have the frames with numbers below `frames`, and changes nothing.
    /// Of a run that ended early it reads these frames and tells what they weigh, as [`FrameWriter::seals`] did.
    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError>;

    /// Files beside the frames that follow from the cast alone.
    fn companions(&self, _cast: &Cast) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Writes those of them anew that an earlier run left and that are not as it wrote them; returns which.
    fn mend(&self, _cast: &Cast) -> Result<Vec<PathBuf>, OutputError> {
        Ok(Vec::new())
    }

    /// Takes up the files of an earlier run, finished or not, keeps the frames with numbers below `frames` and
    /// drops the rest; the next frame has the number `frames`. [`FrameWriter::inspect`] has found them and their seals.
    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError>;

    /// Writes a frame. After an error the frames before it are whole, and `finish` may still be called.
    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError>;

    /// Hands all frames so far to the disk; to be called before a checkpoint that relies on them.
    fn sync(&mut self) -> Result<(), OutputError>;

    /// What the frames so far weigh in each file, always in the same order.
    fn seals(&self) -> Vec<Seal>;

    /// Completes the files of all frames so far; returns what there is now. What going on needs stays: only when
    /// a report says that the run is complete may it be removed ([`super::remove_leftovers`]).
    fn finish(&mut self, cast: &Cast, ending: Ending) -> Result<Written, OutputError>;
}
