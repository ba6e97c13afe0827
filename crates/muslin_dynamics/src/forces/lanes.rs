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

/// 1 over a number that is not negative; 0 for what is too near to 0 to have an inverse, and for what is no number.
#[inline(always)]
pub(super) fn inverse_or_zero<T: Lanes>(x: T) -> T {
    let zero = T::splat(0.0);
    T::where_above(x, T::splat(f64::MIN_POSITIVE), T::splat(1.0) / x, zero)
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

    #[test]
    fn what_has_no_inverse_has_none() {
        assert_eq!([4.0, 0.0, 1e-310, f64::NAN].map(inverse_or_zero), [0.25, 0.0, 0.0, 0.0]);
    }
}
