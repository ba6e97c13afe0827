//! Arrays in the format of NumPy, and an archive that ends with an array which grows.
//!
//! Whole arrays come first. The last array is streamed: its rows are added as they come, and when the
//! archive is finished its header gets the true number of rows and the archive its checksum. So memory does not
//! grow with the run. (The checksum of header and rows is combined from the two parts' checksums, because the
//! header is known last.) Everything but that number follows from the cast, so a file can be taken up again: what
//! stands before the rows must be the same, and the rows' checksum is taken anew.

use super::{
    seal::Seal,
    stream::{self, StreamFile},
    writer::{Ending, OTHER_BEGINNING, OutputError, damaged, fails, lost},
    zip::{self, Entry},
};
use glam::DVec3;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// What stands before the rows.
#[derive(Debug, Default)]
pub struct Prefix {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// Where everything is in an archive, whatever its number of rows.
#[derive(Debug)]
struct Layout {
    entries: Vec<Entry>,
    /// Name of the growing array's entry.
    name: String,
    /// Shape of a row.
    row: [usize; 2],
    /// Where the growing array's entry begins.
    offset: u64,
}

/// An archive whose last array grows.
#[derive(Debug)]
pub struct NpzStream {
    file: StreamFile,
    layout: Layout,
    rows: usize,
    /// Of the rows.
    seal: Seal,
    /// Of what stands before the growing array's entry.
    before: Seal,
    bytes: Vec<u8>,
}

/// Length of every array's header [bytes]: room for any shape, and a multiple of 64 as the format asks.
const HEADER: usize = 128;

impl Prefix {
    /// Adds an array; `kind` is NumPy's name of its numbers.
    pub fn array(&mut self, name: &str, kind: &str, shape: &[usize], bytes: &[u8]) {
        let header = header(kind, shape);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&header);
        checksum.update(bytes);
        let size = (header.len() + bytes.len()) as u64;
        let offset = self.bytes.len() as u64;
        let entry = Entry { name: format!("{name}.npy"), crc: checksum.finalize(), size, offset };
        entry.write_header(&mut self.bytes);
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(bytes);
        self.entries.push(entry);
    }

    /// Adds an array of texts.
    pub fn texts(&mut self, name: &str, texts: &[&str]) {
        let width = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = Vec::with_capacity(4 * width * texts.len());
        for text in texts {
            let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
            bytes.extend(padded.flat_map(u32::to_le_bytes));
        }
        self.array(name, &format!("<U{width}"), &[texts.len()], &bytes);
    }

    /// Adds an array of integers with so many columns.
    pub fn integers(&mut self, name: &str, columns: usize, values: impl Iterator<Item = usize>) {
        let bytes: Vec<u8> = values.flat_map(|v| (v as i32).to_le_bytes()).collect();
        self.array(name, "<i4", &[bytes.len() / (4 * columns), columns], &bytes);
    }
}

impl Layout {
    fn new(prefix: &Prefix, (name, count): (&str, usize)) -> Self {
        let (entries, offset) = (prefix.entries.clone(), prefix.bytes.len() as u64);
        Layout { entries, name: format!("{name}.npy"), row: [count, 3], offset }
    }

    fn first_row(&self) -> u64 {
        self.offset + Entry::header_len(&self.name) + HEADER as u64
    }

    fn row_bytes(&self) -> u64 {
        8 * self.row.iter().product::<usize>() as u64
    }

    /// The growing array's entry and the directory that ends an archive of so many rows.
    fn ending(&self, rows: usize, crc: u32) -> (Entry, Vec<u8>) {
        let size = HEADER as u64 + self.row_bytes() * rows as u64;
        let entry = Entry { name: self.name.clone(), crc, size, offset: self.offset };
        let (mut entries, mut directory) = (self.entries.clone(), Vec::new());
        entries.push(entry.clone());
        let start = self.first_row() + self.row_bytes() * rows as u64;
        zip::write_directory(&entries, start, &mut directory);
        (entry, directory)
    }

    /// What stands around so many rows when the archive is finished: the array's entry and header, and the directory.
    fn frame_of(&self, rows: usize, seal: &Seal) -> (Vec<u8>, Vec<u8>) {
        let header = header("<f8", &[rows, self.row[0], self.row[1]]);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&header);
        checksum.combine(seal.hasher());
        let (entry, directory) = self.ending(rows, checksum.finalize());
        let mut start = Vec::new();
        entry.write_header(&mut start);
        start.extend_from_slice(&header);
        (start, directory)
    }
}

/// Looks whether an archive of an earlier run has so many rows, and what they weigh. A complete one must have the
/// checksum of its rows, and end as it should.
pub fn inspect(
    path: &Path,
    prefix: &Prefix,
    array: (&str, usize),
    (rows, ending): (usize, Ending),
) -> Result<Seal, OutputError> {
    let layout = Layout::new(prefix, array);
    let mut file = File::open(stream::existing(path)).map_err(lost(path))?;
    let length = file.metadata().map_err(fails(path))?.len();
    if length < layout.first_row() {
        return Err(damaged(path, format!("it ends after {length} bytes, before its first frame")));
    }
    let mut there = vec![0; prefix.bytes.len()];
    file.read_exact(&mut there).map_err(fails(path))?;
    if there != prefix.bytes {
        return Err(damaged(path, OTHER_BEGINNING));
    }
    // The rows are followed by the directory, or by the room that is held for it; by nothing if a full disk had no room.
    let after = layout.ending(rows, 0).1.len() as u64;
    let end = layout.first_row() + layout.row_bytes() * rows as u64;
    if length < end + after && (ending == Ending::Complete || length != end) {
        let rows_there = (length - layout.first_row()).saturating_sub(after).checked_div(layout.row_bytes());
        let found = rows_there.unwrap_or(0);
        return Err(OutputError::TooShort { path: path.into(), found: found as usize, wanted: rows });
    }
    let seal = Seal::read(path, &mut file, layout.first_row(), layout.row_bytes() * rows as u64)?;
    if ending == Ending::Complete {
        let (start, directory) = layout.frame_of(rows, &seal);
        for (offset, wanted) in [(layout.offset, start), (layout.first_row() + seal.length, directory)] {
            let mut there = vec![0; wanted.len()];
            file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut there)).map_err(fails(path))?;
            if there != wanted {
                return Err(damaged(path, "its frames do not have the checksum that it tells"));
            }
        }
    }
    Ok(seal)
}

impl NpzStream {
    /// Begins an archive; the rows of the array are points, so many each.
    pub fn create(path: &Path, prefix: &Prefix, array: (&str, usize)) -> Result<Self, OutputError> {
        let mut stream = NpzStream::new(StreamFile::create(path)?, prefix, array, Seal::new(path));
        stream.file.append(&prefix.bytes)?;
        let mut room = Vec::new();
        let Layout { name, offset, .. } = &stream.layout;
        Entry { name: name.clone(), crc: 0, size: 0, offset: *offset }.write_header(&mut room);
        room.resize(room.len() + HEADER, b' ');
        stream.file.append(&room)?;
        stream.file.commit()?;
        stream.file.hold_room(stream.layout.ending(0, 0).1.len())?;
        Ok(stream)
    }

    /// Takes up an archive and keeps so many rows, which were inspected.
    pub fn reopen(prefix: &Prefix, array: (&str, usize), rows: usize, seal: Seal) -> Result<Self, OutputError> {
        let mut stream = NpzStream::new(StreamFile::reopen(&seal.path)?, prefix, array, seal);
        stream.file.keep(stream.layout.first_row() + stream.layout.row_bytes() * rows as u64)?;
        stream.file.hold_room(stream.layout.ending(rows, 0).1.len())?;
        stream.rows = rows;
        Ok(stream)
    }

    fn new(file: StreamFile, prefix: &Prefix, array: (&str, usize), seal: Seal) -> Self {
        let before = Seal::of(&seal.path, &prefix.bytes);
        NpzStream { file, layout: Layout::new(prefix, array), rows: 0, seal, before, bytes: Vec::new() }
    }

    /// What the rows so far weigh.
    pub fn seal(&self) -> Seal {
        self.seal.clone()
    }

    /// Adds a row.
    pub fn row(&mut self, points: &[DVec3]) -> Result<(), OutputError> {
        if points.len() != self.layout.row[0] {
            let (found, expected) = (points.len(), self.layout.row[0]);
            return Err(OutputError::FrameSize { number: self.rows, found, expected });
        }
        encode(points, &mut self.bytes);
        let before = self.file.length();
        let mut added = self.file.append(&self.bytes).and_then(|()| self.file.commit());
        added = added.and_then(|()| self.file.hold_room(self.layout.ending(self.rows + 1, 0).1.len()));
        if added.is_err() {
            // The disk is full: what little of the row is there makes way for the end of the archive, unless somebody else
            // takes the room meanwhile.
            self.file.keep(before)?;
            if self.file.hold_room(self.layout.ending(self.rows, 0).1.len()).is_err() {
                self.file.keep(before)?;
            }
            return added;
        }
        self.seal.add(&self.bytes);
        self.rows += 1;
        Ok(())
    }

    /// Hands everything to the disk.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        self.file.sync()
    }

    /// Ends the archive; returns what it weighs.
    pub fn finish(mut self) -> Result<Seal, OutputError> {
        let (start, directory) = self.layout.frame_of(self.rows, &self.seal);
        self.file.patch(self.layout.offset, &start)?;
        self.file.append(&directory)?;
        self.file.finish()?;
        let mut whole = self.before;
        whole.add(&start);
        whole.join(&self.seal);
        whole.add(&directory);
        Ok(whole)
    }
}

/// Points as bytes.
pub fn encode(points: &[DVec3], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.reserve(24 * points.len());
    for x in points.iter().flat_map(|p| p.to_array()) {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
}

/// The header of an array, padded to its fixed length.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let shape = match shape {
        [one] => format!("{one},"),
        _ => shape.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(", "),
    };
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let mut header = Vec::from(*b"\x93NUMPY\x01\x00");
    header.extend_from_slice(&((HEADER - 10) as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.resize(HEADER - 1, b' ');
    header.push(b'\n');
    header
}
