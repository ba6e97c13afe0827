//! When to renew a preconditioner that ages.
//!
//! Renewing costs C iterations' worth of work; each solve then costs its own iterations, more of them as
//! the preconditioner ages. The mean cost per digit won, renewal included, falls at first and rises later; it
//! is least when the latest solve costs as much per digit as the mean so far. Everything is counted in
//! iterations, nothing is timed, so the decision is the same on every machine.

/// Digits counted at least per solve, so that a solve which had nothing to do is no reason to renew [-].
const LEAST_DIGITS: f64 = 0.3;

/// The record of a preconditioner since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wear {
    /// Cost of a renewal over that of an iteration [-].
    renewal: f64,
    /// Cost of an iteration [s], as estimated from its arithmetic.
    iterating: f64,
    iterations: f64,
    digits: f64,
    /// Iterations per digit of the first solve [-].
    first_rate: f64,
    solves: usize,
    worn: bool,
}

impl Wear {
    /// A fresh preconditioner whose renewal costs as much as this many iterations of so many seconds.
    pub fn fresh(renewal: f64, iterating: f64) -> Self {
        Wear { renewal, iterating, ..Wear::default() }
    }

    /// Its numbers, for a checkpoint.
    pub fn to_numbers(self) -> ([f64; 5], [u64; 2]) {
        let Wear { renewal, iterating, iterations, digits, first_rate, solves, worn } = self;
        ([renewal, iterating, iterations, digits, first_rate], [solves as u64, u64::from(worn)])
    }

    /// From its numbers.
    pub fn from_numbers(reals: [f64; 5], [solves, worn]: [u64; 2]) -> Self {
        let [renewal, iterating, iterations, digits, first_rate] = reals;
        Wear { renewal, iterating, iterations, digits, first_rate, solves: solves as usize, worn: worn != 0 }
    }

    /// Cost of a renewal over that of an iteration [-].
    pub fn renewal(&self) -> f64 {
        self.renewal
    }

    /// Cost of an iteration [s], as estimated from its arithmetic.
    pub fn iterating(&self) -> f64 {
        self.iterating
    }

    /// Iterations since the renewal [-].
    pub fn iterations(&self) -> f64 {
        self.iterations
    }

    /// Digits won since the renewal [-].
    pub fn digits(&self) -> f64 {
        self.digits
    }

    /// Iterations per digit of the first solve since the renewal [-].
    pub fn first_rate(&self) -> f64 {
        self.first_rate
    }

    /// Learns of a solve that reduced the residual by a factor in so many iterations.
    pub fn record(&mut self, iterations: usize, reduction: f64) {
        let iterations = iterations as f64;
        let digits = (-reduction.max(f64::MIN_POSITIVE).log10()).max(LEAST_DIGITS);
        self.iterations += iterations;
        self.digits += digits;
        if self.solves == 0 {
            self.first_rate = iterations / digits;
        }
        self.solves += 1;
        self.worn = iterations / digits > (self.renewal + self.iterations) / self.digits;
    }

    /// Whether it is time to renew.
    pub fn is_worn(&self) -> bool {
        self.worn
    }

    /// Whether a solve has lasted so long that a renewal now costs less than it has cost already.
    pub fn is_hopeless(&self, iterations: usize) -> bool {
        self.digits > 0.0 && iterations as f64 > 2.0 * self.renewal + 2.0 * self.iterations / self.digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renewal_comes_when_the_latest_solve_costs_more_than_the_mean() {
        let mut wear = Wear::fresh(10.0, 1e-3);
        // Means with the renewal: 12/1, then 14/2, 18/3; the fourth solve, 9, is above (10 + 17)/4.
        for iterations in [2, 2, 4] {
            wear.record(iterations, 0.1);
            assert!(!wear.is_worn());
        }
        wear.record(9, 0.1);
        assert!(wear.is_worn());
    }

    #[test]
    fn a_solve_far_beyond_the_mean_is_hopeless_but_never_the_first() {
        let mut wear = Wear::fresh(10.0, 1e-3);
        assert!(!wear.is_hopeless(10_000));
        wear.record(6, 1e-3);
        assert!(!wear.is_hopeless(24));
        assert!(wear.is_hopeless(25));
    }

    #[test]
    fn a_solve_that_had_nothing_to_do_wears_nothing_out() {
        let mut wear = Wear::fresh(10.0, 1e-3);
        wear.record(1, 1.0);
        assert!(!wear.is_worn());
    }
}
