//! When the factor of the strong couplings gives way to one of the whole matrix, and when it comes back.
//!
//! Where bending is stiff beside inertia, a fresh factor of the strong couplings is a poor preconditioner: it takes many
//! iterations per digit from the start. A factor of the whole matrix takes hardly one, but is dearer to make and to apply, and
//! ages as fast as the other one: a step later both are about as good (`bench/linear.md`). So it pays where factors last, and
//! what counts are whole lives of factors, from their making to their renewal, not single solves:
//!
//! * *Growing*: after each solve, what the last few lives would have cost with the whole matrix is estimated. The iterations that
//!   poor starts cost would be saved; making and applying would cost their multiples.
//! * *Going back*: when a factor of the whole matrix is renewed, the cost per digit of the last few lives is compared with that of
//!   the lives that were given up for them. If it is dearer, the strong couplings are factorised again, and the next estimate has to be
//!   better by [`LESSON`], less so with every life that follows. Lives that are cut short by other constraints or contacts count as well: so
//!   will the next ones be.
//!
//! An earlier rule grew for good after one poor solve. Buckling cloth that is solved to the tolerance renews its factors every few
//! solves, and now and then a matrix is nearly indefinite, which no preconditioner mends; a hanging sheet of 96 × 96 vertices then
//! took up to three times as long as with the strong couplings alone.

use super::Wear;

/// Making and applying a factor of the whole matrix, over the same with the strong couplings [-]; 3.1 to 5.6 and 2.1 to 3.3 in
/// `bench/linear.md`.
const MAKING: f64 = 4.0;
const APPLYING: f64 = 2.5;
/// Iterations per digit of a fresh factor of the whole matrix [-].
const RATE: f64 = 0.8;
/// By how much more an estimate has to show after one that was wrong [-].
const LESSON: f64 = 4.0;

/// What is left of the lesson after each further life [-]: half of it after fourteen.
const FORGETTING: f64 = 0.95;
/// What the life before counts beside the present one, the one before that by the square, and so on [-].
const MEMORY: f64 = 0.75;

/// What was learned of the two kinds of factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    /// The last lives of factors of the present kind.
    lives: Lives,
    /// Cost per digit of those of the strong couplings when they were given up [s].
    given_up: f64,
    /// How many times its estimated cost a factor of the whole matrix must be worth [-].
    reluctance: f64,
}

/// Sums over some lives, earlier ones counting less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lives {
    /// Renewals, in iterations [-].
    renewals: f64,
    iterations: f64,
    digits: f64,
    /// Iterations that as many digits take at the rate of the first solve of each life [-].
    as_first: f64,
}

impl Lives {
    /// With a further one.
    fn and(self, life: &Wear) -> Self {
        Lives {
            renewals: MEMORY * self.renewals + life.renewal(),
            iterations: MEMORY * self.iterations + life.iterations(),
            digits: MEMORY * self.digits + life.digits(),
            as_first: MEMORY * self.as_first + life.digits() * life.first_rate(),
        }
    }

    /// Cost per digit with iterations of so many seconds [s].
    fn cost(&self, iterating: f64) -> f64 {
        iterating * (self.renewals + self.iterations) / self.digits
    }
}

impl Default for Growth {
    fn default() -> Self {
        Growth { lives: Lives::default(), given_up: f64::INFINITY, reluctance: 1.0 }
    }
}

impl Growth {
    /// Its numbers, for a checkpoint.
    pub fn to_numbers(self) -> [f64; 6] {
        let Growth { lives: Lives { renewals, iterations, digits, as_first }, given_up, reluctance } = self;
        [renewals, iterations, digits, as_first, given_up, reluctance]
    }

    /// From its numbers.
    pub fn from_numbers([renewals, iterations, digits, as_first, given_up, reluctance]: [f64; 6]) -> Self {
        // Whatever a checkpoint says: less than one would be eagerness.
        Growth { lives: Lives { renewals, iterations, digits, as_first }, given_up, reluctance: reluctance.max(1.0) }
    }

    /// Whether the whole matrix should be factorised instead, after a life of the strong couplings' factor so far.
    pub fn pays(&self, life: &Wear) -> bool {
        let Lives { renewals, iterations, digits, as_first } = self.lives.and(life);
        let least = RATE * digits;
        let left = (iterations - as_first + least).max(least);
        self.reluctance * (MAKING * renewals + APPLYING * left) < renewals + iterations
    }

    /// A factor of the strong couplings is renewed after this life.
    pub fn lived(&mut self, life: &Wear) {
        self.lives = self.lives.and(life);
        self.reluctance = 1.0 + FORGETTING * (self.reluctance - 1.0);
    }

    /// Factors of the strong couplings are given up after this life.
    pub fn give_up(&mut self, life: &Wear) {
        self.given_up = self.lives.and(life).cost(life.iterating());
        self.lives = Lives::default();
    }

    /// A factor of the whole matrix is renewed after this life: whether such lives were dearer than what was given up for them. Then
    /// the whole matrix is not tried so soon again.
    pub fn regrets(&mut self, life: &Wear) -> bool {
        self.lives = self.lives.and(life);
        // Lives without a solve have shown nothing.
        let dearer = self.lives.digits > 0.0 && self.lives.cost(life.iterating()) > self.given_up;
        if dearer {
            self.reluctance *= LESSON;
            self.lives = Lives::default();
        }
        dearer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A life that began with so many iterations for a digit, and went on.
    fn life(renewal: f64, iterating: f64, iterations: &[usize]) -> Wear {
        let mut wear = Wear::fresh(renewal, iterating);
        for &count in iterations {
            wear.record(count, 0.1);
        }
        wear
    }

    #[test]
    fn a_poor_start_pays_for_the_whole_matrix_only_in_a_long_life() {
        let growth = Growth::default();
        assert!(!growth.pays(&life(10.0, 1.0, &[9, 9])), "two digits do not pay for the factor");
        assert!(growth.pays(&life(10.0, 1.0, &[9; 8])));
        assert!(!growth.pays(&life(10.0, 1.0, &[2, 4, 8, 16, 32])), "the other kind would age as well");
    }

    #[test]
    fn one_poor_life_among_good_ones_is_no_reason() {
        let (mut growth, poor) = (Growth::default(), life(8.0, 1.0, &[11, 12, 11, 12, 11]));
        assert!(growth.pays(&poor));
        for _ in 0..4 {
            growth.lived(&life(8.0, 1.0, &[2, 2, 3, 3, 4, 5, 5]));
        }
        assert!(!growth.pays(&poor));
        for _ in 0..4 {
            growth.lived(&poor);
        }
        assert!(growth.pays(&poor));
    }

    #[test]
    fn a_factor_that_turns_out_dearer_is_left_and_asked_for_more_the_next_time() {
        let (mut growth, strong) = (Growth::default(), life(10.0, 1.0, &[9; 8]));
        assert!(growth.pays(&strong));
        growth.give_up(&strong);
        // 82 s for 8 digits were given up for 125 s for 4.
        assert!(growth.regrets(&life(16.0, 2.5, &[2, 8, 12, 12])));
        assert!(!growth.pays(&strong));
        assert!(growth.pays(&life(10.0, 1.0, &[90; 80])));
        // One that lasts is kept, also if the next is cut short.
        assert!(!growth.regrets(&life(16.0, 2.5, &[])), "nothing was shown");
        let mut growth = Growth::default();
        growth.give_up(&strong);
        assert!(!growth.regrets(&life(16.0, 2.5, &[1; 20])));
        assert!(!growth.regrets(&life(16.0, 2.5, &[1])));
        let cut = (1..10).find(|_| growth.regrets(&life(16.0, 2.5, &[1])));
        assert!(cut.is_some(), "if all are, it does not pay");
    }

    #[test]
    fn a_lesson_is_forgotten_in_time() {
        let (mut growth, strong) = (Growth::default(), life(10.0, 1.0, &[9; 8]));
        growth.give_up(&strong);
        assert!(growth.regrets(&life(16.0, 2.5, &[2, 8, 12, 12])));
        let lives = (1..200).find(|_| {
            growth.lived(&strong);
            growth.pays(&strong)
        });
        assert!(lives.is_some_and(|count| count > 5), "{lives:?}");
    }

    #[test]
    fn a_checkpoint_cannot_make_it_eager() {
        for strange in [f64::NAN, -1.0, 0.0] {
            let growth = Growth::from_numbers([0.0, 0.0, 0.0, 0.0, 1.0, strange]);
            assert!(!growth.pays(&life(10.0, 1.0, &[9, 9])));
        }
    }
}
