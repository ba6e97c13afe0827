//! Bending hysteresis (D6, W chapter 4): the loop of the Kawabata test, partial loops, residual curvature, fatigue.
//!
//! # The law
//! W's moment per width is M = b₂ K + F: a rigidity b₂ = B beside [`InternalFriction`] F, which never exceeds
//! M₀ = (b₁ − b₂)²/(4‖c₁‖), half of Kawabata's 2HB. From rest F builds up over the transition curvature K₀ along a
//! parabola, which is W 4.2 with b₁ = b₂ + 2M₀/K₀ and c₁ = −M₀/K₀². After a turn it falls to −M₀ over 2K₀ (4.4, 4.5), after a turn
//! half way it goes back over what is left (4.8, with the errata: `s` is the end that the branch was heading for). W's three
//! kinds of recovery are cases of the same two lines. The slope is at most 2b₁ − b₂, also where W's γ₁ grows without
//! bound (near an end).
//!
//! # Lasting bends
//! A cycle is bending (the moment grows) and recovery (it falls), which ends at zero moment or when bending sets in
//! again. If bending overcame friction (it ended with F = ±M₀), the rest angle then moves by ξ λ K_r h̄ (4.6), with K_r where the
//! recovery would end, ξ = ‖M_m − M‖/2M_a ≤ 1 (4.7), M_a = M₀ + b₂K₀, M_m the moment where the recovery began; and friction wears off,
//! M₀ ← (1 − µξ) M₀, b₁ − b₂ ← √(1 − µξ)(b₁ − b₂) (4.11, 4.12), K₀ with it.
//!
//! * W does not say what the moment does when the rest angle moves. Here it stays (the curvature is measured anew, F takes up
//!   the difference, as far as M₀ allows): cloth at rest gets no push, and with λ = 1 the hinge stays where its moment
//!   vanished, as W wants it.
//! * W counts a recovery when it is interrupted, and the rest of it never. A tremor would then lose nearly all of it. Here the
//!   rest counts from where the last part ended, up to ξ = 1 in all. Without interruptions there is no difference.
//! * Bending sets in again within a step; the step has the old rest angle, the next the new one.

use super::{BendingLaw, Branches, Committed, InternalFriction, Response, Slid};
use muslin_model::{Crease, FaceMaterial};

/// The law of one hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hysteresis {
    /// b₂ = B [N·m].
    pub rigidity: f64,
    /// M₀ of an untouched hinge: half of 2HB [N].
    pub friction: f64,
    /// K₀ of an untouched hinge [1/m].
    pub transition: f64,
    /// λ [-].
    pub crease: f64,
    /// µ [-].
    pub fatigue: f64,
}

impl Hysteresis {
    /// The law with W's constants: b₁, b₂ [N·m] and c₁ [N·m²]; b₁ > b₂ > 0 and c₁ ≠ 0.
    pub fn of_thesis(b1: f64, b2: f64, c1: f64) -> Self {
        let transition = (b1 - b2) / (2.0 * c1.abs());
        Hysteresis { rigidity: b2, friction: c1.abs() * transition * transition, transition, crease: 0.0, fatigue: 0.0 }
    }

    /// b₁ of a hinge [N·m]: the rigidity of a first bend or after a full turn.
    pub fn initial_rigidity(&self, crease: &Crease) -> f64 {
        let InternalFriction { limit: m0, transition: k0 } = self.worn(crease);
        self.rigidity + if k0 > 0.0 { 2.0 * m0 / k0 } else { 0.0 }
    }

    /// The largest rigidity of any branch, 2b₁ − b₂ [N·m]: what the stability of an explicit scheme depends on.
    pub fn largest_rigidity(&self) -> f64 {
        self.rigidity + 4.0 * self.friction / self.transition
    }

    /// Moment per width at the last Commit [N], of a hinge of some height [m].
    pub fn moment(&self, crease: &Crease, height: f64) -> f64 {
        self.rigidity * super::curvature(crease, height) + crease.friction
    }

    /// M₀ [N] and K₀ [1/m] that wear has left.
    #[inline]
    fn worn(&self, crease: &Crease) -> InternalFriction {
        let fresh = crease.fresh;
        InternalFriction { limit: self.friction * fresh * fresh, transition: self.transition * fresh }
    }

    /// The change of curvature [1/m] after which a recovery from a curvature [1/m] has no moment left; the moment there has
    /// this sign.
    fn recovery(&self, crease: &Crease, curvature: f64, sign: f64) -> f64 {
        let (InternalFriction { limit: m0, transition: k0 }, b2) = (self.worn(crease), self.rigidity);
        // Mirrored, so that the moment is positive and the curvature falls.
        let (k, f) = (sign * curvature, sign * crease.friction);
        let length = if sign > 0.0 { crease.way } else { 2.0 * k0 - crease.way };
        let end = k - length;
        let missing = m0 - b2 * end;
        let zero = if missing <= 0.0 {
            m0 / b2
        } else {
            // g y² + b₂ y = M₀ − b₂ K_lo, in the form that does not cancel.
            let g = (f + m0) / (length * length);
            end + 2.0 * missing / (b2 + (b2 * b2 + 4.0 * g * missing).sqrt())
        };
        sign * (zero.min(k) - k)
    }

    /// Counts the recovery that ends now, with a moment [N]; returns the energy let go [J/m²].
    fn settle(&self, crease: &mut Crease, height: f64, moment: f64) -> f64 {
        let InternalFriction { limit: m0, transition: k0 } = self.worn(crease);
        let sign = if crease.turn < 0.0 { -1.0 } else { 1.0 };
        let whole = 2.0 * (m0 + self.rigidity * k0);
        let part = crease.open.min((crease.turn - moment) * sign / whole);
        // Not above zero, and also nothing to divide by.
        if !(part > 0.0) {
            return 0.0;
        }
        let before = super::curvature(crease, height);
        let left = before + if moment == 0.0 { 0.0 } else { self.recovery(crease, before, sign) };
        let shift = part * self.crease * left;
        let wear = (1.0 - self.fatigue * part).max(0.0).sqrt();
        crease.fresh *= wear;
        crease.rest += shift * height;
        crease.friction += self.rigidity * shift;
        crease.way = crease.way * wear - shift;
        self.admit(crease);
        crease.open -= part;
        let after = super::curvature(crease, height);
        crease.turn = self.rigidity * after + crease.friction;
        0.5 * self.rigidity * (before * before - after * after)
    }
}

/// An elastic part beside friction: a moment at a bend, from friction after a change.
#[inline(always)]
fn beside(Slid { potential, friction, slope, chord }: Slid, rigidity: f64, bend: f64) -> Response {
    let stored = 0.5 * rigidity * bend * bend;
    Response {
        potential: stored + potential,
        stored,
        moment: rigidity * bend + friction,
        slope: rigidity + slope,
        chord: rigidity + chord,
        lost: friction,
    }
}

/// A hinge within a step: 56 bytes.
#[derive(Clone, Copy, Debug)]
pub struct HysteresisCommitted {
    /// Angle from the shape of rest [rad].
    bend: f64,
    /// b₂ ‖e‖/h̄ [N·m].
    rigidity: f64,
    friction: Branches,
}

impl Committed for HysteresisCommitted {
    #[inline(always)]
    fn respond(&self, change: f64) -> Response {
        beside(self.friction.after(change), self.rigidity, self.bend + change)
    }
}

impl BendingLaw for Hysteresis {
    const NAME: &'static str = "bending-hysteresis";

    type Committed = HysteresisCommitted;

    fn of(rigidity: f64, faces: [&FaceMaterial; 2], weight: f64) -> Self {
        let mean = |value: fn(&FaceMaterial) -> f64| value(faces[0]) * weight + value(faces[1]) * (1.0 - weight);
        Hysteresis {
            rigidity,
            friction: 0.5 * mean(|m| m.bend_hysteresis),
            transition: mean(|m| m.bend_transition),
            crease: mean(|m| m.bend_crease),
            fatigue: mean(|m| m.bend_fatigue),
        }
    }

    fn untouched(&self, rest: f64) -> Crease {
        Crease { angle: rest, rest, friction: 0.0, way: self.transition, turn: 0.0, open: 0.0, fresh: 1.0 }
    }

    fn admit(&self, crease: &mut Crease) {
        self.worn(crease).admit(crease);
    }

    fn respond(&self, crease: &Crease, curvature: f64, change: f64) -> Response {
        beside(self.worn(crease).after(crease, change), self.rigidity, curvature)
    }

    fn committed(&self, crease: &Crease, height: f64, length: f64) -> HysteresisCommitted {
        HysteresisCommitted {
            bend: crease.angle - crease.rest,
            rigidity: self.rigidity * length / height,
            friction: self.worn(crease).branches(crease, height, length),
        }
    }

    fn commit(&self, crease: &mut Crease, height: f64, angle: f64) -> f64 {
        let change = (angle - crease.angle) / height;
        let (start, mut released) = (super::curvature(crease, height), 0.0);
        let moment = self.rigidity * start + crease.friction;
        if moment * change >= 0.0 {
            if change != 0.0 {
                released = self.settle(crease, height, moment);
            }
            self.worn(crease).slide(crease, change);
        } else {
            let sign = moment.signum();
            let m0 = self.worn(crease).limit;
            if m0 > 0.0 && sign * crease.friction >= m0 {
                (crease.turn, crease.open) = (moment, 1.0);
            }
            let (mut end, law) = (*crease, self.worn(crease));
            law.slide(&mut end, change);
            // Where the recovery ends is asked only if it does: it takes a root.
            if sign * (self.rigidity * (start + change) + end.friction) <= 0.0 {
                let recovery = sign * (sign * self.recovery(crease, start, sign)).max(-change.abs());
                law.slide(crease, recovery);
                crease.angle += recovery * height;
                released = self.settle(crease, height, 0.0);
                (crease.turn, crease.open) = (0.0, 0.0);
                self.worn(crease).slide(crease, change - recovery);
            } else {
                *crease = end;
            }
        }
        crease.angle = angle;
        released
    }
}
