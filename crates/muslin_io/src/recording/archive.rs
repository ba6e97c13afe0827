//! `frames.npz`, with `obstacles.npz` beside it.
//!
//! Entries of an archive are walked from the front. They must be stored, not packed, as NumPy's `savez` and this
//! program write them; then a frame is read in place.

use super::{Recording, RecordingError, unfit, unreadable};
use crate::output::Cast;
use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The archives of a run.
pub struct Archives {
    cast: Cast,
    /// Each archive's frames and how many points they have.
    frames: Vec<(Archive, usize)>,
}

const NOT_OURS: &str = "give an archive that `muslin run` has written";

/// Longest header of an array [bytes].
const LONGEST_HEADER: usize = 4096;

struct Archive {
    path: PathBuf,
    file: File,
    arrays: BTreeMap<String, Array>,
}

/// Where an array is, and its type.
struct Array {
    kind: String,
    shape: Vec<usize>,
    offset: u64,
}

impl Archives {
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let mut archives = Archives { cast: Cast::default(), frames: Vec::new() };
        archives.add(path, BodyKind::Cloth)?;
        let obstacles = path.with_file_name("obstacles.npz");
        if obstacles.exists() && obstacles != path {
            archives.add(&obstacles, BodyKind::Obstacle)?;
        }
        let name = path.parent().and_then(|folder| folder.canonicalize().ok());
        let name = name.and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
        archives.cast.name = name.unwrap_or_else(|| "frames".into());
        Ok(archives)
    }

    fn add(&mut self, path: &Path, kind: BodyKind) -> Result<(), RecordingError> {
        let mut archive = Archive::open(path)?;
        let shape = archive.array("X", "<f8")?.shape.clone();
        let [frames, points, 3] = shape[..] else {
            return Err(unfit(path, format!("`X` has the shape {shape:?}"), "it must be frames × vertices × 3"));
        };
        let triangles = archive.integers("F")?;
        let (first, first_face) = (self.cast.mesh.positions.len(), self.cast.mesh.triangles.len());
        if triangles.len() % 3 != 0 || triangles.iter().any(|&v| v < 0 || v as usize >= points) {
            return Err(unfit(path, "`F` names vertices that are not there", NOT_OURS));
        }
        let positions = archive.numbers("V0")?;
        let uv = archive.numbers("UV").unwrap_or_default();
        let rate = archive.numbers("fps")?;
        let names = archive.texts("body_names").unwrap_or_default();
        let starts = archive.integers("body_starts").unwrap_or_default();
        if positions.len() != 3 * points || rate.len() != 1 || !(rate[0] > 0.0) || starts.len() != 2 * names.len() {
            return Err(unfit(path, "its arrays do not fit each other", NOT_OURS));
        }
        let mesh = &mut self.cast.mesh;
        mesh.positions.extend(positions.chunks_exact(3).map(|p| DVec3::new(p[0], p[1], p[2])));
        mesh.triangles.extend(triangles.chunks_exact(3).map(|t| [0, 1, 2].map(|k| t[k] as u32 + first as u32)));
        if kind == BodyKind::Cloth && uv.len() == 2 * triangles.len() {
            mesh.uv.extend(uv.chunks_exact(6).map(|c| [0, 1, 2].map(|k| DVec2::new(c[2 * k], c[2 * k + 1]))));
        }
        let faces = triangles.len() / 3;
        let mut bounds: Vec<[usize; 2]> =
            starts.chunks_exact(2).map(|s| [s[0].max(0) as usize, s[1].max(0) as usize]).collect();
        bounds.push([points, faces]);
        if bounds.windows(2).any(|w| w[0][0] > w[1][0] || w[0][1] > w[1][1]) {
            return Err(unfit(path, "the first vertices of its bodies do not ascend", NOT_OURS));
        }
        let moving = match kind {
            BodyKind::Cloth => vec![true; names.len()],
            BodyKind::Obstacle => archive.moving(frames, &bounds)?,
        };
        for ((name, w), moves) in names.into_iter().zip(bounds.windows(2)).zip(moving) {
            self.cast.bodies.push(Body {
                name,
                kind,
                vertices: first + w[0][0]..first + w[1][0],
                triangles: first_face + w[0][1]..first_face + w[1][1],
            });
            self.cast.moving.push(moves);
        }
        self.cast.frames_per_second = rate[0];
        let frames = frames.saturating_sub(1);
        self.cast.frames = if kind == BodyKind::Cloth { frames } else { self.cast.frames.min(frames) };
        self.frames.push((archive, points));
        Ok(())
    }
}

impl Recording for Archives {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clear();
        for (archive, points) in &mut self.frames {
            let values = archive.row(frame, *points)?;
            positions.extend(values.chunks_exact(3).map(|p| DVec3::new(p[0], p[1], p[2])));
        }
        Ok(())
    }
}

impl Archive {
    fn open(path: &Path) -> Result<Self, RecordingError> {
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
            let mut size = u64::from(u32::from_le_bytes([header[18], header[19], header[20], header[21]]));
            if let ([1, 0, _, _, wide @ ..], true) = (extra, size == u64::from(u32::MAX)) {
                size = wide.first_chunk::<8>().map_or(u64::MAX, |b| u64::from_le_bytes(*b));
            }
            let data = at + 30 + rest.len() as u64;
            if short(8) != 0 || size > length - data.min(length) {
                return Err(unfit(path, "an entry is packed or cut off", NOT_OURS));
            }
            let name = String::from_utf8_lossy(name).trim_end_matches(".npy").to_string();
            if let Some(array) = Array::read(&mut file, data, size) {
                arrays.insert(name, array);
            }
            at = data + size;
        }
        Ok(Archive { path: path.into(), file, arrays })
    }

    fn array(&self, name: &str, kind: &str) -> Result<&Array, RecordingError> {
        let found = self.arrays.get(name).filter(|array| array.kind == kind);
        found.ok_or_else(|| unfit(&self.path, format!("it has no array `{name}` of the type {kind}"), NOT_OURS))
    }

    fn bytes(&mut self, offset: u64, count: usize) -> Result<Vec<u8>, RecordingError> {
        let mut bytes = vec![0; count];
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(unreadable(&self.path))?;
        Ok(bytes)
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>, RecordingError> {
        let array = self.array(name, "<f8")?;
        let (offset, count) = (array.offset, array.shape.iter().product::<usize>());
        Ok(doubles(&self.bytes(offset, 8 * count)?))
    }

    fn row(&mut self, frame: usize, points: usize) -> Result<Vec<f64>, RecordingError> {
        let offset = self.array("X", "<f8")?.offset + (24 * points * frame) as u64;
        Ok(doubles(&self.bytes(offset, 24 * points)?))
    }

    /// Whether each body leaves its place in any frame; `bounds` are the bodies' first points and the end.
    fn moving(&mut self, frames: usize, bounds: &[[usize; 2]]) -> Result<Vec<bool>, RecordingError> {
        let points = bounds.last().map_or(0, |end| end[0]);
        let mut moving = vec![false; bounds.len() - 1];
        let start = if frames > 0 { self.row(0, points)? } else { Vec::new() };
        for frame in 1..frames {
            let now = self.row(frame, points)?;
            for (moves, w) in moving.iter_mut().zip(bounds.windows(2)) {
                *moves |= now[3 * w[0][0]..3 * w[1][0]] != start[3 * w[0][0]..3 * w[1][0]];
            }
        }
        Ok(moving)
    }

    fn integers(&mut self, name: &str) -> Result<Vec<i32>, RecordingError> {
        let array = self.array(name, "<i4")?;
        let (offset, count) = (array.offset, array.shape.iter().product::<usize>());
        let bytes = self.bytes(offset, 4 * count)?;
        Ok(bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    fn texts(&mut self, name: &str) -> Result<Vec<String>, RecordingError> {
        let array = self.arrays.get(name).ok_or_else(|| unfit(&self.path, "it names no bodies", NOT_OURS))?;
        let width = array.kind.strip_prefix("<U").and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        let (offset, count) = (array.offset, array.shape.iter().product::<usize>());
        if width == 0 {
            return Ok(Vec::new());
        }
        let bytes = self.bytes(offset, 4 * width * count)?;
        let letter = |b: &[u8]| char::from_u32(u32::from_le_bytes([b[0], b[1], b[2], b[3]])).unwrap_or('?');
        let text = |b: &[u8]| b.chunks_exact(4).map(letter).take_while(|&c| c != '\0').collect();
        Ok(bytes.chunks_exact(4 * width).map(text).collect())
    }
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    let number = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
    bytes.chunks_exact(8).map(number).collect()
}

impl Array {
    /// Reads an array's header; `None` if it is none, or larger than its entry.
    fn read(file: &mut File, at: u64, size: u64) -> Option<Self> {
        let mut start = [0; 10];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut start).ok()?;
        let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
        if start[..8] != *b"\x93NUMPY\x01\x00" || length > LONGEST_HEADER {
            return None;
        }
        let mut text = vec![0; length];
        file.read_exact(&mut text).ok()?;
        let text = String::from_utf8(text).ok()?;
        let value = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let kind = value("descr")?.strip_prefix('\'')?.split('\'').next()?.to_string();
        let shape = value("shape")?.strip_prefix('(')?.split(')').next()?;
        let sizes = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        let shape: Vec<usize> = sizes.map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let width = match kind.as_str() {
            "<f8" => 8,
            "<i4" => 4,
            text => 4 * text.strip_prefix("<U")?.parse::<usize>().ok()?,
        };
        let bytes = shape.iter().try_fold(width, |product: usize, &n| product.checked_mul(n))?;
        let header = 10 + length as u64;
        let fits = value("fortran_order")?.starts_with("False") && header + bytes as u64 <= size;
        fits.then_some(Array { kind, shape, offset: at + header })
    }
}
