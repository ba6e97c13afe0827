//! Integer polynomials whose roots are counted, never found.
//!
//! Tarski's query: for polynomials P and Q, the number of roots of P in (0, 1) at which Q is positive minus the number at
//! which it is negative is the change of the number of sign variations along the signed remainder sequence
//! of P and P′Q, from 0 to 1.

use crate::glance::glance;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// Coefficients from the constant upwards; the last is not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Poly(pub Vec<BigInt>);

/// Which part of [0, 1] is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// [0, 1].
    End,
    /// [0, 1).
    BeforeEnd,
}

impl Poly {
    pub fn new(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(Zero::is_zero) {
            c.pop();
        }
        Poly(c)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn at_zero(&self) -> BigInt {
        self.0.first().cloned().unwrap_or_default()
    }

    pub fn at_one(&self) -> BigInt {
        self.0.iter().sum()
    }

    pub fn plus(&self, other: &Poly) -> Poly {
        let at = |p: &Poly, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Poly::new((0..self.0.len().max(other.0.len())).map(|k| at(self, k) + at(other, k)).collect())
    }

    pub fn minus(&self, other: &Poly) -> Poly {
        self.plus(&Poly(other.0.iter().map(|c| -c).collect()))
    }

    pub fn times(&self, other: &Poly) -> Poly {
        let mut product = vec![BigInt::zero(); (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Poly::new(product)
    }

    /// A positive multiple of the remainder by a divisor that is not zero.
    fn remainder(&self, divisor: &Poly) -> Poly {
        let n = divisor.0.len();
        let lead = &divisor.0[n - 1];
        let mut rest = self.0.clone();
        while rest.len() >= n {
            let top = rest.pop().expect("not empty");
            let shift = rest.len() + 1 - n;
            for r in rest.iter_mut() {
                *r *= lead.abs();
            }
            for k in 0..n - 1 {
                rest[shift + k] -= &top * &divisor.0[k] * lead.signum();
            }
        }
        Poly::new(rest)
    }

    /// Smaller numbers, same signs.
    fn without_common_divisor(mut self) -> Poly {
        let shared = self.0.iter().fold(BigInt::zero(), |shared, c| shared.gcd(c));
        self.0.iter_mut().for_each(|c| *c /= &shared);
        self
    }

    /// Roots of P inside (0, 1) where Q > 0 minus those where Q < 0. P is zero at neither end.
    fn query(&self, q: &Poly) -> i64 {
        let slope = Poly::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect());
        let mut chain = vec![self.clone(), slope.times(q).remainder(self)];
        while chain.last().is_some_and(|p| !p.is_zero()) {
            let [.., a, b] = &chain[..] else { unreachable!("two at least") };
            let rest = a.remainder(b);
            let regular = chain.windows(2).all(|pair| pair[0].0.len() == pair[1].0.len() + 1);
            let rest = match a.0.last() {
                // The theory of subresultants: the square of a's first coefficient divides the remainder.
                Some(lead) if regular && chain.len() > 2 => {
                    let square = lead * lead;
                    Poly(
                        rest.0
                            .iter()
                            .map(|c| {
                                let (quotient, rest) = c.div_rem(&square);
                                assert!(rest.is_zero());
                                quotient
                            })
                            .collect(),
                    )
                }
                _ if regular => rest,
                _ => rest.without_common_divisor(),
            };
            chain.push(Poly(rest.0.into_iter().map(|c| -c).collect()));
        }
        variations(chain.iter().map(Poly::at_zero)) - variations(chain.iter().map(Poly::at_one))
    }

    /// Whether a root lies in the given part of [0, 1] at which all conditions are positive. Not for P = 0.
    pub fn has_root_with_positive(&self, conditions: &[Poly], until: Until) -> bool {
        let all = |values: Vec<BigInt>| values.iter().all(Signed::is_positive);
        let mut p = self.clone();
        if p.at_zero().is_zero() && all(conditions.iter().map(Poly::at_zero).collect()) {
            return true;
        }
        let at_end = p.at_one().is_zero() && all(conditions.iter().map(Poly::at_one).collect());
        if until == Until::End && at_end {
            return true;
        }
        while p.at_zero().is_zero() {
            p.0.remove(0);
        }
        while p.at_one().is_zero() {
            // By (t − 1): partial sums from the top.
            let mut sum = BigInt::zero();
            let mut quotient: Vec<BigInt> =
                p.0.iter()
                    .rev()
                    .map(|c| {
                        sum += c;
                        sum.clone()
                    })
                    .collect();
            quotient.pop();
            quotient.reverse();
            p = Poly::new(quotient);
        }
        if let Some(known) = glance(std::slice::from_ref(&p), conditions) {
            return known;
        }
        let conditions: Vec<Poly> = conditions.iter().map(|q| q.remainder(&p)).collect();
        match p.query(&Poly(vec![BigInt::from(1)])) {
            0 => return false,
            1 => return conditions.iter().all(|q| p.query(q) == 1),
            _ => {}
        }
        // The product of (s² + s)/2 over the signs s is 1 where all are positive, else 0.
        let mut sum = 0;
        for powers in 0..1u32 << conditions.len() {
            let product = conditions.iter().enumerate().fold(Poly(vec![BigInt::from(1)]), |product, (k, q)| {
                let once = product.times(q);
                if powers >> k & 1 == 1 { once.times(q).remainder(&p) } else { once.remainder(&p) }
            });
            sum += p.query(&product);
        }
        sum > 0
    }
}

fn variations(values: impl Iterator<Item = BigInt>) -> i64 {
    let signs: Vec<bool> = values.filter(|v| !v.is_zero()).map(|v| v.is_positive()).collect();
    signs.windows(2).filter(|w| w[0] != w[1]).count() as i64
}

#[test]
fn roots_of_known_polynomials_are_counted() {
    let poly = |c: &[i64]| Poly::new(c.iter().map(|&c| BigInt::from(c)).collect());
    // (2t − 1)²(3t − 1): a double root at 1/2 and one at 1/3.
    let p = poly(&[-1, 2]).times(&poly(&[-1, 2])).times(&poly(&[-1, 3]));
    assert_eq!(p.query(&poly(&[1])), 2);
    // 5t − 2 is positive at 1/2 and negative at 1/3.
    assert_eq!(p.query(&poly(&[-2, 5])), 0);
    assert!(p.has_root_with_positive(&[poly(&[-2, 5])], Until::End));
    assert!(!p.has_root_with_positive(&[poly(&[-2, 5]), poly(&[2, -5])], Until::End));
    assert!(!p.has_root_with_positive(&[poly(&[-1, 2])], Until::End), "zero at 1/2 is not positive");
    // Roots at the ends only: t(t − 1).
    let ends = poly(&[0, -1, 1]);
    assert!(ends.has_root_with_positive(&[poly(&[-1, 2])], Until::End));
    assert!(!ends.has_root_with_positive(&[poly(&[-1, 2])], Until::BeforeEnd));
    assert!(!ends.has_root_with_positive(&[poly(&[0, 1]), poly(&[1, -1])], Until::End));
}
