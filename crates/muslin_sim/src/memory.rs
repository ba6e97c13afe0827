//! Everything that a simulation carries from one step to the next, saved and taken up again.
//!
//! A simulation restored from an archive goes on bit for bit like the one that was saved, on any number of
//! threads. What the scene and the settings determine is built again; the archive holds the rest: the state,
//! what the integrator remembers, frames of a long step that wait, and the tally.

use crate::{
    contact::Pinch,
    report::{StageCost, Tally},
    simulation::Simulation,
};
use muslin_dynamics::energy::Work;
use muslin_model::{Archive, ArchiveError, Exemption};

impl Simulation {
    /// Saves everything. To be called between frames, or after one was given up, within a step too.
    pub fn save(&self) -> Archive {
        let mut archive = Archive::default();
        self.state.save(&mut archive);
        match self.integrator.memory() {
            // A step that was given up has left its traces in the solver; what counts is how it began.
            Some(solver) if self.interrupted => solver.save_marked(&mut archive),
            Some(solver) => solver.save(&mut archive),
            None => {}
        }
        let judged = Tally { crossings: self.tally.crossings + self.crossings_waiting(), ..self.tally.clone() };
        judged.save(&mut archive);
        archive.put_counts("run.frames", [self.frame as u64, self.waiting.len() as u64]);
        for (k, frame) in self.waiting.iter().enumerate() {
            archive.put_points(&format!("run.waiting.{k}"), frame);
        }
        archive
    }

    /// Takes everything up again. On an error the simulation is as good as broken: build a new one.
    pub fn restore(&mut self, archive: &Archive) -> Result<(), ArchiveError> {
        let frames = archive.counts("run.frames", 2)?;
        let (frame, waiting) = (frames[0] as usize, frames[1]);
        self.state.restore(archive)?;
        let (cloth, bodies) = (self.model.cloth_triangles().end, self.model.bodies.len());
        let strange = |e: &Exemption| e.triangle as usize >= cloth || e.body as usize >= bodies;
        if let Some(index) = self.state.exemptions.iter().position(strange) {
            return Err(ArchiveError::Value { name: "state.exemptions".into(), index });
        }
        if let Some(solver) = self.integrator.memory_mut() {
            solver.restore(&self.system.pattern, archive)?;
        }
        self.tally.restore(archive)?;
        self.forget_waiting();
        self.system.recall(&self.state.creases);
        self.frame = frame;
        self.system.set_time(self.state.time);
        let count = self.state.positions.len();
        self.waiting =
            (0..waiting).map(|k| archive.points(&format!("run.waiting.{k}"), count)).collect::<Result<_, _>>()?;
        Ok(())
    }
}

impl Tally {
    fn save(&self, archive: &mut Archive) {
        // Named one by one, so that a new field cannot be forgotten.
        let Tally {
            stages,
            newton_iterations,
            most_newton_iterations,
            pcg_iterations,
            force_evaluations,
            max_strain,
            max_shear,
            worst_residual,
            rejected_steps,
            overstretched_steps,
            limiter_passes,
            limiter_excess,
            unfinished_solves,
            work,
            rounds,
            response_rounds,
            contacts,
            step_halvings,
            min_gap,
            crossings,
            scaled_back,
            scaled_back_momentum,
            pinches,
            exempt_frames,
            largest_coordinate,
        } = self;
        let costs = stages.iter().flat_map(|cost| [cost.wall_seconds, cost.cpu_seconds]).collect::<Vec<_>>();
        archive.put_reals("tally.stages", costs);
        let counts = [newton_iterations, most_newton_iterations, pcg_iterations, force_evaluations];
        let counts = counts.into_iter().chain([rejected_steps, limiter_passes, unfinished_solves]);
        archive.put_counts("tally.counts", counts.copied().collect::<Vec<_>>());
        let contact = [rounds, response_rounds, contacts, step_halvings, crossings, scaled_back, exempt_frames];
        let contact = contact.into_iter().chain([overstretched_steps]);
        archive.put_counts("tally.contact", contact.copied().collect::<Vec<_>>());
        archive.put_reals("tally.gap", [*min_gap, *scaled_back_momentum, *largest_coordinate]);
        Pinch::save(pinches, archive);
        archive.put_reals("tally.reals", [*max_strain, *max_shear, *worst_residual, *limiter_excess]);
        let Work { pins, damping, wind, drag, contact, limiter, unbalanced } = *work;
        archive.put_reals("tally.work", [pins, damping, wind, drag, limiter, unbalanced, contact]);
    }

    fn restore(&mut self, archive: &Archive) -> Result<(), ArchiveError> {
        let costs = archive.reals("tally.stages", 2 * self.stages.len())?;
        let counts = archive.counts("tally.counts", 7)?;
        let reals = archive.reals("tally.reals", 4)?;
        let work = archive.reals("tally.work", 7)?;
        let contact = archive.counts("tally.contact", 8)?;
        let gap = archive.reals("tally.gap", 3)?;
        *self = Tally {
            stages: std::array::from_fn(|k| StageCost { wall_seconds: costs[2 * k], cpu_seconds: costs[2 * k + 1] }),
            newton_iterations: counts[0],
            most_newton_iterations: counts[1],
            pcg_iterations: counts[2],
            force_evaluations: counts[3],
            rejected_steps: counts[4],
            limiter_passes: counts[5],
            max_strain: reals[0],
            max_shear: reals[1],
            worst_residual: reals[2],
            limiter_excess: reals[3],
            unfinished_solves: counts[6],
            work: Work {
                pins: work[0],
                damping: work[1],
                wind: work[2],
                drag: work[3],
                limiter: work[4],
                unbalanced: work[5],
                contact: work[6],
            },
            rounds: contact[0],
            response_rounds: contact[1],
            contacts: contact[2],
            step_halvings: contact[3],
            crossings: contact[4],
            scaled_back: contact[5],
            exempt_frames: contact[6],
            overstretched_steps: contact[7],
            min_gap: gap[0],
            scaled_back_momentum: gap[1],
            largest_coordinate: gap[2],
            pinches: Pinch::restore(archive)?,
        };
        Ok(())
    }
}
