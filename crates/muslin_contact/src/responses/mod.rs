//! Responses: each moves the end of a motion so that its contacts keep their distance.
//!
//! They form a cascade that a scene configures: what one leaves, the next gets. All conserve momentum where no
//! vertex is kinematic, and none touches a vertex without inverse mass.

mod linear_zones;
mod non_linear_zones;

pub use linear_zones::LinearZones;
pub use non_linear_zones::NonLinearZones;

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

/// The stencil's normal at some positions, on the side it had when the contact was found: that of the face, or
/// of both edges. Where these have none, the old one.
pub fn turned_normal(contact: &Contact, positions: &[DVec3]) -> DVec3 {
    let p = contact.vertices.map(|v| positions[v as usize]);
    let normal = if contact.key.kind == 0 {
        (p[2] - p[1]).cross(p[3] - p[1])
    } else {
        (p[1] - p[0]).cross(p[3] - p[2])
    };
    // Beyond a right angle the feature has turned over: its side is no longer known.
    match normal.try_normalize() {
        Some(n) if n.dot(contact.normal) > TURNED => n,
        Some(n) if n.dot(contact.normal) < -TURNED => -n,
        _ => contact.normal,
    }
}

/// Cosine of the angle by which a normal may turn and still be told from its opposite [-]. A stencil whose nearest
/// points lie on a boundary has a normal of its own, and keeps it.
const TURNED: f64 = 0.9;
