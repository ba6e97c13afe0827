//! The step: one call per stage. Read this first.
//!
//! Drive moves pins and obstacles to the end of the step; Integrate advances the cloth; Commit accepts the result or
//! refuses it. Where contact is handled, BroadPhase, NarrowPhase and Respond stand between the last two, and Integrate
//! is repeated with what they find until nothing is left: see [`crate::contact`].

use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use muslin_dynamics::integrators::StepOutcome;

impl Simulation {
    /// Takes one step that ends at a time [s].
    pub fn step_to(&mut self, end: f64) -> Result<(), SimError> {
        let outcome = self.attempt(end)?;
        self.stage(Stage::Commit, |sim| sim.commit(end, outcome))
    }

    /// All of a step but its Commit: the state does not change.
    pub(crate) fn attempt(&mut self, end: f64) -> Result<StepOutcome, SimError> {
        self.stage(Stage::Drive, |sim| sim.drive(end));
        self.integrator.memory_mut().into_iter().for_each(|solver| solver.mark());
        let result = match self.contact.take() {
            Some(mut contact) => {
                let result = self.attempt_or_last_resort(&mut contact, end);
                self.contact = Some(contact);
                result
            }
            None => self.stage(Stage::Integrate, |sim| sim.integrate(end - sim.state.time)),
        };
        if result.is_err() {
            // Forces that change with time are asked for their energy at the time of the state.
            self.system.set_time(self.state.time);
        }
        self.interrupted = matches!(result, Err(SimError::Interrupted { .. }));
        result
    }
}
