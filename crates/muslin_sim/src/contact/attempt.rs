//! The attempt of a step with contact: solve, search, and again until nothing violates the check.

use super::{
    ContactStage,
    supports::{add, clear, past},
};
use crate::{
    build::Heed,
    report::Stage,
    settings::Supported,
    simulation::{SimError, Simulation},
};
use glam::DMat3;
use muslin_contact::{Found, Near};
use muslin_dynamics::integrators::StepOutcome;

/// Solves of a step before the responses get what is left.
pub(super) const MOST_ROUNDS: usize = 8;

/// Violations per vertex of the cloth beyond which a motion is no motion of cloth [-]. Folded cloth has a few; where a step
/// went to pieces there are hundreds, and a shorter step is the better answer.
pub(super) const MOST_VIOLATIONS: usize = 16;

/// One violation per this many vertices of the cloth is few [-].
const FEW: usize = 200;

/// Factor by which a support grows that did not hold [-].
const BOOST: f64 = 8.0;

/// Solves after which every violation becomes a support: the second time a candidate is no guess any more.
const CHOOSY: usize = 1;

impl Simulation {
    /// All of a step but its Commit.
    pub(crate) fn attempt_with_contact(&mut self, stage: &mut ContactStage, end: f64) -> Result<StepOutcome, SimError> {
        let step = end - self.state.time;
        stage.outcome = StepOutcome::default();
        self.hold_pins(stage);
        self.phase.guess.clear();
        stage.active.clear();
        stage.zones.clear();
        stage.integrated.clear();
        if stage.heed != Heed::No {
            stage.normals.take(stage.finder.surface().triangles(), &self.state.positions);
            self.first_guess(stage, step);
            let guess = std::mem::take(&mut stage.wanted);
            let found = self.search(stage, &guess)?;
            self.activate_all(stage, &found.near, &guess);
            stage.wanted = guess;
            if stage.heed == Heed::Solved && !found.near.is_empty() {
                self.begin_at_start();
            }
            stage.finder.give_back(found);
        }
        if stage.constrains() {
            self.first_guess(stage, step);
            let guess = std::mem::take(&mut stage.wanted);
            let found = self.search(stage, &guess)?;
            self.hold_contacts(stage, &found.near, step);
            stage.wanted = guess;
        }
        let mut outcome = StepOutcome::default();
        let mut friction_rounds = 0;
        for round in 0.. {
            self.place_supports(stage, step);
            add(&mut outcome, self.stage(Stage::Integrate, |sim| sim.integrate_held(stage, step))?);
            stage.outcome = outcome;
            self.tally.rounds += 1;
            self.system.scatter(&self.phase.positions, &mut self.obstacles_end);
            let end = std::mem::take(&mut self.obstacles_end);
            let found = self.check(stage, &end);
            self.obstacles_end = end;
            let found = found?;
            let violations = found.violations(&self.state.positions, &self.obstacles_end);
            let before = std::mem::replace(&mut stage.found, found);
            stage.finder.give_back(before);
            if violations.is_empty() && !stage.cascade.repels() {
                if stage.heed == Heed::Solved && friction_rounds < stage.most_friction_rounds() {
                    friction_rounds += 1;
                    if self.renew_friction(stage, friction_rounds) {
                        self.solve_from_here();
                        continue;
                    }
                }
                break;
            }
            if violations.len() > MOST_VIOLATIONS * self.model.cloth_vertices().len() && !stage.accepts() {
                stage.left = violations.iter().map(|(near, _)| *near).collect();
                return Err(self.unresolved_of(&stage.left, step));
            }
            let last = round >= stage.most_solves();
            if last || self.are_few(stage, &violations) {
                match self.respond(stage, step) {
                    Ok(()) => break,
                    Err(SimError::Unresolved { .. }) if !last => {
                        self.system.scatter(&self.phase.positions, &mut self.obstacles_end);
                    }
                    Err(error) => return Err(error),
                }
            }
            self.foresee(stage, &violations, round);
            self.renew_friction_of_old(stage);
            self.solve_from_here();
        }
        Ok(outcome)
    }

    /// Whether violations are better left to the responses, which move those alone where another solve would move
    /// everything: only if they fail is the step solved again. Where something is pressed by what gives no way, the forces
    /// of a solve do less harm.
    fn are_few(&self, stage: &ContactStage, violations: &[(Near, f64)]) -> bool {
        let held = |v: u32| {
            let v = self.system.solver_from_model[v as usize];
            self.constraints.vertices.binary_search(&v).is_ok()
        };
        let free = |near: &Near| near.vertices.iter().all(|&v| stage.inverse_mass[v as usize] > 0.0 && !held(v));
        stage.heed == Heed::Linearised
            && !stage.accepts()
            && violations.len() * FEW <= self.model.cloth_vertices().len()
            && violations.iter().all(|(near, _)| free(near))
    }

    /// Lets the first solve begin where the step does. With the motion carried on, contacts begin far beyond their gap,
    /// with forces a million times too large; stopped one by one at their impacts, they stretch the cloth between.
    fn begin_at_start(&mut self) {
        self.system.gather(&self.state.positions, &mut self.phase.guess);
        self.constraints.impose(&mut self.phase.guess);
    }

    /// Lets the next solve begin at the candidate.
    pub(super) fn solve_from_here(&mut self) {
        self.phase.guess.clone_from(&self.phase.positions);
    }

    /// Friction limits of the contacts that the last solve knew.
    fn renew_friction_of_old(&mut self, stage: &mut ContactStage) {
        if self.system.supports.list.len() == stage.active.len() {
            self.renew_friction(stage, 1);
        }
    }

    /// Makes the pairs that violate the check supports, or stronger ones; in the first rounds only those that stand for a contact, if there are any.
    fn foresee(&mut self, stage: &mut ContactStage, violations: &[(Near, f64)], round: usize) {
        let end = std::mem::take(&mut self.obstacles_end);
        let (mut chosen, mut all) = (Vec::new(), Vec::new());
        for (pair, time) in violations {
            // A known one was not strong enough, or its stencil was taken elsewhere: it is taken anew where it fails.
            let known = stage.active(pair).map(|active| active.boost *= BOOST).is_some();
            let first = || pair.violates(&self.state.positions, &end, 1.0).unwrap_or(pair.time);
            let time = if known { *time } else { first() };
            let start = &self.state.positions;
            let Some(contact) = (Near { time, ..*pair }).where_nearest(start, &end) else { continue };
            let neighbourhood = stage.finder.neighbourhood();
            if known || neighbourhood.holds(&contact, start, &end, &stage.normals, past(&self.state, pair.key)) {
                chosen.push((contact, time));
            }
            all.push((contact, time));
        }
        let list = if chosen.is_empty() || round >= CHOOSY { all } else { chosen };
        list.into_iter().for_each(|(contact, time)| self.activate(stage, contact, time, &end));
        self.obstacles_end = end;
    }

    /// Where the cloth would be without forces, held vertices at their targets, in the stage's array; or where it is, if
    /// only what is near there is to become supports.
    fn first_guess(&mut self, stage: &mut ContactStage, step: f64) {
        let guess = &mut stage.wanted;
        if stage.supported == Supported::Near {
            guess.clone_from(&self.state.positions);
            return;
        }
        guess.clone_from(&self.obstacles_end);
        for v in self.model.cloth_vertices() {
            guess[v] = self.state.positions[v] + self.state.velocities[v] * step;
        }
        let held = &self.constraints;
        for ((&v, &free), &target) in held.vertices.iter().zip(&held.free).zip(&held.targets) {
            let x = &mut guess[self.system.model_from_solver[v as usize] as usize];
            *x += (DMat3::IDENTITY - free) * (target - *x);
        }
    }

    /// Inverse masses of the step: 0 where all directions are held.
    fn hold_pins(&mut self, stage: &mut ContactStage) {
        stage.held_inverse_mass.clone_from(&stage.inverse_mass);
        let held = &self.constraints;
        for (&v, &free) in held.vertices.iter().zip(&held.free) {
            // A vertex that may still slide keeps its mass; responses may take it off its rail, which the next
            // Drive mends.
            if free == DMat3::ZERO {
                stage.held_inverse_mass[self.system.model_from_solver[v as usize] as usize] = 0.0;
            }
        }
        clear(&mut self.system);
    }

    /// Pairs that come within their range on the way to an end.
    pub(super) fn search(&mut self, stage: &mut ContactStage, end: &[glam::DVec3]) -> Result<Found, SimError> {
        self.search_within(stage, end, f64::INFINITY)
    }

    /// Pairs that violate the check on the way to an end, or come nearer than any before. Responses that act on whatever is
    /// near have to know that too.
    fn check(&mut self, stage: &mut ContactStage, end: &[glam::DVec3]) -> Result<Found, SimError> {
        let all = stage.heed == Heed::No || stage.cascade.repels();
        let reach = if all { f64::INFINITY } else { self.tally.min_gap.max(stage.finder.least_reach()) };
        self.search_within(stage, end, reach)
    }

    fn search_within(&mut self, stage: &mut ContactStage, end: &[glam::DVec3], reach: f64) -> Result<Found, SimError> {
        let watch = crate::report::Stopwatch::start();
        let time = self.state.time;
        let found = stage.finder.find_within(&self.state.positions, end, reach);
        watch.split(&mut self.tally.stages, found.as_ref().ok().map(|found| found.cost));
        let mut found = found.map_err(|source| SimError::Search { time, source })?;
        stage.around.leave_out_exempt([&self.state.exemptions, &stage.pinched], &mut found.near);
        Ok(found)
    }
}
