//! Whole numbers of any size that live on the stack as long as they are small.
//!
//! The coefficients that decide a pair have some two to eight words. A number that allocates costs more in memory
//! management than in arithmetic: with a general library a pair took 60 µs, with these numbers a tenth. Schoolbook methods are the
//! right ones at this size. The operations are those that the decision needs; division is not among them.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// Words that fit without allocation: a cubic's coefficient times the cube of a 53-bit time, for coordinates
/// of up to 100 bits.
const INLINE: usize = 8;

type Words = SmallVec<[u64; INLINE]>;

/// The sign of a number, or of zero on its way to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Neg for Sign {
    type Output = Sign;
    fn neg(self) -> Sign {
        match self {
            Sign::Plus => Sign::Minus,
            Sign::Minus => Sign::Plus,
        }
    }
}

/// A sign and a size, lowest word first; the highest word is not zero. Zero has no word and is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Whole {
    sign: Sign,
    words: Words,
}

impl Whole {
    /// Zero.
    pub fn zero() -> Self {
        Whole { sign: Sign::Plus, words: Words::new() }
    }

    fn new(sign: Sign, mut words: Words) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Whole { sign: if words.is_empty() { Sign::Plus } else { sign }, words }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.words.is_empty()
    }

    /// −1, 0 or 1.
    pub fn sign(&self) -> i8 {
        match (self.words.is_empty(), self.sign) {
            (true, _) => 0,
            (_, Sign::Minus) => -1,
            (_, Sign::Plus) => 1,
        }
    }

    /// Number of binary digits of the size.
    pub fn bits(&self) -> u64 {
        match self.words.last() {
            Some(last) => 64 * self.words.len() as u64 - u64::from(last.leading_zeros()),
            None => 0,
        }
    }

    /// Times 2^places.
    pub fn shifted_up(&self, places: usize) -> Self {
        if self.is_zero() || places == 0 {
            return self.clone();
        }
        let (whole, part) = (places / 64, places % 64);
        let mut words = Words::with_capacity(self.words.len() + whole + 1);
        words.resize(whole, 0);
        let mut carry = 0;
        for &word in &self.words {
            let wide = u128::from(word) << part | u128::from(carry);
            words.push(wide as u64);
            carry = (wide >> 64) as u64;
        }
        words.push(carry);
        Whole::new(self.sign, words)
    }

    /// Divided by 2^places, towards zero.
    pub fn shifted_down(&self, places: usize) -> Self {
        let (whole, part) = (places / 64, places % 64);
        if whole >= self.words.len() {
            return Whole::zero();
        }
        let kept = &self.words[whole..];
        let word = |k: usize| {
            let high = kept.get(k + 1).copied().unwrap_or(0);
            ((u128::from(high) << 64 | u128::from(kept[k])) >> part) as u64
        };
        Whole::new(self.sign, (0..kept.len()).map(word).collect())
    }

    /// Times a small number.
    pub fn times(&self, factor: u64) -> Self {
        let mut words = Words::with_capacity(self.words.len() + 1);
        let mut carry = 0;
        for &word in &self.words {
            let wide = u128::from(word) * u128::from(factor) + u128::from(carry);
            words.push(wide as u64);
            carry = (wide >> 64) as u64;
        }
        words.push(carry);
        Whole::new(self.sign, words)
    }

    /// The nearest double or one of its neighbours; exact up to 53 digits. Beyond their range, infinite.
    pub fn to_f64(&self) -> f64 {
        let surplus = self.bits().saturating_sub(64);
        let top = self.shifted_down(surplus as usize).words.first().copied().unwrap_or(0);
        let size = if surplus > 1023 { f64::INFINITY } else { top as f64 * 2f64.powi(surplus as i32) };
        if self.sign == Sign::Minus { -size } else { size }
    }

    /// The largest whole number not above a finite number that is not negative.
    pub fn floor(value: f64) -> Self {
        let bits = value.floor().to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
        if exponent < -52 {
            return Whole::zero();
        }
        let mantissa = Whole::from((bits & ((1 << 52) - 1) | 1 << 52) as i64);
        if exponent < 0 { mantissa.shifted_down(-exponent as usize) } else { mantissa.shifted_up(exponent as usize) }
    }
}

impl From<i64> for Whole {
    fn from(value: i64) -> Self {
        let sign = if value < 0 { Sign::Minus } else { Sign::Plus };
        Whole::new(sign, Words::from_slice(&[value.unsigned_abs()]))
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(long: &[u64], short: &[u64]) -> Words {
    let mut words = Words::with_capacity(long.len() + 1);
    let mut carry = false;
    for (k, &word) in long.iter().enumerate() {
        let (first, a) = word.overflowing_add(short.get(k).copied().unwrap_or(0));
        let (second, b) = first.overflowing_add(u64::from(carry));
        words.push(second);
        carry = a || b;
    }
    words.push(u64::from(carry));
    words
}

fn difference(large: &[u64], small: &[u64]) -> Words {
    let mut words = Words::with_capacity(large.len());
    let mut borrow = false;
    for (k, &word) in large.iter().enumerate() {
        let (first, a) = word.overflowing_sub(small.get(k).copied().unwrap_or(0));
        let (second, b) = first.overflowing_sub(u64::from(borrow));
        words.push(second);
        borrow = a || b;
    }
    words
}

/// The sum of a number and a size with a sign of its own.
fn joined(a: &Whole, sign: Sign, b: &[u64]) -> Whole {
    if a.sign == sign {
        let (long, short) = if a.words.len() >= b.len() { (&a.words[..], b) } else { (b, &a.words[..]) };
        return Whole::new(sign, sum(long, short));
    }
    match compare(&a.words, b) {
        Ordering::Less => Whole::new(sign, difference(b, &a.words)),
        Ordering::Equal => Whole::zero(),
        Ordering::Greater => Whole::new(a.sign, difference(&a.words, b)),
    }
}

impl Add for &Whole {
    type Output = Whole;
    fn add(self, other: &Whole) -> Whole {
        joined(self, other.sign, &other.words)
    }
}

impl Sub for &Whole {
    type Output = Whole;
    fn sub(self, other: &Whole) -> Whole {
        joined(self, -other.sign, &other.words)
    }
}

impl Neg for &Whole {
    type Output = Whole;
    fn neg(self) -> Whole {
        Whole::new(-self.sign, self.words.clone())
    }
}

impl Mul for &Whole {
    type Output = Whole;
    fn mul(self, other: &Whole) -> Whole {
        let mut words: Words = SmallVec::from_elem(0, self.words.len() + other.words.len());
        for (i, &a) in self.words.iter().enumerate() {
            let mut carry = 0;
            for (&b, slot) in other.words.iter().zip(&mut words[i..]) {
                // At most (2⁶⁴ − 1)² + 2 (2⁶⁴ − 1) = 2¹²⁸ − 1.
                let wide = u128::from(a) * u128::from(b) + u128::from(*slot) + u128::from(carry);
                *slot = wide as u64;
                carry = (wide >> 64) as u64;
            }
            words[i + other.words.len()] = carry;
        }
        Whole::new(if self.sign == other.sign { Sign::Plus } else { Sign::Minus }, words)
    }
}

impl PartialOrd for Whole {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some((self - other).sign().cmp(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    fn big(whole: &Whole) -> BigInt {
        let digits: Vec<u32> = whole.words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
        let sign = match whole.sign {
            Sign::Minus => num_bigint::Sign::Minus,
            Sign::Plus => num_bigint::Sign::Plus,
        };
        BigInt::from_slice(sign, &digits)
    }

    /// Numbers of 0 to 12 words with long runs of ones and zeros, where carries go far.
    fn numbers() -> Vec<Whole> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        (0..200)
            .map(|_| {
                let count = next() % 13;
                let word = |kind: u64, value: u64| [value << 31 ^ value, u64::MAX, 0, 1][kind as usize % 4];
                let words = (0..count).map(|_| word(next(), next())).collect();
                Whole::new(if next() % 2 == 0 { Sign::Minus } else { Sign::Plus }, words)
            })
            .collect()
    }

    #[test]
    fn arithmetic_is_that_of_a_general_library() {
        let numbers = numbers();
        for a in &numbers {
            for b in &numbers {
                assert_eq!(big(&(a + b)), big(a) + big(b));
                assert_eq!(big(&(a - b)), big(a) - big(b));
                assert_eq!(big(&(a * b)), big(a) * big(b));
                assert_eq!(a < b, big(a) < big(b));
                assert_eq!(a == b, big(a) == big(b));
            }
            assert_eq!(big(&-a), -big(a));
            assert_eq!(a.bits(), big(a).bits());
            assert_eq!(big(&a.times(6)), big(a) * 6);
            let size = |n: &Whole| Whole::new(Sign::Plus, n.words.clone());
            for places in [0, 1, 7, 63, 64, 65, 200, 1000] {
                assert_eq!(big(&a.shifted_up(places)), big(a) << places);
                assert_eq!(big(&size(&a.shifted_down(places))), big(&size(a)) >> places);
            }
            let near: f64 = num_traits::ToPrimitive::to_f64(&big(a)).expect("a number");
            assert!((a.to_f64() - near).abs() <= near.abs() * f64::EPSILON, "{} for {near}", a.to_f64());
        }
    }

    #[test]
    fn a_floor_is_the_whole_number_below() {
        for value in [0.0, 0.3, 0.999, 1.0, 1.5, 7.99, 123456789.5, 4503599627370496.0, 9007199254740993.0, 1e30] {
            assert_eq!(big(&Whole::floor(value)).to_string(), format!("{:.0}", value.floor()));
        }
    }
}
