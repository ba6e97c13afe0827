//! Hands every frame to the writers that were asked for.

use super::{
    atomic::settle_folder,
    cast::{Cast, FieldArray, Frame},
    checksums::{Finished, compare_checksums},
    format::{Format, Needs},
    normals::vertex_normals,
    seal::{self, Seal},
    writer::{Ending, FrameWriter, OutputError, fails},
};
use glam::DVec3;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The open files of a run, in any number of formats.
pub struct Outputs {
    directory: PathBuf,
    cast: Cast,
    needs: Needs,
    writers: Vec<Box<dyn FrameWriter>>,
    normals: Vec<DVec3>,
}

/// What is known of a frame beyond positions; see [`Outputs::needs`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// Quantities on the cloth.
    pub fields: &'a [FieldArray],
    /// Quantities of the whole cloth, with their names.
    pub totals: &'a [(&'static str, f64)],
}

/// What stays of the files of an earlier run.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The frames with numbers below this.
    pub frames: usize,
    /// What they weighed, by [`Outputs::seals`]; `None` if nobody wrote that down.
    pub seals: Option<&'a [u64]>,
}

impl From<usize> for Kept<'_> {
    fn from(frames: usize) -> Self {
        Kept { frames, seals: None }
    }
}

impl Outputs {
    /// Begins the files of a run.
    pub fn begin(directory: &Path, formats: &[Format], cast: Cast) -> Result<Self, OutputError> {
        let mut outputs = Self::new(directory, formats, cast);
        let Outputs { writers, cast, .. } = &mut outputs;
        writers.iter_mut().try_for_each(|writer| writer.begin(cast))?;
        Ok(outputs)
    }

    /// Takes up the files of an earlier run and keeps its first frames. If any format lacks one, or has another than
    /// was written, nothing is changed.
    pub fn reopen<'a>(
        directory: &Path,
        formats: &[Format],
        cast: Cast,
        kept: impl Into<Kept<'a>>,
    ) -> Result<Self, OutputError> {
        Ok(Self::earlier(directory, formats, cast, kept)?.take_up()?.0)
    }

    /// Looks at the files of an earlier run whose first frames are to be kept; changes nothing. If any format lacks one,
    /// or has another than was written, it says so.
    pub fn earlier<'a>(
        directory: &Path,
        formats: &[Format],
        cast: Cast,
        kept: impl Into<Kept<'a>>,
    ) -> Result<Earlier, OutputError> {
        let Kept { frames, seals } = kept.into();
        let outputs = Self::new(directory, formats, cast);
        let found = outputs.writers.iter().map(|writer| writer.inspect(&outputs.cast, frames, Ending::Early));
        let found = found.collect::<Result<Vec<Vec<Seal>>, OutputError>>()?;
        if let Some(seals) = seals {
            seal::compare(&found.concat(), seals)?;
        }
        Ok(Earlier { outputs, frames, found })
    }

    /// Looks whether a run that is complete still has all its files, by their ends and by the list of their checksums
    /// if there is one. Those beside the frames that follow from the cast alone are written anew if they are not as
    /// they were; returns their names. Nothing else is changed, and nothing at all if frames are lost.
    pub fn inspect(directory: &Path, formats: &[Format], cast: Cast) -> Result<Vec<String>, OutputError> {
        let outputs = Self::new(directory, formats, cast);
        let frames = outputs.cast.frames + 1;
        let Outputs { writers, cast, .. } = &outputs;
        writers.iter().try_for_each(|writer| writer.inspect(cast, frames, Ending::Complete).map(drop))?;
        let beside: Vec<PathBuf> = writers.iter().flat_map(|writer| writer.companions(cast)).collect();
        let traces: Vec<&str> = formats.iter().flat_map(|format| format.traces()).copied().collect();
        let of_frames = |name: &str| {
            let first = name.split('/').next().unwrap_or_default();
            traces.contains(&first) && !beside.contains(&directory.join(name))
        };
        if let Some(lost) = compare_checksums(directory, of_frames)?.into_iter().flatten().next() {
            return Err(lost);
        }
        outputs.mend()
    }

    /// Writes files beside the frames anew that are not as they were; returns their names.
    fn mend(&self) -> Result<Vec<String>, OutputError> {
        let mended = self.writers.iter().map(|writer| writer.mend(&self.cast));
        let mended = mended.collect::<Result<Vec<Vec<PathBuf>>, OutputError>>()?;
        Ok(mended.concat().iter().map(|path| self.relative(path)).collect())
    }

    fn new(directory: &Path, formats: &[Format], cast: Cast) -> Self {
        let mut chosen: Vec<Format> = Vec::new();
        for &format in formats {
            // A format asked for twice is written once.
            if !chosen.contains(&format) {
                chosen.push(format);
            }
        }
        let needs = chosen.iter().map(|f| f.needs()).fold(Needs::default(), |a, b| Needs {
            normals: a.normals || b.normals,
            fields: a.fields || b.fields,
            totals: a.totals || b.totals,
        });
        let writers = chosen.iter().map(|f| f.writer(directory)).collect();
        Outputs { directory: directory.into(), cast, needs, writers, normals: Vec::new() }
    }

    /// What somebody must measure of each frame.
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// Writes a frame; number 0 is the start. After an error the frames before it are whole in every format, and
    /// [`Outputs::finish`] may still be called.
    pub fn add(&mut self, number: usize, positions: &[DVec3], measured: Measured<'_>) -> Result<(), OutputError> {
        let expected = self.cast.mesh.positions.len();
        if positions.len() != expected {
            return Err(OutputError::FrameSize { number, found: positions.len(), expected });
        }
        if self.needs.normals {
            vertex_normals(positions, &self.cast.mesh.triangles, &mut self.normals);
        }
        let Measured { fields, totals } = measured;
        let frame = Frame { number, positions, normals: &self.normals, fields, totals };
        self.writers.iter_mut().try_for_each(|writer| writer.frame(&self.cast, &frame))
    }

    /// Hands all frames so far to the disk; to be called before a checkpoint that relies on them.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        self.writers.iter_mut().try_for_each(|writer| writer.sync())?;
        settle_folder(&self.directory).map_err(fails(&self.directory))
    }

    /// What all frames so far weigh: a length and a checksum for each file that grows. A checkpoint that holds them
    /// notices files that were damaged since.
    pub fn seals(&self) -> Vec<u64> {
        self.writers.iter().flat_map(|writer| writer.seals()).flat_map(|seal| seal.numbers()).collect()
    }

    /// Completes the files of all frames so far. Every writer gets its turn; the first error is returned. What going on
    /// needs stays, until [`remove_leftovers`]; before that frames are to be [handed to the disk](Outputs::sync) and files
    /// [settled](Finished::settle).
    pub fn finish(mut self, ending: Ending) -> Result<Finished, OutputError> {
        let mut all = Vec::new();
        let mut error = None;
        for writer in &mut self.writers {
            match writer.finish(&self.cast, ending) {
                Ok(written) => all.push(written),
                Err(e) => error = error.or(Some(e)),
            }
        }
        match error {
            Some(error) => Err(error),
            None => Ok(Finished::new(&self.directory, all)),
        }
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.directory).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// Files of an earlier run that were found good and can be taken up.
pub struct Earlier {
    outputs: Outputs,
    frames: usize,
    found: Vec<Vec<Seal>>,
}

impl Earlier {
    /// Takes the files up: frames after those that are kept are dropped. Returns the names of files beside the frames, too,
    /// that were not as the run wrote them and were written anew.
    pub fn take_up(self) -> Result<(Outputs, Vec<String>), OutputError> {
        let Earlier { mut outputs, frames, found } = self;
        let mended = outputs.mend()?;
        let Outputs { writers, cast, .. } = &mut outputs;
        writers.iter_mut().zip(found).try_for_each(|(writer, found)| writer.reopen(cast, frames, found))?;
        Ok((outputs, mended))
    }
}

/// Removes what only going on needs from the directory of a run that is complete. To be called when a report says that it
/// is: until then a process may be killed, and the run goes on from what stands here.
pub fn remove_leftovers(directory: &Path, formats: &[Format]) -> Result<(), OutputError> {
    for path in formats.iter().flat_map(|format| format.leftovers()).map(|name| directory.join(name)) {
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fails(&path)(error)),
            _ => {}
        }
    }
    Ok(())
}
