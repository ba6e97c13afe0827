//! Polynomials in time with integer coefficients of any size.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::ops::{Add, Mul, Neg, Sub};

/// Coefficients from the constant upwards; the highest one is not zero. The zero polynomial has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<BigInt>);

/// Halvings of a floating-point interval in [0, 1] until nothing is left to halve.
const BISECTIONS: usize = 56;

/// The sign of a number: −1, 0 or 1.
pub(super) fn sign(value: &BigInt) -> i8 {
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; that of the zero polynomial counts as 0.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Sign at numerator / 2^exponent.
    pub fn sign_at(&self, numerator: &BigInt, exponent: u32) -> i8 {
        let mut sum = BigInt::zero();
        for (k, c) in self.0.iter().rev().enumerate() {
            sum = sum * numerator + (c << (exponent as usize * k));
        }
        sign(&sum)
    }

    /// Signs of the Bernstein coefficients on [numerator, numerator + 1] / 2^exponent, as many as the degree
    /// plus one. They bound the polynomial there, and the number of their changes bounds that of its roots.
    pub fn bernstein_signs(&self, numerator: &BigInt, exponent: u32) -> Vec<i8> {
        let n = self.degree();
        // With t = (numerator + s) / 2^exponent, times 2^(n·exponent): a polynomial in s on [0, 1].
        let mut c: Vec<BigInt> = self.0.iter().enumerate().map(|(k, c)| c << (exponent as usize * (n - k))).collect();
        for low in 0..n {
            for k in (low..n).rev() {
                let carried = &c[k + 1] * numerator;
                c[k] += carried;
            }
        }
        // b_i = Σ_j C(i, j) / C(n, j) c_j, times n! to stay whole.
        let factorial = |n: usize| (1..=n).fold(BigInt::one(), |product, k| product * k);
        let scaled: Vec<BigInt> = c.iter().enumerate().map(|(j, c)| c * (factorial(j) * factorial(n - j))).collect();
        let mut row = scaled;
        let mut signs = Vec::with_capacity(n + 1);
        // Repeated sums of neighbours build the binomial sums.
        for i in 0..row.len() {
            signs.push(sign(&row[0]));
            for j in 0..row.len() - 1 - i {
                let next = row[j + 1].clone();
                row[j] += next;
            }
        }
        signs
    }

    /// The root between two times at which the signs differ, as floating-point bisection sees it [-].
    pub fn approximate_root(&self, mut low: f64, mut high: f64) -> f64 {
        let bits = self.0.iter().map(BigInt::bits).max().unwrap_or(0);
        let surplus = bits.saturating_sub(64);
        let c: Vec<f64> = self.0.iter().map(|c| (c >> surplus).to_f64().unwrap_or(0.0)).collect();
        let at = |t: f64| c.iter().rev().fold(0.0, |sum, c| sum * t + c);
        let rising = at(high) > at(low);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if (at(middle) > 0.0) == rising { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    pub fn derivative(&self) -> Self {
        Polynomial::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    /// Without the common divisor of the coefficients.
    fn primitive(self) -> Self {
        let content = self.0.iter().fold(BigInt::zero(), |g, c| g.gcd(c));
        if content.is_zero() || content.is_one() {
            self
        } else {
            Polynomial(self.0.into_iter().map(|c| c / &content).collect())
        }
    }

    /// Quotient and remainder of self · a by `divisor`, where a is a power of the divisor's leading coefficient.
    fn pseudo_divide(&self, divisor: &Self) -> (Self, Self) {
        let (Some(lead), n) = (divisor.0.last(), divisor.degree()) else {
            return (Polynomial(Vec::new()), self.clone());
        };
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); self.0.len().saturating_sub(n)];
        while rest.len() > n {
            let Some(top) = rest.pop() else { break };
            let shift = rest.len() - n;
            quotient.iter_mut().for_each(|q| *q *= lead);
            quotient[shift] += &top;
            rest.iter_mut().for_each(|r| *r *= lead);
            for k in 0..n {
                rest[shift + k] -= &top * &divisor.0[k];
            }
        }
        (Polynomial::new(quotient), Polynomial::new(rest))
    }

    /// The greatest common divisor, up to a constant.
    pub fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let rest = a.pseudo_divide(&b).1.primitive();
            a = b;
            b = rest;
        }
        a
    }

    /// The polynomial with the same roots, each once.
    pub fn square_free(&self) -> Self {
        if self.degree() < 2 {
            return self.clone().primitive();
        }
        let common = self.common_divisor(&self.derivative());
        if common.degree() == 0 { self.clone().primitive() } else { self.pseudo_divide(&common).0.primitive() }
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        let at = |p: &Polynomial, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Polynomial::new((0..self.0.len().max(other.0.len())).map(|k| at(self, k) + at(other, k)).collect())
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
            return Polynomial(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }
}
