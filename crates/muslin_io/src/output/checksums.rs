//! `checksums.sfv`: the CRC-32 of every file of a run.
//!
//! A run that has ended has no checkpoint any more that knows what its files weigh. So they are listed in the simple format that
//! `cksfv` and `rhash` also judge: a name, a space, eight hexadecimal digits. The list ends with its own checksum, as
//! a comment, so that a damaged list does not accuse whole files. Checksums are taken while files are written; those of a
//! sequence grow in a file of their own, `NAME.checksums.partial`, so that memory does not grow with its frames.

use super::{
    atomic::{AtomicFile, settle, settle_folder},
    seal::{Seal, Weighing},
    stream::partial,
    writer::{OutputError, Written, damaged, fails},
};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

/// Name of the list in the directory of a run.
pub const CHECKSUMS: &str = "checksums.sfv";

const FIRST: &str = "; CRC-32 of the files of this run\n";
/// What stands before the checksum of all lines above.
const LAST: &str = "; CRC-32 of the lines above: ";

/// The line of a file.
pub(super) fn line(name: &str, crc: u32) -> String {
    format!("{name} {crc:08X}\n")
}

/// Where the lines of a sequence in a folder grow.
pub(super) fn ledger(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(".checksums");
    partial(&folder.with_file_name(name))
}

/// What the outputs of a run have finished.
#[derive(Debug, Default)]
pub struct Finished {
    /// Names of files and directories within the directory.
    pub files: Vec<String>,
    written: Vec<Written>,
}

impl Finished {
    pub(super) fn new(directory: &Path, written: Vec<Written>) -> Self {
        let files = written.iter().flat_map(|w| &w.paths).map(|path| within(directory, path)).collect();
        Finished { files, written }
    }

    /// Writes the list, with some more files of the directory.
    pub fn write_checksums(&self, directory: &Path, more: &[PathBuf]) -> Result<(), OutputError> {
        let target = directory.join(CHECKSUMS);
        let more = more.iter().map(|path| Seal::read_whole(path)).collect::<Result<Vec<Seal>, OutputError>>()?;
        let write = || {
            let mut file = AtomicFile::create(&target)?;
            let mut out = Weighing::new(&target, &mut file.writer);
            out.write_all(FIRST.as_bytes())?;
            for written in &self.written {
                if let Some(ledger) = &written.ledger {
                    io::copy(&mut File::open(ledger)?, &mut out)?;
                }
                for seal in &written.seals {
                    out.write_all(line(&within(directory, &seal.path), seal.crc()).as_bytes())?;
                }
            }
            for seal in &more {
                out.write_all(line(&within(directory, &seal.path), seal.crc()).as_bytes())?;
            }
            let all = out.seal.crc();
            writeln!(out, "{LAST}{all:08X}")?;
            file.finish()
        };
        write().map_err(fails(&target))
    }
}

impl Finished {
    /// Hands everything to the disk, so that what going on needed can be removed.
    pub fn settle(&self, directory: &Path) -> Result<(), OutputError> {
        // Files of a sequence were handed over one by one.
        for seal in self.written.iter().flat_map(|written| &written.seals) {
            settle(&seal.path).map_err(fails(&seal.path))?;
        }
        for folder in self.written.iter().flat_map(|written| &written.paths).filter(|path| path.is_dir()) {
            settle_folder(folder).map_err(fails(folder))?;
        }
        let list = directory.join(CHECKSUMS);
        settle(&list).map_err(fails(&list))?;
        settle_folder(directory).map_err(fails(directory))
    }
}

/// The name of a file within a directory, with `/` on every system.
fn within(directory: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(directory).unwrap_or(path);
    inner.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Compares the files of a run that `concerns` chooses by their names with the list: those that are missing or damaged.
/// `None` if there is no list.
pub fn compare_checksums(
    directory: &Path,
    concerns: impl Fn(&str) -> bool,
) -> Result<Option<Vec<OutputError>>, OutputError> {
    let path = directory.join(CHECKSUMS);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(damaged(&path, error.to_string())),
    };
    let own = text.rfind(LAST).map(|at| (at, text[at + LAST.len()..].trim_end()));
    if own.is_none_or(|(at, told)| format!("{:08X}", Seal::of(&path, &text.as_bytes()[..at]).crc()) != told) {
        return Err(damaged(&path, "the list of checksums does not have its own"));
    }
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        let Some((name, told)) = line.rsplit_once(' ') else { continue };
        if !concerns(name) {
            continue;
        }
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(damaged(&path, format!("it names `{name}`, which is not in its directory")));
        }
        let path = directory.join(name);
        match Seal::read_whole(&path) {
            Ok(seal) if format!("{:08X}", seal.crc()) == told => {}
            Ok(seal) => found.push(damaged(
                &path,
                format!("its checksum is {:08X}, and the run wrote {told} ({CHECKSUMS})", seal.crc()),
            )),
            Err(error) => found.push(error),
        }
    }
    Ok(Some(found))
}
