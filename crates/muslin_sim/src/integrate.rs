//! Integrate: the cloth's candidate end state.

use crate::simulation::{SimError, Simulation};
use muslin_dynamics::{
    Beginning,
    energy::Energies,
    integrators::{StepInput, StepOutcome},
};

impl Simulation {
    /// Advances the solver's copy of the cloth; the state itself changes only in Commit.
    pub(crate) fn integrate(&mut self, step: f64) -> Result<StepOutcome, SimError> {
        let (system, phase, state) = (&mut self.system, &mut self.phase, &self.state);
        system.gather(&state.positions, &mut phase.positions);
        system.gather(&state.velocities, &mut phase.velocities);
        system.gather(&state.previous_positions, &mut phase.previous_positions);
        system.gather(&state.previous_velocities, &mut phase.previous_velocities);
        phase.previous_step = state.previous_step;
        system.prepare(&Beginning { step, positions: &phase.positions, held: &self.constraints });
        let input = StepInput { time: state.time, step, constraints: &self.constraints };
        let mut stepped = self.integrator.step(system, phase, &input);
        self.limited = match (&mut stepped, &mut self.limiter) {
            (Ok(outcome), Some(limiter)) => {
                let before = Energies::of(system, &phase.positions, &phase.velocities).total();
                system.mechanisms.weigh(&system.masses, limiter.inverse_masses());
                let report = limiter.limit(phase, &self.constraints, step);
                outcome.work.limiter = Energies::of(system, &phase.positions, &phase.velocities).total() - before;
                Some(report)
            }
            _ => None,
        };
        stepped.map_err(|error| self.refusal(error, step))
    }
}
