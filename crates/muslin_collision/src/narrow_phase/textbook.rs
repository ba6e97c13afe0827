//! The textbook's continuous test: solve the cubic by formula (W 3.33, L eq. 4), test proximity at its roots.
//!
//! It misses contacts. The formula divides by the leading coefficient, which is nearly zero when the points move
//! nearly alike, and cancels where roots are close together; the root then lies beside the true one, and the proximity
//! test there fails, or falls outside the step. Points that stay coplanar have no roots to look at.

use super::{PairKind, Proximity, Query};
use glam::DVec3;
use std::f64::consts::TAU;

/// Distance below which the pair counts as touching at a root, relative to its extent [-]. W takes a thousandth of
/// the cloth's thickness, which is about this for threads of a millimetre in triangles of a metre.
const TOUCHING: f64 = 1e-6;
/// Coefficients this much smaller than the largest count as zero [-].
const NEGLIGIBLE: f64 = 1e-14;

/// The first root at which the pair is near; misses some contacts and may be late.
pub fn time_of_impact(kind: PairKind, query: &Query, separation: f64) -> Option<f64> {
    let mut roots = roots(coplanarity(query));
    roots.sort_by(f64::total_cmp);
    let near = separation.max(TOUCHING * extent(query));
    roots.into_iter().filter(|t| (0.0..=1.0).contains(t)).find(|&t| Proximity::new(kind, query.at(t)).distance <= near)
}

/// Coefficients of (x₁−x₀)×(x₂−x₀)·(x₃−x₀) in powers of time, the constant first [m³].
pub(super) fn coplanarity(query: &Query) -> [f64; 4] {
    let x: [DVec3; 3] = std::array::from_fn(|k| query.start[k + 1] - query.start[0]);
    let v: [DVec3; 3] = std::array::from_fn(|k| query.end[k + 1] - query.end[0] - x[k]);
    let (constant, linear, square) = (x[0].cross(x[1]), x[0].cross(v[1]) + v[0].cross(x[1]), v[0].cross(v[1]));
    [constant.dot(x[2]), constant.dot(v[2]) + linear.dot(x[2]), linear.dot(v[2]) + square.dot(x[2]), square.dot(v[2])]
}

/// The largest coordinate difference between two points of the pair at the start or the end [m].
pub(super) fn extent(query: &Query) -> f64 {
    let spread = |p: &[DVec3; 4]| {
        let (low, high) = p.iter().fold((p[0], p[0]), |(low, high), p| (low.min(*p), high.max(*p)));
        (high - low).max_element()
    };
    spread(&query.start).max(spread(&query.end))
}

/// Real roots of a cubic, a quadratic or a linear equation by the formulas.
fn roots([d, c, b, a]: [f64; 4]) -> Vec<f64> {
    let largest = [a, b, c, d].iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if a.abs() > NEGLIGIBLE * largest {
        return cardano(b / a, c / a, d / a).to_vec();
    }
    if b.abs() > NEGLIGIBLE * largest {
        let discriminant = c * c - 4.0 * b * d;
        let root = discriminant.sqrt();
        return if discriminant < 0.0 { vec![] } else { vec![(-c - root) / (2.0 * b), (-c + root) / (2.0 * b)] };
    }
    if c.abs() > NEGLIGIBLE * largest { vec![-d / c] } else { vec![] }
}

/// Roots of t³ + bt² + ct + d; a single real one is given three times.
fn cardano(b: f64, c: f64, d: f64) -> [f64; 3] {
    let (q, r) = ((b * b - 3.0 * c) / 9.0, (2.0 * b * b * b - 9.0 * b * c + 27.0 * d) / 54.0);
    let shift = b / 3.0;
    if r * r < q * q * q {
        let angle = (r / (q * q * q).sqrt()).clamp(-1.0, 1.0).acos();
        return [0.0, TAU, -TAU].map(|turn| -2.0 * q.sqrt() * ((angle + turn) / 3.0).cos() - shift);
    }
    let large = -r.signum() * (r.abs() + (r * r - q * q * q).sqrt()).cbrt();
    let small = if large == 0.0 { 0.0 } else { q / large };
    [large + small - shift; 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_find_the_roots_of_factored_polynomials() {
        // 2 (t − 1/4)(t − 1/2)(t − 3) = 2t³ − 7.5t² + 4.75t − 0.75
        let mut found = roots([-0.75, 4.75, -7.5, 2.0]);
        found.sort_by(f64::total_cmp);
        for (root, truth) in found.iter().zip([0.25, 0.5, 3.0]) {
            assert!((root - truth).abs() < 1e-14, "{found:?}");
        }
        // (t − 2)(t² + 1)
        assert!(roots([-2.0, 1.0, -2.0, 1.0]).iter().all(|t| (t - 2.0).abs() < 1e-14));
        assert_eq!(roots([-1.0, 0.0, 4.0, 0.0]), [-0.5, 0.5]);
        assert_eq!(roots([-1.0, 4.0, 0.0, 0.0]), [0.25]);
        assert_eq!(roots([0.0; 4]), []);
    }

    #[test]
    fn points_that_stay_coplanar_slip_through() {
        // A vertex slides through an edge of a face in their common plane.
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let at = |p: DVec3| [p, face[0], face[1], face[2]];
        let query = Query { start: at(DVec3::new(-1.0, 0.2, 0.0)), end: at(DVec3::new(1.0, 0.2, 0.0)) };
        assert_eq!(time_of_impact(PairKind::VertexFace, &query, 0.0), None);
        let truth = super::super::time_of_impact(PairKind::VertexFace, &query, 0.0);
        assert!(truth.is_some_and(|time| time <= 0.5 && time > 0.5 - 1e-12), "{truth:?}");
    }
}
