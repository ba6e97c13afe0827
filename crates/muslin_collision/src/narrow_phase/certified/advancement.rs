//! Conservative advancement with supporting planes.
//!
//! At a time the nearest points of the pair give a direction n. The pair is apart by at least s as long as n·c ≥ s|n| for
//! every difference c of a point of one group and a point of the other. Those heights are linear in time, so the first
//! time at which one falls to s|n| is a quotient, and everything before it is proven clear. From there the next
//! direction is taken. Additive and speed-bound advancement (the relative speed times the time against the gap)
//! takes the same steps only where the motion is straight along n; here sliding costs nothing, and near a
//! transversal contact the steps converge like Newton's method.
//!
//! Where a pair hovers above the separation while it turns, a far corner ends each step early. Then a direction taken some
//! way ahead, between where the pair is and where it will be, proves a longer step: its error grows with the square
//! of the angle only.
//!
//! The proof does not depend on how n was found. A bad direction costs a step, never a contact.

use super::closest::nearest_difference;
use crate::narrow_phase::{PairKind, Query};
use glam::DVec3;

/// Roundings of a height: differences, products, sums and the step in time, in halves of `f64::EPSILON`, rounded up
/// [-].
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Directions before looking ahead; contacts that the pair does not hover over need fewer.
const PLAIN_STEPS: usize = 8;
/// Covers heights that underflow.
const UNDERFLOW: f64 = 1e-290;

/// How far the pair is known to be clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advance {
    /// Never as near as the separation during the step.
    Clear,
    /// Clear before this time; at it the pair is as near as the tolerance tells, or rounding forbids more [-].
    Until(f64),
}

/// What to stop at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The pair must stay farther apart than this [m].
    pub separation: f64,
    /// Stop when the pair is nearer than this [m].
    pub near: f64,
    /// Stop after so many directions.
    pub most_steps: usize,
}

/// Advances from the start of the step; counts the directions.
pub(super) fn advance(kind: PairKind, query: &Query, goal: Goal, steps: &mut u64) -> Advance {
    let corners = Corners::new(kind, query);
    let mut time = 0.0;
    // How far to look ahead; 0 as long as steps converge by themselves.
    let mut ahead = 0.0;
    for step in 0..goal.most_steps {
        *steps += 1;
        let toward = nearest_difference(kind, &query.at(time));
        if !(toward.length() > goal.near) {
            break;
        }
        let mut next = corners.clear_until(toward, goal.separation, time);
        if step >= PLAIN_STEPS && next != Some(1.0) {
            let later = nearest_difference(kind, &query.at((time + ahead).min(1.0)));
            let farther = corners.clear_until(later, goal.separation, time);
            if farther > next {
                next = farther;
                ahead *= 2.0;
            } else {
                ahead *= 0.5;
            }
        }
        match next {
            Some(1.0) => return Advance::Clear,
            Some(next) if next > time => {
                ahead = f64::max(ahead, next - time);
                time = next;
            }
            _ => break,
        }
    }
    Advance::Until(time)
}

/// Differences between the points of the groups at both ends.
struct Corners {
    start: [DVec3; 4],
    end: [DVec3; 4],
    count: usize,
    /// Largest size of each component [m].
    reach: DVec3,
}

impl Corners {
    fn new(kind: PairKind, query: &Query) -> Self {
        let (pairs, count) = match kind {
            PairKind::VertexFace => ([[0, 1], [0, 2], [0, 3], [0, 3]], 3),
            PairKind::EdgeEdge => ([[0, 2], [0, 3], [1, 2], [1, 3]], 4),
        };
        let start = pairs.map(|[i, j]| query.start[i] - query.start[j]);
        let end = pairs.map(|[i, j]| query.end[i] - query.end[j]);
        let reach = start.iter().chain(&end).fold(DVec3::ZERO, |reach, c| reach.max(c.abs()));
        Corners { start, end, count, reach }
    }

    /// The latest time up to which a direction proves the pair clear from `time` on; 1 if to the end. `None` if it
    /// proves nothing.
    fn clear_until(&self, toward: DVec3, separation: f64, time: f64) -> Option<f64> {
        // Any direction serves; of length near 1 its products neither overflow nor underflow.
        let n = toward / toward.abs().max_element();
        let error = ROUNDING * n.abs().dot(self.reach) + UNDERFLOW;
        let floor = separation * n.length() * (1.0 + ROUNDING) + error;
        let height = |k: usize, t: f64| (1.0 - t) * n.dot(self.start[k]) + t * n.dot(self.end[k]) - floor;
        let mut next: f64 = 1.0;
        for k in 0..self.count {
            let (now, last) = (height(k, time), height(k, 1.0));
            if !(now > 0.0) {
                return None;
            }
            if !(last > 0.0) {
                next = next.min(time + (1.0 - time) * (now / (now - last)));
            }
        }
        // Heights are linear: what holds at both ends holds between them.
        let holds = |t: f64| (0..self.count).all(|k| height(k, t) >= 0.0);
        [next, next - f64::EPSILON, time + (next - time) * BACK_OFF].into_iter().find(|&t| t > time && holds(t))
    }
}

/// Share of a step that is taken when its end fails by rounding [-].
const BACK_OFF: f64 = 1.0 - 1e-6;
