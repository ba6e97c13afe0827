//! Signals that would end the command without a word.

/// Lets a file that grows beyond the system's limit fail to be written, instead of ending the process: the run then says which
/// file it is, and what was written before stays whole.
#[cfg(unix)]
pub fn outlive_file_limits() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: no code of this program runs in the signal's place; it is ignored, and nobody waits for it.
    // If it cannot be ignored, the command is as it was.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn outlive_file_limits() {}
