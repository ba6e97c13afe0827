//! Watching a run, and stopping it.

use crate::keeper::Resumption;
use muslin_dynamics::Interrupt;
use muslin_sim::Tally;
use std::path::Path;

/// How far a run is.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Frames done, without the start.
    pub frame: usize,
    /// Frames of the whole run.
    pub frames: usize,
    /// Simulated time [s].
    pub time: f64,
    /// Steps done.
    pub steps: u64,
    /// Costs and counts so far.
    pub tally: &'a Tally,
}

/// Watches a run. `()` watches nothing.
pub trait Observer: Send {
    /// The run begins: where its results go, and its frames.
    fn begins(&mut self, _directory: &Path, _frames: usize) {}

    /// The run is taken up again, or would have been.
    fn resumes(&mut self, _resumption: &Resumption) {}

    /// A frame is done and written.
    fn frame_done(&mut self, _progress: &Progress<'_>) {}

    /// All frames are done; the picture is about to be drawn.
    fn draws(&mut self) {}

    /// Asked before each step: true ends the run there, with everything so far kept.
    fn stop(&self) -> bool {
        self.interrupt().is_asked()
    }

    /// Asked once, at the start: a wish to stop that is also seen within long steps. One that does not end soon
    /// after it is given up.
    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

impl Observer for () {}
