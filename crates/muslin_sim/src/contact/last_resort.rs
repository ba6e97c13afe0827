//! What happens when a step as short as contact may make it still fails.
//!
//! Every committed state keeps the check, so the zero motion of everything that is free passes it: there is always a
//! way to go on, but for what the scene moves. So, in this order:
//!
//! 1. Pairs that are left and have a vertex that the scene moves are a *pinch*: their cloth is exempt with that body from
//!    now on until they are apart, and the step is attempted again without. Pairs of free cloth are never exempt.
//! 2. If only free pairs are left, or a solve lost its numbers, the motion of their zones is scaled back, by halves and at last to zero. Zones grow
//!    while others run into them; where something that the scene moves runs into a zone, that is a pinch too.
//!
//! Both are counted, and the momentum that scaling back takes is reported.

use super::{ContactStage, exemptions::insert};
use crate::{
    build::Heed,
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::{DMat3, DVec3};
use muslin_contact::{Contact, Near, PairKey, zones::zones};
use muslin_dynamics::integrators::StepOutcome;
use muslin_model::{ExemptCause, Exemption};
use std::collections::BTreeMap;

/// Attempts of one step, each without the pairs of the pinches before it.
const MOST_PINCHES: usize = 12;
/// Times that a zone's motion is halved before it is zero.
const HALVINGS: u32 = 4;
/// Rounds of scaling back: each adds a pair to a zone or halves one, and cloth has few zones in trouble at a time.
const MOST_ROUNDS: usize = 400;
/// Steps are told apart from the smallest with this slack [-].
const SLACK: f64 = 1e-9;

/// Pairs of free cloth that were left too near, each with how often.
type Troubles = BTreeMap<PairKey, (Near, u32)>;

/// What scaling back took from a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ScaledBack {
    /// Zones.
    pub zones: u64,
    /// Magnitude of the momentum [N·s].
    pub momentum: f64,
}

impl Simulation {
    /// Whether contact may not make a step shorter that ends at a time [s].
    pub(crate) fn is_smallest_for_contact(&self, end: f64) -> bool {
        self.contact.as_ref().is_some_and(|stage| end - self.state.time <= stage.smallest_step * (1.0 + SLACK))
    }

    /// Whether contact forces the attempt of a step to a time [s]: the last resort saved it, or the solve holds contacts and
    /// the step is as short as contact takes one.
    pub(crate) fn is_forced_by_contact(&self, end: f64) -> bool {
        let saved = |stage: &ContactStage| !stage.pinched.is_empty() || stage.scaled.zones > 0;
        self.contact
            .as_ref()
            .is_some_and(|stage| saved(stage) || stage.holds_contacts() && self.is_smallest_for_contact(end))
    }

    /// All of a step but its Commit, whatever it takes if the step is the smallest.
    pub(crate) fn attempt_or_last_resort(
        &mut self,
        stage: &mut ContactStage,
        end: f64,
    ) -> Result<StepOutcome, SimError> {
        stage.pinched.clear();
        stage.scaled = ScaledBack::default();
        let smallest = end - self.state.time <= stage.smallest_step * (1.0 + SLACK);
        for _ in 0..MOST_PINCHES {
            match self.attempt_with_contact(stage, end) {
                Err(SimError::Unresolved { .. }) if smallest => {
                    if !self.declare(stage) {
                        break;
                    }
                }
                Err(SimError::NotFinite { .. }) if smallest && stage.heed == Heed::Linearised => {
                    self.stand_still(stage);
                    break;
                }
                other => {
                    self.calm(stage);
                    return other;
                }
            }
        }
        self.stage(Stage::Respond, |sim| sim.scale_back(stage, end))
    }

    /// Makes the zero motion of all cloth but what pins hold the end that is then scaled back where even that is too much: a
    /// solve whose forces were lost has no better one. It counts as one zone.
    fn stand_still(&mut self, stage: &mut ContactStage) {
        let cloth = self.model.cloth_vertices();
        self.obstacles_end[cloth.clone()].copy_from_slice(&self.state.positions[cloth]);
        let held = &self.constraints;
        for ((&v, &free), &target) in held.vertices.iter().zip(&held.free).zip(&held.targets) {
            let x = &mut self.obstacles_end[self.system.model_from_solver[v as usize] as usize];
            *x += (DMat3::IDENTITY - free) * (target - *x);
        }
        self.phase.positions.fill(DVec3::NAN);
        stage.left.clear();
        stage.scaled.zones = 1;
    }

    /// Lets cloth that is let go gain no speed by it: the pressure of a pinch would shoot it into what pressed.
    fn calm(&mut self, stage: &ContactStage) {
        let triangles = stage.finder.surface().triangles();
        for v in stage.pinched.iter().flat_map(|exemption| triangles[exemption.triangle as usize]) {
            let (before, velocities) = (self.state.velocities[v as usize], &mut self.phase.velocities);
            let now = &mut velocities[self.system.solver_from_model[v as usize] as usize];
            if now.length_squared() > before.length_squared() {
                *now = before;
            }
        }
    }

    /// Exempts the pairs left that have a vertex which the scene moves in this step; whether there are any. What a pin has let go
    /// is free cloth again.
    fn declare(&mut self, stage: &mut ContactStage) -> bool {
        self.notice_hands(stage);
        let left = std::mem::take(&mut stage.left);
        let mut held = vec![false; self.model.cloth_vertices().end];
        let solver_numbers = self.constraints.vertices.iter();
        solver_numbers.for_each(|&v| held[self.system.model_from_solver[v as usize] as usize] = true);
        let moved = |v: u32| held.get(v as usize).is_none_or(|held| *held);
        let driven = left.iter().filter(|near| stage.around.is_driven(near) && near.vertices.iter().any(|&v| moved(v)));
        let exempt = driven.flat_map(|near| stage.around.triangles_and_bodies(near));
        let exempt = exempt.map(|(triangle, body)| Exemption { triangle, body, cause: ExemptCause::Pinch });
        let before = stage.pinched.len();
        insert(&mut stage.pinched, exempt.collect::<Vec<_>>());
        stage.left = left;
        stage.pinched.len() > before
    }

    /// What a hand holds is moved like what a pin holds.
    fn notice_hands(&self, stage: &mut ContactStage) {
        self.hands.held.iter().for_each(|&(v, _)| stage.around.driven[v as usize] = true);
    }

    /// Scales the motion of zones back until nothing violates the check.
    fn scale_back(&mut self, stage: &mut ContactStage, end: f64) -> Result<StepOutcome, SimError> {
        let step = end - self.state.time;
        // What the last attempt left: the end that the responses could not mend.
        let wanted = std::mem::take(&mut self.obstacles_end);
        let solved: Vec<DVec3> = self.phase.positions.clone();
        let mut x = wanted.clone();
        let mut troubles = Troubles::new();
        let mut result = Err(self.unresolved_of(&stage.left, step));
        for _ in 0..MOST_ROUNDS {
            let found = match self.search(stage, &x) {
                Ok(found) => found,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            stage.left = found.violations(&self.state.positions, &x).into_iter().map(|(near, _)| near).collect();
            stage.found = found;
            if stage.left.is_empty() {
                result = Ok(stage.outcome);
                break;
            }
            if self.declare(stage) {
                continue;
            }
            for near in &stage.left {
                troubles.entry(near.key).or_insert((*near, 0)).1 += 1;
            }
            self.scale_zones(stage, &troubles, &wanted, &mut x);
        }
        if result.is_ok() {
            self.take_over_scaled(stage, &solved, &x, step);
        }
        self.obstacles_end = x;
        result
    }

    /// Sets `x` to the motions of the zones of all pairs so far, each scaled by how often it was in trouble.
    fn scale_zones(&self, stage: &mut ContactStage, troubles: &Troubles, wanted: &[DVec3], x: &mut [DVec3]) {
        let start = &self.state.positions;
        let contacts: Vec<Contact> = troubles.values().map(|(near, _)| stencil(near)).collect();
        let times: Vec<u32> = troubles.values().map(|(_, times)| *times).collect();
        let zones = zones(&contacts, &stage.held_inverse_mass);
        stage.scaled.zones = stage.scaled.zones.max(zones.len() as u64);
        for zone in &zones {
            let worst = zone.contacts.iter().map(|&c| times[c as usize]).max().unwrap_or(0);
            let part = if worst > HALVINGS { 0.0 } else { 0.5f64.powi(worst as i32) };
            for &v in &zone.vertices {
                let v = v as usize;
                x[v] = start[v] + (wanted[v] - start[v]) * part;
            }
        }
    }

    /// Positions are the scaled ones, and velocities follow from them: a solve that went astray may have left numbers whose
    /// difference to the scaled ones is all rounding. What the vertices lose of the momentum that they had is counted.
    fn take_over_scaled(&mut self, stage: &mut ContactStage, solved: &[DVec3], x: &[DVec3], step: f64) {
        let mut momentum = DVec3::ZERO;
        for (k, &v) in self.system.model_from_solver.iter().enumerate() {
            let v = v as usize;
            if x[v] == solved[k] {
                continue;
            }
            let velocity = (x[v] - self.state.positions[v]) / step;
            momentum += (self.state.velocities[v] - velocity) * self.system.masses[k];
            self.phase.velocities[k] = velocity;
            self.phase.positions[k] = x[v];
        }
        stage.scaled.momentum = momentum.length();
    }
}

/// A pair as zones see it: only its vertices matter.
fn stencil(near: &Near) -> Contact {
    Contact {
        key: near.key,
        vertices: near.vertices,
        weights: [1.0; 4],
        normal: DVec3::Z,
        time: 0.0,
        range: near.range,
    }
}
