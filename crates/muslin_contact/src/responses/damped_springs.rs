//! Damped springs where two sides are nearer than their range (V 4.2.5, after Baraff and Witkin 1998), as a named law.
//!
//! Along the normal the force is k d − c v_n and never pulls; across it −c v_t holds back what slides. "Though not
//! strictly a frictional force", says V, and so it is: it creeps on any slope.
//!
//! The authors put the springs into their implicit step. As an impulse after any step, each spring is implicit in
//! its own contact: with v_n′ = v_n + h f/m and d′ = d − h v_n′ follows f = (k d − (c + h k) v_n)/(1 + (h c + h² k)/m).
//! It tends to the spring's force for short steps and to the impulse that stops the contact for stiff springs. A vertex
//! with several contacts lends each its share of mass, so that together they do not overshoot; momentum is
//! conserved for every contact by itself.

use super::{ContactResponse, Motion, Response, Takes, relaxation::Crowd, repulsion::stiffness};
use crate::contact::Contact;
use glam::DVec3;

/// Damped springs.
#[derive(Clone, Copy, Debug)]
pub struct DampedSprings {
    /// Force at an overlap of half the range [N].
    pub strength: f64,
    /// Damping over the critical one of a spring with its contact's mass [-].
    pub damping_ratio: f64,
}

impl ContactResponse for DampedSprings {
    fn name(&self) -> &'static str {
        "damped-springs"
    }

    fn takes(&self) -> Takes {
        Takes::Proximity
    }

    fn most_rounds(&self) -> usize {
        1
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let crowd = Crowd::new(motion, contacts);
        let mut shifts = crowd.at_rest();
        let h = motion.step.length;
        for (index, contact) in contacts.iter().enumerate() {
            let Some(mass) = motion.mass(contact) else { continue };
            let k = stiffness(self.strength, contact);
            let c = 2.0 * self.damping_ratio * (k * mass).sqrt();
            let share = mass / crowd.most_contacts[index];
            let overlap = (contact.range - contact.gap(motion.start)).max(0.0);
            let velocity = motion.relative(contact) / h;
            let along = velocity.dot(contact.normal);
            let across = velocity - contact.normal * along;
            let press = (k * overlap - (c + h * k) * along) / (1.0 + (h * c + h * h * k) / share);
            // Outside the range nothing acts.
            if overlap > 0.0 && press > 0.0 {
                let hold = across * (-c / (1.0 + h * c / share));
                let force: DVec3 = contact.normal * press + hold;
                crowd.push(index, force * (h * h), &mut shifts);
            }
        }
        crowd.shift(motion, &shifts);
        Response { iterations: 1, ..Response::default() }
    }
}
