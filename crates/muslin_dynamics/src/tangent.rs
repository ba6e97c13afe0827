//! The linear model of a support, taken where its *force* is expected to be.
//!
//! Newton's method replaces a support's law by its tangent at the present gap. A barrier's tangent is good only
//! close by: too flat outside, so that the next iterate lies far too deep, and then the force halves from
//! iteration to iteration until it is right. But the solve has told the force at once: the linear model is in balance
//! with the cloth, and where a load presses, the force is what the balance says, whatever the law. So the next
//! tangent is taken at the gap ĝ where the law gives the force λ that the last model foretold, and not at the gap
//! where the iterate happens to lie (the primal–dual idea of interior-point methods). Resting contacts begin with
//! the force of the step before.
//!
//! Contacts that arrive begin with the force that would stop their vertices halfway between floor and range, were there no
//! cloth around them: far too much where much cloth arrives, but the second model is a good one then, and starting from
//! the law at the gap took a fifth more solves.
//!
//! The law is convex, its tangent lies below it: the foretold force never exceeds the law's at the new gap. Where the
//! model says "pulls", or has known no force at all, the tangent is taken at the gap, but not deeper than [`DEEPEST`].
//! A force that the law gives only below its floor is no reason to be there: the law is made stronger, so that
//! gaps end above their floors whatever the load.
//!
//! **Friction** is a spring up to its limit F and a constant force beyond. A slipping contact that turned back has
//! overshot, for the model has no stiffness along its way: it sticks. Where layers are wrung, many contacts are at their limit
//! and hardly move, and half of them will be held in the next step. As slipping ones they would be pushed back by their own
//! friction, as sticking ones they might hold far more than their limit: they *creep*, on a soft spring that has the limit
//! where the step begins. One whose friction is then within its limit has come to rest, and sticks from there on. The spring
//! is no longer than the contact slid before, so that it never goes back farther than it came, nor gives back more than half of
//! what friction took. That saves a quarter of all solves of a wrung cloth. F follows λ once the normal forces are about
//! right: before, single forces far too large would drag the cloth away.

use crate::{barrier_gap::gap_of_force, supports::Support};
use glam::{DMat3, DVec3};

/// Part of the range from which on a tangent without a foretold force is taken [-].
const DEEPEST: f64 = 0.25;
/// A model of a contact that a solve left below its floor is this many times as stiff as its law [-]: loads that nobody
/// foresaw are found in fewer solves.
const STIFFER: f64 = 3.0;
/// A foretold force below this part of the law's at the same gap is none [-].
const LEAST_FORCE: f64 = 1e-3;

/// What a support's friction does in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Grip {
    /// A spring.
    #[default]
    Stick,
    /// The limit, against this way [m].
    Slip(DVec3),
    /// The limit where the step begins, and from there a spring that would give it over this way [m].
    Creep(f64),
}

/// The model of one support.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tangent {
    /// Normal force λ [N] at the gap ĝ [m], and how it falls from there [N/m].
    pub force: f64,
    pub gap: f64,
    pub stiffness: f64,
    /// The force that the last solve foretold, if it pushed [N].
    pub carried: f64,
    /// What friction does.
    pub grip: Grip,
}

impl Tangent {
    /// The tangent at a gap.
    pub fn at(support: &Support, gap: f64) -> Self {
        let deepest = support.floor + DEEPEST * (support.range - support.floor);
        let gap = gap.max(deepest);
        let [_, slope, curvature] = support.repulsion(gap);
        Tangent { force: -slope, gap, stiffness: curvature, ..Tangent::default() }
    }

    /// The tangent where the law gives a force [N]; a law that gives it only beyond its floor is made stronger.
    pub fn of_force(support: &mut Support, force: f64) -> Self {
        support.strengthen(force);
        let width = support.range - support.floor;
        let wanted = force * width / support.strength;
        let [s, curvature] = gap_of_force(wanted);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Tangent { gap: support.range, ..Tangent::default() };
        }
        let stiffness = curvature * support.strength / (width * width);
        Tangent { force, gap: support.floor + s * width, stiffness, ..Tangent::default() }
    }

    /// The normal force of the model [N].
    fn foretold(&self, gap: f64) -> f64 {
        self.force - self.stiffness * (gap - self.gap)
    }

    /// Gradient by r [N].
    pub fn gradient(&self, support: &Support, r: DVec3) -> DVec3 {
        let mut gradient = support.normal * -self.foretold(support.normal.dot(r)) + self.pull(support, r);
        if support.drag > 0.0 {
            gradient += support.moved(r) * support.drag;
        }
        gradient
    }

    /// Friction's part of it, without drag [N].
    pub fn pull(&self, support: &Support, r: DVec3) -> DVec3 {
        if support.friction > 0.0 {
            let way = support.across(r);
            match self.grip {
                Grip::Stick => way * (support.friction / support.slip),
                Grip::Creep(soft) => {
                    let before = support.before();
                    (way - before + before.normalize_or_zero() * soft) * (support.friction / soft)
                }
                Grip::Slip(old) => {
                    let length = old.length();
                    let along = old / length;
                    (along + (way - along * along.dot(way)) / length) * support.friction
                }
            }
        } else {
            DVec3::ZERO
        }
    }

    /// Whether the contact creeps, and its friction is within its limit where it comes to.
    pub fn is_held(&self, support: &Support, r: DVec3) -> bool {
        matches!(self.grip, Grip::Creep(_))
            && support.friction > 0.0
            && self.pull(support, r).length() <= support.friction
    }

    /// By how much the model's friction holds or pushes what the law lets go or holds, where a solve has come to [N]: a spring
    /// stretched beyond the limit, or the limit on a way that has turned round. In the mean over many contacts these errors do not cancel.
    fn excess(&self, support: &Support, r: DVec3) -> f64 {
        match self.grip {
            _ if support.friction <= 0.0 => 0.0,
            Grip::Stick | Grip::Creep(_) => (self.pull(support, r).length() - support.friction).max(0.0),
            Grip::Slip(old) if old.dot(support.across(r)) < 0.0 => 2.0 * support.friction,
            Grip::Slip(_) => 0.0,
        }
    }

    /// Second derivative by r [N/m].
    pub fn hessian(&self, support: &Support) -> DMat3 {
        let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        let mut hessian = outer(support.normal) * self.stiffness;
        if support.friction > 0.0 {
            let across = DMat3::IDENTITY - outer(support.normal);
            hessian += match self.grip {
                Grip::Stick => across * (support.friction / support.slip),
                Grip::Creep(soft) => across * (support.friction / soft),
                Grip::Slip(old) => {
                    let length = old.length();
                    (across - outer(old / length)) * (support.friction / length)
                }
            };
        }
        hessian + support.resistance()
    }

    /// The next model, after a solve with this one has led to r.
    fn next(&self, support: &mut Support, r: DVec3) -> Self {
        let gap = support.normal.dot(r);
        let foretold = self.foretold(gap);
        let law = -support.repulsion(gap)[1];
        let mut next = if foretold > LEAST_FORCE * law && foretold > 0.0 {
            Tangent::of_force(support, foretold)
        } else {
            Tangent::at(support, gap)
        };
        if gap < support.floor {
            next.stiffness *= STIFFER;
        }
        let mut next = Tangent { carried: foretold.max(0.0), ..next };
        let way = support.across(r);
        if self.is_held(support, r) {
            next.grip = self.grip;
            return next;
        }
        let turned_back = match self.grip {
            Grip::Slip(old) => old.dot(way) < 0.0,
            Grip::Creep(_) => support.before().dot(way) < 0.0,
            Grip::Stick => false,
        };
        if way.length() > support.slip && !turned_back {
            next.grip = Grip::Slip(way);
        }
        next
    }
}

impl Tangent {
    /// Becomes the next model after a solve with this one has led to r; says how wrong it was there [N], and which force
    /// that is to be compared with [N].
    pub fn follow(&mut self, support: &mut Support, r: DVec3) -> (Wrong, f64) {
        let gap = support.normal.dot(r);
        let model = self.gradient(support, r);
        let foretold = self.foretold(gap);
        let law = support.gradient(r).1;
        let held = self.is_held(support, r);
        let excess = if held { 0.0 } else { self.excess(support, r) };
        *self = self.next(support, r);
        let difference = law - model;
        let across = difference - support.normal * support.normal.dot(difference);
        // What creeps and is held has come to rest, wherever that is.
        let across = if held { DVec3::ZERO } else { across };
        let along = if foretold < 0.0 || gap > support.range {
            foretold.abs()
        } else if gap < support.floor {
            support.normal.dot(difference).abs()
        } else {
            0.0
        };
        let wrong = Wrong {
            law: difference.length(),
            normal: along,
            contact: across.length() + along,
            excess,
            deepest: 1.0 - gap / support.floor,
        };
        (wrong, model.length().min(law.length()).max(self.carried))
    }
}

/// How wrong models are: of one in newtons, of all in parts of all forces [-].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wrong {
    /// Against the supports' laws.
    pub law: f64,
    /// Forces that pull or act from afar, and gaps below the floor.
    pub normal: f64,
    /// Against what a contact is: forces that pull or act from afar, gaps below the floor, friction beyond its limit. Within
    /// floor and range any gap will do for any force.
    pub contact: f64,
    /// Friction beyond its limit, or along a way that has turned round: in parts of all limits.
    pub excess: f64,
    /// How far the smallest gap is below its floor, in parts of the floor.
    pub deepest: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supports::MOVED_BY_SCENE;

    /// A support that holds up to 3 mN across its normal, over 0.01 mm.
    fn support() -> Support {
        Support {
            vertices: [0, MOVED_BY_SCENE, MOVED_BY_SCENE, MOVED_BY_SCENE],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal: DVec3::Z,
            constant: DVec3::ZERO,
            reference: DVec3::ZERO,
            begin: DVec3::ZERO,
            range: 5e-4,
            floor: 1.25e-4,
            strength: 2e-6,
            friction: 3e-3,
            load: 1e-2,
            coefficient: 0.3,
            slip: 1e-5,
            start: DVec3::ZERO,
            drag: 0.0,
        }
    }

    #[test]
    fn excess_is_what_a_spring_holds_beyond_its_limit_and_what_a_turned_limit_pushes() {
        let at = |slips: f64| DVec3::new(slips * 1e-5, 0.0, 3e-4);
        let tangent = |grip: Grip| Tangent { grip, ..Tangent::default() };
        let excess = |grip: Grip, slips: f64| tangent(grip).excess(&support(), at(slips));
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found} N for {expected} N");
        near(excess(Grip::Stick, 0.9), 0.0);
        // Half a slip beyond its limit the spring pulls half as much again.
        near(excess(Grip::Stick, -1.5), 1.5e-3);
        near(excess(Grip::Slip(DVec3::X * 1e-4), 5.0), 0.0);
        // The limit on a way that turned round pushes what it should hold.
        near(excess(Grip::Slip(DVec3::X * 1e-4), -0.1), 6e-3);
        let without = Support { friction: 0.0, ..support() };
        near(tangent(Grip::Stick).excess(&without, at(5.0)), 0.0);
    }
}
