//! Opens a file that may be compressed, with a bound on what comes out of it.
//!
//! Compression is told by content, not by name: a file that begins like gzip or xz is unpacked while it is read.
//! A few bytes of either can stand for gigabytes, so the output is bounded by the size of the file
//! ([`LARGEST_RATIO`], [`ALWAYS_ALLOWED`]) and xz's dictionary by [`XZ_MEMORY`]. Meshes and tables of numbers
//! shrink to a half or a tenth; a regular grid written as text to a fortieth.

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
};

/// Unpacked bytes allowed per byte of the file [-]; gzip cannot pack more than 1032 into one.
pub const LARGEST_RATIO: u64 = 256;
/// Unpacked bytes that even the smallest file may hold [bytes], so that a tiny grid of zeros still opens.
pub const ALWAYS_ALLOWED: u64 = 1 << 20;
/// Most memory for xz's dictionary [KiB]: `xz -9` needs 64 MiB, and a little more for its tables.
const XZ_MEMORY: u32 = 66 * 1024;
/// Bytes read from disk at once.
const BUFFER: usize = 1 << 17;

/// A file's bytes, unpacked, with the place in them.
pub struct Input {
    reader: Box<dyn BufRead + Send>,
    /// Bytes handed out so far.
    position: u64,
    /// Lines handed out so far.
    line: u64,
    /// Most bytes to hand out.
    limit: u64,
    /// Whether `limit` is the size of a plain file.
    plain: bool,
}

impl Input {
    /// Opens a file, plain, `.gz` or `.xz`.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // A device or a pipe has no size to bound anything by, and may never end.
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        Self::unpack(BufReader::with_capacity(BUFFER, file), metadata.len())
    }

    /// Bytes in memory, plain or packed.
    pub fn from_bytes(bytes: Vec<u8>) -> io::Result<Self> {
        let size = bytes.len() as u64;
        Self::unpack(Cursor::new(bytes), size)
    }

    fn unpack(mut packed: impl BufRead + Send + 'static, size: u64) -> io::Result<Self> {
        let start = packed.fill_buf()?;
        let gzip = start.starts_with(&[0x1f, 0x8b]);
        let xz = start.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]);
        let limit = size.saturating_mul(LARGEST_RATIO).max(ALWAYS_ALLOWED);
        let (reader, limit): (Box<dyn BufRead + Send>, u64) = if gzip {
            (Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(packed))), limit)
        } else if xz {
            let unpacked = XzReader::new_mem_limit(packed, true, XZ_MEMORY);
            (Box::new(BufReader::with_capacity(BUFFER, unpacked)), limit)
        } else {
            (Box::new(packed), size)
        };
        Ok(Input { reader, position: 0, line: 0, limit, plain: !(gzip || xz) })
    }

    /// Bytes handed out so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Lines handed out so far by [`Input::next_line`]: the number of the current one, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Most bytes that can still come: exact for a plain file, the allowed rest for a packed one.
    pub fn most_left(&self) -> u64 {
        self.limit.saturating_sub(self.position)
    }

    /// Reads the next line without its end into `line`; `false` after the last.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        if self.read_until(b'\n', line)? == 0 {
            return Ok(false);
        }
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        self.line += 1;
        Ok(true)
    }

    /// The first bytes, without taking them; fewer than asked for if the file is short.
    pub fn peek(&mut self) -> io::Result<&[u8]> {
        self.fill_buf()
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = self.most_left();
        let buffer = self.reader.fill_buf()?;
        if left == 0 && !buffer.is_empty() && !self.plain {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "unpacked, it is larger than {} bytes, more than {LARGEST_RATIO} times its size; unpack it yourself if that is right",
                    self.limit
                ),
            ));
        }
        // A plain file may grow while it is read; what it had at the start counts.
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        Ok(&buffer[..count])
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        self.reader.consume(count);
    }
}
