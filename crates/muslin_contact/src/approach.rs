//! Where the stencil of a contact is taken: where its pair is nearest in a motion.
//!
//! A contact that holds a step off is a plane: a stencil with a normal. Two surfaces that slide along each other bring ever new
//! pairs within their range *from the side*: where such a pair first comes within it, the direction between its nearest points leans
//! against the motion, by up to 75° at the rim of a face. A plane with that normal is a wall: sheets of 18 mm cells that slid on each other without friction at
//! 1/60 s came a twentieth of their way. Where the pair is *nearest*, the direction between its sides is square to their motion against
//! each other (the derivative of the distance is none), and the plane takes nothing from it. So that is where a stencil is
//! taken; or, if the sides would run into each other there, where a response would leave them.

use crate::{contact::Contact, finder::Near, gaps::TARGET};
use glam::DVec3;
use muslin_collision::narrow_phase::Proximity;

/// Looks for the time at which a pair is nearest.
const MOST_LOOKS: usize = 16;
/// A time is exact if the sides move by less than this part of their range between it and the time of the least distance [-].
const EXACT: f64 = 0.02;

impl Near {
    /// The stencil where the pair is nearest in a motion; none where its sides touch.
    pub fn where_nearest(&self, start: &[DVec3], end: &[DVec3]) -> Option<Contact> {
        let query = self.query(start, end);
        let at = |time: f64| Proximity::new(self.key.kind(), query.at(time));
        // The sides' velocity against each other at their nearest points, in steps.
        let velocity =
            |near: &Proximity| -> DVec3 { (0..4).map(|k| (query.end[k] - query.start[k]) * near.weights[k]).sum() };
        let mut time = self.time;
        let mut near = at(time);
        let least = TARGET * self.range;
        let (mut beyond, mut stretch) = (1.0, 1.0);
        for look in 0..MOST_LOOKS {
            let way = velocity(&near);
            let (approach, speed) = (-near.vector.dot(way), way.length());
            if !(approach > 0.0 && (beyond - time) * speed > EXACT * self.range) {
                break;
            }
            // Were the nearest points to stay the same ones; where they go along, it is later.
            let guess = time + stretch * approach / (speed * speed);
            let next = match guess < beyond {
                true => guess,
                false if look == 0 => beyond,
                false => 0.5 * (time + beyond),
            };
            let there = at(next);
            let apart = there.distance >= least.min(near.distance) && there.vector.dot(near.vector) > 0.0;
            if apart && there.vector.dot(velocity(&there)) <= 0.0 {
                (time, near) = (next, there);
                stretch *= 2.0;
            } else {
                beyond = next;
                stretch = 1.0;
            }
        }
        let normal = near.vector.try_normalize()?;
        let Near { key, vertices, range, .. } = *self;
        Some(Contact { key, vertices, weights: near.weights, normal, time, range })
    }
}
