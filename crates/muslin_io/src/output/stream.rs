//! A file that grows frame by frame and can be taken up again.
//!
//! It is called `NAME.partial` until it is finished. Bytes are gathered and handed to the system at the end of
//! each frame; what the system has survives the death of the process. `committed` is the length up to the
//! last whole frame: a frame that fails in the middle (a full disk) is cut off again.

use super::{
    atomic::AtomicFile,
    writer::{OutputError, fails, lost},
};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// A growing file.
#[derive(Debug)]
pub struct StreamFile {
    file: File,
    target: PathBuf,
    buffer: Vec<u8>,
    /// Bytes handed to the system.
    written: u64,
    /// Bytes up to the last whole frame.
    committed: u64,
}

/// Bytes gathered before they are handed to the system.
const BUFFER: usize = 1 << 18;

/// The name of a file while it grows.
pub fn partial(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    target.with_file_name(name)
}

/// The name of what grows beside a file that is put together when it is finished.
pub fn samples(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".samples");
    partial(&target.with_file_name(name))
}

impl StreamFile {
    /// Begins a file that will be called `target`, in place of what an earlier run left.
    pub fn create(target: &Path) -> Result<Self, OutputError> {
        match fs::remove_file(target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fails(target)(error)),
            _ => {}
        }
        let path = partial(target);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(fails(&path))?;
        Ok(StreamFile { file, target: target.into(), buffer: Vec::with_capacity(BUFFER), written: 0, committed: 0 })
    }

    /// Takes up a file, finished or not. Its length is to be judged by [`StreamFile::length`] and set by
    /// [`StreamFile::keep`].
    pub fn reopen(target: &Path) -> Result<Self, OutputError> {
        let path = partial(target);
        if !path.exists() {
            fs::rename(target, &path).map_err(lost(target))?;
        }
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(fails(&path))?;
        let written = file.metadata().map_err(fails(&path))?.len();
        Ok(StreamFile { file, target: target.into(), buffer: Vec::with_capacity(BUFFER), written, committed: written })
    }

    /// Bytes so far.
    pub fn length(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Cuts the file to this length.
    pub fn keep(&mut self, length: u64) -> Result<(), OutputError> {
        self.buffer.clear();
        self.file
            .set_len(length)
            .and_then(|()| self.file.seek(SeekFrom::Start(length)))
            .map_err(fails(&self.target))?;
        (self.written, self.committed) = (length, length);
        Ok(())
    }

    /// Adds bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.hand_over()?;
        }
        if bytes.len() > BUFFER {
            self.file.write_all(bytes).map_err(fails(&self.target))?;
            self.written += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), OutputError> {
        let handed = self.file.write_all(&self.buffer).map_err(fails(&self.target));
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        handed
    }

    /// Ends a frame: it is the system's now.
    pub fn commit(&mut self) -> Result<(), OutputError> {
        self.hand_over()?;
        self.committed = self.written;
        Ok(())
    }

    /// Takes so much room on the disk after the last whole frame, so that the file can be ended even if the disk is
    /// full by then. The next frame begins before it.
    pub fn hold_room(&mut self, bytes: usize) -> Result<(), OutputError> {
        let mut write = || {
            self.file.write_all(&vec![0; bytes])?;
            self.file.seek(SeekFrom::Start(self.written))
        };
        write().map(drop).map_err(fails(&self.target))
    }

    /// Replaces bytes that were committed.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), OutputError> {
        let mut write = || {
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.write_all(bytes)?;
            self.file.seek(SeekFrom::Start(self.written))
        };
        write().map(drop).map_err(fails(&self.target))
    }

    /// Hands everything to the disk.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        self.file.sync_data().map_err(fails(&self.target))
    }

    /// Drops a frame that was begun and not committed.
    pub fn drop_unfinished(&mut self) -> Result<(), OutputError> {
        self.keep(self.committed)
    }

    /// The file's growing name and its bytes up to the last whole frame.
    pub fn committed(&self) -> (PathBuf, u64) {
        (partial(&self.target), self.committed)
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<PathBuf, OutputError> {
        self.commit()?;
        self.file.set_len(self.written).map_err(fails(&self.target))?;
        fs::rename(partial(&self.target), &self.target).map_err(fails(&self.target))?;
        Ok(self.target)
    }
}

/// Where a file of an earlier run is: under its growing name if that exists, else finished.
pub fn existing(target: &Path) -> PathBuf {
    let growing = partial(target);
    if growing.exists() { growing } else { target.into() }
}

/// The name of a copy that is about to replace a file.
fn copy_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".copy");
    target.with_file_name(name)
}

/// Removes what a process that was killed while it copied has left.
pub fn remove_copies(target: &Path) -> Result<(), OutputError> {
    for target in [target, &partial(target)] {
        for path in [copy_of(target), partial(&copy_of(target))] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fails(&path)(error)),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Makes a file from a header and bytes of another; it appears when it is whole, and if that fails nothing is left.
pub fn copy_with_header(source: &Path, bytes: Range<u64>, header: &[u8], target: &Path) -> Result<(), OutputError> {
    let whole = copy_of(target);
    let copy = || {
        let mut file = File::open(source)?;
        file.seek(SeekFrom::Start(bytes.start))?;
        let mut copy = AtomicFile::create(&whole)?;
        copy.writer.write_all(header)?;
        let copied = io::copy(&mut file.take(bytes.end - bytes.start), &mut copy.writer)?;
        if copied != bytes.end - bytes.start {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        copy.finish()?;
        fs::rename(&whole, target)
    };
    copy().map_err(fails(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_header_and_the_bytes_or_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let (source, target) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&source, b"old:frames").unwrap();
        copy_with_header(&source, 4..10, b"new:", &target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new:frames");
        // Somebody cut the source meanwhile: what is there stays, and nothing is left of the attempt.
        assert!(copy_with_header(&source, 4..11, b"new:", &target).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"new:frames");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
