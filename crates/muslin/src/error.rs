//! Everything that can go wrong, in one type.

use muslin_io::{SceneError, output::OutputError};
use muslin_render::RenderError;
use muslin_sim::SimError;
use std::path::PathBuf;

/// Why a scene cannot be read, built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scene cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene cannot be built, or a step failed.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The directory already holds a run.
    #[error("`{}` already holds a run ({file}); choose another directory or remove it", directory.display())]
    DirectoryHoldsRun {
        /// The directory.
        directory: PathBuf,
        /// The file that shows it.
        file: String,
    },
    /// A result cannot be written.
    #[error("cannot write `{}`: {source}; the result directory must be writable and have room", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The frames cannot be written. What was written before is whole.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The picture cannot be drawn.
    #[error("the preview cannot be drawn: {0}")]
    Preview(#[from] RenderError),
    /// A wish for no frames at all.
    #[error("a run needs at least one frame")]
    NoFrames,
}
