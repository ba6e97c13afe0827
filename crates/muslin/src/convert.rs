//! Frames from one format into others.

use crate::{check::sums, error::Error};
use muslin_io::{
    output::{Cast, Ending, Format, Measured, Outputs, remove_leftovers},
    recording::{self, Hints, Recording},
};
use muslin_model::BodyKind;
use std::{
    fs, io,
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
const SINGLE_FILES: [(&str, Format); 9] = [
    ("usda", Format::Usd),
    ("usd", Format::Usd),
    ("glb", Format::Gltf),
    ("csv", Format::Csv),
    ("npz", Format::Npz),
    ("ply", Format::Ply),
    ("obj", Format::Obj),
    ("pc2", Format::Pc2),
    ("mdd", Format::Mdd),
];

/// Reads a run's directory, or a file or directory of frames, and writes it in other formats: into the directory
/// `out`, or into the one file `out` if its name ends like one. What one file cannot hold is refused.
///
/// Fields and energies belong to the simulation and are not converted.
pub fn convert(input: &Path, out: &Path, formats: &[Format], hints: Hints) -> Result<Converted, Error> {
    let ending = out.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let single = SINGLE_FILES.iter().find(|(name, _)| *name == ending).map(|(_, format)| *format);
    let formats = match single {
        Some(format) if formats.iter().any(|asked| *asked != format) => {
            return Err(Error::OtherFormat { out: out.into(), format });
        }
        Some(format) => vec![format],
        None if formats.is_empty() => return Err(Error::NoFormat { out: out.into() }),
        None => formats.to_vec(),
    };
    if let Some(path) = taken(out, &formats, single) {
        return Err(Error::Taken { path });
    }
    refuse_damaged(input)?;
    let recording = recording::open(input, &hints)?;
    if let Some(reason) = single.and_then(|format| too_much(format, recording.cast())) {
        return Err(Error::NotOneFile { out: out.into(), reason });
    }
    let write = |path: &Path, source| Error::Write { path: path.into(), source };
    let directory = match single {
        Some(_) => beside(out).map_err(|e| write(out, e))?,
        None => out.to_path_buf(),
    };
    fs::create_dir_all(&directory).map_err(|e| write(&directory, e))?;
    let (frames, vertices) = (recording.cast().frames + 1, recording.cast().mesh.positions.len());
    let written = copy(recording, &directory, &formats);
    let Some(format) = single else { return Ok(Converted { files: written?, frames, vertices }) };
    let moved = written.and_then(|_| {
        let targets = targets(out, format);
        for (ending, target) in &targets {
            let made = find(&directory, ending).ok_or_else(|| Error::NoFormat { out: out.into() })?;
            fs::rename(made, target).map_err(|e| write(target, e))?;
        }
        Ok(targets.into_iter().map(|(_, target)| target).collect())
    });
    // One file was asked for: nothing else stays, whether it succeeded or not. What failed first is told first.
    let removed = fs::remove_dir_all(&directory).map_err(|e| write(&directory, e));
    let files = moved?;
    removed?;
    Ok(Converted { files, frames, vertices })
}

/// Refuses frames that are not as their run wrote them: the result would look as good as any. Archives are compared with
/// checksums of their own while they are read.
fn refuse_damaged(input: &Path) -> Result<(), Error> {
    let source = recording::source(input);
    if source.extension().is_some_and(|ending| ending == "npz") {
        return Ok(());
    }
    let Some((list, lost)) = sums::lost(&source) else { return Ok(()) };
    match lost.map(|lost| lost.into_iter().next()) {
        Ok(None) => Ok(()),
        Ok(Some(loss)) | Err(loss) => Err(Error::Changed { loss: loss.loss(), list }),
    }
}

/// Why one file of a format cannot hold everything; `None` if it can.
fn too_much(format: Format, cast: &Cast) -> Option<String> {
    let obstacles = cast.bodies.iter().filter(|body| body.kind == BodyKind::Obstacle).count();
    match format {
        Format::Ply | Format::Obj if cast.frames > 0 => {
            Some(format!("it holds one frame, and there are {}", cast.frames + 1))
        }
        Format::Ply | Format::Obj | Format::Npz if obstacles == 1 => {
            Some("it holds cloth only, and there is an obstacle".into())
        }
        Format::Ply | Format::Obj | Format::Npz if obstacles > 1 => {
            Some(format!("it holds cloth only, and there are {obstacles} obstacles"))
        }
        Format::Pc2 | Format::Mdd if cast.bodies.len() != 1 => {
            Some(format!("it holds one body, and there are {}", cast.bodies.len()))
        }
        _ => None,
    }
}

/// What is written for a single file: the ending of what the format makes, and what it is to be called. A cache is nothing
/// without its mesh, which stands beside it.
fn targets(out: &Path, format: Format) -> Vec<(&'static str, PathBuf)> {
    match format {
        Format::Usd => vec![("usda", out.into())],
        Format::Gltf => vec![("glb", out.into())],
        Format::Pc2 => vec![("pc2", out.into()), ("obj", out.with_extension("obj"))],
        Format::Mdd => vec![("mdd", out.into()), ("obj", out.with_extension("obj"))],
        // Cloth comes before obstacles, of which there are none.
        Format::Npz => vec![("npz", out.into())],
        Format::Ply | Format::Obj | Format::Csv | Format::Vtk => vec![(format.name(), out.into())],
    }
}

/// The first file of a directory, or of a folder in it, by name, that ends so.
fn find(directory: &Path, ending: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, ending),
        false => Some(path).filter(|path| path.extension().is_some_and(|e| e == ending)),
    })
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
    let finished = outputs.finish(Ending::Complete)?;
    remove_leftovers(directory, formats)?;
    Ok(finished.files.iter().map(|name| directory.join(name)).collect())
}

/// Makes a directory to put a single file together in, on the same disk as the file. It is removed afterwards with all
/// that is in it, so it is always a new one.
fn beside(out: &Path) -> io::Result<PathBuf> {
    out.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut number = 1;
    loop {
        let mut name = out.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".parts-{number}"));
        let directory = out.with_file_name(name);
        match fs::create_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|()| directory),
        }
    }
}

/// What is there already and would be replaced.
fn taken(out: &Path, formats: &[Format], single: Option<Format>) -> Option<PathBuf> {
    if let Some(format) = single {
        return targets(out, format).into_iter().map(|(_, target)| target).find(|path| path.exists());
    }
    if out.is_file() {
        return Some(out.into());
    }
    let traces = formats.iter().flat_map(|format| format.traces());
    traces.map(|name| out.join(name)).find(|path| path.exists())
}
