//! Respond: the cascade corrects the end of a motion until the search finds nothing.

use super::{ContactStage, attempt::MOST_VIOLATIONS};
use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_contact::{Contact, Near, responses::Motion, zones::zones};

/// Rounds of response and search before the step is given up.
const MOST_ROUNDS: usize = 20;

impl Simulation {
    /// Moves the candidate end so that nothing violates the check. Zones grow from round to round: a contact once
    /// found stays.
    pub(super) fn respond(
        &mut self,
        stage: &mut ContactStage,
        mut violations: Vec<(Near, f64)>,
        step: f64,
    ) -> Result<(), SimError> {
        let mut end = std::mem::take(&mut self.obstacles_end);
        stage.wanted.clone_from(&end);
        let wanted = std::mem::take(&mut stage.wanted);
        let mut contacts: Vec<Contact> = Vec::new();
        let mut result = Ok(());
        for round in 0.. {
            let before = contacts.len();
            for (pair, time) in &violations {
                contacts.extend(pair.contact(&self.state.positions, &end, *time));
            }
            let hopeless = violations.len() > MOST_VIOLATIONS * self.model.cloth_vertices().len();
            if round == MOST_ROUNDS || contacts.len() == before || hopeless {
                result = Err(self.unresolved(&violations, step));
                break;
            }
            self.stage(Stage::Respond, |sim| {
                for response in &mut stage.responses {
                    let motion = &mut Motion {
                        start: &sim.state.positions,
                        wanted: &wanted,
                        end: &mut end,
                        inverse_mass: &stage.held_inverse_mass,
                    };
                    if response.respond(motion, &contacts).left == 0 {
                        break;
                    }
                }
            });
            self.tally.response_rounds += 1;
            match self.search(stage, &end) {
                Ok(found) => stage.found = found,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            violations = stage.found.violations(&self.state.positions, &end);
            if violations.is_empty() {
                break;
            }
        }
        if result.is_ok() {
            stage.zones.extend(zones(&contacts, &stage.held_inverse_mass).into_iter().map(|zone| zone.vertices));
            self.take_over(&wanted, &end, step);
        }
        self.obstacles_end = end;
        stage.wanted = wanted;
        result
    }

    /// Positions are those of the response; velocities follow.
    fn take_over(&mut self, wanted: &[DVec3], end: &[DVec3], step: f64) {
        let phase = &mut self.phase;
        for (k, &v) in self.system.model_from_solver.iter().enumerate() {
            let moved = end[v as usize] - wanted[v as usize];
            if moved != DVec3::ZERO {
                phase.positions[k] = end[v as usize];
                phase.velocities[k] += moved / step;
            }
        }
    }

    pub(super) fn unresolved(&self, violations: &[(Near, f64)], step: f64) -> SimError {
        let pair = &violations[0].0;
        let (vertices, first) = (self.names_of(pair), pair.vertices);
        SimError::Unresolved { time: self.state.time, step, pairs: violations.len(), vertices, first }
    }
}
