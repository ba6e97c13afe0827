//! Growing pieces of a file that is put together when it is finished.

use super::{
    seal::Seal,
    writer::{OutputError, fails, lost},
};
use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// A piece that grows by whole records.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    path: PathBuf,
    /// Bytes of whole records.
    length: u64,
    /// Of whole records.
    seal: Seal,
}

/// A moment of a piece.
#[derive(Debug)]
pub struct Mark(Seal);

impl PartFile {
    /// Begins a piece.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        Ok(PartFile { file: file.map_err(fails(path))?, path: path.into(), length: 0, seal: Seal::new(path) })
    }

    /// Takes up a piece that was inspected and keeps the records that were sealed.
    pub fn reopen(seal: Seal) -> Result<Self, OutputError> {
        let path = seal.path.clone();
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(lost(&path))?;
        let mut part = PartFile { file, path, length: seal.length, seal };
        part.cut(part.length)?;
        Ok(part)
    }

    /// What the records that were added weigh.
    pub fn seal(&self) -> Seal {
        self.seal.clone()
    }

    /// Where it ends now, to go back to.
    pub fn mark(&self) -> Mark {
        Mark(self.seal.clone())
    }

    /// Drops all records since a mark.
    pub fn back_to(&mut self, Mark(seal): &Mark) -> Result<(), OutputError> {
        self.cut(seal.length)?;
        self.seal = seal.clone();
        Ok(())
    }

    /// Its bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Cuts the piece to a length [bytes].
    fn cut(&mut self, length: u64) -> Result<(), OutputError> {
        self.file.set_len(length).map_err(fails(&self.path))?;
        self.length = length;
        Ok(())
    }

    /// Adds a record; if there is no room for all of it, nothing of it stays.
    pub fn append(&mut self, record: &[u8]) -> Result<(), OutputError> {
        let written = self.file.seek(SeekFrom::Start(self.length)).and_then(|_| self.file.write_all(record));
        if let Err(error) = written {
            let _ = self.file.set_len(self.length);
            return Err(fails(&self.path)(error));
        }
        self.length += record.len() as u64;
        self.seal.add(record);
        Ok(())
    }

    /// Reads bytes.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), OutputError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(bytes)).map_err(fails(&self.path))
    }

    /// Copies all of it behind what a file holds, as the system does that best.
    pub fn copy_to(&self, out: &mut File) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        match io::copy(&mut file.take(self.length), out)? {
            copied if copied == self.length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Hands it to the disk.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        self.file.sync_data().map_err(fails(&self.path))
    }
}

/// Whole lines at the front of a file, at most so many, and their length [bytes]. All their bytes, and those of a line
/// that is not whole, are handed on.
fn whole_lines(mut file: &File, lines: usize, mut bytes_of: impl FnMut(&[u8])) -> io::Result<(usize, u64)> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let (mut found, mut length) = (0, 0);
    while found < lines {
        let mut bytes = 0;
        let whole = loop {
            let piece = reader.fill_buf()?;
            let (taken, end) = match piece.iter().position(|&b| b == b'\n') {
                Some(k) => (k + 1, true),
                None => (piece.len(), piece.is_empty()),
            };
            let line_ends = end && taken > 0;
            bytes += taken as u64;
            bytes_of(&piece[..taken]);
            reader.consume(taken);
            if end {
                break line_ends;
            }
        };
        if !whole {
            break;
        }
        found += 1;
        length += bytes;
    }
    Ok((found, length))
}

/// Looks whether a piece has so many whole lines, and what they weigh.
pub fn inspect_lines(path: &Path, lines: usize) -> Result<Seal, OutputError> {
    let file = File::open(path).map_err(lost(path))?;
    let mut seal = Seal::new(path);
    let (found, _) = whole_lines(&file, lines, |bytes| seal.add(bytes)).map_err(fails(path))?;
    if found < lines { Err(OutputError::TooShort { path: path.into(), found, wanted: lines }) } else { Ok(seal) }
}

/// Looks whether a piece has so many records of a fixed size [bytes], and what they weigh.
pub fn inspect_records(path: &Path, size: u64, records: usize) -> Result<Seal, OutputError> {
    let mut file = File::open(path).map_err(lost(path))?;
    let length = file.metadata().map_err(fails(path))?.len();
    let found = length.checked_div(size).unwrap_or(records as u64) as usize;
    if found < records {
        return Err(OutputError::TooShort { path: path.into(), found, wanted: records });
    }
    Seal::read(path, &mut file, 0, size * records as u64)
}
