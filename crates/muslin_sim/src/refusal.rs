//! What a step that is refused tells: when, where, how far from the law of motion, and what to change.

use crate::simulation::{SimError, Simulation};
use glam::DVec3;
use muslin_dynamics::integrators::StepError;

impl Simulation {
    /// A failure of the solver in the numbers of the scene.
    pub(crate) fn refusal(&mut self, error: StepError, step: f64) -> SimError {
        let time = self.state.time;
        let Some(vertex) = error.vertex() else { return SimError::Interrupted { time } };
        let vertex = self.system.model_from_solver[vertex as usize] as usize;
        if matches!(error, StepError::NotFinite { .. }) {
            return self.not_finite(vertex, step);
        }
        let body = self.model.body_of_vertex(vertex);
        SimError::Step { time, step, vertex: vertex - body.vertices.start, body: body.name.clone(), source: error }
    }

    /// The candidate end state has a vertex of the model that is not finite.
    pub(crate) fn not_finite(&mut self, vertex: usize, step: f64) -> SimError {
        let residual = self.imbalance();
        let body = self.model.body_of_vertex(vertex);
        SimError::NotFinite {
            time: self.state.time,
            step,
            vertex: vertex - body.vertices.start,
            body: body.name.clone(),
            residual,
        }
    }

    /// The first vertex of the model whose candidate end position or velocity is not finite.
    pub(crate) fn first_not_finite(&self) -> Option<usize> {
        let (cloth, phase) = (self.model.cloth_vertices().end, &self.phase);
        let moving = phase.positions.iter().zip(&phase.velocities);
        let of_cloth = |v: usize| self.system.model_from_solver[v] as usize;
        let lost = moving.enumerate().filter(|(_, (x, v))| !(x.is_finite() && v.is_finite()));
        let obstacles = &self.obstacles_end[cloth..];
        lost.map(|(v, _)| of_cloth(v)).min().or_else(|| Some(cloth + obstacles.iter().position(|x| !x.is_finite())?))
    }

    /// Largest component of m (v − v before)/h − f of a free vertex in the state, in mean vertex weights [-]: how far the last
    /// state that was accepted is from the law of motion at its own time. What a state that is not finite leaves can
    /// not be told in numbers, but schemes that diverge show it before. Contact is not counted.
    fn imbalance(&mut self) -> f64 {
        let (system, state) = (&mut self.system, &self.state);
        system.set_time(state.time);
        let gathered = |values: &[DVec3]| {
            let mut own = Vec::new();
            system.gather(values, &mut own);
            own
        };
        let [x, v, before] = [&state.positions, &state.velocities, &state.previous_velocities].map(|a| gathered(a));
        let mut rest = vec![DVec3::ZERO; x.len()];
        system.force(&x, &v, &mut rest);
        // Before the first step nothing has moved.
        let rate = if state.previous_step > 0.0 { state.previous_step.recip() } else { 0.0 };
        for (k, rest) in rest.iter_mut().enumerate() {
            *rest = (v[k] - before[k]) * (rate * system.masses[k]) - *rest;
        }
        self.constraints.filter(&mut rest);
        // The largest component: squares of numbers this large would overflow.
        rest.iter().map(|r| r.abs().max_element()).fold(0.0, f64::max) / system.mean_weight()
    }
}
