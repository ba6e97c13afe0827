//! Keeps a run's checkpoints: when to write one, what belongs into it, and which one to go on from.

use crate::{course::Costs, directory, error::Error, options::CheckpointPolicy};
use muslin_io::{
    checkpoint::{Checkpoint, CheckpointFolder, Identity},
    output::{Kept, Outputs},
};
use muslin_model::{Archive, ArchiveError};
use muslin_render::ContactSheet;
use muslin_sim::Simulation;
use std::{path::Path, time::Instant};

/// How a run was taken up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// Frames that were done; `None` if there was no whole checkpoint and the run starts at the beginning.
    pub frame: Option<usize>,
    /// Files of checkpoints that are damaged, with how; an older one had to serve, or none.
    pub damaged: Vec<String>,
}

/// The checkpoints of a run under way.
pub(crate) struct Keeper {
    folder: CheckpointFolder,
    identity: Identity,
    policy: CheckpointPolicy,
    written: Instant,
    frames: usize,
}

impl Keeper {
    /// Opens the checkpoints of a directory.
    pub(crate) fn open(directory: &Path, identity: Identity, policy: CheckpointPolicy) -> Result<Self, Error> {
        let folder = CheckpointFolder::open(directory)?;
        Ok(Keeper { folder, identity, policy, written: Instant::now(), frames: 0 })
    }

    /// Which run it is.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Writes down which run begins, before its first frame.
    pub(crate) fn begin(&self) -> Result<(), Error> {
        Ok(self.folder.begin(&self.identity)?)
    }

    /// The archive to go on from. One of another version or scene is refused; so are results of another or an unknown scene
    /// where no archive is.
    pub(crate) fn newest(&self, directory: &Path) -> Result<(Option<Archive>, Vec<String>), Error> {
        let found = self.folder.newest()?;
        let name = |path: &Path| path.strip_prefix(directory).unwrap_or(path).display().to_string();
        let damaged: Vec<String> =
            found.damaged.iter().map(|(path, damage)| format!("`{}`: {damage}", name(path))).collect();
        let Some(Checkpoint { identity, archive }) = found.checkpoint else {
            directory::refuse_strange(directory, found.identity, &self.identity, &damaged)?;
            return Ok((None, damaged));
        };
        let differences = identity.differences(&self.identity);
        if !differences.is_empty() {
            return Err(Error::OtherRun { directory: directory.into(), differences });
        }
        Ok((Some(archive), damaged))
    }

    /// Counts a frame.
    pub(crate) fn frame_done(&mut self) {
        self.frames += 1;
    }

    /// Whether it is time for the next checkpoint. Its bits do not depend on the answer.
    pub(crate) fn due(&self) -> bool {
        self.frames >= self.policy.frames || self.written.elapsed().as_secs_f64() >= self.policy.seconds
    }

    /// Writes a checkpoint.
    pub(crate) fn write(&mut self, archive: Archive) -> Result<(), Error> {
        self.folder.write(&Checkpoint { identity: self.identity.clone(), archive })?;
        (self.written, self.frames) = (Instant::now(), 0);
        Ok(())
    }

    /// Removes the checkpoints of a run that is complete.
    pub(crate) fn remove(self) -> Result<(), Error> {
        Ok(self.folder.remove()?)
    }
}

/// The array with what the files weigh ([`Outputs::seals`]).
const SEALS: &str = "run.seals";

/// Puts everything that a run carries on into an archive.
pub(crate) fn save(simulation: &Simulation, outputs: &Outputs, sheet: &ContactSheet, costs: Costs) -> Archive {
    let mut archive = simulation.save();
    archive.put_counts(SEALS, outputs.seals());
    archive.put_reals("run.costs", [costs.wall_seconds, costs.cpu_seconds, costs.total_wall_seconds]);
    let (mut numbers, mut times) = (Vec::new(), Vec::new());
    for (number, time, positions) in sheet.kept() {
        archive.put_points(&format!("sheet.{}", numbers.len()), positions);
        numbers.push(number as u64);
        times.push(time);
    }
    archive.put_counts("sheet.numbers", numbers);
    archive.put_reals("sheet.times", times);
    archive
}

/// What of the files belongs to an archive, which has been restored.
pub(crate) fn kept<'a>(archive: &'a Archive, simulation: &Simulation) -> Result<Kept<'a>, ArchiveError> {
    Ok(Kept { frames: simulation.frame() + 1, seals: Some(archive.all_counts(SEALS)?) })
}

/// Takes everything up again from an archive.
pub(crate) fn restore(
    archive: &Archive,
    simulation: &mut Simulation,
    sheet: &mut ContactSheet,
) -> Result<Costs, ArchiveError> {
    simulation.restore(archive)?;
    let costs = archive.reals("run.costs", 3)?;
    let numbers = archive.all_counts("sheet.numbers")?;
    let times = archive.reals("sheet.times", numbers.len())?;
    for (k, (&number, &time)) in numbers.iter().zip(times).enumerate() {
        let positions = archive.points(&format!("sheet.{k}"), simulation.state().positions.len())?;
        sheet.add(number as usize, time, &positions);
    }
    Ok(Costs { wall_seconds: costs[0], cpu_seconds: costs[1], total_wall_seconds: costs[2] })
}
