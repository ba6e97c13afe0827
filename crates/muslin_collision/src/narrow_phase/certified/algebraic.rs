//! Roots of integer polynomials in [0, 1], isolated exactly.
//!
//! A root is a polynomial without double roots and a dyadic interval that holds this one root only. Sign
//! questions are answered by a common divisor (is it zero?) and, if not, by halving the interval until the
//! Bernstein coefficients of the other polynomial agree. No bound on root separation is needed.

use super::polynomial::Polynomial;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, One, ToPrimitive, Zero};

/// Bits of a time that [`Root::lower_bound`] settles; a double holds 53.
const TIME_BITS: u64 = 54;
/// A root below 2 to minus this is reported as 0: earlier, never late.
const SMALLEST_TIME_EXPONENT: u32 = 1000;

/// One real number in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Root {
    polynomial: Polynomial,
    numerator: BigInt,
    exponent: u32,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Exactly numerator / 2^exponent.
    Point,
    /// Between that and the next multiple of 2^-exponent, ends excluded.
    Between,
}

impl Root {
    /// Time zero.
    pub fn zero() -> Self {
        Root { polynomial: Polynomial::new(vec![]), numerator: BigInt::zero(), exponent: 0, place: Place::Point }
    }

    /// All roots in [0, 1], ascending. The polynomial is not zero.
    pub fn isolate(polynomial: &Polynomial) -> Vec<Self> {
        let p = polynomial.square_free();
        let mut roots = Vec::new();
        if p.degree() == 0 {
            return roots;
        }
        let point = |numerator: &BigInt, exponent| Root {
            polynomial: p.clone(),
            numerator: numerator.clone(),
            exponent,
            place: Place::Point,
        };
        // (numerator, exponent, what): intervals and points still to look at, the earliest on top.
        let mut pending = vec![(BigInt::one(), 0, Place::Point), (BigInt::zero(), 0, Place::Between)];
        pending.push((BigInt::zero(), 0, Place::Point));
        while let Some((numerator, exponent, place)) = pending.pop() {
            if place == Place::Point {
                if p.sign_at(&numerator, exponent) == 0 {
                    roots.push(point(&numerator, exponent));
                }
                continue;
            }
            match changes(&p.bernstein_signs(&numerator, exponent)) {
                0 => {}
                1 => roots.push(Root { place: Place::Between, ..point(&numerator, exponent) }),
                _ => {
                    let middle: BigInt = &numerator * 2 + 1;
                    pending.push((middle.clone(), exponent + 1, Place::Between));
                    pending.push((middle.clone(), exponent + 1, Place::Point));
                    pending.push((middle - 1, exponent + 1, Place::Between));
                }
            }
        }
        roots
    }

    /// Halves the interval.
    fn refine(&mut self) {
        if self.place == Place::Point {
            return;
        }
        let left: BigInt = &self.numerator * 2;
        let exponent = self.exponent + 1;
        let in_left = changes(&self.polynomial.bernstein_signs(&left, exponent)) % 2 == 1;
        self.exponent = exponent;
        self.numerator = if in_left { left } else { left + 1 };
        if !in_left && self.polynomial.sign_at(&self.numerator, exponent) == 0 {
            self.place = Place::Point;
        }
    }

    /// Goes straight to the cell of width 2^-`exponent` that floating-point arithmetic tells, if exact signs at its
    /// ends agree; otherwise nothing happens.
    fn leap(&mut self, exponent: u32) {
        if self.place == Place::Point || exponent <= self.exponent {
            return;
        }
        let unit = |numerator: &BigInt, e: u32| numerator.to_f64().unwrap_or(0.0) * 2f64.powi(-(e as i32));
        let (low, high) = (unit(&self.numerator, self.exponent), unit(&(&self.numerator + 1), self.exponent));
        let guess = self.polynomial.approximate_root(low, high);
        let Some(cell) = BigInt::from_f64((guess * 2f64.powi(exponent as i32)).floor()) else { return };
        let first: BigInt = &self.numerator << (exponent - self.exponent);
        let last: BigInt = (&self.numerator + 1) << (exponent - self.exponent);
        for numerator in [cell.clone(), &cell - 1, &cell + 1] {
            let next: BigInt = &numerator + 1;
            let signs = [&numerator, &next].map(|n| self.polynomial.sign_at(n, exponent));
            if numerator >= first && next <= last && signs[0] * signs[1] < 0 {
                (self.numerator, self.exponent) = (numerator, exponent);
                return;
            }
        }
    }

    /// Sign of another polynomial at this root.
    pub fn sign_of(&mut self, other: &Polynomial) -> i8 {
        if other.is_zero() {
            return 0;
        }
        if self.place == Place::Between && other.degree() > 0 {
            // The common divisor's roots are roots of both; the interval holds one root of ours only.
            let common = self.polynomial.common_divisor(other);
            if common.degree() > 0 && changes(&common.bernstein_signs(&self.numerator, self.exponent)) % 2 == 1 {
                return 0;
            }
        }
        loop {
            if self.place == Place::Point {
                return other.sign_at(&self.numerator, self.exponent);
            }
            let signs = other.bernstein_signs(&self.numerator, self.exponent);
            if signs[0] != 0 && signs.iter().all(|&s| s == signs[0]) {
                return signs[0];
            }
            self.refine();
        }
    }

    /// The largest double not above the root, up to one unit in the last place [-].
    pub fn lower_bound(&mut self) -> f64 {
        self.leap(TIME_BITS as u32);
        while self.place == Place::Between
            && self.numerator.bits() < TIME_BITS
            && self.exponent < SMALLEST_TIME_EXPONENT
        {
            self.refine();
        }
        let surplus = self.numerator.bits().saturating_sub(53);
        let mantissa = (&self.numerator >> surplus).to_f64().unwrap_or(0.0);
        let power = surplus as i32 - self.exponent as i32;
        if power < -(SMALLEST_TIME_EXPONENT as i32) { 0.0 } else { mantissa * 2f64.powi(power) }
    }
}

/// How often the sign changes along a sequence, zeros left out.
fn changes(signs: &[i8]) -> usize {
    let mut last = 0;
    let mut count = 0;
    for &s in signs.iter().filter(|&&s| s != 0) {
        count += usize::from(last != 0 && s != last);
        last = s;
    }
    count
}
