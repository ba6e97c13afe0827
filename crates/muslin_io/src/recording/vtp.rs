//! `frames.pvd` with its VTP files, as this program writes them: arrays appended raw, points in double precision.

use super::{Recording, RecordingError, clip::add_pattern, unfit, unreadable};
use crate::output::Cast;
use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files of a list.
pub struct VtpSequence {
    cast: Cast,
    /// For each part: its files in the order of frames.
    parts: Vec<Vec<PathBuf>>,
}

const NOT_OURS: &str = "give a file that `muslin run` has written, or save it as PLY";

/// What ends every file of VTK, and what is said of one without it.
const CLOSED: &str = "</VTKFile>";
const CUT_OFF: &str = "it is cut off: `</VTKFile>` is missing at its end";
const WRITE_AGAIN: &str = "copy or write it again";

/// A file in memory.
struct Vtp {
    path: PathBuf,
    xml: String,
    data: Vec<u8>,
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!("{name}=\""))?.1.split('"').next()
}

/// The files of each part of a list, and the times of the frames [s].
fn entries(list: &Path) -> Result<(Vec<Vec<PathBuf>>, Vec<f64>), RecordingError> {
    let text = fs::read_to_string(list).map_err(unreadable(list))?;
    if !text.trim_end().ends_with(CLOSED) {
        return Err(unfit(list, CUT_OFF, WRITE_AGAIN));
    }
    let folder = list.parent().unwrap_or(Path::new("."));
    let (mut parts, mut times): (Vec<Vec<PathBuf>>, Vec<f64>) = (Vec::new(), Vec::new());
    for tag in text.split("<DataSet ").skip(1) {
        let part = attribute(tag, "part").and_then(|p| p.parse::<usize>().ok()).unwrap_or(0);
        let time = attribute(tag, "timestep").and_then(|t| t.parse::<f64>().ok());
        let (Some(file), Some(time), true) = (attribute(tag, "file"), time, part <= parts.len()) else {
            return Err(unfit(list, "an entry has no time or no file", NOT_OURS));
        };
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(folder.join(file));
        if part == 0 {
            times.push(time);
        }
    }
    match parts.is_empty() || parts.iter().any(|files| files.len() != times.len()) {
        true => Err(unfit(list, "it lists no frames, or not all of them", NOT_OURS)),
        false => Ok((parts, times)),
    }
}

/// Quantities on the cloth that a run wrote beside its positions, as `vtk`.
pub struct RecordedFields {
    files: Vec<PathBuf>,
}

impl RecordedFields {
    /// The fields of a run's directory; `None` if it wrote none.
    pub fn open(directory: &Path) -> Option<Self> {
        let (parts, _) = entries(&directory.join("vtk/frames.pvd")).ok()?;
        Some(RecordedFields { files: parts.into_iter().next()? })
    }

    /// Whether the first frame has a quantity.
    pub fn has(&self, name: &str) -> bool {
        self.files
            .first()
            .and_then(|file| Vtp::open(file).ok())
            .is_some_and(|file| file.bytes(name, "Float32").is_some())
    }

    /// A quantity at a frame, by vertex or triangle.
    pub fn read(&self, frame: usize, name: &str) -> Result<Vec<f32>, RecordingError> {
        let [values] = self.read_some(frame, [name])?;
        Ok(values)
    }

    /// Some quantities at a frame.
    pub fn read_some<const N: usize>(&self, frame: usize, names: [&str; N]) -> Result<[Vec<f32>; N], RecordingError> {
        let last = self.files.len() - 1;
        let missing = || unfit(&self.files[last], format!("it is the last file; there is no frame {frame}"), NOT_OURS);
        let file = Vtp::open(self.files.get(frame).ok_or_else(missing)?)?;
        let mut all = [const { Vec::new() }; N];
        for (values, name) in all.iter_mut().zip(names) {
            *values = file.numbers(name, "Float32", f32::from_le_bytes)?;
        }
        Ok(all)
    }
}

impl VtpSequence {
    pub fn open(list: &Path) -> Result<Self, RecordingError> {
        let (parts, times) = entries(list)?;
        let mut sequence = VtpSequence { cast: Cast::default(), parts };
        sequence.cast.frames = times.len() - 1;
        // A list of one frame says nothing about the rate, and needs none.
        sequence.cast.frames_per_second = times.get(1).map_or(1.0, |&t| whole(1.0 / t));
        let in_time = |k: usize| (times[k] * sequence.cast.frames_per_second - k as f64).abs() <= UNEVEN;
        if let Some(k) = (0..times.len()).find(|&k| times.len() > 1 && !in_time(k)) {
            let what = format!("frame {k} is at {} s, so that frames are not evenly spaced from 0 on", times[k]);
            return Err(unfit(list, what, "list every frame with its time"));
        }
        sequence.cast.name = "frames".into();
        for k in 0..sequence.parts.len() {
            sequence.add(k)?;
        }
        Ok(sequence)
    }

    fn add(&mut self, part: usize) -> Result<(), RecordingError> {
        let files = &self.parts[part];
        let file = Vtp::open(&files[0])?;
        let (kind, name) = if part == 0 { (BodyKind::Cloth, "cloth") } else { (BodyKind::Obstacle, "obstacles") };
        let mesh = &mut self.cast.mesh;
        let (first, first_face) = (mesh.positions.len(), mesh.triangles.len());
        mesh.positions.extend(file.points()?);
        let corners: Vec<u32> = file.numbers("connectivity", "Int32", u32::from_le_bytes)?;
        let count = mesh.positions.len() - first;
        if !corners.len().is_multiple_of(3) || corners.iter().any(|&v| v as usize >= count) {
            return Err(file.unfit("it has other faces than triangles"));
        }
        mesh.triangles.extend(corners.chunks_exact(3).map(|t| [0, 1, 2].map(|k| t[k] + first as u32)));
        let uv: Vec<f32> = file.numbers("uv", "Float32", f32::from_le_bytes).unwrap_or_default();
        let pair = |k: usize| DVec2::new(f64::from(uv[2 * k]), f64::from(uv[2 * k + 1]));
        let shown: Vec<[DVec2; 3]> = if uv.len() == 2 * count {
            corners.chunks_exact(3).map(|t| [0, 1, 2].map(|k| pair(t[k] as usize))).collect()
        } else if uv.len() == 2 * corners.len() {
            (0..corners.len() / 3).map(|t| [0, 1, 2].map(|k| pair(3 * t + k))).collect()
        } else {
            Vec::new()
        };
        if !(shown.is_empty() && mesh.texture.is_empty()) {
            mesh.append_texture((0..corners.len() / 3).map(|t| shown.get(t).copied()));
        }
        if part == 0 {
            add_pattern(mesh, first_face, Some(shown).filter(|shown| !shown.is_empty()));
        }
        self.cast.bodies.push(Body {
            name: name.into(),
            kind,
            vertices: first..mesh.positions.len(),
            triangles: first_face..mesh.triangles.len(),
        });
        self.cast.moving.push(files.len() > 1 && files[0] != files[1]);
        Ok(())
    }
}

/// How near to a whole number a rate must be to be meant so [-].
const WHOLE_RATE: f64 = 1e-9;

/// How far from its time a frame may be, in frames [-]: lists of other programs round to a few digits.
const UNEVEN: f64 = 0.01;

fn whole(rate: f64) -> f64 {
    if (rate - rate.round()).abs() < WHOLE_RATE * rate { rate.round() } else { rate }
}

impl Recording for VtpSequence {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clear();
        for (files, body) in self.parts.iter().zip(&self.cast.bodies) {
            let file = Vtp::open(&files[frame])?;
            let points = file.points()?;
            if points.len() != body.vertices.len() {
                return Err(file.unfit("it has another number of vertices than the first file"));
            }
            positions.extend(points);
        }
        Ok(())
    }
}

impl Vtp {
    fn open(path: &Path) -> Result<Self, RecordingError> {
        let bytes = fs::read(path).map_err(unreadable(path))?;
        if !bytes.trim_ascii_end().ends_with(CLOSED.as_bytes()) {
            return Err(unfit(path, CUT_OFF, WRITE_AGAIN));
        }
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let Some(at) = bytes.windows(mark.len()).position(|w| w == mark) else {
            return Err(unfit(path, "it has no raw appended data", NOT_OURS));
        };
        let xml = String::from_utf8_lossy(&bytes[..at]).into_owned();
        Ok(Vtp { path: path.into(), xml, data: bytes[at + mark.len()..].to_vec() })
    }

    fn unfit(&self, what: &str) -> RecordingError {
        unfit(&self.path, what, NOT_OURS)
    }

    fn bytes(&self, name: &str, kind: &str) -> Option<&[u8]> {
        let tags = self.xml.split("<DataArray ").skip(1);
        let tag = tags.filter_map(|rest| rest.split('>').next()).find(|tag| attribute(tag, "Name") == Some(name))?;
        let offset: usize = attribute(tag, "offset")?.parse().ok()?;
        let start = offset.checked_add(8)?;
        let length = u64::from_le_bytes(self.data.get(offset..start)?.try_into().ok()?);
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        self.data.get(start..end).filter(|_| attribute(tag, "type") == Some(kind))
    }

    fn numbers<T, const N: usize>(
        &self,
        name: &str,
        kind: &str,
        of: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, RecordingError> {
        let bytes = self.bytes(name, kind).ok_or_else(|| self.unfit(&format!("it has no array `{name}` of {kind}")))?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|b| of(*b)).collect())
    }

    fn points(&self) -> Result<Vec<DVec3>, RecordingError> {
        let numbers: Vec<f64> = self.numbers("Points", "Float64", f64::from_le_bytes)?;
        Ok(numbers.chunks_exact(3).map(|p| DVec3::new(p[0], p[1], p[2])).collect())
    }
}
