//! Friction of supports where it depends on the speed of sliding (W 7 inside the implicit solve, which the thesis leaves open).
//!
//! A support's friction is a spring up to its limit F and F beyond (`supports.rs`). With Coulomb's law F = µN and nothing else
//! is needed. Here µ is one number at rest and a curve when sliding, and the force has to be found *with* the end of the step.
//!
//! **The incremental law.** Let δ be the way at which static friction gives, k = µ_s N/δ the spring, h the step. A contact
//! that *sticks* has the limit µ_s N, reached at δ. A contact that *slides* has the limit µ(v) N, reached at δ µ(v)/µ_s on the
//! same spring, with v = (‖u‖ − δ µ/µ_s)/h: the way that it slides within the step, over the step. So the force does
//! not jump where a contact goes over from one to the other, and the spring never holds more energy than was put into it.
//!
//! Here µ is the dry part of the law, Coulomb's and Stribeck's. The viscous part (c_v N + F_v) v^δ_v of what slides is a drag D = (c_v N + F_v) v^(δ_v−1)
//! times the velocity that the solve finds, a convex potential of the support (`supports.rs`). With δ_v = 1 that is all of it, whatever its
//! strength; else D follows the speed.
//!
//! **Why not one potential.** ∫ µ(v) dv has no convex potential where Stribeck's curve falls: sticking and sliding are then both
//! balances of the same step. Which one holds is a matter of the past, so it is state: a contact that stuck goes on
//! sticking until µ_s N is exceeded, one that slid goes on sliding until it stops or turns round. Within a solve every µ is a number,
//! the problem stays convex, and what the solve finds changes the numbers:
//!
//! 1. While the balance is looked for, each sliding µ follows the speed: v′ is the root of v′ = v − c (µ(v′) − µ), where v is the
//!    speed that the last solve found with µ, and c = h Σ |wᵢ| Nᵢ/mᵢ is what a change of all µ at its vertices would do to it.
//!    µ + D v/N stands for µ there: both follow, and without c the iteration would diverge where D depends much on the speed.
//!    Cloth around a contact holds it back, so that c is rather too large; where Stribeck's curve is steep µ may then swing between
//!    two values for ever. So each change that takes back the one before halves what a contact's changes do, in the logarithm of the
//!    speed: half of that is about half of the change of µ.
//! 2. When the balance is found, contacts that overstepped δ by [`OVERSTEPS`] begin to slide, and contacts that slid and would
//!    turn round within the step stick: between the two directions lies rest. The balance is looked for again. A contact changes at most
//!    [`MOST_CHANGES`] times within a step, so that it ends; what overload is left shows as sliding in the next step.
//!
//! **Rest.** The spring of a sticking contact swings: a load that comes at once stretches it twice as far as its weight would,
//! and would tear it off at half of static friction wherever the step resolves the swing. It is damped, which is a
//! stiffer spring for the step: with ρ = 2ζ/(hω), ω² = k/m and u₀ the stretch when the step begins, k u + 2ζ√(km) (u − u₀)/h is
//! k (1 + ρ) (u − u₀ ρ/(1 + ρ)). Critical damping is not enough: what brakes the swing adds to the load, 13 % of it at ζ = 1 and
//! 1/(4ζ²) beyond, and a load of 0.99 µ_s N has room for 1 %.
//!
//! A contact that arrives slides if its sides move against each other by more than δ in the step.

mod following;

pub use following::{SLOWEST, balanced_speed};

use crate::supports::{Support, Supports};
use glam::DVec3;
use muslin_model::FrictionLaw;

/// Friction that depends on the speed is right when its last change for the sake of speeds was below this part of it [-].
pub(crate) const FOLLOWED: f64 = 0.02;
/// A sticking contact slides when its spring is longer than δ by this part [-]. Forces are only right to a few percent while a
/// balance is looked for; an overload of 1 % is through in one or two steps of 1/60 s, and after 0.005 mm whatever the step.
const OVERSTEPS: f64 = 0.5;
/// Times that a contact may go over from sticking to sliding or back within a step.
const MOST_CHANGES: u8 = 2;
/// Changes that let go of less than this part of all friction are left to the next step [-].
const MATTERS: f64 = 0.005;
/// ζ, the damping of sticking contacts over the critical one [-].
const DAMPING_RATIO: f64 = 5.0;
/// What a contact does at the start of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Static friction holds it.
    Sticks,
    /// It slides.
    Slides,
}

/// The friction of one support.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportGrip {
    /// Its law.
    pub law: FrictionLaw,
    /// What it does.
    pub hold: Hold,
    /// How its sides move against each other when the step begins, or when it was let go in this step, across the normal [m/s].
    pub velocity: DVec3,
    /// How far its spring is stretched when the step begins [m].
    pub stretch: DVec3,
    /// ρ, the part by which damping stiffens the spring in this step [-].
    pub damping: f64,
    /// The speed of sliding that its friction is for [m/s].
    pub speed: f64,
    /// By how much that changed its friction last, over the load [-].
    pub followed: f64,
    /// The part of a change that it makes, in the logarithm of the speed [-].
    pub part: f64,
    /// One over the length of the step [1/s].
    pub rate: f64,
    /// δ, the way at which static friction gives [m].
    pub give: f64,
    /// How often it has changed in this step.
    pub changes: u8,
}

impl SupportGrip {
    /// The friction of a contact whose sides move against each other at a velocity [m/s] when a step begins. `before` has the speed
    /// at which it slid in the step before [m/s] and the stretch of its spring [m]; `None` if there was no contact.
    pub fn new(law: FrictionLaw, before: Option<(f64, DVec3)>, velocity: DVec3, give: f64, step: f64) -> Self {
        let (slides, stretch) = match before {
            Some((speed, stretch)) => (speed > 0.0, stretch),
            None => (velocity.length() * step > give, DVec3::ZERO),
        };
        let hold = if slides { Hold::Slides } else { Hold::Sticks };
        SupportGrip {
            law,
            hold,
            velocity,
            stretch,
            damping: 0.0,
            speed: velocity.length(),
            followed: 0.0,
            part: 1.0,
            rate: 1.0 / step,
            give,
            changes: 0,
        }
    }

    /// Damps its spring, under a load [N] with the mass that a push across the contact moves [kg].
    pub fn damp(&mut self, load: f64, mass: f64, step: f64) {
        let stiffness = self.law.sticking * load / self.give;
        self.damping = if stiffness > 0.0 { 2.0 * DAMPING_RATIO * (mass / stiffness).sqrt() / step } else { 0.0 };
    }

    /// How far damping moves the place at which the spring pulls nothing [m].
    pub fn shift(&self) -> DVec3 {
        self.stretch * (self.damping / (1.0 + self.damping))
    }

    /// Gives a support the limit of this friction under a load [N].
    pub fn limit(&self, support: &mut Support, load: f64) {
        let sticking = self.law.sticking;
        (support.coefficient, support.drag) = match self.hold {
            Hold::Sticks => (sticking, 0.0),
            Hold::Slides => (self.law.dry(self.speed), self.law.drag(self.speed.max(SLOWEST), load) * self.rate),
        };
        let part = if sticking > 0.0 { support.coefficient / sticking } else { 1.0 };
        support.slip = self.give * part / (1.0 + self.damping);
    }

    /// The speed at which a support slides after a way across its normal [m/s], with one over the step [1/s]; 0 if it sticks.
    pub fn speed_after(&self, support: &Support, way: DVec3, rate: f64) -> f64 {
        let slides = match self.hold {
            Hold::Sticks => (way + self.shift()).length() > (1.0 + OVERSTEPS) * self.give,
            Hold::Slides => true,
        };
        if slides { f64::max(way.length() - support.slip, 0.0) * rate } else { 0.0 }
    }
}

/// The frictions of all supports of a step, in their order; none at all where every law is Coulomb's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grips {
    /// The frictions.
    pub list: Vec<SupportGrip>,
    /// Normal forces that each vertex bears [N].
    loads: Vec<f64>,
    /// Friction that the last change of holds let go or took up [N].
    changed: f64,
}

impl Supports {
    /// What a support remembers of a way across its normal [m]: how far its spring is stretched [m], and the speed at which it
    /// slides [m/s], 0 if it sticks.
    pub fn memory(&self, support: usize, way: DVec3) -> (DVec3, f64) {
        let (grip, support) = (self.grips.list.get(support), &self.list[support]);
        match grip {
            Some(grip) => {
                // What sticks remembers by how much it overstepped.
                let longest = match grip.hold {
                    Hold::Sticks => (1.0 + OVERSTEPS) * grip.give,
                    Hold::Slides => support.slip * (1.0 + grip.damping),
                };
                ((way + grip.shift()).clamp_length_max(longest), grip.speed_after(support, way, self.rate))
            }
            None => (way.clamp_length_max(support.slip), f64::max(way.length() - support.slip, 0.0) * self.rate),
        }
    }

    /// Lets go what oversteps static friction at some positions [m], and lets stick what would turn round. Says whether that
    /// matters, so that the balance has to be looked for again; `changed` is told of each support that sticks anew.
    pub fn change_holds(
        &mut self,
        positions: &[DVec3],
        load: impl Fn(usize) -> f64,
        mut changed: impl FnMut(usize, Hold),
    ) -> bool {
        let Supports { list, grips: Grips { list: grips, changed: let_go, .. }, rate, .. } = self;
        let mut all = 0.0;
        *let_go = 0.0;
        for (k, (support, grip)) in list.iter_mut().zip(grips).enumerate() {
            let (force, way) = (load(k), support.across(support.at(positions)));
            let speed = grip.speed_after(support, way, *rate);
            let before = support.coefficient;
            all += before * force;
            let next = match grip.hold {
                Hold::Sticks if speed > 0.0 => Hold::Slides,
                Hold::Slides if speed > 0.0 && way.dot(grip.velocity) < 0.0 => Hold::Sticks,
                hold => hold,
            };
            if next != grip.hold && grip.changes < MOST_CHANGES {
                grip.hold = next;
                grip.changes += 1;
                grip.speed = speed;
                if next == Hold::Slides {
                    // What stuck had no direction, only noise: it slides whither it was let go, and turns round against that.
                    grip.velocity = way * *rate;
                }
                grip.limit(support, force);
                support.friction = support.coefficient * force;
                *let_go += (support.coefficient - before).abs() * force;
                changed(k, next);
            }
        }
        *let_go > MATTERS * all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_model::{Stribeck, Viscous};

    /// A support under a point of 1 g that a law holds, and its friction at the start of a step.
    fn under_a_point(law: FrictionLaw, slip: Option<f64>, velocity: DVec3, step: f64) -> Supports {
        let grip = SupportGrip::new(law, slip.map(|speed| (speed, DVec3::ZERO)), velocity, 1e-5, step);
        let mut support = Support {
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
            coefficient: 0.0,
            slip: 1e-5,
            start: DVec3::ZERO,
            drag: 0.0,
        };
        grip.limit(&mut support, WEIGHT);
        let grips = Grips { list: vec![grip], ..Grips::default() };
        Supports { list: vec![support], rate: 1.0 / step, grips }
    }

    const MASS: f64 = 1e-3;
    const WEIGHT: f64 = MASS * 9.81;

    /// Where a push along x [N] brings the point in a step, with constant friction: the solve.
    fn solve(support: &Support, velocity: f64, push: f64, step: f64) -> DVec3 {
        // The drag of what moved within the step is inertia beside the mass, but for what moves on by itself.
        let inertia = MASS / (step * step) + support.drag;
        let free = (MASS * velocity / step + push) / inertia;
        // Friction is a spring to the reference, up to its limit.
        let (limit, stretch) = (support.coefficient * WEIGHT, support.slip);
        let held = free * inertia / (inertia + limit / stretch);
        let x = if held.abs() <= stretch { held } else { free - free.signum() * limit / inertia };
        DVec3::new(x, 0.0, 2e-4)
    }

    /// Looks for the balance of a step; returns the end of the point and the solves.
    fn balance(supports: &mut Supports, velocity: f64, push: f64) -> (f64, usize) {
        let step = 1.0 / supports.rate;
        for solves in 1..50 {
            let x = [solve(&supports.list[0], velocity, push, step)];
            let same = supports.follow_speeds(&x, &[MASS], |_| WEIGHT) < 1e-3;
            if same && !supports.change_holds(&x, |_| WEIGHT, |_, _| ()) {
                return (x[0].x, solves);
            }
        }
        panic!("no balance");
    }

    fn laws() -> [FrictionLaw; 4] {
        let stiction = FrictionLaw { kinetic: 0.1, sticking: 0.4, stribeck: None, viscous: None };
        let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }), ..stiction };
        let viscous = |coefficient| Some(Viscous { coefficient, force: 0.0, exponent: 1.0 });
        [
            stiction,
            stribeck,
            FrictionLaw { viscous: viscous(0.2), ..stribeck },
            FrictionLaw { viscous: viscous(50.0), ..stribeck },
        ]
    }

    #[test]
    fn what_rests_stays_below_static_friction_and_goes_above_it() {
        for law in laws() {
            for (push, goes) in [(0.39, false), (0.42, true)] {
                let mut supports = under_a_point(law, Some(0.0), DVec3::ZERO, 1.0 / 60.0);
                let (x, solves) = balance(&mut supports, 0.0, push * WEIGHT);
                assert_eq!(x > 1e-5, goes, "{law:?} with {push}: {x} m");
                assert_eq!(supports.grips.list[0].hold == Hold::Slides, goes);
                assert!(solves <= 12, "{solves} solves");
            }
        }
    }

    #[test]
    fn what_slides_has_the_friction_of_the_speed_at_which_it_ends() {
        for law in laws() {
            for velocity in [0.05, 0.3, 2.0] {
                let step = 1.0 / 60.0;
                let mut supports = under_a_point(law, Some(velocity), DVec3::X * velocity, step);
                let (x, solves) = balance(&mut supports, velocity, 0.5 * WEIGHT);
                let support = &supports.list[0];
                // Backward Euler of m v′ = push − µ(v) N; the spring was slack, which costs its length once. Viscosity
                // knows no spring.
                let (v, whole) = ((x - support.slip) / step, x / step);
                let viscous = law.at(whole, WEIGHT) - FrictionLaw { viscous: None, ..law }.at(whole, WEIGHT);
                let expected = velocity + step * 9.81 * (0.5 - law.dry(v) - viscous);
                assert!((whole - expected).abs() < 0.003 * expected, "{law:?} from {velocity}: {whole} and {expected}");
                assert!(solves <= 12, "{solves} solves");
            }
        }
    }

    #[test]
    fn what_turns_round_sticks_in_between() {
        // It slides up a slope whose pull is between kinetic and static friction.
        let law = laws()[0];
        let mut supports = under_a_point(law, Some(0.02), DVec3::NEG_X * 0.02, 1.0 / 60.0);
        let (x, _) = balance(&mut supports, -0.02, 0.3 * WEIGHT);
        assert!(x.abs() < 1e-5 && supports.grips.list[0].hold == Hold::Sticks, "{x}");
    }

    #[test]
    fn friction_settles_where_the_cloth_around_a_contact_holds_it_back() {
        // A change of friction does a thirtieth to the speed of what it would do to the vertex alone.
        let (law, step, held_back) = (laws()[1], 1.0 / 60.0, 30.0);
        let mut swings = 0;
        for k in 0..40 {
            let velocity = 1e-3 * 1.1f64.powi(k);
            let mut supports = under_a_point(law, Some(velocity), DVec3::X * velocity, step);
            // So that it would end at this speed under the friction of it.
            let balanced = |mu: f64| velocity - step * 9.81 * (mu - law.dry(velocity)) / held_back;
            let mut changes = Vec::new();
            supports.grips.list[0].speed = 0.3 * velocity;
            supports.grips.list[0].clone().limit(&mut supports.list[0], WEIGHT);
            for _ in 0..12 {
                let (mu, slip) = (supports.list[0].coefficient, supports.list[0].slip);
                let way = balanced(mu) * step;
                let x = [DVec3::new(way + way.signum() * slip, 0.0, 2e-4)];
                supports.follow_speeds(&x, &[MASS], |_| WEIGHT);
                changes.push(supports.list[0].coefficient - mu);
            }
            swings += usize::from(changes.windows(2).any(|pair| pair[0] * pair[1] < 0.0));
            let last = changes[11].abs() / supports.list[0].coefficient;
            assert!(last < FOLLOWED, "{velocity} m/s: {changes:?}");
        }
        assert!(swings > 0, "none of them was difficult");
    }

    #[test]
    fn what_is_let_go_slides_whither_it_is_pulled_whatever_noise_it_rested_with() {
        let (law, step) = (laws()[0], 1.0 / 60.0);
        for noise in [-1e-12, 0.0, 1e-12] {
            let mut supports = under_a_point(law, Some(0.0), DVec3::X * noise, step);
            let (x, _) = balance(&mut supports, noise, 0.6 * WEIGHT);
            // Kinetic friction from the first step on; the spring of what slides costs its length once.
            let expected = (0.6 - law.kinetic) * 9.81 * step * step;
            assert!((x / expected - 1.0).abs() < 0.01, "{noise} m/s: {x} and {expected} m");
            assert_eq!(supports.grips.list[0].hold, Hold::Slides);
        }
    }

    #[test]
    fn a_contact_that_arrives_slides_if_it_moves() {
        let new = |speed: f64| SupportGrip::new(laws()[0], None, DVec3::X * speed, 1e-5, 1.0 / 60.0).hold;
        assert_eq!((new(0.0), new(1.0)), (Hold::Sticks, Hold::Slides));
    }
}
