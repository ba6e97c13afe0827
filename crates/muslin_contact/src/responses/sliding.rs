//! Friction of a contact within a step, where the law depends on the speed of sliding (W 7.3 as a velocity filter).
//!
//! W 7.9 has I = ½‖v_t‖ if µ‖Δv_n‖ ≥ ‖v_t‖ and ½ξ‖v_t‖ otherwise, with
//! ξ = ‖Δv_n‖ (µ_c + (µ_s − µ_c) exp(−(‖v_t‖/v_S)^δ_S))/‖v_t‖ + F_v ‖v_t‖^(δ_v−1) Δt/m. What is missing there is in the errata:
//! the impulse has a mass, the test of rest has µ_s, and ξ ≤ 1.
//!
//! **Which speed.** W takes v_t before friction acts, so that a step of 1/60 s sees a speed that is too large by what gravity
//! gave within the step: a card with viscosity then slides 0.16 m/s sin θ too slowly for ever. Here it is the speed that friction
//! *leaves*: with A the push that would stop the sliding altogether, P the push of friction and m the mass that gives way,
//! P = L(v) and v = (A − P)/(m h). The root is found by Newton's method from above, where all curves fall
//! towards it; it is the fastest of all roots, so that what slides goes on sliding while it can. Rest is a case of its own:
//! A ≤ µ_s N.
//!
//! The curve is evaluated anew only where the speed has changed ([`SAME`]): near the end of a relaxation nothing does,
//! and a sweep costs little more than with Coulomb's law.

use glam::DVec3;
use muslin_model::FrictionLaw;

/// A curve serves for speeds that differ by less than this part [-]; its slope does the rest.
const SAME: f64 = 0.02;
/// Evaluations of the curve in one sweep.
const MOST_EVALUATIONS: usize = 4;
/// The least that the sum of inertia and the slope of friction counts, in parts of the inertia [-]: where Stribeck's curve falls
/// more steeply than inertia rises there is no root nearby, and Newton's step would have no end.
const LEAST_SLOPE: f64 = 0.25;

/// What limits a push across the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip<'a> {
    /// So many times the push along it [-].
    Fixed(f64),
    /// A law, of which this part acts [-].
    Law(&'a FrictionLaw, f64),
}

impl<'a> Grip<'a> {
    /// The grip of a law.
    pub fn new(law: &'a FrictionLaw, part: f64) -> Self {
        if law.is_coulomb() { Grip::Fixed(law.kinetic * part) } else { Grip::Law(law, part) }
    }
}

/// The straight line in place of a law's curve: friction over the load at a speed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    speed: f64,
    value: f64,
    slope: f64,
}

impl Line {
    /// The tangent of a law's curve at a speed above zero under a load [N]: [`FrictionLaw::at`] and [`FrictionLaw::slope`] with
    /// their powers and exponentials taken once.
    fn at(law: &FrictionLaw, speed: f64, load: f64) -> Self {
        let (mut value, mut slope) = (law.kinetic, 0.0);
        if let Some(stribeck) = law.stribeck {
            // The power by way of the logarithm, for half of its cost.
            let part = (stribeck.exponent * (speed / stribeck.speed).ln()).exp();
            let rest = (law.sticking - law.kinetic) * (-part).exp();
            value += rest;
            slope -= rest * part * stribeck.exponent / speed;
        }
        if let Some(viscous) = law.viscous {
            let drag = (viscous.coefficient + viscous.force / load)
                * if viscous.exponent == 1.0 { speed } else { speed.powf(viscous.exponent) };
            value += drag;
            slope += drag * viscous.exponent / speed;
        }
        Line { speed, value, slope }
    }
}

/// What a sweep knows of a contact's friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    /// Push across the normal that would end the sliding [kg·m].
    pub stop: DVec3,
    /// Push along it [kg·m].
    pub along: f64,
    /// Mass that gives way [kg].
    pub give: f64,
    /// Length of the step [s].
    pub step: f64,
}

impl Sliding {
    /// The push across the normal [kg·m] under a law, with the line that served the last sweep.
    pub fn push(&self, law: &FrictionLaw, part: f64, line: &mut Line) -> DVec3 {
        let load = part * self.along;
        if !(load > 0.0) {
            return DVec3::ZERO;
        }
        let (squared, most) = (self.stop.length_squared(), law.sticking * load);
        if squared <= most * most {
            return self.stop;
        }
        let needed = squared.sqrt();
        let inertia = self.give * self.step;
        let mut speed = if line.speed > 0.0 && inertia * line.speed < needed { line.speed } else { needed / inertia };
        for _ in 0..MOST_EVALUATIONS {
            if (speed - line.speed).abs() > SAME * line.speed || line.speed == 0.0 {
                // Loads as forces: a push is a force times the step squared.
                *line = Line::at(law, speed, load / (self.step * self.step));
            }
            // inertia · v + load · (value + slope (v − speed)) = needed
            let steep = f64::max(inertia + load * line.slope, LEAST_SLOPE * inertia);
            let error = needed - inertia * line.speed - load * line.value;
            let change = error / steep;
            speed = (line.speed + change).max(0.0);
            if change.abs() <= SAME * line.speed || speed == 0.0 {
                break;
            }
        }
        let left = inertia * speed / needed;
        self.stop * (1.0 - left).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_model::{Stribeck, Viscous};

    fn laws() -> [FrictionLaw; 3] {
        let stiction = FrictionLaw { kinetic: 0.1, sticking: 0.4, stribeck: None, viscous: None };
        let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }), ..stiction };
        let viscous = Some(Viscous { coefficient: 2.0, force: 1e-3, exponent: 1.0 });
        [stiction, stribeck, FrictionLaw { viscous, ..stribeck }]
    }

    #[test]
    fn what_slides_ends_at_the_speed_that_its_friction_leaves() {
        let (mass, step) = (1e-3, 1e-2);
        for law in laws() {
            for velocity in [0.06, 0.1, 0.5, 3.0] {
                let weight = mass * 9.81;
                let sliding = Sliding {
                    stop: DVec3::X * -(mass * velocity * step),
                    along: weight * step * step,
                    give: mass,
                    step,
                };
                let mut line = Line::default();
                // As the sweeps of a relaxation do, until nothing changes.
                let mut push = DVec3::ZERO;
                for _ in 0..5 {
                    push = sliding.push(&law, 1.0, &mut line);
                }
                let end = velocity + push.x / (mass * step);
                // Backward Euler of m v′ = −F(v).
                let law_says = velocity - law.at(end, weight) * weight * step / mass;
                assert!((end - law_says).abs() < 2e-3 * velocity, "{velocity} m/s: {end} and {law_says}");
                assert!(end > 0.0 && end < velocity && push.x < 0.0);
            }
        }
    }

    #[test]
    fn the_line_of_a_curve_is_its_tangent() {
        for law in laws() {
            for (speed, load) in [(1e-3, 1e-4), (0.2, 3e-3), (5.0, 1e-2)] {
                let line = Line::at(&law, speed, load);
                assert!((line.value - law.at(speed, load)).abs() < 1e-14 * line.value);
                assert!((line.slope - law.slope(speed, load)).abs() <= 1e-12 * line.slope.abs(), "{law:?}");
            }
        }
    }

    #[test]
    fn what_static_friction_can_stop_stops() {
        let (mass, step) = (1e-3, 1e-2);
        for law in laws() {
            let most = law.sticking * 9.81 * step;
            for (velocity, rests) in [(0.99 * most, true), (1.01 * most, false)] {
                let sliding = Sliding {
                    stop: DVec3::Y * (mass * velocity * step),
                    along: mass * 9.81 * step * step,
                    give: mass,
                    step,
                };
                let push = sliding.push(&law, 1.0, &mut Line::default());
                assert_eq!(push == sliding.stop, rests, "{velocity} m/s of {most}");
            }
            assert_eq!(
                Sliding { stop: DVec3::X, along: 0.0, give: mass, step }.push(&law, 1.0, &mut Line::default()),
                DVec3::ZERO
            );
        }
    }
}
