//! Responses: each moves the end of a motion so that its contacts keep their distance.
//!
//! They form a cascade that a scene configures: what one leaves, the next gets. All conserve momentum where no
//! vertex is kinematic, and none touches a vertex without inverse mass.

mod linear_zones;

pub use linear_zones::LinearZones;

use crate::{contact::Contact, gaps::TARGET};
use glam::DVec3;

/// A motion that a response may correct.
pub struct Motion<'a> {
    /// Positions at the start of the step [m].
    pub start: &'a [DVec3],
    /// Positions at its end as the integrator wants them [m].
    pub wanted: &'a [DVec3],
    /// Positions at its end [m]; what a response changes.
    pub end: &'a mut [DVec3],
    /// Inverse masses [1/kg]; 0 for obstacles and held vertices.
    pub inverse_mass: &'a [f64],
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
}

/// One link of the cascade.
pub trait ContactResponse: Send + Sync {
    /// One word for reports.
    fn name(&self) -> &'static str;

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
