//! The last two checkpoints of a run on the disk.
//!
//! A checkpoint is written under another name, handed to the disk and then renamed; only then is the
//! last but one removed. So at any moment, a cut in the power included, one whole checkpoint is there, and if
//! the disk itself damages the newest, the one before serves. A lock, which the system takes back from a dead
//! process, keeps two runs from writing into one directory. Which run it is stands in a file of its own, written before the
//! first frame: a run that was killed before its first checkpoint is known by it.

use super::{Checkpoint, Damage, Identity, decode, encode};
use crate::output::{AtomicFile, settle_folder};
use muslin_model::Archive;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Checkpoints that are kept.
const KEPT: usize = 2;
/// Digits of a checkpoint's number.
const DIGITS: usize = 6;
const EXTENSION: &str = "checkpoint";
const LOCK: &str = "lock";
/// A checkpoint without arrays: it tells the run only.
const IDENTITY: &str = "identity";

/// Why checkpoints cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system refuses to write.
    #[error(
        "cannot write the checkpoint `{}`: {source}; {}", path.display(), remedy(source)
    )]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system refuses to read.
    #[error("cannot read the checkpoint `{}`: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process runs there.
    #[error("another process is running in `{}`; wait for it, or choose another directory", directory.display())]
    Busy {
        /// Directory of the run.
        directory: PathBuf,
    },
    /// The layout is of another version of Muslin.
    #[error("the checkpoint `{}` cannot be resumed: {damage}; use the Muslin that wrote it, or overwrite the run", path.display())]
    OtherLayout {
        /// The file.
        path: PathBuf,
        /// What the layout is.
        damage: Damage,
    },
}

/// What to do when the system refuses to write.
fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "its folder was moved or removed: put it back and resume, or begin again",
        _ => "what was written before is whole: make room or give access, then resume",
    }
}

/// What a folder had.
#[derive(Debug, Default)]
pub struct Found {
    /// The newest whole checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// Its number.
    pub number: u64,
    /// Which run was begun here, if that is all that is known.
    pub identity: Option<Identity>,
    /// Newer ones that are damaged, and how.
    pub damaged: Vec<(PathBuf, Damage)>,
}

/// The folder of a run's checkpoints, locked.
#[derive(Debug)]
pub struct CheckpointFolder {
    folder: PathBuf,
    /// Held as long as the folder is open.
    _lock: File,
}

impl CheckpointFolder {
    /// Name of the folder in the directory of a run.
    pub const NAME: &'static str = "checkpoints";

    /// Opens the folder of a run, or makes it.
    pub fn open(run: &Path) -> Result<Self, FolderError> {
        let folder = run.join(Self::NAME);
        let write = |source| FolderError::Write { path: folder.clone(), source };
        fs::create_dir_all(&folder).map_err(write)?;
        let options = OpenOptions::new().write(true).create(true).truncate(false).clone();
        let lock = options.open(folder.join(LOCK)).map_err(write)?;
        // File systems without locks are used without.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(FolderError::Busy { directory: run.into() });
        }
        Ok(CheckpointFolder { folder, _lock: lock })
    }

    /// Whether a run has any checkpoint, whole or not.
    pub fn any(run: &Path) -> bool {
        numbers(&run.join(Self::NAME)).is_ok_and(|numbers| !numbers.is_empty())
    }

    /// Reads the newest checkpoint that is whole, of those with a number below `before` if there is one; if none is, which
    /// run was begun.
    pub fn newest(&self, before: Option<u64>) -> Result<Found, FolderError> {
        let mut found = Found::default();
        let unreadable = |source| FolderError::Read { path: self.folder.clone(), source };
        let older = |number: &u64| before.is_none_or(|before| *number < before);
        for number in numbers(&self.folder).map_err(unreadable)?.into_iter().filter(older).rev() {
            found.checkpoint = read(&self.path(number), &mut found.damaged)?;
            if found.checkpoint.is_some() {
                found.number = number;
                return Ok(found);
            }
        }
        let identity = self.folder.join(IDENTITY);
        if identity.exists() {
            found.identity = read(&identity, &mut found.damaged)?.map(|checkpoint| checkpoint.identity);
        }
        Ok(found)
    }

    /// Writes down which run begins; to be called before its first frame.
    pub fn begin(&self, identity: &Identity) -> Result<(), FolderError> {
        let path = self.folder.join(IDENTITY);
        let begun = Checkpoint { identity: identity.clone(), archive: Archive::default() };
        self.store(&begun, &path).map_err(|source| FolderError::Write { path, source })
    }

    /// Writes a file under another name, hands it to the disk and renames it.
    fn store(&self, checkpoint: &Checkpoint, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        encode(checkpoint, &mut file.writer)?;
        file.writer.flush()?;
        file.writer.get_ref().sync_all()?;
        file.finish()?;
        settle_folder(&self.folder)
    }

    /// Writes a checkpoint and removes all but the last two.
    pub fn write(&self, checkpoint: &Checkpoint) -> Result<(), FolderError> {
        let unwritable = |path: &Path| {
            let path = path.to_path_buf();
            move |source| FolderError::Write { path, source }
        };
        let before = numbers(&self.folder).map_err(unwritable(&self.folder))?;
        let path = self.path(before.last().map_or(1, |last| last + 1));
        self.store(checkpoint, &path).map_err(unwritable(&path))?;
        for &number in &before[..(before.len() + 1).saturating_sub(KEPT)] {
            let old = self.path(number);
            fs::remove_file(&old).map_err(unwritable(&old))?;
        }
        Ok(())
    }

    /// Removes the checkpoints with numbers above one that a run goes on from: they are damaged, or know more frames
    /// than there will be when the next one is written.
    pub fn remove_after(&self, number: u64) -> Result<(), FolderError> {
        let write = |path: &Path, source| FolderError::Write { path: path.into(), source };
        for newer in numbers(&self.folder).map_err(|e| write(&self.folder, e))?.into_iter().filter(|n| *n > number) {
            let path = self.path(newer);
            fs::remove_file(&path).map_err(|e| write(&path, e))?;
        }
        Ok(())
    }

    /// Removes all checkpoints and the folder.
    pub fn remove(self) -> Result<(), FolderError> {
        remove(&self.folder)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:0DIGITS$}.{EXTENSION}"))
    }
}

/// Reads a file; one that is damaged is noted.
fn read(path: &Path, damaged: &mut Vec<(PathBuf, Damage)>) -> Result<Option<Checkpoint>, FolderError> {
    let bytes = fs::read(path).map_err(|source| FolderError::Read { path: path.into(), source })?;
    match decode(&bytes) {
        Ok(checkpoint) => return Ok(Some(checkpoint)),
        Err(damage @ Damage::OtherLayout(_)) => return Err(FolderError::OtherLayout { path: path.into(), damage }),
        Err(damage) => damaged.push((path.into(), damage)),
    }
    Ok(None)
}

fn remove(folder: &Path) -> Result<(), FolderError> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FolderError::Write { path: folder.into(), source })
        }
        _ => Ok(()),
    }
}

/// Numbers of the checkpoints in a folder, ascending.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = PathBuf::from(entry?.file_name());
        if path.extension().is_some_and(|e| e == EXTENSION) {
            numbers.extend(path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok()));
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}
