//! How far Newton's method trusts its quadratic model of Φ, learned from how well the last one foretold Φ.
//!
//! Cloth that buckles makes the model wrong in two ways, and the quotient of the true decrease of Φ over the foretold
//! one tells them apart:
//!
//! * *Below one*: cloth that turns also stretches, by the second order of the turn, which the model cannot see. Steps
//!   along the soft directions are too long, those along the stiff ones are right. A line search would shorten both;
//!   instead the inertia in the matrix is multiplied (Levenberg and Marquardt), which holds back the soft ones only.
//! * *Above one*: compressed elements were projected although inertia and bending keep the whole matrix
//!   positive. Near the solution each iteration then gains a constant factor only. With their compression in the matrix
//!   Newton's method converges fast again. Whether the whole is positive, conjugate gradients find out.
//!
//! All of it lives within one step: nothing is carried to the next.

use crate::forces::HessianKind;

/// A model that foretells at least this part of the true decrease is too stiff [-].
const TOO_STIFF: f64 = 1.25;
/// Above this quotient the damping falls [-], below it compression is projected again.
const GOOD: f64 = 0.6;
/// Below this quotient the damping rises although Φ fell [-].
const POOR: f64 = 0.2;
/// First damping, its rise after a refused step and its fall after a good one [-].
const FIRST_DAMPING: f64 = 0.5;
const RISE: f64 = 4.0;
const FALL: f64 = 3.0;
/// A damping below this changes nothing that matters [-].
const LEAST_DAMPING: f64 = 0.1;

/// The trust in the model within one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trust {
    damping: f64,
    compressed: bool,
}

impl Trust {
    /// Inertia that the matrix has beyond its own, over its own [-].
    pub fn damping(&self) -> f64 {
        self.damping
    }

    /// The second derivatives to assemble.
    pub fn kind(&self) -> HessianKind {
        if self.compressed { HessianKind::CarriedExact } else { HessianKind::Carried }
    }

    /// Φ did not fall.
    pub fn refuse(&mut self) {
        self.damping = (RISE * self.damping).max(FIRST_DAMPING);
        self.compressed = false;
    }

    /// The matrix was not positive definite.
    pub fn project(&mut self) {
        self.compressed = false;
    }

    /// A step was taken; `quotient` is the true decrease of Φ over the foretold one [-].
    pub fn accept(&mut self, quotient: f64) {
        if quotient > GOOD {
            self.damping = if self.damping < LEAST_DAMPING { 0.0 } else { self.damping / FALL };
        } else if quotient < POOR {
            self.refuse();
        }
        if self.damping > 0.0 || quotient < GOOD {
            self.compressed = false;
        } else if quotient > TOO_STIFF {
            self.compressed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_steps_raise_the_damping_and_good_ones_take_it_back_to_none() {
        let mut trust = Trust::default();
        trust.refuse();
        trust.refuse();
        assert_eq!(trust.damping(), RISE * FIRST_DAMPING);
        for _ in 0..4 {
            trust.accept(1.0);
        }
        assert_eq!(trust.damping(), 0.0);
    }

    #[test]
    fn compression_enters_only_a_model_that_is_too_stiff_and_undamped() {
        let mut trust = Trust::default();
        trust.accept(1.0);
        assert_eq!(trust.kind(), HessianKind::Carried);
        trust.accept(1.5);
        assert_eq!(trust.kind(), HessianKind::CarriedExact);
        trust.accept(1.0);
        assert_eq!(trust.kind(), HessianKind::CarriedExact, "it stays while the model is right");
        trust.accept(0.5);
        assert_eq!(trust.kind(), HessianKind::Carried);
        trust.refuse();
        trust.accept(1.5);
        assert_eq!(trust.kind(), HessianKind::Carried, "not while the model is damped");
    }
}
