//! Impulses at contacts that the motion would violate (W 3.3.2, V 4.1.4, L 2.4): each takes the approach, and what the law of
//! impact says of the rest.
//!
//! As in the papers a bounce counts as if it happened when the step begins, whenever it does within it. An approach that is only
//! stopped may still come as near as the range: the papers stop it where the step began, and at 1/60 s a sheet, which
//! falls by 2.7 mm in its first step, would hover as high. A gap that starts below what a response must leave is
//! opened to it.

use super::{
    ContactResponse, ImpactLaw, Motion, Response, Takes, aim,
    relaxation::{Limit, Patience, Wish, relax},
    sliding::Grip,
};
use crate::{contact::Contact, gaps::TARGET};

/// Sweeps over all contacts between two searches. Impulses that need more are what zones are for.
const PATIENCE: Patience = Patience { sweeps: 60, tolerance: 1e-3 };

/// Rounds before zones take over (W: "after a few iterations").
const MOST_ROUNDS: usize = 6;

/// Impulses under a law of impact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Impulses {
    /// The law.
    pub law: ImpactLaw,
}

impl ContactResponse for Impulses {
    fn name(&self) -> &'static str {
        "impulses"
    }

    fn takes(&self) -> Takes {
        Takes::Violations
    }

    fn most_rounds(&self) -> usize {
        MOST_ROUNDS
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let wishes: Vec<Wish> = contacts
            .iter()
            .map(|contact| {
                let way = motion.relative(contact);
                // The law is linear in velocities, so that it holds for ways.
                let law = motion.law(contact);
                let wanted = self.law.impact(way, contact.normal, law.kinetic);
                let gap = contact.gap(motion.start);
                let stop = if wanted.along > 0.0 { wanted.along } else { f64::min(contact.range - gap, 0.0) };
                let along = stop.max(aim(contact) - gap);
                let grip = match self.law.friction_part() {
                    Some(part) if !law.is_coulomb() && way.dot(contact.normal) < 0.0 => Grip::Law(law, part),
                    _ => Grip::Fixed(wanted.grip),
                };
                Wish { along, across: wanted.across, limit: Limit::None, grip }
            })
            .collect();
        let iterations = relax(motion, contacts, &wishes, PATIENCE);
        let left = contacts.iter().filter(|c| c.gap(motion.end) < TARGET * c.range).count();
        Response { iterations, left, ..Response::default() }
    }
}
