//! Room on the disk that is kept free for a file that is put together at the end.
//!
//! A USD layer and a GLB file are written when all frames are known, beside the samples that were gathered: at that moment the
//! run needs the room of both. If it were taken only then, a disk that fills up would leave samples and no file. So the
//! room is taken frame by frame, in a file without contents, and given back just before the file is written. A
//! run that could not have been finished stops earlier instead, and its frames are readable.

use super::writer::{OutputError, fails};
use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Bytes of a disk that nobody else can have.
#[derive(Debug)]
pub struct Room {
    path: PathBuf,
    file: Option<File>,
    held: u64,
}

impl Room {
    /// Room for the file `target`; none yet.
    pub fn beside(target: &Path) -> Self {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(".room.partial");
        Room { path: target.with_file_name(name), file: None, held: 0 }
    }

    /// Sees to it that so many bytes are held.
    pub fn hold(&mut self, bytes: u64) -> Result<(), OutputError> {
        if bytes <= self.held {
            return Ok(());
        }
        let file = match &self.file {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().write(true).create(true).truncate(true).open(&self.path);
                self.file.insert(file.map_err(fails(&self.path))?)
            }
        };
        take(file, self.held, bytes - self.held).map_err(fails(&self.path))?;
        self.held = bytes;
        Ok(())
    }

    /// Gives everything back.
    pub fn give_back(&mut self) -> Result<(), OutputError> {
        (self.file, self.held) = (None, 0);
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fails(&self.path)(error)),
            _ => Ok(()),
        }
    }
}

/// Takes bytes of a file; without writing them where the system can.
#[cfg(target_os = "linux")]
fn take(file: &File, offset: u64, length: u64) -> io::Result<()> {
    use rustix::{fs, io::Errno};
    loop {
        match fs::fallocate(file, fs::FallocateFlags::empty(), offset, length) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return fill(file, offset, length),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn take(file: &File, offset: u64, length: u64) -> io::Result<()> {
    fill(file, offset, length)
}

/// Bytes that are written at once.
const PIECE: u64 = 1 << 20;

/// Takes bytes by writing them.
fn fill(mut file: &File, offset: u64, length: u64) -> io::Result<()> {
    use io::{Seek, Write};
    file.seek(io::SeekFrom::Start(offset))?;
    let zeros = vec![0; PIECE.min(length) as usize];
    let mut left = length;
    while left > 0 {
        let now = left.min(PIECE);
        file.write_all(&zeros[..now as usize])?;
        left -= now;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_held_in_one_file_and_given_back() {
        let directory = tempfile::tempdir().unwrap();
        let mut room = Room::beside(&directory.path().join("frames.usda"));
        for bytes in [1000, 500, 70_000] {
            room.hold(bytes).unwrap();
        }
        let path = directory.path().join("frames.usda.room.partial");
        assert_eq!(fs::metadata(&path).unwrap().len(), 70_000);
        room.give_back().unwrap();
        assert!(!path.exists());
        room.give_back().unwrap();
    }

    #[test]
    fn the_slow_way_takes_as_much() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("a")).unwrap();
        fill(&file, 0, 10).unwrap();
        fill(&file, 10, 2 * PIECE + 1).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 2 * PIECE + 11);
    }
}
