//! Polynomials in time with whole coefficients of any size.

use super::whole::Whole;
use smallvec::SmallVec;
use std::ops::{Add, Mul, Neg, Sub};

/// Coefficients of a cubic.
const INLINE: usize = 4;

/// Coefficients from the constant upwards; the highest one is not zero. The zero polynomial has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial(SmallVec<[Whole; INLINE]>);

/// Signs of Bernstein coefficients.
pub(super) type Signs = SmallVec<[i8; INLINE]>;

/// Halvings of a floating-point interval in [0, 1] until nothing is left to halve.
const BISECTIONS: usize = 56;

impl Polynomial {
    fn trimmed(mut coefficients: SmallVec<[Whole; INLINE]>) -> Self {
        while coefficients.last().is_some_and(Whole::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// The polynomial without coefficients.
    pub fn zero() -> Self {
        Polynomial(SmallVec::new())
    }

    /// From `start` at time 0 to `end` at time 1.
    pub fn line(start: Whole, end: &Whole) -> Self {
        let change = end - &start;
        let mut coefficients = SmallVec::new();
        coefficients.push(start);
        coefficients.push(change);
        Polynomial::trimmed(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; that of the zero polynomial counts as 0.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Constant and slope of a polynomial of degree 1.
    pub fn as_line(&self) -> Option<[&Whole; 2]> {
        match &self.0[..] {
            [constant, slope] => Some([constant, slope]),
            _ => None,
        }
    }

    /// Sign at numerator / 2^exponent.
    pub fn sign_at(&self, numerator: &Whole, exponent: u32) -> i8 {
        let mut sum = Whole::zero();
        for (k, c) in self.0.iter().rev().enumerate() {
            sum = &(&sum * numerator) + &c.shifted_up(exponent as usize * k);
        }
        sum.sign()
    }

    /// Sign at numerator / denominator; the denominator is positive.
    pub fn sign_at_quotient(&self, numerator: &Whole, denominator: &Whole) -> i8 {
        let (mut sum, mut power) = (Whole::zero(), Whole::from(1));
        for c in self.0.iter().rev() {
            sum = &(&sum * numerator) + &(c * &power);
            power = &power * denominator;
        }
        sum.sign()
    }

    /// Signs of the Bernstein coefficients on [numerator, numerator + 1] / 2^exponent, as many as the degree
    /// plus one. They bound the polynomial there, and the number of their changes bounds that of its roots.
    pub fn bernstein_signs(&self, numerator: &Whole, exponent: u32) -> Signs {
        let n = self.degree();
        // With t = (numerator + s) / 2^exponent, times 2^(n·exponent): a polynomial in s on [0, 1].
        let scaled = |(k, c): (usize, &Whole)| c.shifted_up(exponent as usize * (n - k));
        let mut c: SmallVec<[Whole; INLINE]> = self.0.iter().enumerate().map(scaled).collect();
        if !numerator.is_zero() {
            for low in 0..n {
                for k in (low..n).rev() {
                    c[k] = &c[k] + &(&c[k + 1] * numerator);
                }
            }
        }
        // b_i = Σ_j C(i, j) / C(n, j) c_j, times n! to stay whole.
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        for (j, c) in c.iter_mut().enumerate() {
            *c = c.times(factorial(j) * factorial(n - j));
        }
        let mut signs = Signs::new();
        // Repeated sums of neighbours build the binomial sums.
        for i in 0..c.len() {
            signs.push(c[0].sign());
            for j in 0..c.len() - 1 - i {
                c[j] = &c[j] + &c[j + 1];
            }
        }
        signs
    }

    /// The root between two times at which the signs differ, as floating-point bisection sees it [-].
    pub fn approximate_root(&self, mut low: f64, mut high: f64) -> f64 {
        let bits = self.0.iter().map(Whole::bits).max().unwrap_or(0);
        let surplus = bits.saturating_sub(64) as usize;
        let c: SmallVec<[f64; INLINE]> = self.0.iter().map(|c| c.shifted_down(surplus).to_f64()).collect();
        let at = |t: f64| c.iter().rev().fold(0.0, |sum, c| sum * t + c);
        let rising = at(high) > at(low);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if (at(middle) > 0.0) == rising { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    fn derivative(&self) -> Self {
        Polynomial::trimmed(self.0.iter().enumerate().skip(1).map(|(k, c)| c.times(k as u64)).collect())
    }

    /// Quotient and remainder of self · a by `divisor`, where a is a power of the divisor's leading coefficient.
    fn pseudo_divide(&self, divisor: &Self) -> (Self, Self) {
        let (Some(lead), n) = (divisor.0.last(), divisor.degree()) else {
            return (Polynomial::zero(), self.clone());
        };
        let mut rest = self.0.clone();
        let mut quotient: SmallVec<[Whole; INLINE]> =
            SmallVec::from_elem(Whole::zero(), self.0.len().saturating_sub(n));
        while rest.len() > n {
            let Some(top) = rest.pop() else { break };
            let shift = rest.len() - n;
            quotient.iter_mut().for_each(|q| *q = &*q * lead);
            quotient[shift] = &quotient[shift] + &top;
            rest.iter_mut().for_each(|r| *r = &*r * lead);
            for k in 0..n {
                rest[shift + k] = &rest[shift + k] - &(&top * &divisor.0[k]);
            }
        }
        (Polynomial::trimmed(quotient), Polynomial::trimmed(rest))
    }

    /// The greatest common divisor, up to a constant. Degrees are at most three, so the numbers grow a few times only
    /// and common factors of the coefficients can stay: finding them costs more.
    pub fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.pseudo_divide(&b).1;
            a = b;
            b = rest;
        }
        a
    }

    /// The polynomial with the same roots, each once.
    pub fn square_free(&self) -> Self {
        if self.degree() < 2 {
            return self.clone();
        }
        let common = self.common_divisor(&self.derivative());
        if common.degree() == 0 { self.clone() } else { self.pseudo_divide(&common).0 }
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut sum = long.0.clone();
        for (a, b) in sum.iter_mut().zip(&short.0) {
            *a = &*a + b;
        }
        Polynomial::trimmed(sum)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        Polynomial(self.0.iter().map(|c| -c).collect())
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self + &-other
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial::zero();
        }
        let mut product: SmallVec<[Whole; INLINE]> =
            SmallVec::from_elem(Whole::zero(), self.0.len() + other.0.len() - 1);
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = &product[i + j] + &(a * b);
            }
        }
        Polynomial::trimmed(product)
    }
}
