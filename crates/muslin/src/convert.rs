//! Frames from one format into others.

use crate::{
    check::sums,
    error::Error,
    one_file::{format_of, targets, too_much},
};
use muslin_io::{
    output::{Ending, Format, Measured, Outputs, remove_leftovers},
    recording::{self, Hints, Recording},
};
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

/// Reads a run's directory, or a file or directory of frames, and writes it in other formats: into the directory
/// `out`, or into the one file `out` if its name ends like one. Bodies that a format keeps in files of their own then stand
/// beside it under the same name; more frames than one file can hold are refused.
///
/// Fields and energies belong to the simulation and are not converted.
pub fn convert(input: &Path, out: &Path, formats: &[Format], hints: Hints) -> Result<Converted, Error> {
    let single = format_of(out);
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
    let targets = single.map_or_else(Vec::new, |format| targets(out, format, recording.cast()));
    if let Some((_, path)) = targets.iter().find(|(_, path)| path.exists()) {
        return Err(Error::Taken { path: path.clone() });
    }
    let write = |path: &Path, source| Error::Write { path: path.into(), source };
    let directory = match single {
        Some(_) => beside(out).map_err(|e| write(out, e))?,
        None => out.to_path_buf(),
    };
    fs::create_dir_all(&directory).map_err(|e| write(&directory, e))?;
    let (frames, vertices) = (recording.cast().frames + 1, recording.cast().mesh.positions.len());
    let written = copy(recording, &directory, &formats);
    if single.is_none() {
        return Ok(Converted { files: written?, frames, vertices });
    }
    let moved = written.and_then(|_| {
        for (made, target) in &targets {
            fs::rename(directory.join(made), target).map_err(|e| write(target, e))?;
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
    if single.is_some() || out.is_file() {
        return out.exists().then(|| out.into());
    }
    let traces = formats.iter().flat_map(|format| format.traces());
    traces.map(|name| out.join(name)).find(|path| path.exists())
}
