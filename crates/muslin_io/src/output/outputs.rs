//! Hands every frame to the writers that were asked for.

use super::{
    cast::{Cast, FieldArray, Frame},
    format::{Format, Needs},
    normals::vertex_normals,
    seal::{self, Seal},
    writer::{Ending, FrameWriter, OutputError},
};
use glam::DVec3;
use std::path::{Path, PathBuf};

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
        let Kept { frames, seals } = kept.into();
        let mut outputs = Self::new(directory, formats, cast);
        let Outputs { writers, cast, .. } = &mut outputs;
        let found = writers.iter().map(|writer| writer.inspect(cast, frames, Ending::Early));
        let found = found.collect::<Result<Vec<Vec<Seal>>, OutputError>>()?;
        if let Some(seals) = seals {
            seal::compare(&found.concat(), seals)?;
        }
        writers.iter_mut().zip(found).try_for_each(|(writer, found)| writer.reopen(cast, frames, found))?;
        Ok(outputs)
    }

    /// Looks whether a run that is complete still has all its files; changes nothing.
    pub fn inspect(directory: &Path, formats: &[Format], cast: Cast) -> Result<(), OutputError> {
        let outputs = Self::new(directory, formats, cast);
        let frames = outputs.cast.frames + 1;
        let Outputs { writers, cast, .. } = &outputs;
        writers.iter().try_for_each(|writer| writer.inspect(cast, frames, Ending::Complete).map(drop))
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
        self.writers.iter_mut().try_for_each(|writer| writer.sync())
    }

    /// What all frames so far weigh: a length and a checksum for each file that grows. A checkpoint that holds them
    /// notices files that were damaged since.
    pub fn seals(&self) -> Vec<u64> {
        self.writers.iter().flat_map(|writer| writer.seals()).flat_map(|seal| seal.numbers()).collect()
    }

    /// Completes the files of all frames so far; returns their names within the directory. Every writer gets its
    /// turn; the first error is returned.
    pub fn finish(mut self, ending: Ending) -> Result<Vec<String>, OutputError> {
        let mut files = Vec::new();
        let mut error = None;
        for writer in &mut self.writers {
            match writer.finish(&self.cast, ending) {
                Ok(written) => files.extend(written),
                Err(e) => error = error.or(Some(e)),
            }
        }
        match error {
            Some(error) => Err(error),
            None => Ok(files.iter().map(|path| self.relative(path)).collect()),
        }
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.directory).unwrap_or(path).to_string_lossy().into_owned()
    }
}
