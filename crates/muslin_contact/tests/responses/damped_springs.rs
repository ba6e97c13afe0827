//! Damped springs: the bounce that a spring and a dashpot give.

use super::{RANGE, Scene, middle_contact, over_a_face};
use glam::DVec3;
use muslin_contact::{Friction, responses::DampedSprings};

/// Speed with which a vertex of 1 g comes back that hits the range of a held face at 1 mm/s, and how long it was in it, in
/// half periods of the spring alone.
fn bounce(damping_ratio: f64, steps_per_period: f64) -> (f64, f64) {
    let (mass, strength) = (1e-3, 1e-6);
    let stiffness: f64 = strength / (0.5 * RANGE);
    let period = 2.0 * std::f64::consts::PI / (stiffness / mass).sqrt();
    let h = period / steps_per_period;
    let mut position = DVec3::Z * RANGE;
    let mut velocity = DVec3::Z * -1e-3;
    let mut law = DampedSprings { strength, damping_ratio };
    let mut steps = 0;
    while steps == 0 || (position.z < RANGE && steps < 10_000_000) {
        let mut start = over_a_face(0.0);
        start[0].z = position.z;
        let velocities = [velocity, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let scene = Scene::new(start, &velocities, vec![1.0 / mass, 0.0, 0.0, 0.0], h);
        let after = scene.respond(&mut law, &[middle_contact()]);
        (position, velocity) = (after.end[0], after.velocities[0]);
        steps += 1;
    }
    (velocity.z / 1e-3, steps as f64 * h / (0.5 * period))
}

#[test]
fn without_damping_a_bounce_takes_half_a_period_and_keeps_the_speed() {
    let (speed, time) = bounce(0.0, 2e4);
    assert!((speed - 1.0).abs() < 2e-3, "{speed}");
    assert!((time - 1.0).abs() < 2e-3, "{time}");
}

#[test]
fn damping_gives_the_restitution_of_a_dashpot_that_does_not_pull() {
    // Schwager and Pöschel (2007), eq. 20: contact ends when the force does, for ζ below 1/√2.
    for ratio in [0.1, 0.3, 0.6f64] {
        let root = (1.0 - ratio * ratio).sqrt();
        let angle = std::f64::consts::PI - (2.0 * ratio * root / (1.0 - 2.0 * ratio * ratio)).atan();
        let expected = (-ratio / root * angle).exp();
        let (speed, _) = bounce(ratio, 2e4);
        assert!((speed - expected).abs() < 5e-3 && expected < 0.9, "ζ {ratio}: {speed} and {expected}");
    }
}

#[test]
fn free_sides_keep_their_momentum_and_sliding_is_held_back() {
    let velocities = [DVec3::new(0.1, 0.0, -0.1), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    let mut scene = Scene::new(over_a_face(0.5 * RANGE), &velocities, vec![1000.0, 900.0, 800.0, 700.0], 1e-3);
    scene.step.friction = Friction::coulomb(0.0, 0.0);
    let after = scene.respond(&mut DampedSprings { strength: 0.1, damping_ratio: 1.0 }, &[middle_contact()]);
    let change = scene.momentum(&after.velocities) - scene.momentum(&velocities);
    assert!(change.length() < 1e-15, "{change}");
    let slides = middle_contact().difference(&after.velocities).x;
    assert!(slides > 0.0 && slides < 0.09, "{slides}");
}
