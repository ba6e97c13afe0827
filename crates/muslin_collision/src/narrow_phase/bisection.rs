//! V's continuous test (V 4.1.4, 6.1): bisect the cubic's root to an eighth of the step, then test inclusion.
//!
//! It misses contacts: two roots in one step leave the signs at its ends equal, and the middle of an eighth of the step is
//! up to a sixteenth of the motion beside the root, where the inclusion test sees other points. V looks for a touching
//! double root at the extremes of the cubic, which rounding hardly ever leaves at zero.

use super::textbook::{coplanarity, extent};
use super::{PairKind, Query};
use glam::DVec3;

/// V stops when the interval is an eighth of the step.
const HALVINGS: usize = 3;
/// A value of the cubic below this counts as a root at an end or an extreme, relative to the cubed extent [-]. V
/// names none; this is what rounding leaves of a zero.
const ZERO: f64 = 1e-14;
/// Distance of two edges below which they count as crossing, relative to the relative motion of the pair [-]. V asks
/// for "small enough"; half of the last interval is what the time may be off.
const NEAR: f64 = 1.0 / 16.0;

/// The middle of the interval in which V's test sees a contact; misses some contacts and may be late.
pub fn time_of_impact(kind: PairKind, query: &Query, separation: f64) -> Option<f64> {
    let c = coplanarity(query);
    let at = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let zero = ZERO * extent(query).powi(3);
    let mut times = Vec::new();
    times.extend([0.0, 1.0].into_iter().chain(extremes(c)).filter(|&t| at(t).abs() <= zero));
    if at(0.0) * at(1.0) < 0.0 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if at(low) * at(middle) <= 0.0 { high = middle } else { low = middle }
        }
        times.push(0.5 * (low + high));
    }
    times.sort_by(f64::total_cmp);
    times.into_iter().find(|&t| includes(kind, query, t, separation))
}

/// Extremes of the cubic inside the step.
fn extremes([_, c, b, a]: [f64; 4]) -> impl Iterator<Item = f64> {
    let root = (b * b - 3.0 * a * c).sqrt();
    // The larger sum first, so that nothing cancels; for a quadratic the other quotient remains.
    let sum = -(b + b.signum() * root);
    [sum / (3.0 * a), c / sum].into_iter().filter(|t| *t > 0.0 && *t < 1.0)
}

/// V's inclusion tests at a time near the root.
fn includes(kind: PairKind, query: &Query, time: f64, separation: f64) -> bool {
    let [p, a, b, c] = query.at(time);
    match kind {
        // The point is taken for coplanar: its projection is what counts.
        PairKind::VertexFace => {
            let normal = (b - a).cross(c - a);
            let side = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(normal) >= 0.0;
            side(a, b) && side(b, c) && side(c, a)
        }
        // Errata: A + u AB = C + v CD, not u AB = v CD as printed in V 4.9.
        PairKind::EdgeEdge => {
            let (first, second, between) = (a - p, c - b, b - p);
            let normal = first.cross(second);
            let square = normal.length_squared();
            let u = between.cross(second).dot(normal) / square;
            let v = between.cross(first).dot(normal) / square;
            let inside = |u: f64| (0.0..=1.0).contains(&u);
            let motion = (0..4).map(|k| query.end[k] - query.start[k] - (query.end[0] - query.start[0]));
            let moved = motion.map(|m| m.length()).fold(0.0, f64::max);
            inside(u) && inside(v) && between.dot(normal).abs() <= (NEAR * moved).max(separation) * square.sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex that moves from one place to another over a face at rest.
    fn over_face(from: DVec3, to: DVec3) -> Query {
        let at = |p| [p, DVec3::ZERO, DVec3::X, DVec3::Y];
        Query { start: at(from), end: at(to) }
    }

    #[test]
    fn a_plain_hit_is_found_within_a_sixteenth_of_the_step() {
        let query = over_face(DVec3::new(0.2, 0.2, 0.7), DVec3::new(0.2, 0.2, -0.3));
        let time = time_of_impact(PairKind::VertexFace, &query, 0.0).expect("a hit");
        assert!((time - 0.7).abs() <= 1.0 / 16.0, "{time}");
    }

    #[test]
    fn a_point_that_meets_the_plane_twice_is_missed() {
        // The face rises over x while the point moves towards x = 0: its height above the face is 0.3 − 2t(1 − t).
        let at = |x, rise| [DVec3::new(x, 0.2, 0.3), DVec3::ZERO, DVec3::new(1.0, 0.0, rise), DVec3::Y];
        let query = Query { start: at(0.5, 0.0), end: at(0.0, 4.0) };
        let truth = super::super::time_of_impact(PairKind::VertexFace, &query, 0.0).expect("a hit");
        assert!((truth - (1.0 - 0.4f64.sqrt()) / 2.0).abs() < 1e-12, "{truth}");
        assert_eq!(time_of_impact(PairKind::VertexFace, &query, 0.0), None);
    }
}
