//! The formats of frames, by name.

use super::{npz::NpzWriter, ply::PlyEncoder, sequence::SequenceWriter, writer::FrameWriter};
use std::{path::Path, str::FromStr};

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy archives `frames.npz` and `obstacles.npz`.
    Npz,
    /// A sequence of binary PLY files.
    Ply,
}

/// What a writer needs of each frame beyond positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Normals of the vertices.
    pub normals: bool,
    /// Quantities on the cloth.
    pub fields: bool,
    /// Quantities of the whole cloth.
    pub totals: bool,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 2] = [Format::Npz, Format::Ply];

    /// Its name on the command line and in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npz => "npz",
            Format::Ply => "ply",
        }
    }

    /// What its writer needs of each frame beyond positions.
    pub fn needs(self) -> Needs {
        match self {
            Format::Npz => Needs::default(),
            Format::Ply => Needs { normals: true, ..Needs::default() },
        }
    }

    /// Files and folders that show that a directory holds frames in this format, finished or not.
    pub fn traces(self) -> &'static [&'static str] {
        match self {
            Format::Npz => &["frames.npz", "frames.npz.partial", "obstacles.npz", "obstacles.npz.partial"],
            Format::Ply => &["ply"],
        }
    }

    /// A writer of this format into a directory.
    pub fn writer(self, directory: &Path) -> Box<dyn FrameWriter> {
        match self {
            Format::Npz => Box::new(NpzWriter::new(directory)),
            Format::Ply => Box::new(SequenceWriter::<PlyEncoder>::new(directory)),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Format::ALL.map(Format::name);
        Format::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
            let hint = crate::scene_file::nearest(name, known).map(|n| format!("; did you mean `{n}`?"));
            format!("`{name}` is not a format; there are {}{}", known.join(", "), hint.unwrap_or_default())
        })
    }
}
