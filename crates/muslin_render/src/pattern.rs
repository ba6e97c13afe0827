//! The pattern on cloth: stripes along warp and weft, which show how it is stretched, sheared and turned.

use glam::Vec2;

/// Smaller footprints count as this one, in stripes: the quotient below must not lose all its digits.
const LEAST_FOOTPRINT: f32 = 1e-4;

/// Stripes with the period 2 that are 1 on every other unit, averaged over a footprint around a place [-].
fn stripes(place: f32, footprint: f32) -> f32 {
    // Integral of the stripes from 0, exact for any footprint, so that distant cloth turns even instead of
    // shimmering.
    let integral = |x: f32| {
        let period = (0.5 * x).floor();
        period + (x - 2.0 * period).min(1.0)
    };
    let half = 0.5 * footprint.max(LEAST_FOOTPRINT);
    (integral(place + half) - integral(place - half)) / (2.0 * half)
}

/// Depth of the pattern at a place, 0 to 1 [-]: the mean of the two sets of stripes. `footprint` is how far
/// both coordinates run over a pixel.
pub(crate) fn gingham(place: Vec2, footprint: Vec2) -> f32 {
    if !place.is_finite() || !footprint.is_finite() {
        return 0.5;
    }
    0.5 * (stripes(place.x, footprint.x) + stripes(place.y, footprint.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_average_to_the_mean_of_their_samples() {
        for (place, footprint) in [(0.3f32, 0.1f32), (0.95, 0.3), (-1.2, 0.7), (3.9, 5.5), (1.0, 1e-3)] {
            let samples = 20_000;
            let mean = (0..samples)
                .filter(|&k| {
                    let x = place as f64 + footprint as f64 * ((k as f64 + 0.5) / samples as f64 - 0.5);
                    x.rem_euclid(2.0) < 1.0
                })
                .count() as f64
                / samples as f64;
            assert!((stripes(place, footprint) as f64 - mean).abs() < 1e-3, "{place} {footprint}: {mean}");
        }
    }

    #[test]
    fn distant_cloth_is_even() {
        for place in [0.0, 0.4, 1.7] {
            assert!((gingham(Vec2::splat(place), Vec2::splat(200.0)) - 0.5).abs() < 0.01);
        }
    }
}
