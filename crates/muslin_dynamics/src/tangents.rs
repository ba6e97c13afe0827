//! The linear models of all supports of a step; see [`crate::tangent`].

use crate::{
    grips::Hold,
    supports::{MOVED_BY_SCENE, Support, Supports},
    tangent::{Grip, Tangent, Wrong},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// Supports of a piece of parallel work. Fixed: it is part of the result's bits.
const PIECE: usize = 256;

/// Friction below this part of a mean vertex weight, taken together, need not be right [-].
const LEAST_FRICTION: f64 = 1e-2;
/// A contact whose anchor is stretched by less than this part of the way at which it gives has stuck; one that has slid is
/// stretched by all of it [-].
const STUCK: f64 = 0.95;
/// A contact creeps that slid by at least the way at which it gives, and by less than this many times that [-].
const CREEPS: f64 = 20.0;
/// Its spring is at most this many times as long as that of a sticking one [-].
const SOFTEST: f64 = 10.0;

/// The models of all supports of a step.
#[derive(Debug, Default)]
pub(crate) struct Tangents {
    list: Vec<Tangent>,
    /// How many contacts without a known force share each vertex, weighted [-].
    sharing: Vec<f64>,
    /// Gradient by r [N] and second derivative [N/m] of each model.
    gradients: Vec<DVec3>,
    hessians: Vec<DMat3>,
}

impl Tangents {
    /// First models: the forces of the step before where they are known; forces that stop what arrives, with the
    /// inertia of each vertex [N/m]; else tangents at some positions.
    pub fn begin(&mut self, supports: &mut Supports, positions: &[DVec3], inertia: impl Fn(u32) -> f64 + Sync + Send) {
        self.list.clear();
        self.list.resize(supports.list.len(), Tangent::default());
        self.sharing.clear();
        self.sharing.resize(positions.len(), 0.0);
        for support in &supports.list {
            if support.load == 0.0 && support.normal.dot(support.at(positions)) < support.floor {
                support.movable().for_each(|(v, w)| self.sharing[v as usize] += w.abs());
            }
        }
        let sharing = &self.sharing;
        let two_limits = !supports.grips.list.is_empty();
        // The force that stops the vertices of a support, shared with the others that do.
        let arrival = |support: &Support, gap: f64| {
            let give = |(v, w): (u32, f64)| w * w * sharing[v as usize] / inertia(v);
            let give: f64 = support.movable().map(give).sum();
            (0.5 * (support.floor + support.range) - gap) / give
        };
        let first = |support: &mut Support| {
            let r = support.at(positions);
            let mut tangent = if support.load > 0.0 {
                Tangent::of_force(support, support.load)
            } else if support.normal.dot(r) < support.floor {
                Tangent::of_force(support, arrival(support, support.normal.dot(r)))
            } else {
                Tangent::at(support, support.normal.dot(r))
            };
            tangent.grip = match first_grip(support, r) {
                // Which of its two limits a contact has there depends on whether it sticks (`grips.rs`).
                Grip::Creep(_) if two_limits => Grip::Slip(support.before().normalize() * support.across(r).length()),
                grip => grip,
            };
            tangent
        };
        parallel::map_pieces(&mut self.list, &mut supports.list, PIECE, |_, list, supports| {
            list.iter_mut().zip(supports).for_each(|(tangent, support)| *tangent = first(support));
        });
    }

    /// Adds the gradient of the models at some positions [N].
    pub fn add_gradient(&mut self, supports: &Supports, positions: &[DVec3], out: &mut [DVec3]) {
        let (list, supports) = (&self.list, &supports.list);
        parallel::refill(&mut self.gradients, list.len(), PIECE, |k| {
            list[k].gradient(&supports[k], supports[k].at(positions))
        });
        for (support, &gradient) in supports.iter().zip(&self.gradients) {
            if gradient != DVec3::ZERO {
                support.movable().for_each(|(v, w)| out[v as usize] += gradient * w);
            }
        }
    }

    /// Second derivatives of the supports' models by r [N/m].
    pub fn hessians(&mut self, supports: &Supports) -> &[DMat3] {
        let (list, supports) = (&self.list, &supports.list);
        parallel::refill(&mut self.hessians, list.len(), PIECE, |k| list[k].hessian(&supports[k]));
        &self.hessians
    }

    /// Takes the next models after a solve has led to some positions, and says how wrong the old
    /// models were there, in parts of all forces or of a least force [N].
    pub fn follow(&mut self, supports: &mut Supports, positions: &[DVec3], least: f64) -> Wrong {
        let add = |(mut wrong, forces): (Wrong, f64), (one, force): (Wrong, f64)| {
            wrong.law += one.law;
            wrong.normal += one.normal;
            wrong.contact += one.contact;
            wrong.excess += one.excess;
            wrong.deepest = wrong.deepest.max(one.deepest);
            (wrong, forces + force)
        };
        let nothing = (Wrong::default(), 0.0);
        let pieces = parallel::map_pieces(&mut supports.list, &mut self.list, PIECE, |_, supports, list| {
            let pairs = supports.iter_mut().zip(list);
            pairs.map(|(support, tangent)| tangent.follow(support, support.at(positions))).fold(nothing, add)
        });
        let (wrong, forces) = pieces.into_iter().fold(nothing, add);
        let scale = 1.0 / forces.max(least);
        let [law, normal, contact] = [wrong.law, wrong.normal, wrong.contact].map(|sum| sum * scale);
        let limits: f64 = supports.list.iter().map(|support| support.friction).sum();
        let excess = if limits > 0.0 { wrong.excess / limits.max(LEAST_FRICTION * least) } else { 0.0 };
        Wrong { law, normal, contact, excess, ..wrong }
    }

    /// Gives all supports the friction limits of the forces that the last solve foretold; returns the sum of all
    /// changes, and the change of the sum, in parts of all limits, or of a least force [N] [-].
    pub fn renew_friction(&self, supports: &mut Supports, least: f64) -> [f64; 2] {
        let (mut changes, mut change, mut limits) = (0.0, 0.0, 0.0);
        for (support, tangent) in supports.list.iter_mut().zip(&self.list) {
            let limit = support.coefficient * tangent.carried;
            changes += (limit - support.friction).abs();
            change += limit - support.friction;
            limits += limit;
            support.friction = limit;
        }
        [changes, f64::abs(change)].map(|sum| sum / limits.max(least))
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

    /// Scales each support's law so that it has the force that the solve gave it at the gap that the solve left, and lets
    /// contacts that have crept stick where they are: what reads forces from positions afterwards finds those that acted.
    pub fn settle(&mut self, supports: &mut Supports, positions: &[DVec3]) {
        let settle = |(support, tangent): (&mut Support, &Tangent)| {
            let r = support.at(positions);
            let law = -support.repulsion(support.normal.dot(r))[1];
            if law > 0.0 {
                support.strength *= tangent.carried / law;
            }
            if tangent.is_held(support, r) {
                let stretch = tangent.pull(support, r) * (support.slip / support.friction);
                support.reference += support.across(r) - stretch;
            }
        };
        parallel::map_pieces(&mut supports.list, &mut self.list, PIECE, |_, supports, list| {
            supports.iter_mut().zip(&*list).for_each(settle);
        });
    }
}

/// What friction does in the first model, where the first guess brings r. Where cloth touches cloth, contacts that slid go on
/// to slide, along the way of the step before, which their anchor tells, or creep if it is a short one; those that stuck go on
/// to stick, though a guess without forces tears them off. What the scene moves may press so hard that a contact which is to stick, and does
/// not, drags the cloth along.
fn first_grip(support: &Support, r: DVec3) -> Grip {
    let way = support.across(r);
    if way.length() <= support.slip {
        return Grip::Stick;
    }
    let before = support.before();
    let stretch = before.length() / support.slip;
    if support.load == 0.0 || support.vertices.contains(&MOVED_BY_SCENE) || stretch > 2.0 - STUCK {
        Grip::Slip(way)
    } else if stretch < STUCK {
        Grip::Stick
    } else {
        let along = before.normalize();
        let on = (way - before).dot(along) / support.slip;
        if on >= 1.0 && (way - before).length() < CREEPS * support.slip {
            Grip::Creep(on.min(SOFTEST) * support.slip)
        } else {
            Grip::Slip(along * way.length())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supports::Reaction;

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
            start: DVec3::ZERO,
            drag: 0.0,
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
            let hessian = tangents.hessians(&supports)[0] + DMat3::from_diagonal(DVec3::splat(inertia));
            x[0] -= hessian.inverse() * gradient[0];
            let wrong = tangents.follow(&mut supports, &x, 1e-9);
            if wrong.law < 1e-9 && tangents.renew_friction(&mut supports, 1e-9)[0] < 1e-9 {
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

    /// Looks for the balance of the first vertex of a support, from a guess, with an inertia [N/m] that holds it where it would go
    /// freely [m], and a force [N]; the other side does not move. Returns its end and what the support does there.
    fn balance(supports: &mut Supports, inertia: f64, [guess, free]: [DVec3; 2], force: DVec3) -> (DVec3, Reaction) {
        let mut x = [guess, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let mut tangents = Tangents::default();
        tangents.begin(supports, &x, |_| inertia);
        for _ in 0..12 {
            let mut gradient = [DVec3::ZERO; 4];
            gradient[0] = (x[0] - free) * inertia - force;
            tangents.add_gradient(supports, &x, &mut gradient);
            let hessian = tangents.hessians(supports)[0] + DMat3::from_diagonal(DVec3::splat(inertia));
            x[0] -= hessian.inverse() * gradient[0];
            tangents.follow(supports, &x, 1e-9);
        }
        tangents.settle(supports, &x);
        (x[0], supports.list[0].reaction(&x))
    }

    #[test]
    fn what_creeps_sticks_where_it_is_held_and_slides_where_it_is_not() {
        // Loaded by 0.01 N, at its limit of 0.003 N along x when the step begins; the vertex has an inertia.
        let (load, inertia, slip) = (1e-2, 1.0, 1e-5);
        for (push, held) in [(1e-3, true), (-1e-3, true), (2.9e-3, true), (4.5e-3, false)] {
            let begun = DVec3::new(slip, 0.0, 2e-4);
            let mut one = Support { vertices: [0, 1, 2, 3], weights: [1.0, -0.5, -0.25, -0.25], ..support(0.3) };
            (one.load, one.friction, one.begin) = (load, 0.3 * load, begun);
            let mut supports = Supports { list: vec![one], rate: 60.0, ..Supports::default() };
            let guess = begun + DVec3::X * 5.0 * slip;
            assert!(matches!(first_grip(&one, guess), Grip::Creep(_)));
            let (x, reaction) = balance(&mut supports, inertia, [guess, begun], DVec3::new(push, 0.0, -load));
            // In balance with what reads the forces afterwards, within the limit, and along the push.
            let left = (x - begun).x * inertia - push - reaction.friction.x;
            assert!(left.abs() < 1e-6 * push.abs(), "{push} N: {left} N are left");
            assert_eq!(reaction.way.length() <= slip, held, "{push} N");
            assert!(reaction.friction.length() <= 0.3 * load * (1.0 + 1e-9) && reaction.friction.x * push < 0.0);
            assert!(!held || (x - begun).x > -10.0 * slip, "{push} N move it by {}", x - begun);
        }
    }

    /// Steps of 1/60 s of a point of 0.1 g that a load [N] of each step pulls along x over another cloth, from rest; friction holds
    /// 3 mN. Returns its way and the work of friction over the limit, in slips.
    fn pulled(steps: usize, load: impl Fn(usize) -> f64) -> [f64; 2] {
        let (weight, step, slip) = (1e-2, 1.0 / 60.0, 1e-5);
        let inertia = 1e-4 / (step * step);
        let (mut x, mut v, mut stretch, mut work) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..steps {
            let begun = DVec3::new(x, 0.0, 2e-4);
            let mut one = Support { vertices: [0, 1, 2, 3], weights: [1.0, -0.5, -0.25, -0.25], ..support(0.3) };
            (one.load, one.friction, one.begin) = (weight, 0.3 * weight, begun);
            one.reference = DVec3::X * (x - stretch);
            let mut supports = Supports { list: vec![one], rate: 1.0 / step, ..Supports::default() };
            let free = begun + DVec3::X * (v * step);
            let force = DVec3::new(load(k), 0.0, -weight);
            let (end, reaction) = balance(&mut supports, inertia, [free; 2], force);
            let moved = end.x - x;
            work += reaction.friction.x * moved;
            (x, v) = (end.x, moved / step);
            stretch = reaction.way.x.clamp(-slip, slip);
        }
        [x / slip, work / (0.3 * weight * slip)]
    }

    #[test]
    fn a_load_below_the_limit_that_comes_and_goes_moves_nothing_and_friction_gives_no_energy() {
        let square = |low: f64, high: f64, [up, down]: [usize; 2]| {
            move |k: usize| {
                3e-3 * if k < 20 {
                    low
                } else if k % (up + down) < up {
                    high
                } else {
                    low
                }
            }
        };
        for (low, high, times) in [(0.9, 0.96, [3, 5]), (0.5, 0.97, [3, 5]), (0.5, 0.955, [1, 1])] {
            let [way, work] = pulled(1000, square(low, high, times));
            assert!((0.0..1.0).contains(&way), "{low} to {high}: {way} slips");
            assert!(work <= 0.0, "{low} to {high}: {work}");
        }
        let [way, work] = pulled(2000, |k| 3e-3 * (0.5 + 0.48 * (k as f64 * 0.76).sin()));
        assert!(way.abs() < 1.0 && work <= 0.0, "{way} slips, {work}");
        // Beyond the limit it goes on, and friction takes what that costs.
        let [way, work] = pulled(1000, square(0.9, 1.01, [3, 5]));
        assert!(way > 100.0 && work < -0.9 * way, "{way} slips, {work}");
    }

    #[test]
    fn contacts_of_two_cloths_begin_as_they_were_and_others_as_the_guess_has_them() {
        let two = |load: f64, stretch: f64| {
            let mut support = Support { vertices: [0, 1, 2, 3], weights: [1.0, -0.5, -0.25, -0.25], ..support(0.3) };
            (support.load, support.begin) = (load, DVec3::X * stretch * support.slip);
            support
        };
        let guess = DVec3::new(1e-3, 1e-3, 0.0);
        let slips = |support: &Support, way: DVec3| match first_grip(support, guess) {
            Grip::Slip(found) => found.distance(way) < 1e-15,
            Grip::Stick | Grip::Creep(_) => false,
        };
        assert_eq!(first_grip(&two(1.0, 0.5), guess), Grip::Stick);
        assert!(slips(&two(1.0, 1.0), DVec3::X * 2f64.sqrt() * 1e-3), "on along the old way");
        let creeps = |way: DVec3| matches!(first_grip(&two(1.0, 1.0), way), Grip::Creep(_));
        assert!(creeps(DVec3::new(1.5e-4, 1e-4, 0.0)) && creeps(DVec3::X * 2.1e-5));
        assert!(!creeps(DVec3::X * 1.9e-5), "it has hardly slid");
        assert!(!creeps(DVec3::X * -1e-4) && !creeps(DVec3::new(1e-4, 3e-4, 0.0)), "it goes elsewhere");
        assert!(slips(&two(0.0, 0.5), guess), "a new contact");
        assert!(slips(&two(1.0, 3.0), guess), "no anchor is stretched so far");
        assert!(slips(&Support { load: 1.0, ..support(0.3) }, guess), "something that the scene moves");
        assert_eq!(first_grip(&two(0.0, 1.0), DVec3::Y * 5e-6), Grip::Stick);
    }
}
