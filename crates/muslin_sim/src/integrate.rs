//! Integrate: the cloth's candidate end state.

use crate::simulation::{SimError, Simulation};
use muslin_dynamics::{
    Beginning,
    energy::Energies,
    integrators::{StepInput, StepOutcome},
};

/// Change of a triangle's stretch within a step of an explicit scheme beyond which it is unstable [-]. Within a stable step a
/// stretch changes by less than twice what it is, and no cloth is stretched to twice its length.
const MOST_CHANGE: f64 = 2.0;

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
        let outcome = stepped.map_err(|error| self.refusal(error, step))?;
        if self.may_diverge {
            self.refuse_divergence(step)?;
        }
        Ok(outcome)
    }

    /// Refuses the step of an explicit scheme that has become unstable. Without contact it would soon be no longer finite; with
    /// contact, searches among motions through everything take minutes before that.
    fn refuse_divergence(&mut self, step: f64) -> Result<(), SimError> {
        let (change, face) = self.stretch_change(f64::INFINITY);
        if change <= MOST_CHANGE {
            return Ok(());
        }
        let body = self.model.body_of_vertex(self.model.mesh.triangles[face][0] as usize);
        let (face, body) = (face - body.triangles.start, body.name.clone());
        Err(SimError::Diverges { time: self.state.time, step, face, body, change })
    }
}
