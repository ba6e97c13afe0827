//! Integrate: the cloth's candidate end state.

use crate::simulation::{SimError, Simulation};
use muslin_dynamics::integrators::{StepError, StepInput, StepOutcome};

impl Simulation {
    /// Advances the solver's copy of the cloth; the state itself changes only in Commit.
    pub(crate) fn integrate(&mut self, step: f64) -> Result<StepOutcome, SimError> {
        let (system, phase, state) = (&mut self.system, &mut self.phase, &self.state);
        system.gather(&state.positions, &mut phase.positions);
        system.gather(&state.velocities, &mut phase.velocities);
        system.gather(&state.previous_positions, &mut phase.previous_positions);
        system.gather(&state.previous_velocities, &mut phase.previous_velocities);
        phase.previous_step = state.previous_step;
        let input = StepInput { time: state.time, step, constraints: &self.constraints };
        let stepped = self.integrator.step(system, phase, &input);
        self.limited = match (&stepped, &mut self.limiter) {
            (Ok(_), Some(limiter)) => Some(limiter.limit(&mut self.phase, &self.constraints, step)),
            _ => None,
        };
        stepped.map_err(|error| {
            let vertex = |solver: u32| self.system.model_from_solver[solver as usize] as usize;
            let (StepError::NotConverged { vertex: v, .. } | StepError::NotFinite { vertex: v }) = error;
            let vertex = vertex(v);
            let body = self.model.body_of_vertex(vertex);
            SimError::Step {
                time: self.state.time,
                step,
                vertex: vertex - body.vertices.start,
                body: body.name.clone(),
                source: error,
            }
        })
    }
}
