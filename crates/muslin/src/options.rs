//! What a run writes, and where.

use muslin_io::output::Format;
use std::path::PathBuf;

/// What to do with a directory that already holds a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone; the run does not begin.
    #[default]
    Refuse,
    /// Go on from its newest checkpoint, or at the beginning if it has none.
    Resume,
    /// Remove what it wrote and begin again.
    Overwrite,
}

/// When checkpoints are written. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckpointPolicy {
    /// Wall-clock time between two [s]; checked between steps.
    pub seconds: f64,
    /// Most frames between two.
    pub frames: usize,
}

impl Default for CheckpointPolicy {
    fn default() -> Self {
        CheckpointPolicy { seconds: 30.0, frames: 50 }
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
    /// What to do if the directory already holds a run. Without a directory, resuming takes the last
    /// `runs/SCENE-NNN`.
    pub existing: Existing,
    /// When checkpoints are written.
    pub checkpoints: CheckpointPolicy,
    /// Warnings from reading the scene, to go into the report.
    pub warnings: Vec<String>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            out: None,
            frames: None,
            threads: None,
            formats: vec![Format::Npz],
            existing: Existing::default(),
            checkpoints: CheckpointPolicy::default(),
            warnings: Vec::new(),
        }
    }
}
