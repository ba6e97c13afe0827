//! The angle of a point in the plane, as the library's `atan2`, for one or four at a time ([`super::lanes`]).
//!
//! The library's function does one at a time, and other bits on other machines.

use super::lanes::Lanes;

/// (atan √z/√z − 1)/z for z up to tan² π/8, lowest power first, interpolated at Chebyshev's points. Before rounding, the arc tangent is off by
/// 3·10⁻¹⁸ of itself.
const ARC: [f64; 12] = [
    -0.3333333333333333,
    0.19999999999999804,
    -0.14285714285659779,
    0.11111111105150588,
    -0.09090908753259112,
    0.07692296368042296,
    -0.0666642476020052,
    0.05878927554473807,
    -0.05230443640686948,
    0.045515447340221615,
    -0.03456931506332609,
    0.016284375050043393,
];
/// tan π/8.
const EIGHTH: f64 = 0.414_213_562_373_095_05;
/// What the nearest number to π lacks of it.
const REST_OF_PI: f64 = 1.224_646_799_147_353_2e-16;

/// The angle of a point (x, y) from the x axis [rad], with the sign of y: from −π for y = −0 to π. It is the arc tangent of the smaller over
/// the larger, from 0 or π/4, and the rest by symmetry; 0 for a point at the origin. For coordinates below 10³⁰⁸.
#[inline(always)]
pub(super) fn angle_of<T: Lanes>(y: T, x: T) -> T {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let number = T::splat;
    let (ax, ay) = (x.abs(), y.abs());
    let small = T::where_above(ay, ax, ax, ay);
    let big = T::where_above(ay, ax, ay, ax);
    let bound = number(EIGHTH) * big;
    let over = T::where_above(small, bound, small - big, small);
    let under = T::where_above(small, bound, small + big, big);
    // At the origin 0/1; what is no number stays none.
    let least = number(f64::from_bits(1));
    let q = over / T::where_above(least, under, number(1.0), under);
    let z = q * q;
    let (z2, c) = (z * z, ARC.map(number));
    let pair = |k: usize| c[k] + c[k + 1] * z;
    let four = |k: usize| pair(k) + pair(k + 2) * z2;
    let z4 = z2 * z2;
    let series = four(0) + (four(4) + four(8) * z4) * z4;
    let base = T::where_above(small, bound, number(FRAC_PI_4), number(0.0));
    let rest = T::where_above(small, bound, number(0.25 * REST_OF_PI), number(0.0));
    let near = base + (q + (q * z * series + rest));
    let upper = T::where_above(ay, ax, number(FRAC_PI_2) - (near - number(0.5 * REST_OF_PI)), near);
    let whole = T::where_above(number(0.0), x, number(PI) - (upper - number(REST_OF_PI)), upper);
    whole.with_sign_of(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::lanes::Four;

    /// Points all around, near the axes and the diagonals, tiny, huge and degenerate.
    fn points() -> Vec<[f64; 2]> {
        let mut points = Vec::new();
        for k in 0..=4000 {
            let angle = std::f64::consts::PI * (f64::from(k) / 2000.0 - 1.0);
            points.push([angle.sin(), angle.cos()]);
        }
        for k in -40..40 {
            let tiny = 2.0_f64.powi(k) * 1.3;
            points.extend([[tiny, 1.0], [-tiny, 1.0], [tiny, -1.0], [1.0, -tiny], [1e150 * tiny, 1e150]]);
        }
        points.extend([
            [0.0, 0.0],
            [0.0, -2.0],
            [-0.0, -2.0],
            [-0.0, 2.0],
            [1.0, 0.0],
            [-1.0, 0.0],
            [1e-300, 1e-300],
            [1e-310, 2e-310],
        ]);
        points
    }

    #[test]
    fn angles_are_those_of_the_library_to_two_units_in_the_last_place() {
        for [y, x] in points() {
            let (found, expected) = (angle_of(y, x), y.atan2(x));
            let units = found.abs().to_bits().abs_diff(expected.abs().to_bits());
            assert!(units <= 2, "{y} {x}: {found} for {expected}");
            assert_eq!(found.is_sign_negative(), expected.is_sign_negative(), "{y} {x}");
        }
        // The library says ±π for a point at the origin whose x is −0.
        assert_eq!(angle_of(0.0, -0.0), 0.0);
        assert!(angle_of(f64::NAN, 1.0).is_nan() && angle_of(1.0, f64::NAN).is_nan());
    }

    #[test]
    fn four_angles_have_the_bits_of_one_at_a_time() {
        let mut points = points();
        points.extend([[f64::NAN, 1.0], [1.0, f64::NAN]]);
        for part in points.chunks_exact(4) {
            let four = angle_of(Four::gather(|k| part[k][0]), Four::gather(|k| part[k][1]));
            for (found, &[y, x]) in four.to_array().into_iter().zip(part) {
                let one: f64 = angle_of(y, x);
                assert!(found.to_bits() == one.to_bits() || found.is_nan() && one.is_nan(), "{y} {x}");
            }
        }
    }
}
