//! Ranges of numbers, in checks and in words.

use std::fmt;

/// Numbers that a key accepts. NaN is never one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    low_excluded: bool,
    infinity: bool,
}

/// Largest magnitude of an unlimited number: beyond it squares and products overflow.
const UNLIMITED: f64 = 1e100;

impl Range {
    /// Any finite number.
    pub const ANY: Range = Range::between(-UNLIMITED, UNLIMITED);
    /// Zero or more.
    pub const NOT_NEGATIVE: Range = Range::between(0.0, UNLIMITED);

    /// From `low` to `high`, both included.
    pub const fn between(low: f64, high: f64) -> Self {
        Range { low, high, low_excluded: false, infinity: false }
    }

    /// Greater than `low`, at most `high`.
    pub const fn above(low: f64, high: f64) -> Self {
        Range { low, high, low_excluded: true, infinity: false }
    }

    /// The same, and `inf`.
    pub const fn or_infinity(self) -> Self {
        Range { infinity: true, ..self }
    }

    /// Whether a number is inside.
    pub fn contains(&self, x: f64) -> bool {
        (self.infinity && x == f64::INFINITY)
            || (x <= self.high && if self.low_excluded { x > self.low } else { x >= self.low })
    }
}

/// A number for people: with an exponent where digits would have to be counted.
pub struct Plain(pub f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = self.0;
        if x != 0.0 && (x.abs() >= 1e6 || x.abs() < 1e-4) { write!(f, "{x:e}") } else { write!(f, "{x}") }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = Plain;
        if self.low == self.high {
            return write!(f, "{}", number(self.low));
        }
        match (self.low_excluded, self.low <= -UNLIMITED, self.high >= UNLIMITED) {
            (_, true, true) => write!(f, "finite")?,
            (true, _, true) => write!(f, "greater than {}", number(self.low))?,
            (false, false, true) => write!(f, "at least {}", number(self.low))?,
            (true, _, false) => write!(f, "greater than {} and at most {}", number(self.low), number(self.high))?,
            (false, true, false) => write!(f, "at most {}", number(self.high))?,
            (false, false, false) => write!(f, "from {} to {}", number(self.low), number(self.high))?,
        }
        if self.infinity { write!(f, ", or inf") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_checks_agree_at_the_borders() {
        let open = Range::above(0.0, 10.0);
        assert!(!open.contains(0.0) && open.contains(10.0) && !open.contains(10.1) && !open.contains(f64::NAN));
        assert_eq!(open.to_string(), "greater than 0 and at most 10");
        assert_eq!(Range::between(8.0, 8.0).to_string(), "8");
        let closed = Range::between(-1.0, 1.0);
        assert!(closed.contains(-1.0) && closed.contains(1.0) && !closed.contains(f64::INFINITY));
        assert_eq!(closed.to_string(), "from -1 to 1");
        assert!(!Range::ANY.contains(f64::INFINITY) && !Range::ANY.contains(f64::NAN));
        let time = Range::NOT_NEGATIVE.or_infinity();
        assert!(time.contains(f64::INFINITY) && !time.contains(-1.0));
        assert_eq!(time.to_string(), "at least 0, or inf");
    }
}
