//! What a run writes, and where.

use std::{path::PathBuf, str::FromStr};

/// Formats of the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy archives `frames.npz` and `obstacles.npz`.
    Npz,
    /// A sequence of binary PLY files.
    Ply,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 2] = [Format::Npz, Format::Ply];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npz => "npz",
            Format::Ply => "ply",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Format::ALL.map(Format::name);
        Format::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
            let hint = muslin_io::scene_file::nearest(name, known).map(|n| format!("; did you mean `{n}`?"));
            format!("`{name}` is not a format; there are {}{}", known.join(" and "), hint.unwrap_or_default())
        })
    }
}

/// How to run a scene.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Directory of the results; `None` takes `runs/SCENE-NNN` with the next free number.
    pub out: Option<PathBuf>,
    /// Most frames to simulate; `None` simulates the scene's whole duration.
    pub frames: Option<usize>,
    /// Threads; `None` takes all processors. The result is the same for any number.
    pub threads: Option<usize>,
    /// What to write of the frames.
    pub formats: Vec<Format>,
    /// Warnings from reading the scene, to go into the report.
    pub warnings: Vec<String>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { out: None, frames: None, threads: None, formats: vec![Format::Npz], warnings: Vec::new() }
    }
}
