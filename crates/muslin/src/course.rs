//! A run under way: simulation, files, picture and checkpoints, kept in step.

use crate::{
    error::Error,
    fields::{Fields, totals},
    keeper::{self, Keeper},
    observer::{Observer, Progress},
    report::Outcome,
};
use glam::DVec3;
use muslin_io::output::{Measured, Outputs};
use muslin_render::ContactSheet;
use muslin_sim::{SimError, Simulation, report::cpu_seconds};
use std::{cell::Cell, time::Instant};

/// What a run has cost so far, before it was stopped included [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    /// Wall-clock time of stepping.
    pub wall_seconds: f64,
    /// Processor time of stepping.
    pub cpu_seconds: f64,
    /// Wall-clock time of everything.
    pub total_wall_seconds: f64,
}

/// A run under way.
pub(crate) struct Course {
    pub simulation: Simulation,
    pub outputs: Outputs,
    /// What files show beyond positions, if one of them does.
    pub fields: Option<Fields>,
    pub sheet: ContactSheet,
    pub keeper: Keeper,
    /// Until this process took the run up.
    pub before: Costs,
    /// Of this process.
    pub now: Costs,
    pub began: Instant,
    pub frames: usize,
}

/// How stepping ended.
pub(crate) struct Ended {
    pub outcome: Outcome,
    pub failure: Option<SimError>,
}

/// Why there is no frame.
enum Pause {
    /// The observer wants the run to end.
    Stop,
    /// It is time for a checkpoint.
    Checkpoint,
}

impl Course {
    /// Costs so far.
    pub(crate) fn costs(&self) -> Costs {
        Costs {
            wall_seconds: self.before.wall_seconds + self.now.wall_seconds,
            cpu_seconds: self.before.cpu_seconds + self.now.cpu_seconds,
            total_wall_seconds: self.before.total_wall_seconds + self.began.elapsed().as_secs_f64(),
        }
    }

    /// Writes the start of a run.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        let start = self.simulation.state().positions.clone();
        self.write(0, &start)?;
        self.sheet.add(0, 0.0, &start);
        Ok(())
    }

    /// Writes a frame, with what its formats need beyond positions.
    fn write(&mut self, frame: usize, positions: &[DVec3]) -> Result<(), Error> {
        self.fields.iter_mut().for_each(|fields| fields.measure(&self.simulation, positions));
        let fields = self.fields.as_ref();
        let wanted = self.outputs.needs().totals;
        let totals = if wanted { totals(&self.simulation, fields, positions) } else { Vec::new() };
        let fields = fields.map_or(&[][..], Fields::arrays);
        Ok(self.outputs.add(frame, positions, Measured { fields, totals: &totals })?)
    }

    /// Simulates frame after frame.
    pub(crate) fn go(&mut self, observer: &mut dyn Observer) -> Result<Ended, Error> {
        self.simulation.heed(&observer.interrupt());
        // What is written beside a frame tells of its crossings.
        if !self.outputs.needs().totals {
            self.simulation.judge_beside_steps();
        }
        while self.simulation.frame() < self.frames {
            match self.next(observer)? {
                Ok(None) => {
                    self.keeper.frame_done();
                    let (simulation, frame, frames) = (&self.simulation, self.simulation.frame(), self.frames);
                    let (time, steps) = (simulation.state().time, simulation.state().steps);
                    observer.frame_done(&Progress { frame, frames, time, steps, tally: simulation.tally() });
                    if frame < frames && self.keeper.due() {
                        self.checkpoint()?;
                    }
                }
                Ok(Some(Pause::Checkpoint)) => self.checkpoint()?,
                // Between two steps, or within one that was given up: then as it was at the start of that step.
                Ok(Some(Pause::Stop)) | Err(SimError::Interrupted { .. }) => {
                    self.checkpoint()?;
                    return Ok(Ended { outcome: Outcome::Interrupted, failure: None });
                }
                // No checkpoint: the failed attempt has left its traces in the solver. An earlier one leads here again.
                Err(failure) => return Ok(self.failed(failure)),
            }
        }
        match self.finish_judging() {
            Ok(()) => Ok(Ended { outcome: Outcome::Completed, failure: None }),
            Err(failure) => Ok(self.failed(failure)),
        }
    }

    fn failed(&mut self, failure: SimError) -> Ended {
        // The first failure is the one to tell.
        let _ = self.finish_judging();
        Ended { outcome: Outcome::Failed, failure: Some(failure) }
    }

    /// Waits for the verdict on the last frame.
    fn finish_judging(&mut self) -> Result<(), SimError> {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let result = self.simulation.finish_judging();
        self.now.wall_seconds += wall.elapsed().as_secs_f64();
        self.now.cpu_seconds += cpu_seconds() - cpu;
        result
    }

    /// Simulates to the next frame and writes it, unless something else comes first.
    fn next(&mut self, observer: &dyn Observer) -> Result<Result<Option<Pause>, SimError>, Error> {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let (asked, stopped, keeper) = (Cell::new(false), Cell::new(false), &self.keeper);
        let pause = || {
            stopped.set(stopped.get() || observer.stop());
            // The first step since a checkpoint is always taken, however often checkpoints are wanted.
            stopped.get() || (asked.replace(true) && keeper.due())
        };
        let step = self.simulation.next_frame_unless(&pause);
        self.now.wall_seconds += wall.elapsed().as_secs_f64();
        self.now.cpu_seconds += cpu_seconds() - cpu;
        let positions = match step {
            Ok(Some(positions)) => positions,
            Ok(None) => return Ok(Ok(Some(if stopped.get() { Pause::Stop } else { Pause::Checkpoint }))),
            Err(failure) => return Ok(Err(failure)),
        };
        let frame = self.simulation.frame();
        self.write(frame, &positions)?;
        self.sheet.add(frame, self.simulation.frame_time(frame), &positions);
        Ok(Ok(None))
    }

    /// Writes a checkpoint; the frames that it relies on are on the disk before.
    fn checkpoint(&mut self) -> Result<(), Error> {
        self.outputs.sync()?;
        self.finish_judging().map_err(Error::from)?;
        self.keeper.write(keeper::save(&self.simulation, &self.outputs, &self.sheet, self.costs()))
    }
}
