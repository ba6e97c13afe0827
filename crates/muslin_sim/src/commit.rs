//! Commit: is the new state finite? Then it is accepted and counted.

use crate::simulation::{SimError, Simulation};
use muslin_dynamics::integrators::StepOutcome;

impl Simulation {
    /// Accepts the integrator's result as the new state.
    pub(crate) fn commit(&mut self, end: f64, outcome: StepOutcome) -> Result<(), SimError> {
        let step = end - self.state.time;
        if let Some(vertex) = self.first_not_finite() {
            return Err(self.not_finite(vertex, step));
        }
        let state = &mut self.state;
        std::mem::swap(&mut state.previous_positions, &mut state.positions);
        std::mem::swap(&mut state.previous_velocities, &mut state.velocities);
        let cloth = self.model.cloth_vertices().end;
        state.positions[cloth..].copy_from_slice(&self.obstacles_end[cloth..]);
        for v in cloth..state.positions.len() {
            state.velocities[v] = (state.positions[v] - state.previous_positions[v]) / step;
        }
        self.system.scatter(&self.phase.positions, &mut state.positions);
        self.system.scatter(&self.phase.velocities, &mut state.velocities);
        state.previous_step = step;
        state.steps += 1;
        // The end itself and not time + step, so that frame times never drift.
        state.time = end;
        self.system.set_time(end);
        self.tally.count(outcome);
        self.last_outcome = Some(outcome);
        if let Some(report) = self.limited.take() {
            self.tally.limited(report);
        }
        if let Some(contact) = &self.contact {
            self.tally.contacts += contact.near_pairs() as u64;
            let gap = contact.found.smallest_gap(&self.state.positions).unwrap_or(f64::INFINITY);
            self.tally.min_gap = self.tally.min_gap.min(gap);
        }
        let released = self.system.remember(&self.phase.positions, &mut self.state.creases);
        self.tally.work.damping -= released;
        self.keep_anchors();
        self.settle_exemptions();
        self.keep_frames();
        self.tally.strain(&self.model, &self.state);
        Ok(())
    }
}
