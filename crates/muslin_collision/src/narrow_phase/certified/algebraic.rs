//! Roots of integer polynomials in [0, 1], isolated exactly.
//!
//! A root is a polynomial and a dyadic interval that holds this one root only, a simple one. Sign questions are
//! answered by the Bernstein coefficients of the other polynomial on a short interval, if they agree; else by a common
//! divisor (is it zero?) and, if it is not, by halving the interval until they agree. The root of a polynomial of
//! degree 1 is a quotient; signs at it need one evaluation. No bound on root separation is needed.

use super::polynomial::Polynomial;
use super::whole::Whole;

/// Bits of a time that [`Root::lower_bound`] settles; a double holds 53.
const TIME_BITS: u64 = 54;
/// A root below 2 to minus this is reported as 0: earlier, never late.
const SMALLEST_TIME_EXPONENT: u32 = 1000;

/// Halvings after which roots that are not isolated yet are taken for double ones, which need a division first.
const PLAIN_DEPTH: u32 = 10;

/// One real number in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Root {
    polynomial: Polynomial,
    numerator: Whole,
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
        Root { polynomial: Polynomial::zero(), numerator: Whole::zero(), exponent: 0, place: Place::Point }
    }

    /// All roots in [0, 1], ascending. The polynomial is not zero.
    pub fn isolate(polynomial: &Polynomial) -> Vec<Self> {
        Self::isolate_to(polynomial, PLAIN_DEPTH)
            .or_else(|| Self::isolate_to(&polynomial.square_free(), u32::MAX))
            .unwrap_or_default()
    }

    /// All roots, if they can be told apart by so many halvings.
    fn isolate_to(p: &Polynomial, deepest: u32) -> Option<Vec<Self>> {
        let mut roots = Vec::new();
        if p.degree() == 0 {
            return Some(roots);
        }
        let root = |numerator, exponent, place| Root { polynomial: p.clone(), numerator, exponent, place };
        // (numerator, exponent, what): intervals and points still to look at, the earliest on top.
        let mut pending = vec![(Whole::from(1), 0, Place::Point), (Whole::zero(), 0, Place::Between)];
        pending.push((Whole::zero(), 0, Place::Point));
        while let Some((numerator, exponent, place)) = pending.pop() {
            if place == Place::Point {
                if p.sign_at(&numerator, exponent) == 0 {
                    roots.push(root(numerator, exponent, place));
                }
                continue;
            }
            match changes(&p.bernstein_signs(&numerator, exponent)) {
                0 => {}
                1 => roots.push(root(numerator, exponent, place)),
                _ if exponent >= deepest => return None,
                _ => {
                    let left = numerator.shifted_up(1);
                    let middle = &left + &Whole::from(1);
                    pending.push((middle.clone(), exponent + 1, Place::Between));
                    pending.push((middle, exponent + 1, Place::Point));
                    pending.push((left, exponent + 1, Place::Between));
                }
            }
        }
        Some(roots)
    }

    /// Halves the interval.
    fn refine(&mut self) {
        if self.place == Place::Point {
            return;
        }
        let left = self.numerator.shifted_up(1);
        let exponent = self.exponent + 1;
        let in_left = changes(&self.polynomial.bernstein_signs(&left, exponent)) % 2 == 1;
        self.exponent = exponent;
        self.numerator = if in_left { left } else { &left + &Whole::from(1) };
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
        let one = Whole::from(1);
        let unit = |numerator: &Whole, e: u32| numerator.to_f64() * 2f64.powi(-(e as i32));
        let (low, high) = (unit(&self.numerator, self.exponent), unit(&(&self.numerator + &one), self.exponent));
        let guess = self.polynomial.approximate_root(low, high);
        let cell = Whole::floor(guess * 2f64.powi(exponent as i32));
        let places = (exponent - self.exponent) as usize;
        let (first, last) = (self.numerator.shifted_up(places), (&self.numerator + &one).shifted_up(places));
        let mut signs = [None; 4];
        // The cell, the one before, the one after; their ends are four numbers.
        let ends: [Whole; 4] = std::array::from_fn(|k| &(&cell - &one) + &Whole::from(k as i64));
        for k in [1, 0, 2] {
            if ends[k] < first || last < ends[k + 1] {
                continue;
            }
            let [a, b] =
                [k, k + 1].map(|e| *signs[e].get_or_insert_with(|| self.polynomial.sign_at(&ends[e], exponent)));
            if a * b < 0 {
                (self.numerator, self.exponent) = (ends[k].clone(), exponent);
                return;
            }
        }
    }

    /// Sign of another polynomial at this root.
    pub fn sign_of(&mut self, other: &Polynomial) -> i8 {
        if other.is_zero() || *other == self.polynomial {
            return 0;
        }
        if self.place == Place::Point || other.degree() == 0 {
            return other.sign_at(&self.numerator, self.exponent);
        }
        if let Some([constant, slope]) = self.polynomial.as_line() {
            return if slope.sign() > 0 {
                other.sign_at_quotient(&-constant, slope)
            } else {
                other.sign_at_quotient(constant, &-slope)
            };
        }
        if let Some(sign) = self.sure_sign(other) {
            return sign;
        }
        self.leap(TIME_BITS as u32);
        if let Some(sign) = self.sure_sign(other) {
            return sign;
        }
        // The common divisor's roots are roots of both; the interval holds one root of ours only.
        let common = self.polynomial.common_divisor(other);
        if self.place == Place::Between
            && common.degree() > 0
            && changes(&common.bernstein_signs(&self.numerator, self.exponent)) % 2 == 1
        {
            return 0;
        }
        loop {
            if let Some(sign) = self.sure_sign(other) {
                return sign;
            }
            self.refine();
        }
    }

    /// The sign of another polynomial, if it has only one on the interval.
    fn sure_sign(&self, other: &Polynomial) -> Option<i8> {
        if self.place == Place::Point {
            return Some(other.sign_at(&self.numerator, self.exponent));
        }
        let signs = other.bernstein_signs(&self.numerator, self.exponent);
        (signs[0] != 0 && signs.iter().all(|&s| s == signs[0])).then_some(signs[0])
    }

    /// The largest double not above the root, up to one unit in the last place [-].
    pub fn lower_bound(&mut self) -> f64 {
        self.leap(TIME_BITS as u32);
        // Small times have leading zeros.
        self.leap(self.exponent + TIME_BITS.saturating_sub(self.numerator.bits()) as u32);
        while self.place == Place::Between
            && self.numerator.bits() < TIME_BITS
            && self.exponent < SMALLEST_TIME_EXPONENT
        {
            self.refine();
        }
        let surplus = self.numerator.bits().saturating_sub(53);
        let mantissa = self.numerator.shifted_down(surplus as usize).to_f64();
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
