//! Friction inside a fabric: what a strain leaves behind when yarns slide on each other.
//!
//! It never exceeds F₀, and builds up from rest over the transition strain K₀ along a parabola, F = F₀ (1 − (1 − K/K₀)²). After a
//! turn it falls to −F₀ over 2K₀, after a turn half way it goes back over what is left. Each of these parabolas has its
//! vertex, where F′ = 0, at the end of its branch; so a branch is known from its end and any point on it, and the ends
//! that belong together are 2K₀ apart. With K_lo and K_hi = K_lo + 2K₀, F = ∓F₀ there, and (K_c, F_c) committed,
//!
//! | change | friction |
//! |---|---|
//! | K ≥ K_c | F₀ − (F₀ − F_c) ((K_hi − K)/(K_hi − K_c))², F₀ beyond K_hi |
//! | K ≤ K_c | −F₀ + (F₀ + F_c) ((K − K_lo)/(K_c − K_lo))², −F₀ below K_lo |
//!
//! and two numbers must be remembered, F_c and K_c − K_lo. Beyond an end the range moves along. What was never strained is in
//! the middle of its range with F = 0.
//!
//! Points (k, f) = ((K_c − K_lo)/K₀, F/F₀) stay between the two full branches, k²/2 ≤ 1 + f and (2 − k)²/2 ≤ 1 − f; there the
//! slope is at most 4F₀/K₀. [`InternalFriction::admit`] puts back what leaves this region.

use muslin_model::Crease;

/// The friction of one element; a [`Crease`] has its memory in `friction` and `way`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InternalFriction {
    /// F₀: moment per width [N] of a bend, force per width [N/m] of a shear.
    pub limit: f64,
    /// K₀: curvature [1/m] or shear [-].
    pub transition: f64,
}

/// What friction says after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slid {
    /// What the change costs: the integral of friction over it.
    pub potential: f64,
    /// Friction.
    pub friction: f64,
    /// Its slope; at the turn itself the steeper of the two ways.
    pub slope: f64,
    /// Slope of the line from where the change began, or of that of a change as large to the other side, whichever is steeper.
    pub chord: f64,
}

/// The two ways that a memory leaves open, up and down, in the form that a step reads: it divides only where friction is overcome. In the units
/// of an [`InternalFriction`], or of an element that it was multiplied for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branches {
    /// F₀ [N], [N/m] or [N·m].
    limit: f64,
    /// What friction lacks of F₀ on each way, F₀ ∓ F_c, as F₀.
    lack: [f64; 2],
    /// One over the way to its end, 1/(K_hi − K_c) and 1/(K_c − K_lo) [m], [-] or [1/rad]; infinite at an end.
    inverse: [f64; 2],
}

const THIRD: f64 = 1.0 / 3.0;

impl Branches {
    /// Friction after a change of strain.
    #[inline(always)]
    pub fn after(&self, change: f64) -> Slid {
        // Mirrored, so that it always builds up towards F₀.
        let (sign, way) = if change < 0.0 { (-1.0, 1) } else { (1.0, 0) };
        let (lack, inverse, size) = (self.lack[way], self.inverse[way], change.abs());
        let t = 1.0 - size * inverse;
        let back = self.chord(1 - way, size);
        // At an end t may be no number; elsewhere it is none only if the change is none, and so is the answer then.
        if t <= 0.0 || inverse.is_infinite() {
            let (slope, chord) = if size > 0.0 { (0.0, (lack / size).max(back)) } else { (back, back) };
            let potential = self.limit * size - lack / (3.0 * inverse);
            return Slid { potential, friction: sign * self.limit, slope, chord };
        }
        let (mut slope, on) = (2.0 * lack * t * inverse, lack * (1.0 + t) * inverse);
        // At the turn itself the way back may be the steeper one.
        if change == 0.0 {
            slope = slope.max(back);
        }
        Slid {
            // 1 − t³ over the way's length.
            potential: size * (self.limit - lack * THIRD * (1.0 + t + t * t)),
            friction: sign * (self.limit - lack * t * t),
            slope,
            chord: on.max(back),
        }
    }

    /// Slope of the line from where a change of some size begins to where it ends, on one of the ways; at the turn itself that of the way.
    #[inline(always)]
    fn chord(&self, way: usize, size: f64) -> f64 {
        let (lack, inverse) = (self.lack[way], self.inverse[way]);
        let t = 1.0 - size * inverse;
        if t > 0.0 && inverse.is_finite() {
            lack * (1.0 + t) * inverse
        } else if size > 0.0 {
            lack / size
        } else {
            0.0
        }
    }
}

impl InternalFriction {
    /// The ways on from a memory, with strains and forces multiplied by two factors: those of a fabric become those of an element, by the
    /// height and length of a hinge [m], or by 1 and the area of a triangle [m²].
    pub fn branches(&self, crease: &Crease, strain: f64, force: f64) -> Branches {
        let lack = [self.limit - crease.friction, self.limit + crease.friction];
        let lengths = [2.0 * self.transition - crease.way, crease.way];
        Branches {
            limit: force * self.limit,
            lack: lack.map(|lack| force * lack),
            inverse: lengths.map(|length| if length > 0.0 { 1.0 / (strain * length) } else { f64::INFINITY }),
        }
    }

    /// Friction after a change of strain.
    pub fn after(&self, crease: &Crease, change: f64) -> Slid {
        self.branches(crease, 1.0, 1.0).after(change)
    }

    /// Slides by a change of strain for good.
    pub fn slide(&self, crease: &mut Crease, change: f64) {
        let range = 2.0 * self.transition;
        // As [`Branches::after`], of the one way that is taken.
        let (sign, length) = if change < 0.0 { (-1.0, crease.way) } else { (1.0, range - crease.way) };
        let size = change.abs();
        let left = if size >= length { 0.0 } else { 1.0 - size / length };
        crease.friction = sign * (self.limit - (self.limit - sign * crease.friction) * (left * left));
        crease.way = (crease.way + change).max(0.0).min(range);
    }

    /// Brings a memory between the two full branches.
    pub fn admit(&self, crease: &mut Crease) {
        let (f0, k0) = (self.limit, self.transition);
        if !(f0 > 0.0 && k0 > 0.0) {
            (crease.friction, crease.way) = (0.0, k0.max(0.0));
            return;
        }
        let f = (crease.friction / f0).clamp(-1.0, 1.0);
        let (low, high) = (2.0 - (2.0 * (1.0 - f)).sqrt(), (2.0 * (1.0 + f)).sqrt());
        // `max` first: the two meet at the ends, and rounding may make them cross there.
        let k = (crease.way / k0).max(low).min(high).clamp(0.0, 2.0);
        (crease.friction, crease.way) = (f * f0, k * k0);
    }
}
