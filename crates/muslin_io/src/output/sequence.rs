//! Sequences of files, one per frame: `cloth_0000.ply`, `cloth_0001.ply`, …
//!
//! Each file is whole or absent, and a line with its checksum is added to a [list](super::checksums) that grows beside them. Obstacles have files of their own, one for all frames if none of them moves.

use super::{
    atomic::{AtomicFile, settle_folder},
    cast::{Cast, Frame, Group},
    checksums,
    parts::PartFile,
    seal::{Seal, Weighing},
    settler::Settler,
    writer::{Ending, FrameWriter, OutputError, Written, demand, fails},
};
use muslin_model::BodyKind;
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
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

    /// Writes the file of a frame at a time [s], some kilobytes at a time.
    fn encode<W: Write>(&mut self, time: f64, frame: &Frame<'_>, out: &mut Weighing<W>) -> io::Result<()>;
}

/// Most bytes of the end of a file that are compared: more than one face has.
pub const ENDING: usize = 64;

/// Bytes of numbers that are made at once, before they are weighed and written.
pub const PIECE: usize = 1 << 16;

/// Writes a sequence of files.
pub struct SequenceWriter<E> {
    directory: PathBuf,
    encoders: Vec<E>,
    /// A line with the checksum of every file; what they weigh together is the weight of the lines.
    ledger: Option<PartFile>,
    /// Files on their way to the disk.
    settler: Settler,
}

/// Whether a group has a file of its own for a frame.
fn has_file(group: &Group, frame: usize) -> bool {
    group.moves || frame == 0
}

impl<E: MeshEncoder> SequenceWriter<E> {
    /// Writes into a folder of a directory.
    pub fn new(directory: &Path) -> Self {
        let directory = directory.join(E::FOLDER);
        SequenceWriter { directory, encoders: Vec::new(), ledger: None, settler: Settler::default() }
    }

    /// The groups that have files.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.encoders.iter().map(E::group)
    }

    fn prepare(&mut self, cast: &Cast) {
        self.encoders = Self::encoders_of(cast);
    }

    fn encoders_of(cast: &Cast) -> Vec<E> {
        KINDS.into_iter().filter_map(|kind| cast.group(kind)).map(E::new).collect()
    }

    /// The line of a file in the ledger.
    fn line(name: &str, crc: u32) -> String {
        checksums::line(&format!("{}/{name}", E::FOLDER), crc)
    }

    /// Hands on the files of so many frames in the order in which they were written, each with its line.
    fn each_file(
        &self,
        cast: &Cast,
        frames: usize,
        hand: &mut dyn FnMut(&Path, String) -> Result<(), OutputError>,
    ) -> Result<(), OutputError> {
        let encoders = Self::encoders_of(cast);
        for frame in 0..frames {
            for encoder in encoders.iter().filter(|encoder| has_file(encoder.group(), frame)) {
                let name = cast.file_name(encoder.group(), frame, E::EXTENSION);
                let path = self.directory.join(&name);
                demand(&path, encoder.ending())?;
                hand(&path, Self::line(&name, Seal::read_whole(&path)?.crc()))?;
            }
        }
        Ok(())
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
        self.ledger = Some(PartFile::create(&checksums::ledger(&self.directory))?);
        self.drop_from(0)
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        if ending == Ending::Complete {
            for encoder in Self::encoders_of(cast) {
                for frame in (0..frames).filter(|&frame| has_file(encoder.group(), frame)) {
                    let name = cast.file_name(encoder.group(), frame, E::EXTENSION);
                    demand(&self.directory.join(name), encoder.ending())?;
                }
            }
            return Ok(Vec::new());
        }
        // The lines that the run wrote tell which file has changed since, if one has.
        let told = File::open(checksums::ledger(&self.directory)).ok().map(BufReader::new);
        let mut told = told.map(|lines| lines.lines().map_while(Result::ok));
        let (mut seal, mut changed) = (Seal::new(&self.directory), None);
        self.each_file(cast, frames, &mut |path, line| {
            let there = told.as_mut().and_then(Iterator::next);
            if changed.is_none() && there.is_some_and(|there| there != line.trim_end()) {
                changed = Some(path.to_path_buf());
            }
            seal.add(line.as_bytes());
            Ok(())
        })?;
        seal.path = changed.unwrap_or(seal.path);
        Ok(vec![seal])
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.prepare(cast);
        self.drop_from(frames)?;
        let path = checksums::ledger(&self.directory);
        let Some(mut seal) = seals.into_iter().next() else { return Ok(()) };
        seal.path.clone_from(&path);
        let there = File::open(&path).ok().and_then(|mut file| Seal::read(&path, &mut file, 0, seal.length).ok());
        self.ledger = Some(match there.is_some_and(|there| there.numbers() == seal.numbers()) {
            true => PartFile::reopen(seal)?,
            // The lines are lost or damaged, the files are not.
            false => {
                let mut ledger = PartFile::create(&path)?;
                self.each_file(cast, frames, &mut |_, line| ledger.append(line.as_bytes()))?;
                ledger
            }
        });
        Ok(())
    }

    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        let Some(ledger) = &mut self.ledger else { return Ok(()) };
        for encoder in &mut self.encoders {
            if !has_file(encoder.group(), frame.number) {
                continue;
            }
            let name = cast.file_name(encoder.group(), frame.number, E::EXTENSION);
            let path = self.directory.join(&name);
            let write = |encoder: &mut E| {
                let mut file = AtomicFile::create(&path)?;
                let mut out = Weighing::new(&path, &mut file.writer);
                encoder.encode(cast.time(frame.number), frame, &mut out)?;
                let crc = out.seal.crc();
                file.writer.flush()?;
                Ok((file, crc))
            };
            let (file, crc) = write(encoder).map_err(fails(&path))?;
            // The line before the name: a file without its line would be one frame too many after a full disk.
            let before = ledger.mark();
            ledger.append(Self::line(&name, crc).as_bytes())?;
            if let Err(error) = file.finish() {
                ledger.back_to(&before)?;
                return Err(fails(&path)(error));
            }
            self.settler.add(path);
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.settler.wait()?;
        settle_folder(&self.directory).map_err(fails(&self.directory))?;
        self.ledger.as_mut().map_or(Ok(()), PartFile::sync)
    }

    fn seals(&self) -> Vec<Seal> {
        self.ledger.iter().map(PartFile::seal).collect()
    }

    fn finish(&mut self, _: &Cast, _: Ending) -> Result<Written, OutputError> {
        let ledger = self.ledger.take().map(|_| checksums::ledger(&self.directory));
        Ok(Written { paths: vec![self.directory.clone()], seals: Vec::new(), ledger })
    }
}
