//! From contacts to supports of the implicit solve, and back to what friction remembers.

use super::{Active, ContactStage};
use crate::simulation::Simulation;
use glam::DVec3;
use muslin_collision::PairKind;
use muslin_contact::{Contact, FrictionLaws, Near, PairKey, Past, TARGET, anchor_of};
use muslin_dynamics::{MOVED_BY_SCENE, Support, System};
use muslin_model::{Anchor, State, parallel};

/// Contacts of a piece of parallel work.
const PIECE: usize = 256;

/// Way at which sticking friction gives, as a part of the range [-]: 0.01 mm for cotton.
pub(super) const SLIP: f64 = 0.02;

/// Change of a friction limit, in mean vertex weights, beyond which the step is solved again with the new one [-].
const FRICTION_CHANGE: f64 = 0.05;
/// The same for the sum of all limits, in parts of it [-]: what slides over many cells loses contacts in every step and finds new ones, of which no
/// force is known beforehand, and none is large.
const FRICTION_CHANGE_IN_ALL: f64 = 0.02;

/// See [`are_side_by_side`] [-]: less than what lies between the gap that a response leaves and the check.
const PARALLEL: f64 = 0.1;

impl Simulation {
    /// Makes a contact of the motion to an end active; one that has been so gets its new stencil and keeps its strength.
    pub(super) fn activate(&mut self, stage: &mut ContactStage, contact: Contact, held_from: f64, end: &[DVec3]) {
        let new = as_active(&stage.laws, &self.state, contact, held_from, end);
        match stage.active.binary_search_by_key(&contact.key, |active| active.contact.key) {
            Ok(k) => stage.active[k] = Active { contact, reference: new.reference, ..stage.active[k] },
            Err(k) => stage.active.insert(k, new),
        }
    }

    /// The contacts of the pairs that a motion brings within their range and that stand for one. Edges side by side are left to
    /// the pairs of their ends: where along them they are nearest is a matter of micrometres, and a force that jumps from end to end
    /// in every step would shake cloth that rests.
    pub(super) fn activate_all(&mut self, stage: &mut ContactStage, near: &[Near], end: &[DVec3]) {
        let (laws, neighbourhood, state) = (&stage.laws, stage.finder.neighbourhood(), &self.state);
        let normals = &stage.normals;
        parallel::refill(&mut stage.arriving, near.len(), PIECE, |k| {
            if are_side_by_side(&near[k], &state.positions) {
                return None;
            }
            let contact = neighbourhood.foreseen(&near[k], &state.positions, end, normals, past(state, near[k].key))?;
            Some(as_active(laws, state, contact, near[k].time, end))
        });
        stage.turning.note(stage.arriving.iter().flatten().map(|active| &active.contact), end);
        let turning = &stage.turning;
        // What is near already is no guess.
        let is_guess = |pair: &Near| pair.time > 0.0 && past(state, pair.key) == Past::New;
        let beyond = |pair: &Near, active: &Active| turning.comes_before(&active.contact) && is_guess(pair);
        // Pairs ascend, and so do their contacts.
        stage.active.clear();
        let arriving = near.iter().zip(&stage.arriving).filter_map(|(pair, active)| Some((pair, active.as_ref()?)));
        stage.active.extend(arriving.filter(|(pair, active)| !beyond(pair, active)).map(|(_, active)| active));
    }

    /// Hands the active contacts to the solver.
    pub(super) fn place_supports(&mut self, stage: &mut ContactStage, step: f64) {
        let (start, end) = (&self.state.positions, &self.obstacles_end);
        let strength = stage.strength;
        let (system, obstacles) = (&mut self.system, self.model.cloth_vertices().end as u32);
        let mut list = std::mem::take(&mut system.supports.list);
        let (active, laws) = (&stage.active, &stage.laws);
        let (solver_from_model, count) = (&system.solver_from_model, active.len());
        parallel::refill(&mut list, count, PIECE, |k| {
            let active = &active[k];
            let contact = &active.contact;
            let (mut constant, mut begin, mut fixed) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            let mut vertices = [MOVED_BY_SCENE; 4];
            for k in 0..4 {
                let v = contact.vertices[k];
                if v >= obstacles {
                    constant += end[v as usize] * contact.weights[k];
                    fixed += start[v as usize] * contact.weights[k];
                } else {
                    vertices[k] = solver_from_model[v as usize];
                    begin += start[v as usize] * contact.weights[k];
                }
            }
            let floor = TARGET * contact.range;
            Support {
                vertices,
                weights: contact.weights,
                normal: contact.normal,
                constant,
                reference: active.reference,
                begin,
                range: contact.range,
                floor,
                strength: active.boost * strength * (contact.range - floor),
                friction: active.friction,
                load: active.load,
                coefficient: laws.of(contact).sticking,
                slip: SLIP * contact.range,
                start: begin + fixed,
                drag: 0.0,
            }
        });
        system.supports.list = list;
        system.supports.rate = 1.0 / step;
        self.place_grips(stage, step);
    }

    /// Gives all contacts the friction limit of the forces that the last solve found; says whether that asks for another one,
    /// after so many that were solved for that.
    pub(super) fn renew_friction(&mut self, stage: &mut ContactStage, round: usize) -> bool {
        let least = FRICTION_CHANGE * self.system.mean_weight();
        let mut renewed = self.renew_grips(stage);
        let single = stage.follows_single_limits(round);
        let (mut change_in_all, mut in_all) = (0.0, least);
        for (active, support) in stage.active.iter_mut().zip(&self.system.supports.list) {
            active.load = support.reaction(&self.phase.positions).normal;
            let limit = support.coefficient * active.load;
            let change = limit - active.friction;
            renewed |= single && change.abs() > least;
            change_in_all += change;
            in_all += limit;
            active.friction = limit;
        }
        renewed || change_in_all.abs() > FRICTION_CHANGE_IN_ALL * in_all
    }

    /// What the contacts of the accepted attempt remember.
    pub(crate) fn keep_anchors(&mut self) {
        let Some(stage) = &self.contact else { return };
        let (supports, phase) = (&self.system.supports, &self.phase);
        self.state.anchors.clear();
        // Where motions were scaled back, forces are those of another end; taken along, they would hold the cloth for ever.
        if stage.scaled.zones > 0 {
            return;
        }
        for (k, (active, support)) in stage.active.iter().zip(&supports.list).enumerate() {
            let reaction = support.reaction(&phase.positions);
            if reaction.normal > 0.0 && reaction.normal.is_finite() {
                let (stretch, slip) = supports.memory(k, reaction.way);
                let pair = active.contact.key.numbers();
                self.state.anchors.push(Anchor { pair, stretch, force: reaction.normal, slip });
            }
        }
        self.state.anchors.extend(stage.held_anchors());
    }
}

/// What a pair did in the step before.
pub(super) fn past(state: &State, pair: PairKey) -> Past {
    if anchor_of(&state.anchors, pair).is_some() { Past::Pressed } else { Past::New }
}

/// A contact of the motion to an end as it becomes active; friction holds it from some time on [-].
fn as_active(laws: &FrictionLaws, state: &State, contact: Contact, held_from: f64, end: &[DVec3]) -> Active {
    let (load, stretch) = match anchor_of(&state.anchors, contact.key) {
        Some(anchor) => {
            let across = anchor.stretch - contact.normal * contact.normal.dot(anchor.stretch);
            (anchor.force, across)
        }
        None => (0.0, DVec3::ZERO),
    };
    let reference = contact.difference_at(&state.positions, end, held_from) - stretch;
    let friction = laws.of(&contact).sticking * load;
    Active { contact, boost: 1.0, load, friction, reference, grip: None }
}

/// Whether a pair are two edges that are parallel: over the shorter, their distance changes by less than [`PARALLEL`] of their range. The
/// nearest points of parallel edges are at an end of one, which has a pair with the other's face that is as near.
fn are_side_by_side(pair: &Near, positions: &[DVec3]) -> bool {
    let [a, b, c, d] = pair.vertices.map(|v| positions[v as usize]);
    let (one, other) = (b - a, d - c);
    let across = one.cross(other).length();
    pair.key.kind() == PairKind::EdgeEdge && across < PARALLEL * pair.range * one.length().max(other.length())
}

/// Adds what one solve of a step has done to what the solves before it have.
pub(super) fn add(
    total: &mut muslin_dynamics::integrators::StepOutcome,
    more: muslin_dynamics::integrators::StepOutcome,
) {
    let (newton, pcg) = (total.newton_iterations, total.pcg_iterations);
    let (evaluations, unfinished) = (total.force_evaluations, total.unfinished_solves);
    *total = more;
    total.newton_iterations += newton;
    total.pcg_iterations += pcg;
    total.force_evaluations += evaluations;
    total.unfinished_solves += unfinished;
}

/// The solver's system as it is without contact.
pub(super) fn clear(system: &mut System) {
    system.supports.list.clear();
    system.supports.grips.list.clear();
}
