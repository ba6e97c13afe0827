//! Keyframed motion against closed forms.

use crate::random::Random;
use glam::{DMat3, DVec3};
use muslin_model::{Keyframe, Track, TrackError};
use std::f64::consts::{PI, TAU};

fn key(time: f64, translation: DVec3, rotation: DVec3, scale: DVec3) -> Keyframe {
    Keyframe { time, translation, rotation, scale }
}

/// Rotation about a unit axis by Rodrigues' formula, component by component.
fn rodrigues(axis: DVec3, angle: f64, p: DVec3) -> DVec3 {
    p * angle.cos() + axis.cross(p) * angle.sin() + axis * axis.dot(p) * (1.0 - angle.cos())
}

#[test]
fn steady_rotation_over_many_turns_is_exact_at_any_sub_step() {
    let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
    let pivot = DVec3::new(0.3, 0.1, -0.2);
    let turns = 37.25;
    let track =
        Track { pivot, keys: vec![Keyframe::rest(1.0), key(11.0, DVec3::ZERO, axis * TAU * turns, DVec3::ONE)] };
    let mut random = Random(1);
    for _ in 0..1000 {
        let time = 1.0 + 10.0 * random.unit();
        let p = random.vector();
        let exact = pivot + rodrigues(axis, TAU * turns * (time - 1.0) / 10.0, p - pivot);
        assert!(track.apply(p, time).distance(exact) < 1e-12, "at {time} s");
    }
}

#[test]
fn rotation_continues_over_turns_also_when_it_changes_its_sense() {
    let keys = [0.0, 3.5, -1.25].iter().enumerate();
    let keys = keys.map(|(k, &turns)| key(k as f64, DVec3::ZERO, DVec3::Z * TAU * turns, DVec3::ONE)).collect();
    let track = Track { pivot: DVec3::ZERO, keys };
    for (time, turns) in [(0.3, 0.3 * 3.5), (0.9, 0.9 * 3.5), (1.0, 3.5), (1.5, 1.125), (1.8, -0.3)] {
        let exact = rodrigues(DVec3::Z, TAU * turns, DVec3::X);
        assert!(track.apply(DVec3::X, time).distance(exact) < 1e-13, "at {time} s");
    }
}

#[test]
fn rotation_between_different_axes_is_the_shortest_way_at_a_steady_rate() {
    let mut random = Random(2);
    for _ in 0..200 {
        let (a, b) = (random.vector() * 2.5, random.vector() * 2.5);
        let track = Track {
            pivot: DVec3::ZERO,
            keys: vec![key(0.0, DVec3::ZERO, a, DVec3::ONE), key(2.0, DVec3::ZERO, b, DVec3::ONE)],
        };
        let at = |v: DVec3| {
            DMat3::from_cols(
                rodrigues(v.normalize(), v.length(), DVec3::X),
                rodrigues(v.normalize(), v.length(), DVec3::Y),
                rodrigues(v.normalize(), v.length(), DVec3::Z),
            )
        };
        // From a to b there is one rotation of at most half a turn: its angle from the trace, its axis from the
        // skew part.
        let step = at(b) * at(a).transpose();
        let skew =
            DVec3::new(step.y_axis.z - step.z_axis.y, step.z_axis.x - step.x_axis.z, step.x_axis.y - step.y_axis.x);
        let angle = (0.5 * skew.length()).atan2(0.5 * (step.x_axis.x + step.y_axis.y + step.z_axis.z - 1.0));
        if !(0.01..PI - 0.01).contains(&angle) {
            continue;
        }
        let p = random.vector();
        for s in [0.0, 0.1, 0.37, 0.5, 0.93, 1.0] {
            let exact = rodrigues(skew.normalize(), s * angle, at(a) * p);
            assert!(track.apply(p, 2.0 * s).distance(exact) < 1e-11, "{a} to {b} at {s}");
        }
    }
}

#[test]
fn rotation_from_nothing_uses_the_other_axis() {
    let b = DVec3::new(0.0, 5.0 * TAU, 0.0);
    let track = Track { pivot: DVec3::ZERO, keys: vec![Keyframe::rest(0.0), key(1.0, DVec3::ZERO, b, DVec3::ONE)] };
    let exact = rodrigues(DVec3::Y, 5.0 * TAU * 0.23, DVec3::X);
    assert!(track.apply(DVec3::X, 0.23).distance(exact) < 1e-13);
}

#[test]
fn scale_acts_along_the_axes_about_the_pivot_before_the_rotation() {
    let pivot = DVec3::new(1.0, 1.0, 1.0);
    let quarter = DVec3::Z * (0.5 * PI);
    let track = Track {
        pivot,
        keys: vec![
            key(0.0, DVec3::ZERO, quarter, DVec3::ONE),
            key(4.0, DVec3::ZERO, quarter, DVec3::new(3.0, 5.0, 0.5)),
        ],
    };
    // Half way the scale is (2, 3, 0.75); then x turns to y and y to −x.
    let exact = pivot + DVec3::new(-3.0 * 0.2, 2.0 * 0.1, 0.75 * 0.4);
    assert!(track.apply(pivot + DVec3::new(0.1, 0.2, 0.4), 2.0).distance(exact) < 1e-15);
}

#[test]
fn poses_hold_before_the_first_and_after_the_last_key() {
    let (low, high) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0));
    let track = Track {
        pivot: DVec3::ZERO,
        keys: vec![key(1.0, low, DVec3::Z, DVec3::ONE), key(2.0, high, DVec3::Z * 2.0, DVec3::splat(2.0))],
    };
    for time in [-1e9, 0.0, 0.999, 1.0] {
        assert_eq!(track.pose(time), track.pose(1.0));
    }
    for time in [2.0, 2.1, 1e9, f64::INFINITY] {
        assert_eq!(track.pose(time), track.pose(2.0));
    }
    assert_eq!(track.pose(1.0).1, low);
    assert_eq!(track.pose(2.0).1, high);
    assert_ne!(track.pose(1.0).0, track.pose(2.0).0);
}

#[test]
fn translation_is_linear_through_several_keys_and_exact_at_each() {
    let places = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0), DVec3::new(-1.0, 0.0, 3.0)];
    let times = [0.0, 0.5, 2.0, 2.25];
    let keys = times.iter().zip(places).map(|(&t, p)| key(t, p, DVec3::ZERO, DVec3::ONE)).collect();
    let track = Track { pivot: DVec3::ONE, keys };
    track.check().unwrap();
    for k in 0..4 {
        assert_eq!(track.apply(DVec3::ONE, times[k]), DVec3::ONE + places[k]);
    }
    for k in 0..3 {
        for s in [0.25, 0.5, 0.75] {
            let exact = places[k] * (1.0 - s) + places[k + 1] * s;
            let time = times[k] * (1.0 - s) + times[k + 1] * s;
            assert!(track.pose(time).1.distance(exact) < 1e-15);
        }
    }
}

#[test]
fn a_track_without_keys_stays_at_the_start() {
    let track = Track { pivot: DVec3::X, keys: Vec::new() };
    assert_eq!(track.apply(DVec3::Y, 3.0), DVec3::Y);
    assert_eq!(track.check(), Ok(()));
}

#[test]
fn faulty_keys_are_named() {
    let good = vec![Keyframe::rest(0.0), Keyframe::rest(1.0), Keyframe::rest(2.0)];
    let with = |change: fn(&mut Keyframe)| {
        let mut keys = good.clone();
        change(&mut keys[2]);
        Track { pivot: DVec3::ZERO, keys }.check()
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|k| k.time = 1.0), Err(TrackError::Order { key: 2, time: 1.0, before: 1.0 }));
    assert_eq!(with(|k| k.time = f64::NAN), Err(TrackError::NotFinite { key: 2 }));
    assert_eq!(with(|k| k.rotation.y = f64::INFINITY), Err(TrackError::NotFinite { key: 2 }));
    let scale = DVec3::new(1.0, 0.0, 1.0);
    assert_eq!(with(|k| k.scale.y = 0.0), Err(TrackError::Scale { key: 2, scale }));
    let lost = Track { pivot: DVec3::NAN, keys: good };
    assert_eq!(lost.check(), Err(TrackError::NotFinite { key: 0 }));
}

#[test]
fn velocities_are_the_derivatives_of_the_path_and_unknown_across_a_key() {
    let mut random = Random(11);
    let mut vector = || random.vector();
    let keys = vec![
        key(0.0, vector(), vector(), DVec3::ONE + 0.3 * vector()),
        key(0.7, vector(), vector(), DVec3::ONE + 0.3 * vector()),
        // The same axis, more than a turn on.
        key(1.5, vector(), 9.0 * DVec3::X, DVec3::ONE),
        key(2.0, vector(), -4.0 * DVec3::X, DVec3::new(1.0, 2.0, 0.5)),
    ];
    let (track, rest, delta) = (Track { pivot: vector(), keys }, vector(), 1e-6);
    for span in [[0.1, 0.3], [0.0, 0.7], [0.7, 1.1], [1.5, 2.0], [1.6, 1.9]] {
        let found = track.velocities(rest, span).expect("no key within");
        for (time, velocity) in span.into_iter().zip(found) {
            // One-sided, into the span: the velocity jumps at keys.
            let ahead = if time == span[0] { delta } else { -delta };
            let [x, y, z] = [0.0, ahead, 2.0 * ahead].map(|d| track.apply(rest, time + d));
            let difference = (4.0 * y - 3.0 * x - z) / (2.0 * ahead);
            assert!(velocity.length() > 0.1);
            assert!((velocity - difference).length() < 1e-6 * velocity.length(), "{time}: {velocity} {difference}");
        }
    }
    assert_eq!(track.velocities(rest, [0.6, 0.8]), None);
    assert_eq!(track.velocities(rest, [2.5, 3.0]), Some([DVec3::ZERO; 2]));
}
