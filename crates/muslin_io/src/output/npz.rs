//! `frames.npz` and `obstacles.npz`: every bit of every frame, for NumPy.
//!
//! Each holds the triangles `F`, the rest positions `V0`, material coordinates `UV`, the frame rate `fps`, the
//! bodies' names and first vertices and triangles, and all frames `X`. Where a mesh file brought coordinates of a picture,
//! they are `texture`, NaN at triangles without.

use super::{
    cast::{Cast, Frame, Group},
    npy::{NpzStream, Prefix, encode, inspect},
    seal::Seal,
    writer::{Ending, FrameWriter, OutputError, Written},
};
use glam::DVec2;
use muslin_model::BodyKind;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// Writes the archives.
#[derive(Debug)]
pub struct NpzWriter {
    directory: PathBuf,
    archives: Vec<(Range<usize>, NpzStream)>,
}

const ARCHIVES: [(&str, BodyKind); 2] = [("frames.npz", BodyKind::Cloth), ("obstacles.npz", BodyKind::Obstacle)];

impl NpzWriter {
    /// Writes into a directory.
    pub fn new(directory: &Path) -> Self {
        NpzWriter { directory: directory.into(), archives: Vec::new() }
    }

    /// Each archive's file, bodies and constant arrays.
    fn parts(&self, cast: &Cast) -> impl Iterator<Item = (PathBuf, Group, Prefix)> {
        ARCHIVES
            .map(|(file, kind)| {
                let end = cast.mesh.positions.len();
                let nobody = || Group {
                    name: "obstacles",
                    vertices: end..end,
                    faces: cast.mesh.triangles.len()..cast.mesh.triangles.len(),
                    triangles: Vec::new(),
                    uv: Vec::new(),
                    bodies: Vec::new(),
                    moves: false,
                };
                let group = cast.group(kind).unwrap_or_else(nobody);
                let prefix = prefix(cast, &group);
                (self.directory.join(file), group, prefix)
            })
            .into_iter()
    }
}

fn prefix(cast: &Cast, group: &Group) -> Prefix {
    let mut prefix = Prefix::default();
    prefix.integers("F", 3, group.triangles.iter().flatten().map(|&v| v as usize));
    let mut bytes = Vec::new();
    encode(&cast.mesh.positions[group.vertices.clone()], &mut bytes);
    prefix.array("V0", "<f8", &[group.vertices.len(), 3], &bytes);
    let material = cast.mesh.uv.get(group.faces.clone()).unwrap_or_default();
    prefix.array("UV", "<f8", &[material.len(), 3, 2], &pairs(material.iter().copied()));
    if !cast.mesh.texture.is_empty() {
        let shown = group.faces.clone().map(|t| cast.mesh.shown_uv(t).unwrap_or([DVec2::NAN; 3]));
        prefix.array("texture", "<f8", &[group.faces.len(), 3, 2], &pairs(shown));
    }
    prefix.array("fps", "<f8", &[], &cast.frames_per_second.to_le_bytes());
    let names: Vec<&str> = group.bodies.iter().map(|b| b.name.as_str()).collect();
    prefix.texts("body_names", &names);
    let starts = group.bodies.iter().flat_map(|b| [b.vertices.start, b.triangles.start]);
    prefix.integers("body_starts", 2, starts);
    prefix
}

fn pairs(corners: impl Iterator<Item = [DVec2; 3]>) -> Vec<u8> {
    corners.flatten().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect()
}

impl FrameWriter for NpzWriter {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        let create = |(path, group, prefix): (PathBuf, Group, Prefix)| {
            let count = group.vertices.len();
            Ok((group.vertices, NpzStream::create(&path, &prefix, ("X", count))?))
        };
        self.archives = self.parts(cast).map(create).collect::<Result<_, OutputError>>()?;
        Ok(())
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        let has = |(path, group, prefix): (PathBuf, Group, Prefix)| {
            inspect(&path, &prefix, ("X", group.vertices.len()), (frames, ending))
        };
        self.parts(cast).map(has).collect()
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        let reopen = |((_, group, prefix), seal): ((PathBuf, Group, Prefix), Seal)| {
            let count = group.vertices.len();
            Ok((group.vertices, NpzStream::reopen(&prefix, ("X", count), frames, seal)?))
        };
        self.archives = self.parts(cast).zip(seals).map(reopen).collect::<Result<_, OutputError>>()?;
        Ok(())
    }

    fn frame(&mut self, _: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        self.archives.iter_mut().try_for_each(|(vertices, npz)| npz.row(&frame.positions[vertices.clone()]))
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.archives.iter_mut().try_for_each(|(_, npz)| npz.sync())
    }

    fn seals(&self) -> Vec<Seal> {
        self.archives.iter().map(|(_, npz)| npz.seal()).collect()
    }

    fn finish(&mut self, _: &Cast, _: Ending) -> Result<Written, OutputError> {
        let mut written = Written::default();
        for (_, npz) in self.archives.drain(..) {
            let seal = npz.finish()?;
            written.paths.push(seal.path.clone());
            written.seals.push(seal);
        }
        Ok(written)
    }
}
