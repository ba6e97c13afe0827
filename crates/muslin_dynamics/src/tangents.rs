//! Linear models of the supports, each taken where its *force* is expected to be.
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
//! overshot, for the model has no stiffness along its way: it sticks. F follows λ once the normal forces are about
//! right: before, single forces far too large would drag the cloth away.

use crate::{
    grips::Hold,
    supports::{Support, Supports},
};
use glam::{DMat3, DVec3};

/// Part of the range from which on a tangent without a foretold force is taken [-].
const DEEPEST: f64 = 0.25;
/// Newton iterations for the gap of a force; they start on the side from which they are monotonous.
const GAP_ITERATIONS: usize = 6;
/// The gap is found when an iteration moves it by less than this part of it [-].
const GAP_EXACT: f64 = 1e-6;
/// A model of a contact that a solve left below its floor is this many times as stiff as its law [-]: loads that nobody
/// foresaw are found in fewer solves.
const STIFFER: f64 = 3.0;
/// A foretold force below this part of the law's at the same gap is none [-].
const LEAST_FORCE: f64 = 1e-3;

/// What a support's friction does in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Grip {
    /// A spring.
    #[default]
    Stick,
    /// The limit, against this way [m].
    Slip(DVec3),
}

/// The model of one support.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tangent {
    /// Normal force λ [N] at the gap ĝ [m], and how it falls from there [N/m].
    force: f64,
    gap: f64,
    stiffness: f64,
    /// The force that the last solve foretold, if it pushed [N].
    carried: f64,
    grip: Grip,
}

impl Tangent {
    /// The tangent at a gap.
    fn at(support: &Support, gap: f64) -> Self {
        let deepest = support.floor + DEEPEST * (support.range - support.floor);
        let gap = gap.max(deepest);
        let [_, slope, curvature] = support.repulsion(gap);
        Tangent { force: -slope, gap, stiffness: curvature, ..Tangent::default() }
    }

    /// The tangent where the law gives a force [N]; a law that gives it only beyond its floor is made stronger.
    fn of_force(support: &mut Support, force: f64) -> Self {
        support.strengthen(force);
        let width = support.range - support.floor;
        let wanted = force * width / support.strength;
        // (1 − s)²/s is below the law: its gap is too small, and Newton's method on the convex law comes from there.
        let b = 2.0 + wanted;
        let mut s = 2.0 / (b + (b * b - 4.0).sqrt());
        for _ in 0..GAP_ITERATIONS {
            let [_, slope, curvature] = support.repulsion(support.floor + s * width);
            if !(curvature > 0.0) {
                break;
            }
            let step = (-slope - force) / (curvature * width);
            s += step;
            if !(step > GAP_EXACT * s) {
                break;
            }
        }
        let gap = support.floor + s * width;
        let [_, slope, curvature] = support.repulsion(gap);
        Tangent { force: -slope, gap, stiffness: curvature, ..Tangent::default() }
    }

    /// The normal force of the model [N].
    fn foretold(&self, gap: f64) -> f64 {
        self.force - self.stiffness * (gap - self.gap)
    }

    /// Gradient by r [N].
    fn gradient(&self, support: &Support, r: DVec3) -> DVec3 {
        let mut gradient = support.normal * -self.foretold(support.normal.dot(r));
        if support.friction > 0.0 {
            let way = support.across(r);
            gradient += match self.grip {
                Grip::Stick => way * (support.friction / support.slip),
                Grip::Slip(old) => {
                    let length = old.length();
                    let along = old / length;
                    (along + (way - along * along.dot(way)) / length) * support.friction
                }
            };
        }
        gradient
    }

    /// Second derivative by r [N/m].
    fn hessian(&self, support: &Support) -> DMat3 {
        let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        let mut hessian = outer(support.normal) * self.stiffness;
        if support.friction > 0.0 {
            let across = DMat3::IDENTITY - outer(support.normal);
            hessian += match self.grip {
                Grip::Stick => across * (support.friction / support.slip),
                Grip::Slip(old) => {
                    let length = old.length();
                    (across - outer(old / length)) * (support.friction / length)
                }
            };
        }
        hessian
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
        let turned_back = matches!(self.grip, Grip::Slip(old) if old.dot(way) < 0.0);
        if way.length() > support.slip && !turned_back {
            next.grip = Grip::Slip(way);
        }
        next
    }
}

/// The models of all supports of a step.
#[derive(Debug, Default)]
pub(crate) struct Tangents {
    list: Vec<Tangent>,
    /// How many contacts without a known force share each vertex, weighted [-].
    sharing: Vec<f64>,
}

impl Tangents {
    /// First models: the forces of the step before where they are known; forces that stop what arrives, with the
    /// inertia of each vertex [N/m]; else tangents at some positions.
    pub fn begin(&mut self, supports: &mut Supports, positions: &[DVec3], inertia: impl Fn(u32) -> f64) {
        self.list.clear();
        self.sharing.clear();
        self.sharing.resize(positions.len(), 0.0);
        for support in &supports.list {
            if support.load == 0.0 && support.normal.dot(support.at(positions)) < support.floor {
                support.movable().for_each(|(v, w)| self.sharing[v as usize] += w.abs());
            }
        }
        let sharing = &self.sharing;
        // The force that stops the vertices of a support, shared with the others that do.
        let arrival = |support: &Support, gap: f64| {
            let give = |(v, w): (u32, f64)| w * w * sharing[v as usize] / inertia(v);
            let give: f64 = support.movable().map(give).sum();
            (0.5 * (support.floor + support.range) - gap) / give
        };
        self.list.extend(supports.list.iter_mut().map(|support| {
            let r = support.at(positions);
            let mut tangent = if support.load > 0.0 {
                Tangent::of_force(support, support.load)
            } else if support.normal.dot(r) < support.floor {
                Tangent::of_force(support, arrival(support, support.normal.dot(r)))
            } else {
                Tangent::at(support, support.normal.dot(r))
            };
            let way = support.across(r);
            if way.length() > support.slip {
                tangent.grip = Grip::Slip(way);
            }
            tangent
        }));
    }

    /// Adds the gradient of the models at some positions [N].
    pub fn add_gradient(&self, supports: &Supports, positions: &[DVec3], out: &mut [DVec3]) {
        for (support, tangent) in supports.list.iter().zip(&self.list) {
            let gradient = tangent.gradient(support, support.at(positions));
            if gradient != DVec3::ZERO {
                support.movable().for_each(|(v, w)| out[v as usize] += gradient * w);
            }
        }
    }

    /// Second derivative of a support's model by r [N/m].
    pub fn hessian(&self, k: usize, support: &Support) -> DMat3 {
        self.list[k].hessian(support)
    }

    /// Takes the next models after a solve has led to some positions, and says how wrong the old
    /// models were there, in parts of all forces or of a least force [N].
    pub fn follow(&mut self, supports: &mut Supports, positions: &[DVec3], least: f64) -> Wrong {
        let (mut wrong, mut forces) = (Wrong::default(), 0.0);
        for (support, tangent) in supports.list.iter_mut().zip(&mut self.list) {
            let r = support.at(positions);
            let gap = support.normal.dot(r);
            let model = tangent.gradient(support, r);
            let foretold = tangent.foretold(gap);
            let law = support.gradient(r).1;
            *tangent = tangent.next(support, r);
            let difference = law - model;
            wrong.law += difference.length();
            let across = difference - support.normal * support.normal.dot(difference);
            let along = if foretold < 0.0 || gap > support.range {
                foretold.abs()
            } else if gap < support.floor {
                support.normal.dot(difference).abs()
            } else {
                0.0
            };
            wrong.normal += along;
            wrong.contact += across.length() + along;
            wrong.deepest = wrong.deepest.max(1.0 - gap / support.floor);
            forces += model.length().min(law.length()).max(tangent.carried);
        }
        let scale = 1.0 / forces.max(least);
        let [law, normal, contact] = [wrong.law, wrong.normal, wrong.contact].map(|sum| sum * scale);
        Wrong { law, normal, contact, ..wrong }
    }

    /// Gives all supports the friction limits of the forces that the last solve foretold; returns the sum of all
    /// changes in parts of all limits, or of a least force [N] [-].
    pub fn renew_friction(&self, supports: &mut Supports, least: f64) -> f64 {
        let (mut changes, mut limits) = (0.0, 0.0);
        for (support, tangent) in supports.list.iter_mut().zip(&self.list) {
            let limit = support.coefficient * tangent.carried;
            changes += (limit - support.friction).abs();
            limits += limit;
            support.friction = limit;
        }
        changes / limits.max(least)
    }

    /// Lets friction that depends on the speed follow it; returns the sum of all changes in parts of all friction [-]. See
    /// [`crate::grips`].
    pub fn follow_speeds(&self, supports: &mut Supports, positions: &[DVec3], masses: &[f64]) -> f64 {
        supports.follow_speeds(positions, masses, |k| self.list[k].carried)
    }

    /// Lets contacts go over from sticking to sliding and back; says whether there is a new balance to look for.
    pub fn change_holds(&mut self, supports: &mut Supports, positions: &[DVec3]) -> bool {
        let mut stuck = Vec::new();
        let again = |k, hold| stuck.extend((hold == Hold::Sticks).then_some(k));
        let changed = supports.change_holds(positions, |k: usize| self.list[k].carried, again);
        stuck.into_iter().for_each(|k| self.list[k].grip = Grip::Stick);
        changed
    }

    /// Scales each support's law so that it has the force that the solve gave it at the gap that the solve left: what
    /// reads forces from positions afterwards finds those that acted.
    pub fn settle(&self, supports: &mut Supports, positions: &[DVec3]) {
        for (support, tangent) in supports.list.iter_mut().zip(&self.list) {
            let law = -support.repulsion(support.normal.dot(support.at(positions)))[1];
            if law > 0.0 {
                support.strength *= tangent.carried / law;
            }
        }
    }
}

/// How wrong models are, in parts of all forces [-].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wrong {
    /// Against the supports' laws.
    pub law: f64,
    /// Forces that pull or act from afar, and gaps below the floor.
    pub normal: f64,
    /// Against what a contact is: forces that pull or act from afar, gaps below the floor, friction beyond its limit. Within
    /// floor and range any gap will do for any force.
    pub contact: f64,
    /// How far the smallest gap is below its floor, in parts of the floor.
    pub deepest: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(friction: f64) -> Support {
        Support {
            vertices: [0, u32::MAX, u32::MAX, u32::MAX],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal: DVec3::Z,
            constant: DVec3::ZERO,
            reference: DVec3::ZERO,
            begin: DVec3::ZERO,
            range: 5e-4,
            floor: 1.25e-4,
            strength: 2e-6,
            friction: 0.0,
            load: 0.0,
            coefficient: friction,
            slip: 1e-5,
        }
    }

    /// Solves until contact is right: a mass [N/m] that a force [N] presses on a support, from some place [m].
    fn settle(friction: f64, inertia: f64, force: DVec3, from: DVec3) -> (DVec3, Support, usize) {
        let mut supports = Supports { list: vec![support(friction)], rate: 60.0, ..Supports::default() };
        let mut tangents = Tangents::default();
        let mut x = [from];
        tangents.begin(&mut supports, &x, |_| inertia);
        for solves in 1..20 {
            let mut gradient = [x[0] * inertia - force];
            tangents.add_gradient(&supports, &x, &mut gradient);
            let hessian = tangents.hessian(0, &supports.list[0]) + DMat3::from_diagonal(DVec3::splat(inertia));
            x[0] -= hessian.inverse() * gradient[0];
            let wrong = tangents.follow(&mut supports, &x, 1e-9);
            if wrong.law < 1e-9 && tangents.renew_friction(&mut supports, 1e-9) < 1e-9 {
                return (x[0], supports.list[0], solves);
            }
        }
        panic!("no balance of {force} from {from}");
    }

    #[test]
    fn the_tangent_of_a_force_touches_the_law_where_it_has_that_force() {
        let mut support = support(0.0);
        // The barrier itself, not its expansion below a tenth: −(1 − s)² ln s.
        let law = |support: &Support, gap: f64| {
            let width = support.range - support.floor;
            let s = (gap - support.floor) / width;
            support.strength / width * ((1.0 - s) * (1.0 - s) / s - 2.0 * (1.0 - s) * s.ln())
        };
        for exponent in -5..=1 {
            let force = 6e-3 * 10f64.powi(exponent);
            let tangent = Tangent::of_force(&mut support, force);
            let law = |gap: f64| law(&support, gap);
            assert!((law(tangent.gap) - force).abs() < 1e-6 * force, "{force} N at {} m", tangent.gap);
            assert!(tangent.gap >= support.floor, "{force} N at {} m", tangent.gap);
            let slope = (law(tangent.gap + 1e-9) - law(tangent.gap - 1e-9)) / 2e-9;
            assert!((slope + tangent.stiffness).abs() < 1e-4 * tangent.stiffness);
        }
    }

    #[test]
    fn a_load_is_balanced_in_few_solves_from_anywhere() {
        for weight in [1e-4, 3e-3, 4e-2] {
            for from in [-5e-3, 0.0, 2e-4, 4.9e-4, 3e-3] {
                let (x, _, solves) = settle(0.0, 1e-6, DVec3::NEG_Z * weight, DVec3::Z * from);
                let force = -support(0.0).repulsion(x.z)[1];
                assert!((force - weight).abs() < 1e-4 * weight, "{force} N carry {weight} N");
                assert!(solves <= 7, "{solves} solves for {weight} N from {from} m");
            }
        }
    }

    #[test]
    fn friction_holds_what_is_below_its_limit_and_gives_its_limit_beyond() {
        let weight = 3e-3;
        for (push, from) in [(0.2, 0.0), (0.2, 4e-3), (0.29, -4e-3), (0.35, 0.0), (0.5, 2e-3)] {
            let inertia = 1.0;
            let force = DVec3::new(push * weight, 0.0, -weight);
            let (x, support, _) = settle(0.3, inertia, force, DVec3::new(from, 0.0, 3e-4));
            let held = push * weight - inertia * x.x;
            let limit = 0.3 * (weight + inertia * x.z);
            if push < 0.3 {
                assert!(x.x.abs() < support.slip, "{push} of the weight moves it by {} m", x.x);
            } else {
                assert!((held - limit).abs() < 1e-6 * limit && x.x > support.slip, "{push}: {held} N hold it");
            }
        }
    }
}
