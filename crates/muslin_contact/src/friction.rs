//! Coulomb's friction with true stick: what a contact remembers.
//!
//! A contact that sticks holds the cloth like a spring: its *anchor* is the way that the spring is stretched. The spring gives
//! when the friction limit µN is reached; the anchor then drags along. A sheet that rests on a slope
//! stretches its springs once and stays, however long one waits; a force that only depends on the velocity,
//! as a velocity filter, would creep.

use crate::contact::PairKey;
use glam::DVec3;
use muslin_model::Anchor;

/// Friction coefficients of Coulomb's law [-].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Between cloth and obstacles.
    pub object: f64,
    /// Between cloth and cloth.
    pub cloth: f64,
}

impl Friction {
    /// The coefficient between two sides, one of which may belong to an obstacle.
    pub fn of(&self, sides: Sides) -> f64 {
        match sides {
            Sides::ClothAndObject => self.object,
            Sides::Cloths => self.cloth,
        }
    }
}

/// What the two sides of a contact are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// One belongs to an obstacle.
    ClothAndObject,
    /// Both belong to cloth.
    Cloths,
}

impl Default for Friction {
    fn default() -> Self {
        Friction { object: 0.3, cloth: 0.3 }
    }
}

/// The anchor of a pair in a list that ascends.
pub fn anchor_of(anchors: &[Anchor], key: PairKey) -> Option<&Anchor> {
    anchors.binary_search_by_key(&key.numbers(), |anchor| anchor.pair).ok().map(|k| &anchors[k])
}

/// The stretch that a contact's spring keeps after a way across the normal: all of it while it sticks, its
/// length at the limit when it slides [m].
pub fn kept_stretch(way: DVec3, slip: f64) -> DVec3 {
    way.clamp_length_max(slip)
}
