//! NumPy archives, written as a run goes on.
//!
//! An array of frames is streamed: its rows are written as they come, and when it is finished its header
//! gets the true number of rows and the archive its checksum. So memory does not grow with the run, and a
//! run that is stopped leaves an archive of the frames it has. (The checksum of header and rows is combined
//! from the two parts' checksums, because the header is known last.)

use super::{
    atomic::AtomicFile,
    zip::{self, Entry},
};
use glam::DVec3;
use std::{
    io::{self, Seek, SeekFrom, Write},
    path::Path,
};

/// A NumPy archive being written.
#[derive(Debug)]
pub struct NpzWriter {
    file: AtomicFile,
    entries: Vec<Entry>,
    position: u64,
    stream: Option<Stream>,
    bytes: Vec<u8>,
}

/// The array whose rows are being written.
#[derive(Debug)]
struct Stream {
    name: String,
    row: Vec<usize>,
    rows: usize,
    checksum: crc32fast::Hasher,
    offset: u64,
    length: u64,
}

/// Length of every array's header [bytes]: room for any shape, and a multiple of 64 as the format asks.
const HEADER: usize = 128;

impl NpzWriter {
    /// Begins an archive.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = AtomicFile::create(path)?;
        Ok(NpzWriter { file, entries: Vec::new(), position: 0, stream: None, bytes: Vec::new() })
    }

    /// Writes a whole array of triples of i32: triangles.
    pub fn triangles(&mut self, name: &str, triangles: &[[u32; 3]]) -> io::Result<()> {
        let bytes = triangles.iter().flatten().flat_map(|&v| (v as i32).to_le_bytes()).collect::<Vec<u8>>();
        self.whole(name, "<i4", &[triangles.len(), 3], &bytes)
    }

    /// Writes a whole array of points.
    pub fn points(&mut self, name: &str, points: &[DVec3]) -> io::Result<()> {
        let mut bytes = Vec::new();
        encode(points, &mut bytes);
        self.whole(name, "<f8", &[points.len(), 3], &bytes)
    }

    fn whole(&mut self, name: &str, kind: &str, shape: &[usize], bytes: &[u8]) -> io::Result<()> {
        let header = header(kind, shape);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&header);
        checksum.update(bytes);
        let size = (header.len() + bytes.len()) as u64;
        let entry = Entry { name: format!("{name}.npy"), crc: checksum.finalize(), size, offset: self.position };
        entry.write_header(&mut self.file.writer)?;
        self.file.writer.write_all(&header)?;
        self.file.writer.write_all(bytes)?;
        self.position += entry.header_len() + size;
        self.entries.push(entry);
        Ok(())
    }

    /// Begins an array of frames, each of `count` points; nothing else can be written until the end.
    pub fn begin_frames(&mut self, name: &str, count: usize) -> io::Result<()> {
        let stream = Stream {
            name: format!("{name}.npy"),
            row: vec![count, 3],
            rows: 0,
            checksum: crc32fast::Hasher::new(),
            offset: self.position,
            length: 0,
        };
        let room = Entry { name: stream.name.clone(), crc: 0, size: 0, offset: self.position };
        room.write_header(&mut self.file.writer)?;
        self.file.writer.write_all(&[b' '; HEADER])?;
        self.stream = Some(stream);
        Ok(())
    }

    /// Adds a frame to the array that was begun.
    pub fn add_frame(&mut self, points: &[DVec3]) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Err(io::Error::other("no array of frames was begun")) };
        if points.len() != stream.row[0] {
            let message = format!("a frame of {} points instead of {}", points.len(), stream.row[0]);
            return Err(io::Error::other(message));
        }
        encode(points, &mut self.bytes);
        stream.checksum.update(&self.bytes);
        stream.length += self.bytes.len() as u64;
        stream.rows += 1;
        self.file.writer.write_all(&self.bytes)
    }

    /// Ends the array of frames and the archive.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(stream) = self.stream.take() {
            let header = header("<f8", &[stream.rows, stream.row[0], stream.row[1]]);
            let mut checksum = crc32fast::Hasher::new();
            checksum.update(&header);
            checksum.combine(&stream.checksum);
            let size = HEADER as u64 + stream.length;
            let entry = Entry { name: stream.name, crc: checksum.finalize(), size, offset: stream.offset };
            let writer = &mut self.file.writer;
            writer.seek(SeekFrom::Start(entry.offset))?;
            entry.write_header(writer)?;
            writer.write_all(&header)?;
            self.position = entry.offset + entry.header_len() + size;
            writer.seek(SeekFrom::Start(self.position))?;
            self.entries.push(entry);
        }
        zip::write_directory(&self.entries, self.position, &mut self.file.writer)?;
        self.file.finish()
    }
}

fn encode(points: &[DVec3], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.reserve(24 * points.len());
    for x in points.iter().flat_map(|p| p.to_array()) {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
}

/// The header of an array, padded to its fixed length.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(|n| n.to_string()).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", shape.join(", "));
    let mut header = Vec::from(*b"\x93NUMPY\x01\x00");
    header.extend_from_slice(&((HEADER - 10) as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.resize(HEADER - 1, b' ');
    header.push(b'\n');
    header
}
