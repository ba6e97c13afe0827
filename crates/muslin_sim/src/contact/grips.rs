//! Friction that depends on the speed of sliding, between the state and the supports of a solve.

use super::{ContactStage, supports::SLIP};
use crate::simulation::Simulation;
use glam::DVec3;
use muslin_contact::{Contact, Finder, anchor_of};
use muslin_dynamics::SupportGrip;

/// Solves of a step for the sake of friction limits alone: with Coulomb's law, and where contacts may begin to slide; and of
/// those with Coulomb's law that are asked for by the limit of a single contact.
const MOST_ROUNDS: usize = 3;
const MOST_ROUNDS_FOR_ONE: usize = 1;
const MOST_ROUNDS_OF_LAWS: usize = 4;

impl ContactStage {
    /// Solves of a step for the sake of friction alone.
    pub fn most_friction_rounds(&self) -> usize {
        if self.laws.are_coulomb() { MOST_ROUNDS } else { MOST_ROUNDS_OF_LAWS }
    }

    /// Whether the limit of a single contact may ask for the solve of a round.
    pub fn follows_single_limits(&self, round: usize) -> bool {
        !self.laws.are_coulomb() || round <= MOST_ROUNDS_FOR_ONE
    }
}

impl Simulation {
    /// Gives the supports their laws of friction, where not all are Coulomb's.
    pub(super) fn place_grips(&mut self, stage: &mut ContactStage, step: f64) {
        let mut grips = std::mem::take(&mut self.system.supports.grips.list);
        grips.clear();
        if !stage.laws.are_coulomb() {
            let finder = &stage.finder;
            for (k, active) in stage.active.iter_mut().enumerate() {
                let contact = &active.contact;
                let grip = active.grip.get_or_insert_with(|| {
                    let velocity = self.sliding_velocity(finder, contact, step);
                    let before = anchor_of(&self.state.anchors, contact.key).map(|anchor| {
                        let across = anchor.stretch - contact.normal * contact.normal.dot(anchor.stretch);
                        (anchor.slip, across)
                    });
                    SupportGrip::new(*stage.laws.of(contact), before, velocity, SLIP * contact.range, step)
                });
                let inverse = contact.vertices.iter().zip(contact.weights);
                let inverse: f64 = inverse.map(|(&v, w)| w * w * stage.inverse_mass[v as usize]).sum();
                if inverse > 0.0 {
                    grip.damp(active.load, 1.0 / inverse, step);
                }
                let support = &mut self.system.supports.list[k];
                grip.limit(support, active.load);
                support.friction = support.coefficient * active.load;
                support.reference += grip.shift();
                active.friction = support.friction;
                grips.push(*grip);
            }
        }
        self.system.supports.grips.list = grips;
    }

    /// Lets friction follow what the last solve found; says whether that asks for another one.
    pub(super) fn renew_grips(&mut self, stage: &mut ContactStage) -> bool {
        let changed = self.system.regrip(&self.phase.positions);
        for (active, grip) in stage.active.iter_mut().zip(&self.system.supports.grips.list) {
            active.grip = Some(*grip);
        }
        changed
    }

    /// How the sides of a contact move against each other when the step begins, across its normal [m/s].
    fn sliding_velocity(&self, finder: &Finder, contact: &Contact, step: f64) -> DVec3 {
        let of = |vertex: u32| {
            let v = vertex as usize;
            if finder.is_obstacle(vertex) {
                (self.obstacles_end[v] - self.state.positions[v]) / step
            } else {
                self.state.velocities[v]
            }
        };
        let velocity: DVec3 = contact.vertices.iter().zip(contact.weights).map(|(&v, w)| of(v) * w).sum();
        velocity - contact.normal * contact.normal.dot(velocity)
    }
}
