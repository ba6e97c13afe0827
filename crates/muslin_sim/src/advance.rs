//! From one fixed time to the next: in one step, or in as many as the adaptive policy wants.

use crate::{
    adaptive::{AdaptiveStep, Attempt, Verdict, largest_correction, largest_stretch_change, largest_turn},
    report::Stage,
    simulation::{SimError, Simulation},
};
use muslin_dynamics::integrators::StepError;
use muslin_model::PendingStep;

/// A step that does not converge is halved at most this often, to 1/256 of its length.
const MOST_HALVINGS: u32 = 8;

/// How an advance ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// At its time.
    Reached,
    /// Between two of its parts, because somebody asked; the state knows what is left.
    Stopped,
}

impl Simulation {
    /// Advances to a time no further away than the largest step [s]; between the parts of a step that is taken in
    /// parts, `stop` may end it.
    pub(crate) fn advance_to(&mut self, end: f64, stop: &dyn Fn() -> bool) -> Result<Advance, SimError> {
        match self.adaptive {
            None => self.step_or_halve(end, stop),
            Some(policy) => {
                while self.state.time < end {
                    self.adapt(policy, end)?;
                    if self.state.time < end && stop() {
                        return Ok(Advance::Stopped);
                    }
                }
                Ok(Advance::Reached)
            }
        }
    }

    /// Takes a step; if its non-linear solve does not converge, two of half the length, and so on. A shorter
    /// step has more inertia, which makes the solve easier without end. What is left to do is in the state, so
    /// that a run stopped between the parts of a step goes on with the same parts.
    fn step_or_halve(&mut self, end: f64, stop: &dyn Fn() -> bool) -> Result<Advance, SimError> {
        if self.state.pending_steps.is_empty() {
            self.state.pending_steps.push(PendingStep { end, halvings: MOST_HALVINGS });
        }
        while let Some(&PendingStep { end, halvings }) = self.state.pending_steps.last() {
            match self.step_to(end) {
                Ok(()) => {
                    self.state.pending_steps.pop();
                    if !self.state.pending_steps.is_empty() && stop() {
                        return Ok(Advance::Stopped);
                    }
                }
                Err(
                    ref error @ (SimError::Step { source: StepError::NotConverged { .. }, .. }
                    | SimError::Unresolved { .. }),
                ) if halvings > 0 || self.may_halve_for_contact(error, end) => {
                    self.tally.rejected_steps += 1;
                    self.tally.step_halvings += u64::from(matches!(error, SimError::Unresolved { .. }));
                    let halvings = halvings.saturating_sub(1);
                    self.state.pending_steps.pop();
                    self.state.pending_steps.push(PendingStep { end, halvings });
                    self.state.pending_steps.push(PendingStep { end: 0.5 * (self.state.time + end), halvings });
                }
                // The same parts are still to be taken.
                Err(error @ SimError::Interrupted { .. }) => return Err(error),
                Err(error) => {
                    self.state.pending_steps.clear();
                    return Err(error);
                }
            }
        }
        Ok(Advance::Reached)
    }

    /// Whether a failure is one of contact in a step that may still be shorter.
    fn may_halve_for_contact(&self, error: &SimError, end: f64) -> bool {
        matches!(error, SimError::Unresolved { .. }) && !self.is_smallest_for_contact(end)
    }

    /// Attempts one step towards a time. A rejected one leaves the state as it was, but for what the policy
    /// learned.
    fn adapt(&mut self, policy: AdaptiveStep, end: f64) -> Result<(), SimError> {
        let left = end - self.state.time;
        let step = policy.propose(&self.state, left);
        // The end itself where the step leads there, so that rounding leaves no rest.
        let step_end = if step < left { self.state.time + step } else { end };
        let attempted = self.attempt(step_end);
        if let Err(error @ SimError::Interrupted { .. }) = attempted {
            return Err(error);
        }
        self.tally.step_halvings += u64::from(matches!(attempted, Err(SimError::Unresolved { .. })));
        let (change, face) = match attempted {
            Ok(_) => self.stretch_change(policy.most_stretch()),
            Err(_) => (f64::INFINITY, 0),
        };
        // Stretched by what presses it: nothing shorter would be better.
        let forced = change.is_finite() && self.is_forced_by_contact(step_end);
        let attempt = match attempted {
            Ok(_) if forced => Attempt::Computed { stretch_change: 0.0, turn: 0.0, correction: 0.0 },
            Ok(_) => {
                let (turn, correction) = (self.turn(policy), self.correction(policy));
                Attempt::Computed { stretch_change: change, turn, correction }
            }
            Err(_) => Attempt::Failed,
        };
        match (policy.judge(&mut self.state, step, attempt), attempted) {
            (Verdict::Accept, Ok(outcome)) => {
                self.tally.overstretched_steps += u64::from(forced && change > policy.most_stretch());
                self.stage(Stage::Commit, |sim| sim.commit(step_end, outcome))
            }
            (Verdict::GiveUp, Err(error)) => Err(error),
            (Verdict::GiveUp, Ok(_)) => {
                let body = self.model.body_of_vertex(self.model.mesh.triangles[face][0] as usize);
                Err(SimError::StretchesTooFast {
                    time: self.state.time,
                    step,
                    face: face - body.triangles.start,
                    body: body.name.clone(),
                    change,
                })
            }
            _ => {
                self.tally.rejected_steps += 1;
                self.system.set_time(self.state.time);
                Ok(())
            }
        }
    }

    /// Largest change of warp or weft stretch from the state to the candidate, and its triangle; see
    /// [`largest_stretch_change`] for what is far.
    pub(crate) fn stretch_change(&mut self, far: f64) -> (f64, usize) {
        // The cloth's part of this array is nobody's until Commit.
        self.system.scatter(&self.phase.positions, &mut self.obstacles_end);
        largest_stretch_change(&self.model, &self.state.positions, &self.obstacles_end, far)
    }

    /// Largest turn of a triangle from the state to the candidate that [`Self::stretch_change`] has looked at [°]; 0 where it does not matter.
    fn turn(&self, policy: AdaptiveStep) -> f64 {
        if policy.limits_turns() { largest_turn(&self.model, &self.state.positions, &self.obstacles_end) } else { 0.0 }
    }

    /// How far responses have stretched that candidate [-]; 0 where it does not matter.
    fn correction(&self, policy: AdaptiveStep) -> f64 {
        match self.contact.as_ref().and_then(|stage| stage.integrated()) {
            Some(integrated) if policy.limits_corrections() => {
                largest_correction(&self.model, integrated, &self.obstacles_end)
            }
            _ => 0.0,
        }
    }
}
