//! What the frames that a checkpoint relies on weigh: a length and a checksum of each growing file.
//!
//! A file may be damaged between the end of a process and the next, and a run that goes on would then give the damage a
//! valid place among good frames. So every writer keeps a checksum of the bytes that stay, taken while they are
//! written: a checkpoint costs no reading. Going on reads these bytes once and compares. Bytes that are written anew when a
//! run goes on or ends (headers with counts, lists of files, what is put together at the end) are not sealed.
//! CRC-32 finds every error of up to 32 neighbouring bits; it guards against disks, not against people.

use super::writer::{OutputError, damaged, fails, lost};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Length and checksum of bytes that stay.
#[derive(Clone, Debug)]
pub struct Seal {
    /// The file that they are in.
    pub path: PathBuf,
    /// How many there are.
    pub length: u64,
    hasher: crc32fast::Hasher,
}

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

impl Seal {
    /// No bytes yet.
    pub fn new(path: &Path) -> Self {
        Seal { path: path.into(), length: 0, hasher: crc32fast::Hasher::new() }
    }

    /// Of all these bytes.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        let mut seal = Seal::new(path);
        seal.add(bytes);
        seal
    }

    /// Adds bytes that were written behind the others.
    pub fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    /// Of bytes of a file, finished or growing, which `path` names to the user.
    pub fn read(path: &Path, file: &mut File, start: u64, length: u64) -> Result<Self, OutputError> {
        let mut seal = Seal::new(path);
        file.seek(SeekFrom::Start(start)).map_err(fails(path))?;
        let mut bytes = vec![0; PIECE.min(length) as usize];
        while seal.length < length {
            let piece = &mut bytes[..PIECE.min(length - seal.length) as usize];
            file.read_exact(piece).map_err(|_| damaged(path, "it ends before its last frame, or cannot be read"))?;
            seal.add(piece);
        }
        Ok(seal)
    }

    /// Of a whole file.
    pub fn read_whole(path: &Path) -> Result<Self, OutputError> {
        let mut file = File::open(path).map_err(lost(path))?;
        let length = file.metadata().map_err(fails(path))?.len();
        Seal::read(path, &mut file, 0, length)
    }

    /// Length and CRC-32, as a checkpoint holds them.
    pub fn numbers(&self) -> [u64; 2] {
        [self.length, u64::from(self.crc())]
    }

    /// CRC-32.
    pub fn crc(&self) -> u32 {
        self.hasher.clone().finalize()
    }

    /// Adds the bytes of another seal behind the others.
    pub fn join(&mut self, next: &Seal) {
        self.length += next.length;
        self.hasher.combine(&next.hasher);
    }

    /// The checksum, to be combined with that of what stands before.
    pub fn hasher(&self) -> &crc32fast::Hasher {
        &self.hasher
    }
}

/// Weighs what is written through it.
#[derive(Debug)]
pub struct Weighing<W> {
    /// Where bytes go.
    pub out: W,
    /// Of all bytes so far.
    pub seal: Seal,
}

impl<W: Write> Weighing<W> {
    /// Weighs bytes of the file `path` that go to `out`.
    pub fn new(path: &Path, out: W) -> Self {
        Weighing { out, seal: Seal::new(path) }
    }

    /// Lets bytes whose weight is known go to `out` by another way.
    pub fn pass(&mut self, weight: &Seal, copy: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        copy(&mut self.out)?;
        self.seal.join(weight);
        Ok(())
    }
}

impl<W: Write> Write for Weighing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.seal.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Bytes that stand in many files, weighed once.
#[derive(Debug)]
pub struct Weighed {
    bytes: Vec<u8>,
    weight: Seal,
}

impl Weighed {
    /// Their end, for files that are to end with them.
    pub fn end(&self, most: usize) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(most)..]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds them to a file.
    pub fn write<W: Write>(&self, out: &mut Weighing<W>) -> io::Result<()> {
        out.pass(&self.weight, |out| out.write_all(&self.bytes))
    }
}

impl From<Vec<u8>> for Weighed {
    fn from(bytes: Vec<u8>) -> Self {
        Weighed { weight: Seal::of(Path::new(""), &bytes), bytes }
    }
}

/// Refuses files that do not weigh what a checkpoint says.
pub fn compare(found: &[Seal], wanted: &[u64]) -> Result<(), OutputError> {
    let mut wanted = wanted.as_chunks::<2>().0.iter();
    for seal in found {
        if wanted.next() != Some(&seal.numbers()) {
            return Err(damaged(&seal.path, "the checksum of its frames is not the one in the checkpoint"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_weigh_the_same_however_they_come() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let bytes: Vec<u8> = (0..3 * PIECE + 17).map(|k| (k * k % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mut grown = Seal::new(&path);
        bytes[5..].chunks(1000).for_each(|piece| grown.add(piece));
        let mut file = File::open(&path).unwrap();
        let read = Seal::read(&path, &mut file, 5, bytes.len() as u64 - 5).unwrap();
        assert_eq!(read.numbers(), grown.numbers());
        assert_eq!(Seal::read_whole(&path).unwrap().numbers(), Seal::of(&path, &bytes).numbers());
        assert!(Seal::read(&path, &mut file, 6, bytes.len() as u64 - 5).is_err(), "a byte too many");
        let mut joined = Seal::of(&path, &bytes[..5]);
        joined.join(&grown);
        assert_eq!(joined.numbers(), Seal::of(&path, &bytes).numbers());
        let mut copy = Weighing::new(&path, Vec::new());
        copy.write_all(&bytes).unwrap();
        assert!(copy.out == bytes && copy.seal.numbers() == joined.numbers());
        let mut copy = Weighing::new(&path, Vec::new());
        copy.write_all(&bytes[..5]).unwrap();
        copy.pass(&grown, |out| out.write_all(&bytes[5..])).unwrap();
        assert!(copy.out == bytes && copy.seal.numbers() == joined.numbers());
        // The check value that every description of this CRC-32 gives.
        assert_eq!(Seal::of(&path, b"123456789").numbers(), [9, 0xcbf4_3926]);
    }

    #[test]
    fn other_bytes_other_lengths_and_too_few_seals_are_refused() {
        let seal = Seal::of(Path::new("frames"), b"frames");
        let [length, crc] = seal.numbers();
        compare(std::slice::from_ref(&seal), &[length, crc]).unwrap();
        for wrong in [&[length, crc ^ 1][..], &[length + 1, crc], &[]] {
            let text = compare(std::slice::from_ref(&seal), wrong).unwrap_err().to_string();
            assert!(text.contains("`frames`") && text.contains("--overwrite"), "{text}");
        }
    }
}
