//! The records of a zip archive of stored (uncompressed) entries, with the 64-bit extension.
//!
//! Every entry's own header has 64-bit sizes, because it is written before the entry and its size may not be
//! known; the directory at the end uses 32 bits where they suffice, as readers expect of small archives.

/// An entry of the archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// File name in the archive.
    pub name: String,
    /// CRC-32 of its bytes.
    pub crc: u32,
    /// Its length [bytes].
    pub size: u64,
    /// Where its header begins [bytes].
    pub offset: u64,
}

/// Version of the format that has 64-bit sizes.
const VERSION: u16 = 45;
/// 1 January 1980, the first day of the format: a result does not depend on the clock.
const DATE: u16 = 0x0021;
/// Says that the true value stands in the 64-bit field.
const ELSEWHERE: u32 = u32::MAX;

impl Entry {
    /// Bytes of the header in front of an entry with this name.
    pub fn header_len(name: &str) -> u64 {
        30 + name.len() as u64 + 20
    }

    /// Writes the header in front of the entry.
    pub fn write_header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"PK\x03\x04");
        shorts(out, &[VERSION, 0, 0, 0, DATE]);
        words(out, &[self.crc, ELSEWHERE, ELSEWHERE]);
        shorts(out, &[self.name.len() as u16, 20]);
        out.extend_from_slice(self.name.as_bytes());
        shorts(out, &[1, 16]);
        longs(out, &[self.size, self.size]);
    }

    fn write_directory(&self, out: &mut Vec<u8>) {
        let mut wide = Vec::new();
        let mut narrow = |value: u64| match u32::try_from(value) {
            Ok(value) if value != ELSEWHERE => value,
            _ => {
                wide.push(value);
                ELSEWHERE
            }
        };
        let (size, stored, offset) = (narrow(self.size), narrow(self.size), narrow(self.offset));
        let extra = if wide.is_empty() { 0 } else { 4 + 8 * wide.len() as u16 };
        out.extend_from_slice(b"PK\x01\x02");
        shorts(out, &[VERSION, VERSION, 0, 0, 0, DATE]);
        words(out, &[self.crc, stored, size]);
        shorts(out, &[self.name.len() as u16, extra, 0, 0, 0]);
        words(out, &[0, offset]);
        out.extend_from_slice(self.name.as_bytes());
        if extra > 0 {
            shorts(out, &[1, extra - 4]);
            longs(out, &wide);
        }
    }
}

/// Writes the directory that ends an archive; `start` is where it begins [bytes].
pub fn write_directory(entries: &[Entry], start: u64, out: &mut Vec<u8>) {
    let mut directory = Vec::new();
    entries.iter().for_each(|entry| entry.write_directory(&mut directory));
    out.extend_from_slice(&directory);
    let (count, length) = (entries.len() as u64, directory.len() as u64);
    if start + length >= u64::from(ELSEWHERE) {
        out.extend_from_slice(b"PK\x06\x06");
        longs(out, &[44]);
        shorts(out, &[VERSION, VERSION]);
        words(out, &[0, 0]);
        longs(out, &[count, count, length, start]);
        out.extend_from_slice(b"PK\x06\x07");
        words(out, &[0]);
        longs(out, &[start + length]);
        words(out, &[1]);
    }
    out.extend_from_slice(b"PK\x05\x06");
    shorts(out, &[0, 0, count as u16, count as u16]);
    words(out, &[length as u32, u32::try_from(start).unwrap_or(ELSEWHERE)]);
    shorts(out, &[0]);
}

fn shorts(out: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn words(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn longs(out: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}
