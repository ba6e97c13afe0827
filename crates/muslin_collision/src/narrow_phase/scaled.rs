//! Differences of points, free of overflow and underflow.

use glam::DVec3;

/// The points relative to point 0, divided by the power of two above the largest coordinate difference, and that
/// power; `None` if all coincide.
pub(crate) fn differences<const N: usize>(points: [DVec3; N]) -> Option<([DVec3; N], f64)> {
    // Halves first: the difference of two finite numbers may not be finite.
    let half: [DVec3; N] = points.map(|p| p * 0.5 - points[0] * 0.5);
    let extent = half.iter().map(|d| d.abs().max_element()).fold(0.0, f64::max);
    // Near the smallest normal numbers halving rounds; there the differences themselves are small.
    if extent < f64::MIN_POSITIVE / f64::EPSILON / f64::EPSILON {
        let whole = points.map(|p| p - points[0]);
        let extent = whole.iter().map(|d| d.abs().max_element()).fold(0.0, f64::max);
        if extent == 0.0 {
            return None;
        }
        let up = 2f64.powi(1000);
        let scale = power_of_two_above(extent * up);
        return Some((whole.map(|d| d * up / scale), scale / up));
    }
    let scale = power_of_two_above(extent);
    Some((half.map(|d| d / scale), scale * 2.0))
}

/// The smallest power of two above a positive normal number.
fn power_of_two_above(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i64 - 1023;
    // Twice the result must be finite; beyond that the claims about rounding end.
    2f64.powi((exponent + 1).min(1022) as i32)
}
