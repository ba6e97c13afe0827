//! The progress bar on standard error.

use crate::exit::complain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use muslin::{Interrupt, Observer, Progress, Resumption, sim::Stage};
use std::{path::Path, time::Instant};

/// Watches a run on a terminal.
pub struct Bar {
    bar: ProgressBar,
    interrupt: Interrupt,
    began: Instant,
    /// Frames that were there when it began.
    first: usize,
}

/// A stage with a smaller part of the time is not named: it would be shown as nothing [%].
const LEAST_SHARE: f64 = 0.5;

/// Redraws per second.
const REDRAWS: u8 = 10;

impl Bar {
    /// A bar of a run that can be interrupted.
    pub fn new(interrupt: Interrupt) -> Self {
        Bar { bar: ProgressBar::hidden(), interrupt, began: Instant::now(), first: 0 }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn begins(&mut self, directory: &Path, frames: usize) {
        self.began = Instant::now();
        self.bar = ProgressBar::with_draw_target(Some(frames as u64), ProgressDrawTarget::stderr_with_hz(REDRAWS));
        // The message is cut to the terminal's width: a line that wraps cannot be redrawn in place.
        let template = "frame {pos}/{len} [{bar:16}] {wide_msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style.progress_chars("=> "));
        self.bar.set_message(directory.display().to_string());
        self.bar.tick();
    }

    fn resumes(&mut self, resumption: &Resumption) {
        let says = |text: &str| self.bar.suspend(|| complain(text));
        resumption.damaged.iter().for_each(|damage| says(&format!("warning: damaged checkpoint {damage}")));
        resumption.lost.iter().for_each(|loss| says(&format!("warning: {loss}; an older checkpoint serves")));
        resumption.mended.iter().for_each(|file| says(&crate::run::mended(file)));
        match resumption.frame {
            Some(frame) => says(&format!("going on after frame {frame}")),
            None => says("no whole checkpoint: starting at the beginning"),
        }
        self.first = resumption.frame.unwrap_or(0);
        self.bar.set_position(self.first as u64);
    }

    fn frame_done(&mut self, progress: &Progress<'_>) {
        self.bar.set_position(progress.frame as u64);
        self.bar.set_message(message(progress, self.first, self.began.elapsed().as_secs_f64()));
    }

    fn draws(&mut self) {
        self.bar.set_message("drawing the preview");
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
}

/// Rate since frame `first`, time left, Newton iterations per step and what the stages cost.
fn message(progress: &Progress<'_>, first: usize, elapsed: f64) -> String {
    let rate = (progress.frame - first) as f64 / elapsed.max(1e-9);
    let left = (progress.frames - progress.frame) as f64 / rate.max(1e-9);
    let total: f64 = progress.tally.stages.iter().map(|s| s.wall_seconds).sum();
    let share = |stage: Stage| 100.0 * progress.tally.stages[stage as usize].wall_seconds / total.max(1e-9);
    // Stages that cost nothing would push the others off a narrow terminal; the dearest come first.
    let mut costly: Vec<Stage> = Stage::ALL.into_iter().filter(|&s| share(s) >= LEAST_SHARE).collect();
    costly.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    let stages: Vec<String> = costly.iter().map(|&s| format!("{} {:.0} %", s.name(), share(s))).collect();
    let newton = progress.tally.newton_iterations as f64 / progress.steps.max(1) as f64;
    format!("{rate:.1}/s  {} left  {}  {newton:.1} Newton/step", clock(left), stages.join(", "))
}

/// Seconds as `m:ss`, or `h:mm:ss`.
fn clock(seconds: f64) -> String {
    let s = seconds.round().clamp(0.0, 1e9) as u64;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::sim::Tally;

    #[test]
    fn the_message_tells_rate_time_left_and_shares() {
        let mut tally = Tally { newton_iterations: 90, ..Default::default() };
        tally.stages[Stage::Integrate as usize].wall_seconds = 3.0;
        tally.stages[Stage::Commit as usize].wall_seconds = 1.0;
        let progress = Progress { frame: 30, frames: 120, time: 0.5, steps: 30, tally: &tally };
        let text = message(&progress, 0, 10.0);
        assert!(message(&progress, 20, 10.0).contains("1.0/s  1:30 left"));
        assert!(!text.contains("drive") && !text.contains("broad-phase"), "stages without cost: {text}");
        // All stages are seen on a terminal of 80 columns, behind the count and the bar of 16.
        let stages_end = text.find("  3.0 Newton").expect("Newton iterations at the end");
        assert!("frame 30/120 [] ".len() + 16 + stages_end <= 80, "{text}");
        for part in ["3.0/s", "0:30 left", "integrate 75 %", "commit 25 %", "3.0 Newton/step"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn clocks_show_hours_only_when_there_are_any() {
        assert_eq!(clock(59.6), "1:00");
        assert_eq!(clock(3725.0), "1:02:05");
    }
}
