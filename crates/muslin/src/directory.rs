//! Where results go.

use crate::error::Error;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Files that show that a directory holds a run.
const SIGNS: [&str; 6] = ["report.json", "frames.npz", "obstacles.npz", "preview.png", "ply", "frames.npz.partial"];

/// Numbered directories tried before giving up.
const MOST_NUMBERS: usize = 1_000_000;

/// Makes the directory that was asked for; one that holds a run is refused.
pub fn given(directory: &Path) -> Result<PathBuf, Error> {
    if let Some(file) = SIGNS.iter().find(|sign| directory.join(sign).exists()) {
        return Err(Error::DirectoryHoldsRun { directory: directory.into(), file: file.to_string() });
    }
    let write = |source| Error::Write { path: directory.into(), source };
    fs::create_dir_all(directory).map_err(write)?;
    // Hours of simulation must not end at a directory that cannot be written.
    let probe = directory.join(".muslin-probe");
    fs::write(&probe, []).and_then(|()| fs::remove_file(&probe)).map_err(write)?;
    Ok(directory.into())
}

/// Makes `runs/SCENE-NNN` with the number after the largest there is.
pub fn next_free(scene: &str) -> Result<PathBuf, Error> {
    let root = Path::new("runs");
    let write = |path: &Path, source| Error::Write { path: path.into(), source };
    fs::create_dir_all(root).map_err(|e| write(root, e))?;
    let numbers = fs::read_dir(root).map_err(|e| write(root, e))?.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_prefix(scene)?.strip_prefix('-')?.parse::<usize>().ok()
    });
    let first = numbers.max().unwrap_or(0) + 1;
    for number in first..first + MOST_NUMBERS {
        let directory = root.join(format!("{scene}-{number:03}"));
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            // Another run took the number in the meantime.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(write(&directory, e)),
        }
    }
    Err(write(root, io::Error::other("no free number")))
}
