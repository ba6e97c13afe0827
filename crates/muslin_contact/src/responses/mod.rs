//! Responses: each moves the end of a motion so that its contacts keep their distance.
//!
//! They form a cascade that a scene configures ([`crate::cascade`]): what one leaves, the next gets. All conserve
//! momentum where no vertex is kinematic, and none touches a vertex without inverse mass.
//!
//! The papers speak of velocities and impulses. Within one step both are positions: a relative velocity times the
//! step is how far the two sides of a contact have moved against each other, an impulse times the step is a mass times a way.
//! So a response changes the end of the motion, and velocities follow.

mod damped_springs;
mod impact_law;
mod impulses;
mod linear_zones;
mod non_linear_zones;
mod relaxation;
mod repulsion;
mod repulsion_springs;
mod rigid_zones;
mod separation;
mod sliding;

pub use damped_springs::DampedSprings;
pub use impact_law::{Impact, ImpactLaw};
pub use impulses::Impulses;
pub use linear_zones::LinearZones;
pub use non_linear_zones::NonLinearZones;
pub use repulsion::Repulsion;
pub use repulsion_springs::RepulsionSprings;
pub use rigid_zones::{LARGEST_TURN, RigidZones};
pub use separation::Separation;

use crate::{contact::Contact, friction::FrictionLaws, gaps::TARGET};
use glam::DVec3;
use muslin_model::FrictionLaw;

/// A motion that a response may correct.
pub struct Motion<'a> {
    /// Positions at the start of the step [m].
    pub start: &'a [DVec3],
    /// Positions at its end as the integrator, or the response before, wants them [m].
    pub wanted: &'a [DVec3],
    /// The velocities that belong to them [m/s].
    pub wanted_velocities: &'a [DVec3],
    /// Positions at its end [m]; what a response changes.
    pub end: &'a mut [DVec3],
    /// Velocities at its end [m/s]; they follow from the positions.
    pub velocities: &'a mut [DVec3],
    /// Inverse masses [1/kg]; 0 for obstacles and held vertices.
    pub inverse_mass: &'a [f64],
    /// What does not change from vertex to vertex.
    pub step: StepFacts<'a>,
}

/// Facts of a step that hold for all of its contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepFacts<'a> {
    /// Length of the step [s].
    pub length: f64,
    /// Laws of friction.
    pub friction: &'a FrictionLaws,
}

impl Motion<'_> {
    /// Moves the end of a vertex; its velocity changes by as much as the mean velocity of its motion does.
    pub fn place(&mut self, vertex: u32, end: DVec3) {
        let v = vertex as usize;
        self.end[v] = end;
        self.velocities[v] = self.wanted_velocities[v] + (end - self.wanted[v]) / self.step.length;
    }

    /// How far side a of a contact moves against side b [m].
    pub fn relative(&self, contact: &Contact) -> DVec3 {
        contact.difference(self.end) - contact.difference(self.start)
    }

    /// The mass that a push along a contact moves [kg], m_eff = 1/Σ(wᵢ²/mᵢ); none if nothing can move.
    pub fn mass(&self, contact: &Contact) -> Option<f64> {
        let inverse = |(&v, w): (&u32, f64)| w * w * self.inverse_mass[v as usize];
        let sum: f64 = contact.vertices.iter().zip(contact.weights).map(inverse).sum();
        (sum > 0.0).then(|| 1.0 / sum)
    }
}

impl<'a> Motion<'a> {
    /// The law of friction of a contact.
    pub fn law(&self, contact: &Contact) -> &'a FrictionLaw {
        self.step.friction.of(contact)
    }
}

/// How a response went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Iterations, those of the zone with the most.
    pub iterations: usize,
    /// Zones.
    pub zones: usize,
    /// Contacts that it left nearer than their target.
    pub left: usize,
    /// Zones that turn so far that only a shorter step can be trusted.
    pub turned_too_far: usize,
}

/// Which contacts a response is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Those that are within their range at the start of the step; once, before the motion is searched.
    Proximity,
    /// Those that violate the check, round by round.
    Violations,
    /// All that violated it since the response's first round, so that zones grow.
    Accumulated,
}

/// One link of the cascade.
pub trait ContactResponse: Send + Sync {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// Which contacts it wants.
    fn takes(&self) -> Takes;

    /// Rounds of response and search before the next link gets what is left.
    fn most_rounds(&self) -> usize {
        20
    }

    /// Corrects the end of the motion.
    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response;
}

/// Gap that a response aims at [m]: a little beyond the target, so that rounding and the tolerance of a solver
/// stay on the right side.
pub fn aim(contact: &Contact) -> f64 {
    AIM * contact.range
}

/// What a response aims at, as a part of the range [-].
const AIM: f64 = 1.2 * TARGET;
