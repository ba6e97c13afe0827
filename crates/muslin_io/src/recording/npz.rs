//! Archives of NumPy arrays: where each array is, and its numbers, whole or from the middle.
//!
//! Entries are walked from the front. One that is stored (`np.savez`, and what this program writes) is read in place. One that is
//! packed (`np.savez_compressed`) can only be unpacked from its beginning; the unpacker stays where it was, so that
//! frames read one after the other cost one pass. Nothing is unpacked to the disk, and memory holds what is asked for.
//!
//! An entry tells its CRC-32. It is taken while numbers are read in order, and compared when the last one was read: who reads
//! all of an array learns whether it is as it was written, who looks into the middle does not wait for it.

use super::{RecordingError, unfit, unreadable};
use flate2::read::DeflateDecoder;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
};

/// What to do about an archive that is not as it should be.
pub const NOT_OURS: &str = "give an archive that `muslin run` has written";

/// Longest header of an array [bytes].
const LONGEST_HEADER: usize = 4096;

/// No byte of deflated data stands for more than this many [-]: a symbol of one bit may repeat 258 bytes.
const MOST_UNPACKED: u64 = 2064;

/// An open archive.
pub struct Archive {
    /// Its file, for messages.
    pub path: PathBuf,
    file: File,
    arrays: BTreeMap<String, Array>,
}

/// Where an array is, and its type.
struct Array {
    kind: String,
    shape: Vec<usize>,
    /// Of its numbers, in the file or in what is unpacked [bytes].
    offset: u64,
    packed: Option<Packed>,
    weight: Weight,
}

/// The checksum of an array as far as it was read in order.
struct Weight {
    hasher: crc32fast::Hasher,
    /// Bytes of its numbers that were read in order.
    read: u64,
    /// Bytes of all its numbers.
    all: u64,
    /// What the entry tells; `None` if that stands behind it.
    told: Option<u32>,
}

impl Weight {
    /// Adds numbers that were read from somewhere [bytes]; `false` if they were the last and the checksum is not the
    /// one that was told.
    fn add(&mut self, from: u64, bytes: &[u8]) -> bool {
        let known = self.read.checked_sub(from).filter(|known| *known <= bytes.len() as u64);
        let Some(known) = known else { return true };
        self.hasher.update(&bytes[known as usize..]);
        self.read = from + bytes.len() as u64;
        self.read < self.all || self.told.is_none_or(|told| told == self.hasher.clone().finalize())
    }
}

/// A packed entry.
struct Packed {
    /// Where it is in the file [bytes].
    start: u64,
    length: u64,
    unpacker: Option<Unpacker>,
    /// What was read last, and where: whoever wants velocities reads each frame twice.
    last: (u64, Vec<u8>),
}

/// Unpacks an entry from its beginning.
struct Unpacker {
    bytes: DeflateDecoder<Take<File>>,
    /// Bytes that were unpacked.
    position: u64,
}

impl Packed {
    /// Reads bytes of what is unpacked; only what is there takes room, whatever the header claims.
    fn read(&mut self, path: &Path, offset: u64, count: usize) -> io::Result<Vec<u8>> {
        if (self.last.0, self.last.1.len()) == (offset, count) {
            return Ok(self.last.1.clone());
        }
        let mut unpacker = match self.unpacker.take().filter(|unpacker| unpacker.position <= offset) {
            Some(unpacker) => unpacker,
            None => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(self.start))?;
                Unpacker { bytes: DeflateDecoder::new(file.take(self.length)), position: 0 }
            }
        };
        let before = offset - unpacker.position;
        let skipped = io::copy(&mut unpacker.bytes.by_ref().take(before), &mut io::sink())?;
        let mut bytes = Vec::new();
        unpacker.bytes.by_ref().take(count as u64).read_to_end(&mut bytes)?;
        if skipped < before || bytes.len() < count {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        unpacker.position = offset + count as u64;
        self.unpacker = Some(unpacker);
        self.last = (offset, bytes.clone());
        Ok(bytes)
    }
}

impl Archive {
    /// Finds the arrays of an archive.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let mut file = File::open(path).map_err(unreadable(path))?;
        let length = file.metadata().map_err(unreadable(path))?.len();
        let (mut arrays, mut at) = (BTreeMap::new(), 0u64);
        let mut header = [0u8; 30];
        while at + 30 <= length {
            file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut header)).map_err(unreadable(path))?;
            if header[..4] != *b"PK\x03\x04" {
                break;
            }
            let short = |k: usize| usize::from(u16::from_le_bytes([header[k], header[k + 1]]));
            let mut rest = vec![0; short(26) + short(28)];
            file.read_exact(&mut rest).map_err(unreadable(path))?;
            let (name, extra) = rest.split_at(short(26));
            let name = String::from_utf8_lossy(name).trim_end_matches(".npy").to_string();
            let word = |k: usize| u32::from_le_bytes([header[k], header[k + 1], header[k + 2], header[k + 3]]);
            let (mut size, mut whole) = (u64::from(word(18)), u64::from(word(22)));
            if let ([1, 0, _, _, wide @ ..], true) = (extra, size == u64::from(u32::MAX)) {
                // The size of what is unpacked comes first, that of the entry second.
                let entry = wide.get(8..).and_then(|wide| wide.first_chunk::<8>());
                size = entry.map_or(u64::MAX, |b| u64::from_le_bytes(*b));
                whole = wide.first_chunk::<8>().map_or(u64::MAX, |b| u64::from_le_bytes(*b));
            }
            let data = at + 30 + rest.len() as u64;
            let packed = match short(8) {
                0 => false,
                8 => true,
                _ => return Err(unfit(path, format!("`{name}` is packed by a method other than deflate"), REPACK)),
            };
            if short(6) & WITHOUT_SIZE != 0 && size == 0 {
                return Err(unfit(path, format!("`{name}` does not say how long it is"), REPACK));
            }
            if size > length - data.min(length) {
                return Err(unfit(path, format!("`{name}` is cut off"), "copy or write it again"));
            }
            let array = match packed {
                false => Array::read(&mut file, data, size),
                true => Array::read_packed(path, data, size),
            };
            let tells = short(6) & WITHOUT_SIZE == 0;
            if array.is_none() && !packed && tells && checksum(&mut file, data, size) != Some(word(14)) {
                // Not merely an array of another type.
                return Err(unfit(path, format!("`{name}` does not have the checksum that it tells"), DAMAGED));
            }
            if let Some((mut array, end)) = array {
                if tells && end != whole {
                    return Err(unfit(path, format!("`{name}` has {end} of {whole} bytes"), DAMAGED));
                }
                array.weight.told = tells.then(|| word(14));
                arrays.insert(name, array);
            }
            at = data + size;
        }
        if arrays.is_empty() {
            return Err(unfit(path, "it holds no arrays", NOT_OURS));
        }
        Ok(Archive { path: path.into(), file, arrays })
    }

    /// The shape of an array of a type.
    pub fn shape(&self, name: &str, kind: &str) -> Result<Vec<usize>, RecordingError> {
        let found = self.arrays.get(name).filter(|array| array.kind == kind);
        let missing = || unfit(&self.path, format!("it has no array `{name}` of the type {kind}"), NOT_OURS);
        found.map(|array| array.shape.clone()).ok_or_else(missing)
    }

    /// Whether there is an array.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// Some bytes of an array.
    fn bytes(&mut self, name: &str, from: u64, count: usize) -> Result<Vec<u8>, RecordingError> {
        let Some(array) = self.arrays.get_mut(name) else { return Ok(Vec::new()) };
        let offset = array.offset + from;
        let read = match &mut array.packed {
            None => {
                let mut bytes = vec![0; count];
                let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut bytes));
                read.map(|()| bytes)
            }
            Some(packed) => packed.read(&self.path, offset, count),
        };
        let bytes = read.map_err(unreadable(&self.path))?;
        match array.weight.add(from, &bytes) {
            true => Ok(bytes),
            false => Err(unfit(&self.path, format!("`{name}` does not have the checksum that it tells"), DAMAGED)),
        }
    }

    /// All numbers of an array.
    pub fn numbers(&mut self, name: &str) -> Result<Vec<f64>, RecordingError> {
        let count = self.shape(name, "<f8")?.iter().product::<usize>();
        self.some_numbers(name, 0, count)
    }

    /// Some numbers of an array, from the middle.
    pub fn some_numbers(&mut self, name: &str, first: usize, count: usize) -> Result<Vec<f64>, RecordingError> {
        let bytes = self.bytes(name, 8 * first as u64, 8 * count)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }

    /// All whole numbers of an array.
    pub fn integers(&mut self, name: &str) -> Result<Vec<i32>, RecordingError> {
        let count = self.shape(name, "<i4")?.iter().product::<usize>();
        let bytes = self.bytes(name, 0, 4 * count)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect())
    }

    /// All texts of an array.
    pub fn texts(&mut self, name: &str) -> Result<Vec<String>, RecordingError> {
        let array = self.arrays.get(name).ok_or_else(|| unfit(&self.path, "it names no bodies", NOT_OURS))?;
        let width = array.kind.strip_prefix("<U").and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        let count = array.shape.iter().product::<usize>();
        if width == 0 {
            return Ok(Vec::new());
        }
        let bytes = self.bytes(name, 0, 4 * width * count)?;
        let letter = |b: &[u8; 4]| char::from_u32(u32::from_le_bytes(*b)).unwrap_or('?');
        let text = |b: &[u8]| b.as_chunks::<4>().0.iter().map(letter).take_while(|&c| c != '\0').collect();
        Ok(bytes.chunks_exact(4 * width).map(text).collect())
    }
}

/// A flag of entries whose size stands behind them.
const WITHOUT_SIZE: usize = 8;

const DAMAGED: &str = "some of it is damaged: take a whole copy, or simulate it again";
const REPACK: &str = "write it with `np.savez` or `np.savez_compressed`";

/// The CRC-32 of bytes of a file, if it has them.
fn checksum(file: &mut File, at: u64, size: u64) -> Option<u32> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let (mut hasher, mut bytes, mut left) = (crc32fast::Hasher::new(), [0; 1 << 14], size);
    while left > 0 {
        let piece = &mut bytes[..left.min(1 << 14) as usize];
        file.read_exact(piece).ok()?;
        hasher.update(piece);
        left -= piece.len() as u64;
    }
    Some(hasher.finalize())
}

impl Array {
    /// Reads the header of an array that is stored; `None` if it is none, or larger than its entry.
    fn read(file: &mut File, at: u64, size: u64) -> Option<(Self, u64)> {
        file.seek(SeekFrom::Start(at)).ok()?;
        let (array, end) = Array::header(&mut file.by_ref().take(size))?;
        (end <= size).then_some((Array { offset: at + array.offset, ..array }, end))
    }

    /// The same of an array that is packed.
    fn read_packed(path: &Path, at: u64, size: u64) -> Option<(Self, u64)> {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(at)).ok()?;
        let (array, end) = Array::header(&mut DeflateDecoder::new(file.take(size)))?;
        let packed = Some(Packed { start: at, length: size, unpacker: None, last: (0, Vec::new()) });
        (end <= size.saturating_mul(MOST_UNPACKED)).then_some((Array { packed, ..array }, end))
    }

    /// The array that a header describes, and where it ends [bytes].
    fn header(bytes: &mut impl Read) -> Option<(Self, u64)> {
        let mut start = [0; 10];
        bytes.read_exact(&mut start).ok()?;
        let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
        if start[..8] != *b"\x93NUMPY\x01\x00" || length > LONGEST_HEADER {
            return None;
        }
        let mut text = vec![0; length];
        bytes.read_exact(&mut text).ok()?;
        let mut hasher = crc32fast::Hasher::new();
        [&start[..], &text].iter().for_each(|part| hasher.update(part));
        let text = String::from_utf8(text).ok()?;
        let value = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let kind = value("descr")?.strip_prefix('\'')?.split('\'').next()?.to_string();
        let shape = value("shape")?.strip_prefix('(')?.split(')').next()?;
        let sizes = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        let shape: Vec<usize> = sizes.map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let width = match kind.as_str() {
            "<f8" => 8,
            "<i4" => 4,
            text => text.strip_prefix("<U")?.parse::<usize>().ok()?.checked_mul(4)?,
        };
        let count = shape.iter().try_fold(width, |product: usize, &n| product.checked_mul(n))?;
        let offset = 10 + length as u64;
        let weight = Weight { hasher, read: 0, all: count as u64, told: None };
        let array = Array { kind, shape, offset, packed: None, weight };
        value("fortran_order")?.starts_with("False").then_some((array, offset.checked_add(count as u64)?))
    }
}
