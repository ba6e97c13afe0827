//! What halving shows before roots have to be counted.
//!
//! Over a part of the step a polynomial stays between the extremes of its Bernstein coefficients. In whole numbers that is no
//! estimate but a proof, and it settles most questions a hundred times faster than counting. What it does not settle
//! within a few halvings is counted.

use crate::counting::Poly;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// Parts that are looked at before giving up.
const MOST_PARTS: usize = 14;

/// Bernstein coefficients over a part of the step, times a positive factor.
#[derive(Clone)]
struct Part(Vec<BigInt>);

impl Part {
    fn whole(poly: &Poly) -> Self {
        let n = poly.0.len().saturating_sub(1);
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        let mut row: Vec<BigInt> =
            poly.0.iter().enumerate().map(|(j, c)| c * (factorial(j) * factorial(n - j))).collect();
        // Repeated sums of neighbours build the binomial sums.
        for i in 0..n {
            for j in (i + 1..=n).rev() {
                let before = row[j - 1].clone();
                row[j] += before;
            }
        }
        Part(row)
    }

    /// De Casteljau's subdivision in the middle.
    fn halves(&self) -> [Part; 2] {
        let n = self.0.len().saturating_sub(1);
        let mut row: Vec<BigInt> = self.0.iter().map(|b| b << n).collect();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while let (Some(first), Some(last)) = (row.first(), row.last()) {
            left.push(first.clone());
            right.push(last.clone());
            row = row.windows(2).map(|pair| (&pair[0] + &pair[1]) >> 1u32).collect();
        }
        right.reverse();
        [Part(left), Part(right)]
    }

    fn has_one_sign(&self) -> bool {
        !self.0.is_empty() && (self.is_positive() || self.0.iter().all(Signed::is_negative))
    }

    fn is_positive(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(Signed::is_positive)
    }

    fn is_never_positive(&self) -> bool {
        !self.0.iter().any(Signed::is_positive)
    }

    fn changes_sign(&self) -> bool {
        let ends = [self.0.first(), self.0.last()].map(|b| b.cloned().unwrap_or_else(BigInt::zero));
        ends[0].is_positive() && ends[1].is_negative() || ends[0].is_negative() && ends[1].is_positive()
    }
}

/// Whether there is a time in [0, 1] at which all of `zeros` vanish while all of `positives` are positive, if a few
/// halvings tell. A time that they find is not an end of the step.
pub fn glance(zeros: &[Poly], positives: &[Poly]) -> Option<bool> {
    let whole = |polys: &[Poly]| polys.iter().map(Part::whole).collect::<Vec<_>>();
    let mut parts = vec![(whole(zeros), whole(positives))];
    let mut seen = 0;
    while let Some((zeros, positives)) = parts.pop() {
        if zeros.iter().any(Part::has_one_sign) || positives.iter().any(Part::is_never_positive) {
            continue;
        }
        if let [zero] = &zeros[..]
            && zero.changes_sign()
            && positives.iter().all(Part::is_positive)
        {
            return Some(true);
        }
        seen += 1;
        if seen == MOST_PARTS {
            return None;
        }
        let halves = |parts: &[Part]| parts.iter().map(Part::halves).collect::<Vec<_>>();
        let (zeros, positives) = (halves(&zeros), halves(&positives));
        for half in 0..2 {
            let side = |parts: &[[Part; 2]]| parts.iter().map(|part| part[half].clone()).collect();
            parts.push((side(&zeros), side(&positives)));
        }
    }
    Some(false)
}

#[test]
fn a_glance_tells_roots_from_none_and_leaves_double_roots_open() {
    let poly = |c: &[i64]| Poly::new(c.iter().map(|&c| BigInt::from(c)).collect());
    let look = |zero: &Poly, positives: &[Poly]| glance(std::slice::from_ref(zero), positives);
    let (rising, square) = (poly(&[-1, 3]), poly(&[1, -6, 9]));
    assert_eq!(look(&rising, &[]), Some(true));
    assert_eq!(look(&rising, &[poly(&[-1, 2])]), Some(false));
    assert_eq!(look(&rising, &[poly(&[1, -2])]), Some(true));
    assert_eq!(glance(&[rising.clone(), poly(&[-1, 2])], &[]), Some(false));
    assert_eq!(look(&square, &[]), None);
    assert_eq!(look(&square.plus(&poly(&[1])), &[]), Some(false));
    assert_eq!(look(&poly(&[]), &[]), None);
    assert_eq!(look(&poly(&[2, -1]), &[]), Some(false));
}
