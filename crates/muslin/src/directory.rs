//! Where results go.

use crate::{
    error::Error,
    options::{Existing, RunOptions},
};
use muslin_io::{
    checkpoint::{CheckpointFolder, Difference, Identity},
    output::{CHECKSUMS, Cast, Format, OutputError, Outputs, remove_leftovers},
};
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Files that show that a directory holds a run, beside those of its frames.
const SIGNS: [&str; 6] = ["report.json", "preview.png", CHECKSUMS, CheckpointFolder::NAME, "start.json", "start.png"];

/// Numbered directories tried before giving up.
const MOST_NUMBERS: usize = 1_000_000;

/// Makes the directory of a run.
pub fn choose(options: &RunOptions, scene: &str) -> Result<PathBuf, Error> {
    match (&options.out, options.existing) {
        (Some(out), existing) => given(out, existing),
        (None, Existing::Resume) => match numbered(scene)?.last() {
            Some((_, last)) => given(last, Existing::Resume),
            None => next_free(scene),
        },
        (None, _) => next_free(scene),
    }
}

/// Makes the directory that was asked for. One that holds a run is refused, left for going on, or cleared of it.
fn given(directory: &Path, existing: Existing) -> Result<PathBuf, Error> {
    let there: Vec<&str> = signs(directory).collect();
    if let (Existing::Refuse, Some(file)) = (existing, there.first()) {
        return Err(Error::DirectoryHoldsRun { directory: directory.into(), file: file.to_string() });
    }
    let nearest = directory.ancestors().find(|path| path.exists());
    if let Some(file) = nearest.filter(|path| !path.is_dir()) {
        return Err(Error::NotADirectory { file: file.into() });
    }
    let write = |source| Error::Write { path: directory.into(), source };
    fs::create_dir_all(directory).map_err(write)?;
    // Hours of simulation must not end at a directory that cannot be written.
    let probe = directory.join(".muslin-probe");
    fs::write(&probe, []).and_then(|()| fs::remove_file(&probe)).map_err(write)?;
    if existing == Existing::Overwrite {
        // Not under the hands of a run that is going on.
        drop(CheckpointFolder::open(directory)?);
        for path in there.iter().map(|name| directory.join(name)) {
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|source| Error::Write { path, source })?;
        }
    }
    Ok(directory.into())
}

/// What a directory has of a run.
fn signs(directory: &Path) -> impl Iterator<Item = &'static str> {
    let traces = Format::ALL.iter().flat_map(|format| format.traces());
    SIGNS.iter().chain(traces).copied().filter(move |sign| directory.join(sign).exists())
}

/// Refuses to begin again over results that are not known to be this run's. To be called where no whole checkpoint is;
/// `there` is the run that was begun, if a file tells, and `damaged` are files that told it once.
///
/// Only the same results may be replaced. A directory in which nothing of a run is may be used.
pub fn refuse_strange(
    directory: &Path,
    there: Option<Identity>,
    now: &Identity,
    damaged: &[String],
) -> Result<(), Error> {
    let Some(there) = there.or_else(|| identity_of(&read_report(directory)?.1)) else {
        // Frames say most to whoever reads the message.
        let results = signs(directory).filter(|sign| *sign != CheckpointFolder::NAME);
        let file = match results.max_by_key(|sign| !SIGNS.contains(sign)) {
            Some(file) => file,
            None if damaged.is_empty() => return Ok(()),
            None => CheckpointFolder::NAME,
        };
        let (directory, file) = (directory.into(), file.into());
        return Err(Error::UnknownRun { directory, file, damaged: damaged.to_vec() });
    };
    refuse_other(directory, &there, now)
}

/// Refuses results of another run. Which build and processor made them does not matter.
fn refuse_other(directory: &Path, there: &Identity, now: &Identity) -> Result<(), Error> {
    let mut differences = there.of_the_result().differences(&now.of_the_result());
    // As the scene has its keys, not by the alphabet.
    differences.sort_by_key(|d| now.keys.iter().position(|(key, _)| *key == d.key).unwrap_or(usize::MAX));
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Error::OtherRun { directory: directory.into(), differences }),
    }
}

/// The text of a directory's report and what it says; `None` if it is not there or not whole.
fn read_report(directory: &Path) -> Option<(String, Value)> {
    let text = fs::read_to_string(directory.join("report.json")).ok()?;
    let report = serde_json::from_str(&text).ok()?;
    Some((text, report))
}

fn plain(value: &Value) -> String {
    value.as_str().map(str::to_string).unwrap_or_else(|| value.to_string())
}

/// The run that a report is about.
fn identity_of(report: &Value) -> Option<Identity> {
    let keys = report["identity"].as_object()?;
    Some(Identity { keys: keys.iter().map(|(key, value)| (key.clone(), plain(value))).collect() })
}

/// Says so if a directory holds a run that is complete: this one, this one with files that were lost, or another.
pub fn refuse_finished(directory: &Path, now: &Identity, formats: &[Format], cast: &Cast) -> Result<(), Error> {
    let Some((text, report)) = read_report(directory) else { return Ok(()) };
    if report["outcome"] != "completed" {
        return Ok(());
    }
    let directory = directory.to_path_buf();
    let Some(there) = identity_of(&report) else {
        let (there, here) = (Some(plain(&report["version"])), Some(env!("CARGO_PKG_VERSION").to_string()));
        let differences = vec![Difference { key: "version of the report".into(), there, here }];
        return Err(Error::OtherRun { directory, differences });
    };
    // Its frames are there, whoever made them.
    refuse_other(&directory, &there, now)?;
    match Outputs::inspect(&directory, formats, cast.clone()) {
        Err(lost @ OutputError::Write { .. }) => Err(lost.into()),
        Err(lost) => Err(Error::FinishedAndLost { directory, lost }),
        Ok(mended) => {
            tidy(&directory, formats);
            Err(Error::AlreadyFinished { directory, frames: cast.frames, report: text, mended })
        }
    }
}

/// Removes what a process has left that was killed after it had written the report of a complete run. That some of it
/// cannot be removed changes nothing about the run, nor that another process is at it.
fn tidy(directory: &Path, formats: &[Format]) {
    let checkpoints = directory.join(CheckpointFolder::NAME).exists().then(|| CheckpointFolder::open(directory));
    let checkpoints = match checkpoints {
        Some(Err(_)) => return,
        Some(Ok(folder)) => Some(folder),
        None => None,
    };
    let _ = remove_leftovers(directory, formats);
    let _ = checkpoints.map(CheckpointFolder::remove);
}

/// Removes the list of checksums: the files that it lists are about to change.
pub fn remove_checksums(directory: &Path) -> Result<(), Error> {
    let path = directory.join(CHECKSUMS);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Write { path, source }),
        _ => Ok(()),
    }
}

/// The directories `runs/SCENE-NNN` with their numbers, ascending.
fn numbered(scene: &str) -> Result<Vec<(usize, PathBuf)>, Error> {
    let root = Path::new("runs");
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::Write { path: root.into(), source }),
    };
    let number = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name.strip_prefix(scene)?.strip_prefix('-')?.parse().ok()?, entry.path()))
    };
    let mut all: Vec<(usize, PathBuf)> = entries.flatten().filter_map(number).collect();
    all.sort();
    Ok(all)
}

/// Makes `runs/SCENE-NNN` with the number after the largest there is.
fn next_free(scene: &str) -> Result<PathBuf, Error> {
    let root = Path::new("runs");
    let write = |path: &Path, source| Error::Write { path: path.into(), source };
    fs::create_dir_all(root).map_err(|e| write(root, e))?;
    let first = numbered(scene)?.last().map_or(0, |(last, _)| *last) + 1;
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
