//! Frames from one format into others.

use crate::error::Error;
use muslin_io::{
    output::{Ending, Format, Measured, Outputs},
    recording::{self, Hints, Recording},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a conversion leaves.
#[derive(Debug)]
pub struct Converted {
    /// Files and directories written.
    pub files: Vec<PathBuf>,
    /// Frames, with the start.
    pub frames: usize,
    /// Vertices of all bodies.
    pub vertices: usize,
}

/// Endings that mean one file and not a directory.
const SINGLE_FILES: [(&str, Format, &str); 4] = [
    ("usda", Format::Usd, "frames.usda"),
    ("usd", Format::Usd, "frames.usda"),
    ("glb", Format::Gltf, "frames.glb"),
    ("csv", Format::Csv, "totals.csv"),
];

/// Reads a run's directory, or a file or directory of frames, and writes it in other formats: into the directory
/// `out`, or into the one file `out` if its name ends in `.usda`, `.usd`, `.glb` or `.csv`.
///
/// Fields and energies belong to the simulation and are not converted.
pub fn convert(input: &Path, out: &Path, formats: &[Format], hints: Hints) -> Result<Converted, Error> {
    let ending = out.extension().unwrap_or_default().to_string_lossy().into_owned();
    let single = SINGLE_FILES.iter().find(|(name, ..)| *name == ending);
    let (directory, formats) = match single {
        Some((_, format, _)) if formats.iter().any(|asked| asked != format) => {
            return Err(Error::OtherFormat { out: out.into(), format: *format });
        }
        Some((_, format, _)) => (beside(out), vec![*format]),
        None if formats.is_empty() => return Err(Error::NoFormat { out: out.into() }),
        None => (out.to_path_buf(), formats.to_vec()),
    };
    if let Some(path) = taken(out, &formats) {
        return Err(Error::Taken { path });
    }
    let recording = recording::open(input, &hints)?;
    let write = |path: &Path, source| Error::Write { path: path.into(), source };
    fs::create_dir_all(&directory).map_err(|e| write(&directory, e))?;
    let (frames, vertices) = (recording.cast().frames + 1, recording.cast().mesh.positions.len());
    let written = copy(recording, &directory, &formats);
    let Some((_, _, name)) = single else { return Ok(Converted { files: written?, frames, vertices }) };
    let moved = written.and_then(|_| fs::rename(directory.join(name), out).map_err(|e| write(out, e)));
    // One file was asked for: nothing else stays, whether it succeeded or not.
    fs::remove_dir_all(&directory).map_err(|e| write(&directory, e)).and(moved)?;
    Ok(Converted { files: vec![out.into()], frames, vertices })
}

/// Writes all frames of a recording into a directory; returns what was written.
fn copy(mut recording: Box<dyn Recording>, directory: &Path, formats: &[Format]) -> Result<Vec<PathBuf>, Error> {
    let mut outputs = Outputs::begin(directory, formats, recording.cast().clone())?;
    let frames = recording.cast().frames + 1;
    let mut positions = Vec::new();
    for frame in 0..frames {
        let read = recording.read(frame, &mut positions).map_err(Error::from);
        let written = read.and_then(|()| Ok(outputs.add(frame, &positions, Measured::default())?));
        if let Err(error) = written {
            let _ = outputs.finish(Ending::Early);
            return Err(error);
        }
    }
    Ok(outputs.finish(Ending::Complete)?.iter().map(|name| directory.join(name)).collect())
}

/// A directory to put a single file together in, on the same disk as the file.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".parts");
    out.with_file_name(name)
}

/// What is there already and would be replaced.
fn taken(out: &Path, formats: &[Format]) -> Option<PathBuf> {
    if out.is_file() {
        return Some(out.into());
    }
    let traces = formats.iter().flat_map(|format| format.traces());
    traces.map(|name| out.join(name)).find(|path| path.exists())
}
