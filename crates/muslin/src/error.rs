//! Everything that can go wrong, in one type.

use muslin_io::{
    SceneError,
    checkpoint::{Difference, FolderError},
    output::{Format, OutputError},
    recording::RecordingError,
};
use muslin_model::ArchiveError;
use muslin_render::RenderError;
use muslin_sim::SimError;
use std::path::{Path, PathBuf};

/// Why a scene cannot be read, built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scene cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene cannot be built, or a step failed.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The cloth starts crossing something or too near to it.
    #[error("{source}; all places are in {files} in `{}`", directory.display())]
    Start {
        /// What is wrong.
        source: Box<SimError>,
        /// The files that tell.
        files: &'static str,
        /// Where they are.
        directory: PathBuf,
    },
    /// The directory already holds a run.
    #[error("`{}` already holds a run ({file}); go on with --resume, replace it with --overwrite, or choose another directory", directory.display())]
    DirectoryHoldsRun {
        /// The directory.
        directory: PathBuf,
        /// The file that shows it.
        file: String,
    },
    /// What a conversion would write is there already.
    #[error("`{}` is there already, and a conversion replaces nothing; remove it, or choose another OUT", path.display())]
    Taken {
        /// The file or directory.
        path: PathBuf,
    },
    /// A directory for results is asked for where a file is.
    #[error("`{}` is a file, and results need a directory; choose another --out", file.display())]
    NotADirectory {
        /// The file.
        file: PathBuf,
    },
    /// A run to go on with is complete, but not all of its files are there any more.
    #[error("the run in `{}` was finished, but not all of it is there any more: {lost}", directory.display())]
    FinishedAndLost {
        /// The directory.
        directory: PathBuf,
        /// What is missing.
        lost: OutputError,
    },
    /// A run to go on with is complete. Nothing is left to do.
    #[error("the run in `{}` is finished: all {frames} frames are there", directory.display())]
    AlreadyFinished {
        /// The directory.
        directory: PathBuf,
        /// Its frames.
        frames: usize,
        /// Its `report.json`.
        report: String,
        /// Files beside its frames that were not as it wrote them, and were written anew.
        mended: Vec<String>,
    },
    /// A run to go on with is of another scene or version.
    #[error("{}", other_run(directory, differences))]
    OtherRun {
        /// The directory.
        directory: PathBuf,
        /// In what it differs.
        differences: Vec<Difference>,
    },
    /// Results of which nothing tells the scene any more would be replaced.
    #[error("{}", unknown_run(directory, file, damaged))]
    UnknownRun {
        /// The directory.
        directory: PathBuf,
        /// A file of the results.
        file: String,
        /// Files that told it once, and how they are damaged.
        damaged: Vec<String>,
    },
    /// The directory went away while the run was going on.
    #[error(
        "`{}` is not there any more: it was moved or removed while the run was going on; if it was moved, what is in it is whole: move it back, then resume; else run again", directory.display()
    )]
    Vanished {
        /// The directory.
        directory: PathBuf,
    },
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] FolderError),
    /// A checkpoint does not fit its own scene.
    #[error("the checkpoint does not fit the scene: {0}; begin again with --overwrite")]
    Archive(#[from] ArchiveError),
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
    /// Frames to convert cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Frames to convert are not as their run wrote them.
    #[error("{loss}; put the whole file back, or remove `{}` if it was changed on purpose", list.display())]
    Changed {
        /// The file and what is wrong with it.
        loss: String,
        /// The list of checksums.
        list: PathBuf,
    },
    /// A conversion without a format.
    #[error("`{}` does not tell a format; give `--format`, or an OUT that ends in .usda, .glb, .csv, .npz, .ply, .obj, .pc2 or .mdd", out.display())]
    NoFormat {
        /// Where the result should go.
        out: PathBuf,
    },
    /// A conversion into one file, and other formats beside.
    #[error("`{}` is one {} file; leave `--format` out, or give a directory as OUT", out.display(), format.name())]
    OtherFormat {
        /// Where the result should go.
        out: PathBuf,
        /// What it is by its name.
        format: Format,
    },
    /// A conversion into one file that cannot hold everything.
    #[error("`{}` cannot hold all of it: {reason}; give a directory as OUT, and `--format`", out.display())]
    NotOneFile {
        /// Where the result should go.
        out: PathBuf,
        /// What is too much.
        reason: String,
    },
    /// The picture cannot be drawn.
    #[error("the picture cannot be drawn: {0}")]
    Preview(#[from] RenderError),
    /// A frame that is not there.
    #[error("there is no frame {frame}; there are frames 0 to {last}")]
    NoSuchFrame {
        /// The frame.
        frame: usize,
        /// The last one.
        last: usize,
    },
    /// Colours by a quantity that needs the cloth's rest shape.
    #[error("this recording has no pattern coordinates to measure by; record as npz, or draw without --color-by")]
    NoPattern,
    /// Colours by bends that stay where none can.
    #[error(
        "`{measure}` is known while a scene whose bending has a memory is simulated; set `bend` of a cloth to \"hysteresis\" or \
         \"plasticity\", or colour by something else"
    )]
    NoCreases {
        /// What to colour by.
        measure: &'static str,
    },
    /// Colours by contact where none is known.
    #[error("`{measure}` needs contacts, and this scene has none; set `settings.contact`, or colour by something else")]
    NoContacts {
        /// What to colour by.
        measure: &'static str,
    },
    /// Colours by contact where the run did not record any.
    #[error(
        "`{measure}` was not recorded; run a scene {} again with `--format {}`, or colour by something else",
        if *measure == "residual" { "whose cloth bends with a memory" } else { "with `settings.contact`" },
        crate::recorded::FORMATS
    )]
    NotRecorded {
        /// What to colour by.
        measure: &'static str,
    },
    /// Ends of the colours that are none.
    #[error("colours cannot go from {low} to {high}; give two numbers, the lower one first")]
    ColourRange {
        /// Number at the lower end.
        low: f64,
        /// Number at the upper end.
        high: f64,
    },
    /// Ends of the colours of a picture that has none.
    #[error(
        "the fabric's own colours have no range; say with --color-by what to colour by, or leave --color-range out"
    )]
    NothingToColour,
    /// A film whose frames do not fit into memory.
    #[error(
        "{frames} frames of {vertices} vertices are too many to film at once; record them with `muslin run` and render its directory"
    )]
    FilmTooLong {
        /// Frames.
        frames: usize,
        /// Vertices.
        vertices: usize,
    },
    /// A wish for no frames at all.
    #[error("a run needs at least one frame")]
    NoFrames,
}

/// Differences shown; the first few tell enough.
const MOST_DIFFERENCES: usize = 12;

fn other_run(directory: &Path, differences: &[Difference]) -> String {
    let mut text = format!("the run in `{}` is another one; it differs in", directory.display());
    differences.iter().take(MOST_DIFFERENCES).for_each(|d| text.push_str(&format!("\n  {d}")));
    if differences.len() > MOST_DIFFERENCES {
        text.push_str(&format!("\n  and {} more keys", differences.len() - MOST_DIFFERENCES));
    }
    text + "\nGo on with the same scene and options, or replace the run with --overwrite"
}

fn unknown_run(directory: &Path, file: &str, damaged: &[String]) -> String {
    let mut text = format!("`{}` holds results (`{file}`), and nothing tells of which scene", directory.display());
    let report = directory.join("report.json").exists().then(|| "`report.json`: it is no whole report".to_string());
    let broken: Vec<String> = damaged.iter().cloned().chain(report).collect();
    match broken.is_empty() {
        true => text.push_str(": there is no report and no checkpoint"),
        false => text.push_str(&format!(", because all that told it is damaged:\n  {}", broken.join("\n  "))),
    }
    text + "\nPut a whole checkpoint or report back, replace the results with --overwrite, or choose another directory"
}
