//! The bytes of a checkpoint.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `MUSLINCP` |
//! | 4 | version of this layout |
//! | 8 | length of the whole file |
//! | 8 + n | identity: length, then keys and values, a line each |
//! | 8 | number of arrays |
//! | per array | length of the name (4), name, kind (1), number of elements (8), elements |
//! | 32 | BLAKE3 of everything before |
//!
//! All numbers are little-endian, elements are raw. A general format (a NumPy archive, say) would be readable by
//! others, but would have no strong checksum, and nobody else has a use for the source of a Cholesky factor.
//! The length stands in front so that a file that was cut off says so, and not merely that it is damaged.

use super::{Checkpoint, identity::Identity};
use muslin_model::{Archive, Array};
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"MUSLINCP";
const LAYOUT: u32 = 1;
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 32;
/// Bytes before the identity.
const START: usize = 20;

/// Why bytes are no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// They do not begin like one.
    #[error("it is not a checkpoint")]
    NotACheckpoint,
    /// The layout is of another version of Muslin.
    #[error("its layout has version {0}, this Muslin reads {LAYOUT}")]
    OtherLayout(u32),
    /// Bytes are missing, or there are too many.
    #[error("it has {found} of {expected} bytes")]
    Length {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Some byte is not what was written.
    #[error("its checksum does not match")]
    Checksum,
    /// The checksum matches, but the contents make no sense.
    #[error("its contents are inconsistent at byte {0}")]
    Contents(usize),
}

/// Writes a checkpoint.
pub fn encode(checkpoint: &Checkpoint, out: &mut impl Write) -> io::Result<()> {
    let identity = checkpoint.identity.to_text();
    let arrays = &checkpoint.archive.arrays;
    let array_len = |(name, array): (&String, &Array)| 4 + name.len() + 1 + 8 + width(array) * array.len();
    let length = START + 8 + identity.len() + 8 + arrays.iter().map(array_len).sum::<usize>() + CHECKSUM;
    let mut out = Hashing { out, hasher: blake3::Hasher::new(), bytes: Vec::new() };
    out.put(MAGIC)?;
    out.put(&LAYOUT.to_le_bytes())?;
    out.put(&(length as u64).to_le_bytes())?;
    out.put(&(identity.len() as u64).to_le_bytes())?;
    out.put(identity.as_bytes())?;
    out.put(&(arrays.len() as u64).to_le_bytes())?;
    for (name, array) in arrays {
        out.put(&(name.len() as u32).to_le_bytes())?;
        out.put(name.as_bytes())?;
        out.put(&[kind(array)])?;
        out.put(&(array.len() as u64).to_le_bytes())?;
        match array {
            Array::Reals(values) => out.put_all(values, |v| v.to_le_bytes())?,
            Array::Singles(values) => out.put_all(values, |v| v.to_le_bytes())?,
            Array::Counts(values) => out.put_all(values, |v| v.to_le_bytes())?,
            Array::Bytes(values) => out.put(values)?,
        }
    }
    let checksum = out.hasher.finalize();
    out.out.write_all(checksum.as_bytes())
}

/// Reads a checkpoint. Nothing is made that is larger than the bytes.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, Damage> {
    if bytes.len() < START || &bytes[..8] != MAGIC {
        let found = bytes.len() as u64;
        // Cut off so early that even its length is lost.
        let torn = bytes.len() < START && bytes.starts_with(&MAGIC[..bytes.len().min(8)]);
        return Err(if torn { Damage::Length { found, expected: START as u64 } } else { Damage::NotACheckpoint });
    }
    let mut reader = Reader { bytes, at: 8 };
    let layout = u32::from_le_bytes(reader.fixed()?);
    let expected = u64::from_le_bytes(reader.fixed()?);
    if layout != LAYOUT {
        return Err(Damage::OtherLayout(layout));
    }
    if bytes.len() as u64 != expected || bytes.len() < START + CHECKSUM {
        return Err(Damage::Length { found: bytes.len() as u64, expected });
    }
    let (contents, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    if blake3::hash(contents).as_bytes() != checksum {
        return Err(Damage::Checksum);
    }
    let mut reader = Reader { bytes: contents, at: START };
    let identity = Identity::from_text(reader.text(Size::Long)?);
    let mut archive = Archive::default();
    for _ in 0..u64::from_le_bytes(reader.fixed()?) {
        let name = reader.text(Size::Short)?.to_string();
        let [kind] = reader.fixed()?;
        let array = match kind {
            0 => Array::Reals(reader.elements(f64::from_le_bytes)?),
            1 => Array::Singles(reader.elements(f32::from_le_bytes)?),
            2 => Array::Counts(reader.elements(u64::from_le_bytes)?),
            3 => Array::Bytes(reader.elements(|[byte]| byte)?),
            _ => return Err(Damage::Contents(reader.at)),
        };
        archive.arrays.insert(name, array);
    }
    if reader.at != contents.len() {
        return Err(Damage::Contents(reader.at));
    }
    Ok(Checkpoint { identity, archive })
}

fn kind(array: &Array) -> u8 {
    match array {
        Array::Reals(_) => 0,
        Array::Singles(_) => 1,
        Array::Counts(_) => 2,
        Array::Bytes(_) => 3,
    }
}

/// Bytes of an element.
fn width(array: &Array) -> usize {
    match array {
        Array::Reals(_) | Array::Counts(_) => 8,
        Array::Singles(_) => 4,
        Array::Bytes(_) => 1,
    }
}

/// Hashes what it writes.
struct Hashing<'a, W> {
    out: &'a mut W,
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
}

/// Elements turned into bytes at a time.
const BATCH: usize = 1 << 13;

impl<W: Write> Hashing<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }

    fn put_all<T: Copy, const N: usize>(&mut self, values: &[T], encode: impl Fn(T) -> [u8; N]) -> io::Result<()> {
        for batch in values.chunks(BATCH) {
            self.bytes.clear();
            self.bytes.extend(batch.iter().flat_map(|&v| encode(v)));
            self.hasher.update(&self.bytes);
            self.out.write_all(&self.bytes)?;
        }
        Ok(())
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// How many bytes tell a text's length.
#[derive(Clone, Copy)]
enum Size {
    Short,
    Long,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], Damage> {
        let rest = &self.bytes[self.at..];
        if count > rest.len() as u64 {
            return Err(Damage::Contents(self.at));
        }
        self.at += count as usize;
        Ok(&rest[..count as usize])
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let at = self.at;
        self.take(N as u64)?.try_into().map_err(|_| Damage::Contents(at))
    }

    fn text(&mut self, size: Size) -> Result<&'a str, Damage> {
        let at = self.at;
        let length = match size {
            Size::Short => u64::from(u32::from_le_bytes(self.fixed()?)),
            Size::Long => u64::from_le_bytes(self.fixed()?),
        };
        std::str::from_utf8(self.take(length)?).map_err(|_| Damage::Contents(at))
    }

    fn elements<T, const N: usize>(&mut self, decode: impl Fn([u8; N]) -> T) -> Result<Vec<T>, Damage> {
        let at = self.at;
        let count = u64::from_le_bytes(self.fixed()?);
        let bytes = self.take(count.checked_mul(N as u64).ok_or(Damage::Contents(at))?)?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|&chunk| decode(chunk)).collect())
    }
}
