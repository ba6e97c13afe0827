//! Numbers taken one or four at a time.
//!
//! Geometry that is written over [`Lanes`] serves single elements and four of them at once. Both do the same operations in the same order, and none
//! is fused, so they give the same bits. Four numbers are an array, whose operations the compiler turns into single instructions in a function
//! that may use AVX2, as all of this is part of its caller. (With the instructions themselves as functions they stay calls, which are slower than one element at a
//! time: they cannot become part of a function that may not use AVX2, and from there of one that may.)

use glam::DVec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One number per element.
pub(super) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Elements.
    const COUNT: usize;

    /// The numbers of all elements.
    type Array: AsRef<[f64]>;

    fn splat(x: f64) -> Self;
    fn gather(of: impl Fn(usize) -> f64) -> Self;
    fn to_array(self) -> Self::Array;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// The size of this with the sign of another.
    fn with_sign_of(self, sign: Self) -> Self;
    /// One number where `a > b`, the other where not or where one of them is no number.
    fn where_above(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
}

impl Lanes for f64 {
    const COUNT: usize = 1;
    type Array = [f64; 1];

    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn gather(of: impl Fn(usize) -> f64) -> Self {
        of(0)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; 1] {
        [self]
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.copysign(sign)
    }

    #[inline(always)]
    fn where_above(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        if a > b { then } else { otherwise }
    }
}

/// A vector per element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors<T> {
    pub x: T,
    pub y: T,
    pub z: T,
}

impl<T: Lanes> Vectors<T> {
    #[inline(always)]
    pub fn gather<'a>(of: impl Fn(usize) -> &'a DVec3) -> Self {
        Vectors { x: T::gather(|k| of(k).x), y: T::gather(|k| of(k).y), z: T::gather(|k| of(k).z) }
    }

    /// The vectors of all elements, by a function of the element.
    #[inline(always)]
    pub fn spread(self) -> impl Fn(usize) -> DVec3 {
        let (x, y, z) = (self.x.to_array(), self.y.to_array(), self.z.to_array());
        move |k| DVec3::new(x.as_ref()[k], y.as_ref()[k], z.as_ref()[k])
    }

    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Vectors { x: self.y * b.z - b.y * self.z, y: self.z * b.x - b.z * self.x, z: self.x * b.y - b.x * self.y }
    }

    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.x * b.x + self.y * b.y + self.z * b.z
    }
}

impl<T: Lanes> Add for Vectors<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Vectors { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<T: Lanes> Sub for Vectors<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Vectors { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl<T: Lanes> Mul<T> for Vectors<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Vectors { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// 1 over a number that is not negative; 0 over 0, and over what is no number.
#[inline(always)]
pub(super) fn inverse_or_zero<T: Lanes>(x: T) -> T {
    let zero = T::splat(0.0);
    T::where_above(x, zero, T::splat(1.0) / x, zero)
}

/// (atan √z/√z − 1)/z for z up to tan² π/8, lowest power first: interpolated at Chebyshev's points; of its part in the arc tangent it is off by
/// 3·10⁻¹⁸.
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

/// The angle of a point (x, y) from the x axis, in (−π, π] [rad]: the arc tangent of the smaller over the larger, from 0 or π/4, and the rest by symmetry. 0 for a point
/// at the origin. The library's function does one at a time, and other bits on other machines.
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
    let q = over / T::where_above(number(f64::MIN_POSITIVE), under, number(1.0), under);
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

/// Four numbers, side by side as in a vector of AVX2: where that may be used the compiler makes one instruction of each operation.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Four([f64; 4]);

impl Four {
    #[inline(always)]
    fn each(of: impl Fn(usize) -> f64) -> Self {
        Four([of(0), of(1), of(2), of(3)])
    }
}

macro_rules! operation {
    ($trait:ident, $method:ident, $sign:tt) => {
        impl $trait for Four {
            type Output = Self;

            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Four::each(|k| self.0[k] $sign b.0[k])
            }
        }
    };
}
operation!(Add, add, +);
operation!(Sub, sub, -);
operation!(Mul, mul, *);
operation!(Div, div, /);

impl Neg for Four {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Four::each(|k| -self.0[k])
    }
}

impl Lanes for Four {
    const COUNT: usize = 4;
    type Array = [f64; 4];

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Four([x; 4])
    }

    #[inline(always)]
    fn gather(of: impl Fn(usize) -> f64) -> Self {
        Four::each(of)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        self.0
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Four::each(|k| self.0[k].sqrt())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Four::each(|k| self.0[k].abs())
    }

    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        Four::each(|k| self.0[k].copysign(sign.0[k]))
    }

    #[inline(always)]
    fn where_above(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        Four::each(|k| if a.0[k] > b.0[k] { then.0[k] } else { otherwise.0[k] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        points.extend([[0.0, 0.0], [0.0, -2.0], [-0.0, -2.0], [-0.0, 2.0], [1.0, 0.0], [-1.0, 0.0], [1e-300, 1e-300]]);
        points
    }

    #[test]
    fn angles_are_those_of_the_library_to_two_units_in_the_last_place() {
        for [y, x] in points() {
            let (found, expected) = (angle_of(y, x), y.atan2(x));
            assert!((found - expected).abs() <= 4.5e-16 * expected.abs(), "{y} {x}: {found} for {expected}");
            assert_eq!(found.is_sign_negative(), expected.is_sign_negative(), "{y} {x}");
        }
        assert!(angle_of(f64::NAN, 1.0).is_nan() && angle_of(1.0, f64::NAN).is_nan());
    }

    #[test]
    fn what_has_no_inverse_has_none() {
        assert_eq!([4.0, 0.0].map(inverse_or_zero), [0.25, 0.0]);
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
