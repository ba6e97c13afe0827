//! Where pins go.

use glam::{DMat3, DVec3};
use muslin_model::{Hold, Keyframe, Pin, PinMotion, Track};
use std::f64::consts::PI;

fn pin(motion: PinMotion) -> Pin {
    Pin { vertices: vec![0], held: DMat3::IDENTITY, hold: Hold::Exact, motion, release: f64::INFINITY }
}

#[test]
fn a_fixed_pin_stays() {
    let rest = DVec3::new(0.1, 0.2, 0.3);
    assert_eq!(pin(PinMotion::Fixed).target(rest, 12.5), rest);
}

#[test]
fn a_pin_with_a_velocity_moves_on_a_line_from_time_zero() {
    let (rest, velocity) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, -2.0, 0.5));
    let moving = pin(PinMotion::Velocity(velocity));
    assert_eq!(moving.target(rest, 0.0), rest);
    assert_eq!(moving.target(rest, 2.0), rest + DVec3::new(2.0, -4.0, 1.0));
}

#[test]
fn a_keyframed_pin_turns_about_the_pivot_of_its_track() {
    // Half a turn per second about the x axis, as the ends of a twisted cloth are driven.
    let turn = Keyframe { rotation: DVec3::X * (4.0 * PI), ..Keyframe::rest(4.0) };
    let driven = pin(PinMotion::Keyframes(Track { pivot: DVec3::ZERO, keys: vec![Keyframe::rest(0.0), turn] }));
    let rest = DVec3::new(-0.5, 0.25, 0.0);
    for step in 0..=16 {
        let time = step as f64 / 4.0;
        let exact = DVec3::new(-0.5, 0.25 * (PI * time).cos(), 0.25 * (PI * time).sin());
        assert!(driven.target(rest, time).distance(exact) < 1e-14, "at {time} s");
    }
}
