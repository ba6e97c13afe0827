//! Keeps a run's checkpoints: when to write one, what belongs into it, and which one to go on from.

use crate::{course::Costs, directory, error::Error, options::CheckpointPolicy};
use muslin_io::{
    checkpoint::{Checkpoint, CheckpointFolder, Identity},
    output::{Cast, Earlier, Format, Kept, Outputs},
};
use muslin_model::{Archive, ArchiveError};
use muslin_render::ContactSheet;
use muslin_sim::Simulation;
use std::{path::Path, time::Instant};

/// How a run was taken up again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumption {
    /// Frames that were done; `None` if there was no whole checkpoint and the run starts at the beginning.
    pub frame: Option<usize>,
    /// Files of checkpoints that are damaged, with how; an older one had to serve, or none.
    pub damaged: Vec<String>,
    /// Files of frames that are lost or damaged, with how; an older checkpoint can do without these frames.
    pub lost: Vec<String>,
    /// Files beside the frames that were not as the run wrote them, and were written anew.
    pub mended: Vec<String>,
}

/// What a run goes on from.
pub(crate) struct Point {
    pub archive: Archive,
    /// Number of its checkpoint.
    number: u64,
    pub earlier: Earlier,
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

    /// What to go on from: the newest checkpoint that is whole and whose frames are all there as they were. One of another version
    /// or scene is refused; so are results of another or an unknown scene where no checkpoint is. What kept newer ones
    /// from serving is noted.
    pub(crate) fn newest(
        &self,
        directory: &Path,
        (formats, cast): (&[Format], &Cast),
        notes: &mut Resumption,
    ) -> Result<Option<Point>, Error> {
        let name = |path: &Path| path.strip_prefix(directory).unwrap_or(path).display().to_string();
        let (mut before, mut first_loss) = (None, None);
        loop {
            let found = self.folder.newest(before)?;
            notes.damaged.extend(found.damaged.iter().map(|(path, damage)| format!("`{}`: {damage}", name(path))));
            let Some(Checkpoint { identity, archive }) = found.checkpoint else {
                // The newest checkpoint lacks the fewest frames: what it misses is what to put back.
                first_loss.map_or(Ok(()), Err)?;
                directory::refuse_strange(directory, found.identity, &self.identity, &notes.damaged)?;
                return Ok(None);
            };
            let differences = identity.differences(&self.identity);
            if !differences.is_empty() {
                return Err(Error::OtherRun { directory: directory.into(), differences });
            }
            match Outputs::earlier(directory, formats, cast.clone(), kept(&archive)?) {
                Ok(earlier) => return Ok(Some(Point { archive, number: found.number, earlier })),
                Err(loss) if loss.is_loss() => {
                    notes.lost.push(loss.loss());
                    first_loss = first_loss.or(Some(loss));
                    before = Some(found.number);
                }
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Takes up the files of an earlier run, which was restored from the same point.
    pub(crate) fn take_up(&self, point: Point, directory: &Path, notes: &mut Resumption) -> Result<Outputs, Error> {
        // From here on the files change, and the list of their checksums is not true any more.
        directory::remove_checksums(directory)?;
        let (outputs, mended) = point.earlier.take_up()?;
        notes.mended = mended;
        self.folder.remove_after(point.number)?;
        Ok(outputs)
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
const SEALS: &str = "files.seals";

/// The array with how many frames that is, the start included.
const FRAMES: &str = "files.frames";

/// Puts everything that a run carries on into an archive.
pub(crate) fn save(simulation: &Simulation, outputs: &Outputs, sheet: &ContactSheet, costs: Costs) -> Archive {
    let mut archive = simulation.save();
    archive.put_counts(SEALS, outputs.seals());
    archive.put_counts(FRAMES, [simulation.frame() as u64 + 1]);
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

/// What of the files belongs to an archive.
fn kept(archive: &Archive) -> Result<Kept<'_>, ArchiveError> {
    let frames = archive.counts(FRAMES, 1)?[0];
    Ok(Kept { frames: frames as usize, seals: Some(archive.all_counts(SEALS)?) })
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
