//! Contact with obstacles as constraints of the modified conjugate gradients (Baraff and Witkin 1998, section 5; W 7.3): a vertex
//! that sticks has no free axis, one that slides has two, and friction is a force in their plane.
//!
//! # How
//! 1. Vertices of cloth that are within their range of an obstacle's face when the step begins, and do not leave it, are held: along the
//!    normal at their gap (a gap that is less than [`ROOM`] of the range opens by [`OPENED`] of what is missing), across it too if they
//!    stuck in the step before. The obstacle's own motion goes into the target.
//! 2. The step is solved. What the constraint bears is known then, R = h (A Δv − b): its part along the normal is N, the one across
//!    is what sticking takes.
//! 3. A vertex that its constraint would pull is let go. One that sticks and takes more than µ_s N begins to slide; one that slides
//!    and has turned round within the step sticks; friction of what slides follows N and the speed, as inside the
//!    implicit solve (`muslin_dynamics/src/grips.rs`). If any of that happened, the step is solved again from where the last solve
//!    ended, [`MOST_ROUNDS`] times at most.
//!
//! **When what slides stops.** Only when a solve turns it round. As it slows down its friction rises to that of rest, so that what can
//! stop is turned round by the next solve. To ask instead whether a lone vertex would stop under the friction of rest, as was tried, makes
//! single vertices of slow cloth stick that the cloth around them draws on: they bear many times µ_s N, slide in the next solve,
//! stick in the one after, and most steps end unsettled after the last round, with far too much friction.
//!
//! The viscous part of what slides is a drag, (c_v N + F_v) v^(δ_v−1) times the velocity that the solve finds: a part of its matrix, so that it settles
//! however strong it is.
//!
//! W puts −v_n + F(v_t) Δt/m into the prescribed change of velocity. The normal part is that; but friction prescribed in a free direction
//! would free it from the cloth around it, so here it is a force.
//!
//! One normal per vertex: in a corner of two obstacles the nearer one holds, and the responses after the step do the rest. They also do
//! everything else: edges, cloth on cloth, what arrives within the step.

use super::{ContactStage, supports::SLIP};
use crate::{
    settings::ContactMethod,
    simulation::{SimError, Simulation},
};
use glam::{DMat3, DVec3};
use muslin_collision::PairKind;
use muslin_contact::{Contact, Near};
use muslin_dynamics::{
    Constraints, Hold, Push,
    grips::{SLOWEST, balanced_speed},
    integrators::StepOutcome,
};
use muslin_model::{Anchor, FrictionLaw};

/// The part of its range that a held vertex keeps [-], and the part of what is missing that one step gives it (W 3.36).
const ROOM: f64 = 0.5;
const OPENED: f64 = 0.1;
/// Solves of a step.
const MOST_ROUNDS: usize = 6;
/// Friction whose root mean square changed by more than this part of that of the normal forces is worth another solve [-].
const FOLLOWED: f64 = 0.01;
/// Changes between sticking and sliding of one vertex within a step.
const MOST_CHANGES: u8 = 2;

/// What the solves of a step share.
#[derive(Default)]
pub(crate) struct Holds {
    /// The pins alone.
    pins: Constraints,
    /// Pins and obstacles together.
    imposed: Vec<Imposed>,
}

/// A vertex that is held in a solve, by a pin, an obstacle or both.
struct Imposed {
    vertex: u32,
    free: DMat3,
    target: DVec3,
    velocities: Option<[DVec3; 2]>,
    /// Its place among the contacts.
    contact: Option<usize>,
}

/// A vertex that an obstacle holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldContact {
    contact: Contact,
    law: FrictionLaw,
    hold: Hold,
    /// Whether the constraint acts.
    acts: bool,
    /// How the obstacle's point moves in the step [m].
    drift: DVec3,
    /// Where the vertex is to be along the normal, from where it would be if it went with the obstacle [m].
    opening: f64,
    /// Direction of sliding [-] and its speed [m/s].
    direction: DVec3,
    speed: f64,
    /// Normal force [N].
    load: f64,
    /// Dry friction over it [-].
    coefficient: f64,
    /// Viscous friction over the speed [N·s/m].
    drag: f64,
    changes: u8,
    /// Its place among the held vertices of the solve; `None` if pins hold it along the normal.
    place: Option<usize>,
}

impl HeldContact {
    fn vertex(&self) -> u32 {
        self.contact.vertices[0]
    }

    /// The force of sliding friction on a vertex of the solver, in a step [s].
    fn push(&self, vertex: u32, step: f64) -> Push {
        let carrier = self.drift / step;
        match self.hold {
            Hold::Slides => {
                let n = self.contact.normal;
                let across = DMat3::IDENTITY - DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                let force = self.direction * (-self.coefficient * self.load);
                Push { vertex, force, drag: across * self.drag, carrier }
            }
            Hold::Sticks => Push { vertex, force: DVec3::ZERO, drag: DMat3::ZERO, carrier },
        }
    }

    /// Takes the friction of a speed of sliding [m/s] under a load [N].
    fn slide_at(&mut self, speed: f64, load: f64) {
        (self.speed, self.load) = (speed, load);
        (self.coefficient, self.drag) = (self.law.dry(speed), self.law.drag(speed.max(SLOWEST), load));
    }

    /// What its friction remembers.
    fn anchor(&self) -> Anchor {
        let slip = if self.hold == Hold::Slides { self.speed.max(f64::MIN_POSITIVE) } else { 0.0 };
        Anchor { pair: self.contact.key.numbers(), stretch: DVec3::ZERO, force: self.load, slip }
    }
}

impl ContactStage {
    /// Whether contact with obstacles is a matter of constraints.
    pub fn constrains(&self) -> bool {
        self.settings.method == ContactMethod::Constraints
    }

    /// What held vertices remember, ascending.
    pub fn held_anchors(&self) -> impl Iterator<Item = Anchor> {
        let rubs = |held: &&HeldContact| held.acts && held.place.is_some() && held.load > 0.0;
        self.constrained.iter().filter(rubs).map(HeldContact::anchor)
    }
}

impl Simulation {
    /// Integrates with obstacles as constraints; without, if that is not the method.
    pub(super) fn integrate_held(&mut self, stage: &mut ContactStage, step: f64) -> Result<StepOutcome, SimError> {
        if !stage.constrains() {
            return self.integrate(step);
        }
        std::mem::swap(&mut self.constraints, &mut stage.holds.pins);
        let outcome = self.solve_held(stage, step);
        std::mem::swap(&mut self.constraints, &mut stage.holds.pins);
        outcome
    }

    /// Solves a step until what obstacles hold and let slide is settled.
    fn solve_held(&mut self, stage: &mut ContactStage, step: f64) -> Result<StepOutcome, SimError> {
        let mut total = StepOutcome::default();
        for round in 1.. {
            self.impose(stage, step);
            let result = self.integrate(step);
            self.system.pushes.clear();
            let mut outcome = result?;
            self.enter_work(stage, step, &mut outcome);
            super::supports::add(&mut total, outcome);
            if !self.judge_holds(stage, step) || round == MOST_ROUNDS {
                break;
            }
            self.solve_from_here();
        }
        Ok(total)
    }

    /// The vertices that obstacles hold when a step begins, from pairs that are near.
    pub(super) fn hold_contacts(&mut self, stage: &mut ContactStage, near: &[Near], step: f64) {
        stage.constrained.clear();
        let start = &self.state.positions;
        for pair in near {
            let [vertex, face @ ..] = pair.vertices;
            let on_obstacle = !stage.finder.is_obstacle(vertex) && face.iter().all(|&v| stage.finder.is_obstacle(v));
            if pair.key.kind() != PairKind::VertexFace || !on_obstacle || pair.distance(start) >= pair.range {
                continue;
            }
            let Some(contact) = pair.contact(start, &self.obstacles_end, 0.0) else { continue };
            let held = self.held_contact(stage, contact, step);
            match stage.constrained.last_mut() {
                // Pairs ascend, so those of a vertex follow each other: the nearest holds.
                Some(last) if last.vertex() == vertex => {
                    if contact.gap(start) < last.contact.gap(start) {
                        *last = held;
                    }
                }
                _ => stage.constrained.push(held),
            }
        }
        stage.constrained.retain(|held| held.acts);
    }

    fn held_contact(&self, stage: &ContactStage, contact: Contact, step: f64) -> HeldContact {
        let (start, end) = (&self.state.positions, &self.obstacles_end);
        let drift: DVec3 = (1..4)
            .map(|k| {
                let v = contact.vertices[k] as usize;
                (end[v] - start[v]) * -contact.weights[k]
            })
            .sum();
        let velocity = self.state.velocities[contact.vertices[0] as usize] - drift / step;
        let along = velocity.dot(contact.normal);
        let across = velocity - contact.normal * along;
        let anchors = &self.state.anchors;
        let first = anchors.partition_point(|anchor| anchor.pair < [0, contact.vertices[0], 0]);
        let before = anchors.get(first).filter(|anchor| anchor.pair[..2] == [0, contact.vertices[0]]);
        let law = *stage.laws.of(&contact);
        let slides = match before {
            Some(anchor) => anchor.slip > 0.0,
            None => across.length() * step > SLIP * contact.range,
        };
        let (load, speed) = (before.map_or(0.0, |anchor| anchor.force), across.length());
        let missing = (ROOM * contact.range - contact.gap(start)).max(0.0);
        let mut held = HeldContact {
            contact,
            law,
            hold: if slides { Hold::Slides } else { Hold::Sticks },
            // What leaves is left alone.
            acts: before.is_some() || along * step <= OPENED * missing,
            drift,
            opening: OPENED * missing,
            direction: across.normalize_or_zero(),
            speed,
            load,
            coefficient: 0.0,
            drag: 0.0,
            changes: 0,
            place: None,
        };
        held.slide_at(speed, load);
        held
    }

    /// Adds the held vertices to the pins, and friction to the forces.
    fn impose(&mut self, stage: &mut ContactStage, step: f64) {
        let mut holds = std::mem::take(&mut stage.holds.imposed);
        holds.clear();
        let pins = &stage.holds.pins;
        for (k, &vertex) in pins.vertices.iter().enumerate() {
            let velocities = pins.velocities.get(k).copied().flatten();
            let (free, target) = (pins.free[k], pins.targets[k]);
            holds.push(Imposed { vertex, free, target, velocities, contact: None });
        }
        self.system.pushes.clear();
        for (k, held) in stage.constrained.iter().enumerate().filter(|(_, held)| held.acts) {
            let vertex = self.system.solver_from_model[held.vertex() as usize];
            let normal = held.contact.normal;
            let goal = self.state.positions[held.vertex() as usize] + held.drift + normal * held.opening;
            let pinned = pins.vertices.binary_search(&vertex).ok();
            let (free, kept) = match pinned {
                Some(pin) => (pins.free[pin], (DMat3::IDENTITY - pins.free[pin]) * pins.targets[pin]),
                None => (DMat3::IDENTITY, DVec3::ZERO),
            };
            // The normal within what a pin leaves free.
            let Some(along) = (free * normal).try_normalize() else { continue };
            let (free, target) = match held.hold {
                Hold::Sticks => (DMat3::ZERO, kept + free * goal),
                Hold::Slides => {
                    let way = normal.dot(goal - kept) / normal.dot(along);
                    let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
                    (free - outer, kept + along * way)
                }
            };
            let hold = Imposed { vertex, free, target, velocities: None, contact: Some(k) };
            match pinned {
                Some(pin) => holds[pin] = hold,
                None => holds.push(hold),
            }
            self.system.pushes.push(held.push(vertex, step));
        }
        holds.sort_unstable_by_key(|hold| hold.vertex);
        let constraints = &mut self.constraints;
        constraints.vertices.clear();
        constraints.free.clear();
        constraints.targets.clear();
        constraints.velocities.clear();
        stage.constrained.iter_mut().for_each(|held| held.place = None);
        for (place, hold) in holds.iter().enumerate() {
            constraints.vertices.push(hold.vertex);
            constraints.free.push(hold.free);
            constraints.targets.push(hold.target);
            constraints.velocities.push(hold.velocities);
            if let Some(k) = hold.contact {
                stage.constrained[k].place = Some(place);
            }
        }
        stage.holds.imposed = holds;
    }

    /// Enters the work of obstacles as contact's and not as that of pins.
    fn enter_work(&self, stage: &ContactStage, step: f64, outcome: &mut StepOutcome) {
        let reactions = self.integrator.reactions();
        let (mut constraints, mut pushes) = (0.0, 0.0);
        for held in stage.constrained.iter().filter(|held| held.acts) {
            let Some(&reaction) = held.place.and_then(|place| reactions.get(place)) else { continue };
            let vertex = self.system.solver_from_model[held.vertex() as usize];
            let v = vertex as usize;
            let way = self.phase.positions[v] - self.state.positions[held.vertex() as usize];
            constraints += reaction.dot(way);
            pushes += held.push(vertex, step).at(self.phase.velocities[v]).dot(way);
        }
        if stage.holds.pins.vertices.is_empty() {
            constraints = outcome.work.pins;
        }
        outcome.work.pins -= constraints;
        outcome.work.contact += constraints + pushes;
    }

    /// Lets go, slide and stick what the last solve shows; says whether the step has to be solved again.
    fn judge_holds(&self, stage: &mut ContactStage, step: f64) -> bool {
        let reactions = self.integrator.reactions();
        let mut again = false;
        let (mut changed, mut borne) = (0.0, 0.0);
        for held in stage.constrained.iter_mut().filter(|held| held.acts) {
            let Some(place) = held.place else { continue };
            let Some(&reaction) = reactions.get(place) else { continue };
            let vertex = self.constraints.vertices[place];
            let v = vertex as usize;
            let normal = held.contact.normal;
            let load = reaction.dot(normal);
            if load < 0.0 {
                (held.acts, again) = (false, true);
                continue;
            }
            let (end, loaded) = (self.phase.velocities[v], held.load);
            let before = held.push(vertex, step).at(end);
            held.load = load;
            borne += load * load;
            match held.hold {
                Hold::Sticks => {
                    let needed = reaction - normal * load;
                    if needed.length() > held.law.sticking * load && held.changes < MOST_CHANGES {
                        held.hold = Hold::Slides;
                        held.direction = -needed.normalize_or_zero();
                        held.slide_at(0.0, load);
                        held.changes += 1;
                        again = true;
                    }
                }
                Hold::Slides => {
                    let velocity = end - held.drift / step;
                    let across = velocity - normal * normal.dot(velocity);
                    let speed = across.dot(held.direction);
                    let c = step * load / self.system.masses[v];
                    // All friction over the load that acted in the solve.
                    let used = if load > 0.0 { (held.coefficient * loaded + held.drag * speed) / load } else { 0.0 };
                    if speed <= 0.0 && held.changes < MOST_CHANGES {
                        (held.hold, held.speed) = (Hold::Sticks, 0.0);
                        held.changes += 1;
                        again = true;
                        continue;
                    }
                    held.slide_at(balanced_speed(&held.law, load, speed, used, c), load);
                    if speed > 0.0 {
                        held.direction = across.normalize_or(held.direction);
                    }
                    changed += (held.push(vertex, step).at(end) - before).length_squared();
                }
            }
        }
        again || changed > FOLLOWED * FOLLOWED * borne
    }
}
