//! `frames.glb`: every body as a mesh, animated by one morph target per frame.
//!
//! The file begins with a description of everything in it, and its numbers are quantised by the largest motion of the
//! run; both are known last. So positions grow in `frames.glb.samples.partial`, in single precision, and finishing the file
//! reads them twice: once for the ranges, once to write ([`super::glb`]). Room for that is held from the start
//! ([`super::room`]).

use super::{
    cast::{Cast, Frame},
    glb,
    parts::{PartFile, inspect_records},
    room::Room,
    seal::Seal,
    stream::samples,
    writer::{Ending, FrameWriter, OutputError, Written, fails},
};
use std::{
    fs,
    io::ErrorKind,
    ops::Range,
    path::{Path, PathBuf},
};

/// Writes a GLB file.
pub struct GltfWriter {
    target: PathBuf,
    part: Option<PartFile>,
    moving: Vec<Range<usize>>,
    frames: usize,
    bytes: Vec<u8>,
    room: Room,
    /// Most bytes of the file without frames, and of each frame.
    most: [u64; 2],
}

impl GltfWriter {
    /// Writes into a directory.
    pub fn new(directory: &Path) -> Self {
        let target = directory.join("frames.glb");
        let room = Room::beside(&target);
        GltfWriter { target, part: None, moving: Vec::new(), frames: 0, bytes: Vec::new(), room, most: [0; 2] }
    }

    fn choose(&mut self, cast: &Cast) {
        let moving = (0..cast.bodies.len()).filter(|&b| cast.moving[b]);
        self.moving = moving.map(|b| cast.bodies[b].vertices.clone()).collect();
        self.most = glb::most_bytes(cast);
    }

    /// Bytes of a gathered frame.
    fn record(cast: &Cast) -> u64 {
        let moving = (0..cast.bodies.len()).filter(|&b| cast.moving[b]);
        12 * moving.map(|b| cast.bodies[b].vertices.len() as u64).sum::<u64>()
    }

    /// Holds room for the file of so many frames.
    fn hold(&mut self, frames: usize) -> Result<(), OutputError> {
        self.room.hold(self.most[0] + frames as u64 * self.most[1])
    }
}

impl FrameWriter for GltfWriter {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        match fs::remove_file(&self.target) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(fails(&self.target)(error)),
            _ => {}
        }
        self.choose(cast);
        self.frames = 0;
        self.part = Some(PartFile::create(&samples(&self.target))?);
        self.hold(0)
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        match ending {
            Ending::Complete => glb::inspect(&self.target).map(|()| Vec::new()),
            Ending::Early => Ok(vec![inspect_records(&samples(&self.target), Self::record(cast), frames)?]),
        }
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.choose(cast);
        self.frames = frames;
        self.part = seals.into_iter().next().map(PartFile::reopen).transpose()?;
        self.hold(frames)
    }

    fn frame(&mut self, _: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        self.hold(frame.number + 1)?;
        let Some(part) = &mut self.part else { return Ok(()) };
        self.bytes.resize(12 * self.moving.iter().map(Range::len).sum::<usize>(), 0);
        let places = self.moving.iter().flat_map(|vertices| &frame.positions[vertices.clone()]);
        for (out, p) in self.bytes.as_chunks_mut::<12>().0.iter_mut().zip(places) {
            out.as_chunks_mut().0.iter_mut().zip(p.as_vec3().to_array()).for_each(|(out, x)| *out = x.to_le_bytes());
        }
        part.append(&self.bytes)?;
        self.frames = frame.number + 1;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.part.as_mut().map_or(Ok(()), PartFile::sync)
    }

    fn seals(&self) -> Vec<Seal> {
        self.part.iter().map(PartFile::seal).collect()
    }

    fn finish(&mut self, cast: &Cast, _: Ending) -> Result<Written, OutputError> {
        let Some(part) = self.part.take() else { return Ok(Written::default()) };
        self.room.give_back()?;
        let seal = glb::write(&self.target, cast, &part, self.frames)?;
        Ok(Written { paths: vec![self.target.clone()], seals: vec![seal], ledger: None })
    }
}
