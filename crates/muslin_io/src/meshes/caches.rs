//! Vertex caches: PC2 and MDD files, and sequences of mesh files.

use super::{
    FileMesh, MeshFileError,
    error::{Fault, FaultKind, Place},
};
use crate::input::Input;
use glam::DVec3;
use muslin_model::{FramesError, VertexFrames};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Reads a PC2 or MDD cache. PC2 counts frames, so it needs the frames per second [1/s]; MDD has times of its own.
pub fn read_cache(path: &Path, frames_per_second: f64) -> Result<VertexFrames, MeshFileError> {
    let name = path.display().to_string();
    let read = || {
        let mut input = Input::open(path)?;
        cache(&mut input, frames_per_second)
    };
    read().map_err(|fault: Fault| fault.in_file(&name))
}

/// The same from memory.
pub fn read_cache_bytes(name: &str, bytes: Vec<u8>, frames_per_second: f64) -> Result<VertexFrames, MeshFileError> {
    let read = || cache(&mut Input::from_bytes(bytes)?, frames_per_second);
    read().map_err(|fault: Fault| fault.in_file(name))
}

const PC2_MAGIC: &[u8; 12] = b"POINTCACHE2\0";

fn cache(input: &mut Input, frames_per_second: f64) -> Result<VertexFrames, Fault> {
    let pc2 = input.peek()?.starts_with(PC2_MAGIC);
    let (count, points, times) = if pc2 { pc2_header(input, frames_per_second)? } else { mdd_header(input)? };
    let needed = count.saturating_mul(points).saturating_mul(12);
    if needed > input.most_left() || points == 0 {
        let message = format!(
            "the header claims {count} frames of {points} vertices, {needed} bytes, but at most {} are left",
            input.most_left()
        );
        let remedy = "the file is cut short or no PC2 or MDD file: export it again";
        return Err(Fault::new(Place::File, FaultKind::Truncated, message, remedy));
    }
    let mut frames = Vec::new();
    for _ in 0..count {
        let mut frame = Vec::new();
        for _ in 0..points {
            let bytes: [u8; 12] = bytes(input)?;
            let real = |k: usize| {
                let b = [bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]];
                f64::from(if pc2 { f32::from_le_bytes(b) } else { f32::from_be_bytes(b) })
            };
            frame.push(DVec3::new(real(0), real(4), real(8)));
        }
        frames.push(frame);
    }
    VertexFrames::new(times, frames).map_err(no_motion)
}

fn no_motion(error: FramesError) -> Fault {
    Fault::new(Place::File, FaultKind::Value, error.to_string(), "export it again")
}

fn bytes<const N: usize>(input: &mut Input) -> Result<[u8; N], Fault> {
    let byte = input.position();
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(|_| {
        Fault::new(Place::Byte(byte), FaultKind::Truncated, "the file ends here", "copy or export it again")
    })?;
    Ok(bytes)
}

type Header = (u64, u64, Vec<f64>);

fn pc2_header(input: &mut Input, frames_per_second: f64) -> Result<Header, Fault> {
    let _magic: [u8; 16] = bytes(input)?;
    let points = u32::from_le_bytes(bytes(input)?);
    let start = f64::from(f32::from_le_bytes(bytes(input)?));
    let rate = f64::from(f32::from_le_bytes(bytes(input)?));
    let count = u32::from_le_bytes(bytes(input)?);
    // Frames without points take no bytes, and a header may claim billions of them.
    if points == 0 || u64::from(count).saturating_mul(12 * u64::from(points)) > input.most_left() {
        return Ok((count.into(), points.into(), Vec::new()));
    }
    let times = (0..count).map(|k| (start + f64::from(k) * rate) / frames_per_second).collect();
    Ok((count.into(), points.into(), times))
}

fn mdd_header(input: &mut Input) -> Result<Header, Fault> {
    let (count, points) = (u32::from_be_bytes(bytes(input)?), u32::from_be_bytes(bytes(input)?));
    if u64::from(count).saturating_mul(4 + 12 * u64::from(points)) > input.most_left() {
        return Ok((count.into(), points.into(), Vec::new()));
    }
    let times = (0..count).map(|_| Ok(f64::from(f32::from_be_bytes(bytes(input)?)))).collect::<Result<_, Fault>>()?;
    Ok((count.into(), points.into(), times))
}

/// The files of a sequence: `*` in the name stands for the frame's number. Sorted by number; the numbers are evenly spaced,
/// since a frame that is missing would shift all that follow it in time.
pub fn sequence_files(pattern: &Path) -> Result<Vec<PathBuf>, MeshFileError> {
    let shown = pattern.display().to_string();
    let fault =
        |message: String, remedy: &str| Fault::new(Place::File, FaultKind::Unreadable, message, remedy).in_file(&shown);
    let name = pattern.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((before, after)) = name.split_once('*') else {
        return Err(fault("the name of a sequence has no `*`".into(), "write `*` where the frame's number stands"));
    };
    let folder = pattern.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries =
        std::fs::read_dir(folder).map_err(|e| fault(format!("cannot list its folder: {e}"), "check the path"))?;
    let mut files: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix(before)?.strip_suffix(after)?.parse().ok()?;
            Some((number, folder.join(name)))
        })
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(fault("no file has this name with a number for `*`".into(), "check the path"));
    }
    if let Err((message, remedy)) = evenly_numbered(files.iter().map(|(number, _)| *number)) {
        return Err(fault(message, remedy));
    }
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Says what is wrong, and what to do, if ascending numbers of files are not evenly spaced.
pub(crate) fn evenly_numbered(numbers: impl Iterator<Item = u64> + Clone) -> Result<(), (String, &'static str)> {
    let pairs = || numbers.clone().zip(numbers.clone().skip(1));
    if let Some((twice, _)) = pairs().find(|(a, b)| a == b) {
        return Err((format!("two files have the number {twice}"), "remove or renumber one of them"));
    }
    let stride = pairs().map(|(a, b)| b - a).min().unwrap_or(1);
    match pairs().find(|(a, b)| b - a != stride) {
        None => Ok(()),
        Some((last, next)) => Err((
            format!("no file has the number {} between {last} and {next}", last + stride),
            "export it again, or number the files evenly",
        )),
    }
}

/// Reads a sequence of mesh files; the first gives the triangles, all give vertices.
pub fn read_sequence(pattern: &Path, frames_per_second: f64) -> Result<(FileMesh, VertexFrames), MeshFileError> {
    let files = sequence_files(pattern)?;
    let first = super::read(&files[0])?;
    let mut frames = vec![first.positions.clone()];
    for file in &files[1..] {
        let mesh = super::read(file)?;
        if mesh.triangles != first.triangles {
            let message = "its triangles are not those of the first file of the sequence";
            let fault = Fault::new(Place::File, FaultKind::Value, message, "export all frames from one mesh");
            return Err(fault.in_file(&file.display().to_string()));
        }
        frames.push(mesh.positions);
    }
    let times = (0..frames.len()).map(|k| k as f64 / frames_per_second).collect();
    let frames = VertexFrames::new(times, frames).map_err(|e| no_motion(e).in_file(&pattern.display().to_string()))?;
    Ok((first, frames))
}
