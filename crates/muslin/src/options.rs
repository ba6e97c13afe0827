//! What a run writes, and where.

use muslin_io::output::Format;
use std::path::PathBuf;

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
