//! Rigid zones: bodies that keep their shape, their momentum and their angular momentum.

use super::{RANGE, Random, Scene, middle_contact, over_a_face, vertex_face};
use glam::DVec3;
use muslin_collision::PairKind;
use muslin_contact::{
    Candidate, Cascade, Found, FrictionLaws, Near, PairKey, TARGET,
    responses::{LARGEST_TURN, RigidZones, StepFacts},
};

/// Vertices with random velocities, and one contact that joins the first four and one that joins the rest.
fn cloud(seed: u64, speed: f64) -> (Scene, Vec<muslin_contact::Contact>) {
    let mut random = Random(seed);
    let start: Vec<DVec3> = (0..7).map(|_| random.vector() * 0.01).collect();
    let velocities: Vec<DVec3> = (0..7).map(|_| random.vector() * speed).collect();
    let inverse_mass = (0..7).map(|_| 1000.0 * (1.5 + random.next())).collect();
    let contacts = vec![
        vertex_face([0, 1, 2, 3], [0.5, 0.25, 0.25], DVec3::Z),
        vertex_face([3, 4, 5, 6], [0.5, 0.25, 0.25], DVec3::Z),
    ];
    (Scene::new(start, &velocities, inverse_mass, 1e-2), contacts)
}

#[test]
fn a_zone_keeps_its_shape_its_momentum_and_its_angular_momentum() {
    for seed in 0..40 {
        let (scene, contacts) = cloud(seed, 0.3);
        let after = scene.respond(&mut RigidZones, &contacts);
        let before = scene.velocities();
        for a in 0..7 {
            for b in 0..a {
                let (was, is) = (scene.start[a].distance(scene.start[b]), after.end[a].distance(after.end[b]));
                assert!((was - is).abs() < 1e-12, "seed {seed}: {was} and {is}");
            }
        }
        let momentum = scene.momentum(&before);
        assert!((scene.momentum(&after.velocities) - momentum).length() < 1e-12 * momentum.length());
        let angular = scene.angular_momentum(&scene.start, &before);
        // The centre of mass moves along the momentum, so the angular momentum about the origin stays.
        let now = scene.angular_momentum(&after.end, &after.velocities);
        assert!((now - angular).length() < 1e-9 * angular.length(), "seed {seed}: {angular} and {now}");
        assert!(scene.energy(&after.velocities) < scene.energy(&before));
        // The printed velocity, the chord over the step, would lose some.
        let chords: Vec<DVec3> = (0..7).map(|v| (after.end[v] - scene.start[v]) / scene.step.length).collect();
        let printed = scene.angular_momentum(&after.end, &chords);
        assert!((printed - angular).length() > 1e3 * (now - angular).length());
    }
}

#[test]
fn a_body_that_turns_and_flies_goes_on_as_it_would() {
    let (mut scene, contacts) = cloud(1, 0.0);
    let (speed, spin) = (DVec3::new(0.1, -0.2, 0.3), DVec3::new(2.0, 1.0, -3.0));
    let masses: Vec<f64> = scene.inverse_mass.iter().map(|i| 1.0 / i).collect();
    let centre = (0..7).map(|v| scene.start[v] * masses[v]).sum::<DVec3>() / masses.iter().sum::<f64>();
    for v in 0..7 {
        scene.wanted[v] = scene.start[v] + (speed + spin.cross(scene.start[v] - centre)) * 1e-2;
    }
    let after = scene.respond(&mut RigidZones, &contacts);
    let turn = glam::DQuat::from_scaled_axis(spin * 1e-2);
    for v in 0..7 {
        let expected = centre + speed * 1e-2 + turn * (scene.start[v] - centre);
        assert!(after.end[v].distance(expected) < 1e-14, "vertex {v}");
    }
    assert_eq!(after.response.turned_too_far, 0);
}

#[test]
fn a_zone_that_turns_by_more_than_thirty_degrees_asks_for_a_shorter_step() {
    for (turn, asks) in [(0.98 * LARGEST_TURN, 0), (1.02 * LARGEST_TURN, 1)] {
        let (mut scene, contacts) = cloud(2, 0.0);
        let masses: Vec<f64> = scene.inverse_mass.iter().map(|i| 1.0 / i).collect();
        let centre = (0..7).map(|v| scene.start[v] * masses[v]).sum::<DVec3>() / masses.iter().sum::<f64>();
        for v in 0..7 {
            scene.wanted[v] = scene.start[v] + DVec3::Z.cross(scene.start[v] - centre) * turn;
        }
        assert_eq!(scene.respond(&mut RigidZones, &contacts).response.turned_too_far, asks);
    }
    assert!((LARGEST_TURN.to_degrees() - 30.0).abs() < 1e-12);
}

#[test]
fn a_zone_with_a_held_vertex_is_solved_and_not_moved_as_a_body() {
    let velocities = [DVec3::Z * -1.0, DVec3::ZERO, DVec3::ZERO, DVec3::X];
    let scene = Scene::new(over_a_face(0.8 * RANGE), &velocities, vec![1000.0, 900.0, 800.0, 0.0], 1e-3);
    let after = scene.respond(&mut RigidZones, &[middle_contact()]);
    assert_eq!(after.end[3], scene.wanted[3], "the scene moves it");
    assert!(middle_contact().gap(&after.end) > 0.9 * TARGET * RANGE);
    assert!(after.end[0].distance(after.end[1]) != scene.start[0].distance(scene.start[1]));
}

#[test]
fn a_motion_with_a_zone_that_turned_too_far_is_not_taken_even_if_its_chords_pass() {
    for (spin, taken) in [(0.4, true), (1.0, false)] {
        // A vertex that falls through a face while both turn about x.
        let mut scene = Scene::new(over_a_face(0.8 * RANGE), &[DVec3::ZERO; 4], vec![1000.0; 4], 1e-3);
        let centre = scene.start.iter().sum::<DVec3>() / 4.0;
        for v in 0..4 {
            let fall = if v == 0 { DVec3::Z * (-2.0 * RANGE) } else { DVec3::ZERO };
            scene.wanted[v] = scene.start[v] + (DVec3::X * spin).cross(scene.start[v] - centre) + fall;
        }
        let (mut end, mut velocities) = (scene.wanted.clone(), scene.velocities());
        let key = PairKey::new(PairKind::VertexFace, 0, 0);
        let near = vec![Near { key, vertices: [0, 1, 2, 3], time: 0.0, range: RANGE }];
        let mut found = Found { near, ..Found::default() };
        let laws = FrictionLaws::of_scene(&scene.step.friction, scene.step.cloth_end);
        let mut candidate = Candidate {
            start: &scene.start,
            end: &mut end,
            velocities: &mut velocities,
            inverse_mass: &scene.inverse_mass,
            step: StepFacts { length: scene.step.length, friction: &laws },
        };
        // Whatever is searched afterwards is clean.
        let mut nothing = |_: &[DVec3], _: muslin_contact::Request| Ok(Found::default());
        let outcome =
            Cascade::new(vec![Box::new(RigidZones)]).resolve(&mut candidate, &mut found, &mut nothing).unwrap();
        assert_eq!(outcome.rounds.len(), 2, "it responded once");
        assert!(outcome.violations.is_empty());
        assert_eq!(outcome.is_resolved(), taken, "spin {spin}");
    }
}
