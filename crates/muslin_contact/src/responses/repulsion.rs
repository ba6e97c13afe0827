//! Repulsion in the cloth's thickness (W 3.3.2, after Bridson et al. 2002): an elastic impulse where two sides are
//! nearer than their range, limited so that it never throws them out of it.
//!
//! With the overlap d = range − gap (3.34, 3.35) the impulse is min(Δt k_r d, m (0.1 d/Δt − v_n)) (3.36): a spring,
//! and no more than opens a tenth of the overlap in one step. Sides that open faster are left alone. The impulse feeds
//! friction as any other does.
//!
//! The spring's force is that of the overlap at the end of the step. Taken at its start, as printed, resting cloth is an
//! oscillator that nothing damps, and a stack never rests.
//!
//! W's n is the triangle's normal; here it points to the vertex's side, and for two edges from one to the other, so
//! that the sign of the gap is the same for both.

use super::{
    ContactResponse, Motion, Response, Takes,
    relaxation::{Limit, Patience, Wish, relax},
    sliding::Grip,
};
use crate::contact::Contact;
use glam::DVec3;

/// The part of an overlap that may open in one step [-] (W 3.36).
const OPENED: f64 = 0.1;

/// The pushes of a thick stack lean on each other; what is left after these sweeps the next step does.
const PATIENCE: Patience = Patience { sweeps: 60, tolerance: 1e-4 };

/// Repulsion.
#[derive(Clone, Copy, Debug)]
pub struct Repulsion {
    /// Force at an overlap of half the range [N]; k_r is twice that over the range.
    pub strength: f64,
}

impl ContactResponse for Repulsion {
    fn name(&self) -> &'static str {
        "repulsion"
    }

    fn takes(&self) -> Takes {
        Takes::Proximity
    }

    fn most_rounds(&self) -> usize {
        1
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let step = motion.step.length;
        let wishes: Vec<Wish> = contacts
            .iter()
            .map(|contact| {
                let overlap = (contact.range - contact.gap(motion.start)).max(0.0);
                let strength = step * step * stiffness(self.strength, contact);
                Wish {
                    along: OPENED * overlap,
                    across: DVec3::ZERO,
                    limit: Limit::Spring { strength, overlap },
                    grip: Grip::new(motion.law(contact), 1.0),
                }
            })
            .collect();
        let iterations = relax(motion, contacts, &wishes, PATIENCE);
        Response { iterations, ..Response::default() }
    }
}

/// k_r [N/m] of a contact that presses with a force [N] at an overlap of half its range.
pub(super) fn stiffness(strength: f64, contact: &Contact) -> f64 {
    2.0 * strength / contact.range
}
