//! Orthogonal resistance against beam theory, and realignment.

use crate::{Motion, faces, hold, particles, pin, step, system};
use glam::DVec3;
use muslin_dynamics::{
    System,
    mechanisms::{LinesError, OrthogonalResistance, RealignOptions, ResistanceOptions, mass_increase},
};
use muslin_model::Model;

const NONE: ResistanceOptions = ResistanceOptions { stiffness: 0.0, growth: 0.0, realign: None };

/// Deflection under the load of a beam on two supports, by the unit-load theorem: δ = ∫ M m/(EI) dx, with M and m the
/// moments of the load and of a unit load at the same place; by Simpson's rule, which is exact here on either side of the load.
fn deflection(force: f64, at: f64, length: f64, rigidity: f64) -> f64 {
    let moment = |x: f64| if x < at { x * (length - at) / length } else { at * (length - x) / length };
    let square = |x: f64| force * moment(x) * moment(x) / rigidity;
    let simpson = |a: f64, b: f64| (b - a) / 6.0 * (square(a) + 4.0 * square(0.5 * (a + b)) + square(b));
    simpson(0.0, at) + simpson(at, length)
}

#[test]
fn the_mass_grows_as_a_beam_on_two_supports_bends_less() {
    for length in [0.7, 1.0, 35.0] {
        for part in [0.01, 0.1, 0.25, 0.5] {
            let (at, rigidity, force) = (part * length, 3.1, 2.7);
            let bend = deflection(force, at, length, rigidity);
            let right = force * (at * (length - at)).powi(2) / (3.0 * rigidity * length);
            assert!((bend / right - 1.0).abs() < 1e-12, "the formula is that of a beam: {bend} and {right}");
            // V 7.14 as printed has no length in the denominator: right for beams of 1 m only.
            let printed = force * (at * (length - at)).powi(2) / (3.0 * rigidity);
            assert!(length == 1.0 || (bend / printed - 1.0).abs() > 0.3);
            assert!((mass_increase(length, at, rigidity) * bend / force - 1.0).abs() < 1e-12);
        }
        // Least in the middle, and symmetric.
        let at = |part: f64| mass_increase(length, part * length, 1.0);
        assert!(at(0.5) < at(0.49) && at(0.49) < at(0.2));
    }
}

/// A cloth of 5 × 5 particles held at two corners, with its system.
fn rig(options: ResistanceOptions, corners: [u32; 2], gravity: DVec3) -> (Model, System) {
    let mut model = particles([5, 5], 0.7, gravity);
    pin(&mut model, &corners);
    let mut system = system(&model, |_| Vec::new());
    let resistance = OrthogonalResistance::new(&model, &faces(&model), options, &system).unwrap();
    system.mechanisms.resistance.push(resistance);
    (model, system)
}

fn still(model: &Model) -> Motion {
    Motion { positions: model.mesh.positions.clone(), velocities: vec![DVec3::ZERO; model.masses.len()] }
}

#[test]
fn vertices_on_the_line_fall_slower_by_their_increase_and_others_do_not() {
    let gravity = DVec3::new(0.0, 0.0, -8.0);
    // Along a column, and along a diagonal with edges of √2.
    for (corners, inner, edge) in [([0, 4], [1, 2, 3], 1.0), ([0, 24], [6, 12, 18], 2f64.sqrt())] {
        let (model, mut system) = rig(ResistanceOptions { stiffness: 2.5, ..NONE }, corners, gravity);
        let held = hold(&system, &corners.map(|v| (v, model.mesh.positions[v as usize])));
        let mut motion = still(&model);
        step(&mut system, &mut motion, &held, 0.1);
        for v in 0..25u32 {
            let speed = motion.velocities[v as usize].z;
            let expected = match inner.iter().position(|&w| w == v) {
                _ if corners.contains(&v) => 0.0,
                None => -0.8,
                // 3 L EI/(A²(L−A)²) with A the way to the nearer corner.
                Some(k) => {
                    let (l, a) = (4.0 * edge, edge * [1.0, 2.0, 1.0][k]);
                    -0.8 / (1.0 + 3.0 * l * 2.5 / (a * a * (l - a) * (l - a)))
                }
            };
            assert!((speed - expected).abs() < 1e-12, "{v}: {speed} instead of {expected}");
        }
    }
}

#[test]
fn a_slack_line_does_not_resist_and_a_stretched_one_resists_more() {
    let (corners, gravity) = ([0, 4], DVec3::new(0.0, 0.0, -8.0));
    let speed = |distance: f64| {
        let options = ResistanceOptions { stiffness: 1.0, growth: 50.0, realign: None };
        let (model, mut system) = rig(options, corners, gravity);
        let mut motion = still(&model);
        motion.positions[4] = motion.positions[0] + (motion.positions[4] - motion.positions[0]) * distance;
        let held = hold(&system, &corners.map(|v| (v, motion.positions[v as usize])));
        step(&mut system, &mut motion, &held, 0.1);
        motion.velocities[2].z
    };
    // EI = 1 + 50 · 0.1², in the middle of 4 m.
    let factor = |rigidity: f64| 1.0 + 3.0 * 4.0 * rigidity / 16.0;
    assert!((speed(0.999) + 0.8).abs() < 1e-12);
    assert!((speed(1.0) + 0.8 / factor(1.0)).abs() < 1e-12);
    assert!((speed(1.1) + 0.8 / factor(1.5)).abs() < 1e-12);
}

#[test]
fn a_line_needs_both_ends_held_and_a_third_held_vertex_cuts_it() {
    let gravity = DVec3::new(0.0, 0.0, -8.0);
    let options = ResistanceOptions { stiffness: 2.5, ..NONE };
    let (model, mut system) = rig(options, [0, 4], gravity);
    let mut motion = still(&model);
    let one = hold(&system, &[(0, model.mesh.positions[0])]);
    step(&mut system, &mut motion, &one, 0.1);
    assert_eq!(motion.velocities[2].z, -0.8, "one end was let go");

    let mut model = particles([5, 5], 0.7, gravity);
    pin(&mut model, &[0, 2, 4]);
    let mut system = crate::system(&model, |_| Vec::new());
    system.mechanisms.resistance.push(OrthogonalResistance::new(&model, &faces(&model), options, &system).unwrap());
    let held = hold(&system, &[0, 2, 4].map(|v| (v, model.mesh.positions[v as usize])));
    let mut motion = still(&model);
    step(&mut system, &mut motion, &held, 0.1);
    // L = 2 and A = 1: two lines of half the length.
    assert!((motion.velocities[1].z + 0.8 / (1.0 + 3.0 * 2.0 * 2.5)).abs() < 1e-12);
}

#[test]
fn too_many_held_vertices_are_refused_with_the_remedy() {
    let mut model = particles([60, 60], 1.0, DVec3::ZERO);
    let sides: Vec<u32> = (0..60).chain(3540..3600).collect();
    pin(&mut model, &sides);
    let system = system(&model, |_| Vec::new());
    let error = OrthogonalResistance::new(&model, &faces(&model), NONE, &system).unwrap_err();
    assert_eq!(error, LinesError::TooMany { body: "sheet".into(), held: 120 });
    assert!(error.to_string().contains("hold fewer vertices"), "{error}");
}

#[test]
fn a_sagging_line_is_realigned_within_its_steps() {
    // A critically damped spring to the line: after n steps (1 + 1) e⁻¹ of the distance is left, after 3 n 4 e⁻³, in the limit
    // of many steps.
    for steps in [4.0, 10.0, 40.0] {
        let options = ResistanceOptions { realign: Some(RealignOptions { steps }), ..NONE };
        let (model, mut system) = rig(options, [0, 4], DVec3::ZERO);
        let mut motion = still(&model);
        (1..4).for_each(|v| motion.positions[v].z -= 0.3);
        let held = hold(&system, &[0, 4].map(|v| (v, model.mesh.positions[v as usize])));
        let mut left = Vec::new();
        for _ in 0..3 * steps as usize {
            step(&mut system, &mut motion, &held, 0.1);
            left.push(motion.positions[2].z / -0.3);
        }
        let (after_one, after_three) = (left[steps as usize - 1], left[3 * steps as usize - 1]);
        println!("{steps} steps: {after_one:.3} left, then {after_three:.3}");
        assert!((after_one - 2.0 * (-1f64).exp()).abs() < 0.9 / steps, "{after_one}");
        assert!((after_three - 4.0 * (-3f64).exp()).abs() < 0.5 / steps && left.iter().all(|x| *x > -1e-12));
        assert_eq!(motion.positions[7], model.mesh.positions[7], "beside the line nothing is drawn");
    }
}

#[test]
fn a_slack_line_is_straightened_from_both_ends_inwards() {
    // Ends at 3.6 of 4 m, the line in a zigzag: its first vertex goes towards the chord of its two neighbours, one edge from the end.
    let options = ResistanceOptions { realign: Some(RealignOptions { steps: 2.0 }), ..NONE };
    let (model, mut system) = rig(options, [0, 4], DVec3::ZERO);
    let mut motion = still(&model);
    let places = [0.0, 0.9, 1.8, 2.7, 3.6];
    for v in 0..5 {
        motion.positions[v] = model.mesh.positions[0] + DVec3::new(0.0, places[v], if v % 2 == 1 { 0.4 } else { 0.0 });
    }
    let held = hold(&system, &[0, 4].map(|v| (v, motion.positions[v as usize])));
    let before = motion.positions.clone();
    step(&mut system, &mut motion, &held, 0.1);
    // A quarter of the way to the place: from A one edge along A and the third vertex, which is level with it.
    let expected = (before[0] + DVec3::Y - before[1]) * 0.25;
    assert!((motion.positions[1] - before[1] - expected).length() < 1e-12, "{}", motion.positions[1] - before[1]);
    let mirrored = (before[4] - DVec3::Y - before[3]) * 0.25;
    assert!((motion.positions[3] - before[3] - mirrored).length() < 1e-12);
    // The middle belongs to the first end: one edge from where its neighbour goes, towards where the other one goes.
    let [left, right] = [before[0] + DVec3::Y, before[4] - DVec3::Y];
    let middle = left + (right - left).normalize() - before[2];
    assert!((motion.positions[2] - before[2] - middle * 0.25).length() < 1e-12);
}
