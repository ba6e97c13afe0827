//! Exit codes and the way errors are shown.

use muslin::{
    Error,
    io::{checkpoint::FolderError, output::OutputError},
};
use std::{io::Write, process::ExitCode};

/// The run failed.
pub const FAILED: u8 = 1;
/// Wrong usage or a faulty scene.
pub const REFUSED: u8 = 2;
/// A claim of the scene does not hold.
pub const CLAIM_BROKEN: u8 = 3;
/// Stopped by Ctrl-C: 128 + the signal's number, as shells do.
pub const INTERRUPTED: u8 = 130;

/// Shows an error and says how the command ends.
pub fn show(error: &Error) -> ExitCode {
    let text = error.to_string();
    // A faulty scene's text is a list of errors already.
    let prefix = if text.starts_with("error: ") { "" } else { "error: " };
    complain(&format!("{prefix}{text}"));
    ExitCode::from(match error {
        Error::Taken { .. } | Error::NotADirectory { .. } | Error::FinishedAndLost { .. } => REFUSED,
        Error::OtherFormat { .. } | Error::NotOneFile { .. } | Error::Changed { .. } => REFUSED,
        Error::Output(OutputError::Missing { .. } | OutputError::TooShort { .. } | OutputError::Damaged { .. }) => {
            REFUSED
        }
        Error::Scene(_) | Error::DirectoryHoldsRun { .. } | Error::OtherRun { .. } | Error::NoFrames => REFUSED,
        Error::UnknownRun { .. } => REFUSED,
        Error::Checkpoint(FolderError::Busy { .. } | FolderError::OtherLayout { .. }) => REFUSED,
        Error::Simulation(_) | Error::Start { .. } | Error::Recording(_) | Error::NoFormat { .. } => REFUSED,
        Error::NoSuchFrame { .. }
        | Error::NoPattern
        | Error::NoContacts { .. }
        | Error::NoCreases { .. }
        | Error::NotRecorded { .. }
        | Error::ColourRange { .. }
        | Error::NothingToColour
        | Error::FilmTooLong { .. } => REFUSED,
        Error::Checkpoint(_) | Error::Archive(_) | Error::AlreadyFinished { .. } => FAILED,
        Error::Vanished { .. } | Error::Write { .. } | Error::Output(_) | Error::Preview(_) => FAILED,
    })
}

/// Prints a line on standard error. A closed pipe is no reason to end differently.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints a result on standard output. That nobody reads it is an error, since it was asked for; `kept` says where
/// else it is.
pub fn deliver(text: &str, kept: &std::path::Path) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!(
                "error: cannot write to standard output: {error}; the report is in `{}`",
                kept.display()
            ));
            ExitCode::from(FAILED)
        }
    }
}

/// Prints on standard output; a reader that has gone away ends the command quietly.
pub fn say(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: cannot write to standard output: {error}"));
            ExitCode::from(FAILED)
        }
    }
}
