//! Sequences of files, one per frame: `cloth_0000.ply`, `cloth_0001.ply`, …
//!
//! Each file is whole or absent. Obstacles have files of their own, one for all frames if none of them moves.

use super::{
    atomic::write_whole,
    cast::{Cast, Frame, Group},
    seal::Seal,
    writer::{Ending, FrameWriter, OutputError, demand, fails},
};
use muslin_model::BodyKind;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

/// The groups that have files of their own.
const KINDS: [BodyKind; 2] = [BodyKind::Cloth, BodyKind::Obstacle];

/// Turns a group of bodies into the bytes of a file.
pub trait MeshEncoder: Send + Sized {
    /// The directory of the files.
    const FOLDER: &'static str;
    /// Their extension.
    const EXTENSION: &'static str;

    /// Prepares what is the same in all frames.
    fn new(group: Group) -> Self;

    /// The bodies.
    fn group(&self) -> &Group;

    /// Bytes that the file of every frame ends with: a file that was cut off does not have them.
    fn ending(&self) -> &[u8];

    /// Sets `bytes` to the file of a frame at a time [s].
    fn encode(&mut self, time: f64, frame: &Frame<'_>, bytes: &mut Vec<u8>);
}

/// Most bytes of the end of a file that are compared: more than one face has.
const ENDING: usize = 64;

/// The last bytes of a file's last part.
pub fn end_of(part: &[u8]) -> &[u8] {
    &part[part.len().saturating_sub(ENDING)..]
}

/// Writes a sequence of files.
pub struct SequenceWriter<E> {
    directory: PathBuf,
    encoders: Vec<E>,
    /// Of the files of each encoder.
    seals: Vec<Vec<Seal>>,
    /// Files written since they were last handed to the disk.
    fresh: Vec<PathBuf>,
    bytes: Vec<u8>,
}

/// The name of a group's file at a frame.
pub fn file_name(cast: &Cast, group: &Group, frame: usize, extension: &str) -> String {
    match group.moves {
        true => format!("{}_{frame:0width$}.{extension}", group.name, width = cast.digits()),
        false => format!("{}.{extension}", group.name),
    }
}

/// Files of a group that so many frames have.
fn files_of(group: &Group, frames: usize) -> usize {
    if group.moves { frames } else { frames.min(1) }
}

impl<E: MeshEncoder> SequenceWriter<E> {
    /// Writes into a folder of a directory.
    pub fn new(directory: &Path) -> Self {
        let directory = directory.join(E::FOLDER);
        SequenceWriter { directory, encoders: Vec::new(), seals: Vec::new(), fresh: Vec::new(), bytes: Vec::new() }
    }

    /// The groups that have files.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.encoders.iter().map(E::group)
    }

    fn prepare(&mut self, cast: &Cast) {
        self.encoders = KINDS.into_iter().filter_map(|kind| cast.group(kind)).map(E::new).collect();
    }

    /// Removes the files of all frames from number `frames` on, half-written ones too.
    fn drop_from(&self, frames: usize) -> Result<(), OutputError> {
        let fail = || fails(&self.directory);
        for entry in fs::read_dir(&self.directory).map_err(fail())? {
            let name = entry.map_err(fail())?.file_name().to_string_lossy().into_owned();
            let group = self.groups().find_map(|g| name.strip_prefix(g.name));
            let partial = name.ends_with(".partial");
            let number = group.and_then(|rest| {
                let rest = rest.strip_suffix(".partial").unwrap_or(rest);
                rest.strip_prefix('_')?.strip_suffix(E::EXTENSION)?.strip_suffix('.')?.parse::<usize>().ok()
            });
            if number.is_some_and(|n| n >= frames) || (partial && group.is_some()) {
                let path = self.directory.join(name);
                fs::remove_file(&path).map_err(fails(&path))?;
            }
        }
        Ok(())
    }
}

impl<E: MeshEncoder> FrameWriter for SequenceWriter<E> {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        fs::create_dir_all(&self.directory).map_err(fails(&self.directory))?;
        self.prepare(cast);
        self.seals = vec![Vec::new(); self.encoders.len()];
        self.drop_from(0)
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        let mut seals = Vec::new();
        for encoder in KINDS.into_iter().filter_map(|kind| cast.group(kind)).map(E::new) {
            for frame in 0..files_of(encoder.group(), frames) {
                let path = self.directory.join(file_name(cast, encoder.group(), frame, E::EXTENSION));
                demand(&path, encoder.ending())?;
                if ending == Ending::Early {
                    seals.push(Seal::read_whole(&path)?);
                }
            }
        }
        Ok(seals)
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.prepare(cast);
        let mut seals = seals.into_iter();
        let counts = self.encoders.iter().map(|encoder| files_of(encoder.group(), frames));
        self.seals = counts.map(|count| seals.by_ref().take(count).collect()).collect();
        self.drop_from(frames)
    }

    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        for (encoder, seals) in self.encoders.iter_mut().zip(&mut self.seals) {
            if !encoder.group().moves && frame.number > 0 {
                continue;
            }
            encoder.encode(cast.time(frame.number), frame, &mut self.bytes);
            let path = self.directory.join(file_name(cast, encoder.group(), frame.number, E::EXTENSION));
            write_whole(&path, &self.bytes).map_err(fails(&path))?;
            seals.push(Seal::of(&path, &self.bytes));
            self.fresh.push(path);
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        for path in self.fresh.drain(..) {
            File::open(&path).and_then(|file| file.sync_all()).map_err(fails(&path))?;
        }
        Ok(())
    }

    fn seals(&self) -> Vec<Seal> {
        self.seals.concat()
    }

    fn finish(&mut self, _: &Cast, _: Ending) -> Result<Vec<PathBuf>, OutputError> {
        Ok(vec![self.directory.clone()])
    }
}
