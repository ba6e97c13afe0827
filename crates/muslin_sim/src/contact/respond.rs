//! Respond: the cascade corrects the end of a motion until the search finds nothing.

use super::ContactStage;
use crate::{
    report::{Stage, Stopwatch},
    simulation::{SimError, Simulation},
};
use muslin_contact::{Candidate, Near, responses::StepFacts, zones::zones};

impl Simulation {
    /// Moves the candidate end so that nothing violates the check, with the velocities that follow. What was found for
    /// it is in the stage.
    pub(super) fn respond(&mut self, stage: &mut ContactStage, step: f64) -> Result<(), SimError> {
        let mut end = std::mem::take(&mut self.obstacles_end);
        stage.integrated.clone_from(&end);
        let mut velocities = std::mem::take(&mut stage.velocities);
        velocities.clone_from(&self.state.velocities);
        self.system.scatter(&self.phase.velocities, &mut velocities);
        let (searches, watch) = (self.search_cost(), Stopwatch::start());
        let mut found = std::mem::take(&mut stage.found);
        let mut cascade = std::mem::take(&mut stage.cascade);
        let (start, inverse_mass) = (&self.state.positions, &stage.held_inverse_mass);
        let (finder, costs) = (&mut stage.finder, &mut self.tally.stages);
        let (around, exempt, pinched) = (&stage.around, &self.state.exemptions[..], &stage.pinched[..]);
        let outcome = cascade.resolve(
            &mut Candidate {
                start,
                end: &mut end,
                velocities: &mut velocities,
                inverse_mass,
                step: StepFacts { length: step, friction: &stage.laws },
            },
            &mut found,
            &mut |end, request| {
                let watch = Stopwatch::start();
                let found = request.fulfil(finder, start, end);
                watch.split(costs, found.as_ref().ok().map(|found| found.cost));
                found.map(|mut found| {
                    around.leave_out_exempt([exempt, pinched], &mut found.near);
                    found
                })
            },
        );
        (stage.cascade, stage.found) = (cascade, found);
        self.count_response(watch, searches);
        self.obstacles_end = end;
        let time = self.state.time;
        let result = outcome.map_err(|source| SimError::Search { time, source }).and_then(|outcome| {
            // The first is the search that found something to do.
            self.tally.response_rounds += outcome.rounds.len() as u64 - 1;
            let resolved = outcome.is_resolved();
            stage.rounds = outcome.rounds;
            if !resolved && !stage.accepts() {
                stage.left = outcome.violations.iter().map(|(near, _)| *near).collect();
                return Err(self.unresolved_of(&stage.left, step));
            }
            let zones = zones(&outcome.contacts, &stage.held_inverse_mass);
            stage.zones.extend(zones.into_iter().map(|zone| zone.vertices));
            self.system.gather(&self.obstacles_end, &mut self.phase.positions);
            self.system.gather(&velocities, &mut self.phase.velocities);
            Ok(())
        });
        stage.velocities = velocities;
        result
    }

    /// What searching has cost so far [s]: as time passes, and of all threads.
    fn search_cost(&self) -> [f64; 2] {
        let of = |stage: Stage| self.tally.stages[stage as usize];
        let (broad, narrow) = (of(Stage::BroadPhase), of(Stage::NarrowPhase));
        [broad.wall_seconds + narrow.wall_seconds, broad.cpu_seconds + narrow.cpu_seconds]
    }

    /// Counts for Respond what passed since a cascade began and was no search.
    fn count_response(&mut self, watch: Stopwatch, searches: [f64; 2]) {
        let now = self.search_cost();
        let cost = &mut self.tally.stages[Stage::Respond as usize];
        watch.add_to(cost);
        cost.wall_seconds -= now[0] - searches[0];
        cost.cpu_seconds -= now[1] - searches[1];
    }

    /// The failure of a step that left some pairs too near.
    pub(super) fn unresolved_of(&self, left: &[Near], step: f64) -> SimError {
        let first = left.first().map_or([0; 4], |pair| pair.vertices);
        let vertices = left.first().map_or(String::new(), |pair| self.names_of(pair));
        SimError::Unresolved { time: self.state.time, step, pairs: left.len(), vertices, first }
    }
}
