//! Push and curve: the length condition, the theta rule, and what the forces add up to.

use crate::{Motion, faces, particles, sheet::Random, step, system};
use glam::{DQuat, DVec3};
use muslin_dynamics::{
    Beginning, Constraints, System,
    forces::{CurveOptions, GridDamping, GridOptions, GridStiffness, PushAndCurve, Springs, push_factor},
};
use muslin_model::Model;

/// k [N/m]; with steps of 1 s and particles of 1 kg half of a shortening is pushed out in each step.
pub const STIFFNESS: f64 = 0.5;

fn options() -> GridOptions {
    let stiffness = GridStiffness::Given { structural: STIFFNESS, shear: 0.0, flexion: 0.0 };
    GridOptions { stiffness, damping: GridDamping::Material }
}

/// Springs that curve, by a ratio and with a range of choices [m].
pub fn curving(model: &Model, ratio: f64, range: f64) -> System {
    let options = (options(), CurveOptions { ratio, range });
    system(model, |layout| vec![Box::new(PushAndCurve::new(model, &faces(model), options, &[], layout).unwrap())])
}

/// Springs that only push.
pub fn pushing(model: &Model) -> System {
    system(model, |layout| vec![Box::new(Springs::on_grid(model, &faces(model), options(), layout).unwrap())])
}

/// The forces of a system on a shape, for steps of 1 s [N].
pub fn forces(system: &mut System, positions: &[DVec3], held: &Constraints) -> Vec<DVec3> {
    let (mut x, still) = (Vec::new(), vec![DVec3::ZERO; positions.len()]);
    system.gather(positions, &mut x);
    system.prepare(&Beginning { step: 1.0, positions: &x, held });
    let (mut out, mut result) = (still.clone(), still.clone());
    system.force(&x, &still, &mut out);
    system.scatter(&out, &mut result);
    result
}

/// A cloth without viscosity.
pub fn undamped(vertices: [usize; 2]) -> Model {
    let mut model = particles(vertices, 1.0, DVec3::ZERO);
    for material in &mut model.materials {
        (material.damping_warp, material.damping_weft, material.damping_shear) = (0.0, 0.0, 0.0);
    }
    model
}

#[test]
fn the_factor_makes_an_edge_as_long_as_pushing_alone_would() {
    let mut random = Random(11);
    let mut checked = 0;
    for _ in 0..2000 {
        let (u, length) = (random.vector().normalize(), 0.6 + 0.5 * random.next());
        let push = 0.5 + 0.4 * random.next();
        let ways = [0.7 + 0.7 * random.next(), 0.7 + 0.7 * random.next()];
        let curves = [random.vector(), random.vector()].map(|n| n.normalize() * (1.0 + random.next()));
        let k1 = push_factor(u, length, push, ways, curves);
        assert!(k1 > 0.0 && k1 <= 4.0);
        if k1 == 4.0 {
            continue;
        }
        // Both ends moved by what acts on them, from A at the origin and B at u length.
        let [a, b] = [0, 1].map(|i| (curves[i] * push + u * push * (2.0 * i as f64 - 1.0)) * k1 * ways[i]);
        let (new, alone) = ((u * length + b - a).length(), length + push * (ways[0] + ways[1]));
        assert!((new - alone).abs() < 1e-12 * (1.0 + alone), "{new} instead of {alone} with {k1}");
        checked += 1;
    }
    assert!(checked > 1500, "{checked}");
    let side = [DVec3::Z, DVec3::Z];
    assert!((push_factor(DVec3::X, 0.5, 0.2, [1.0, 1.0], side) - 1.0).abs() < 1e-15, "ends that rise together");
    assert_eq!(push_factor(DVec3::X, 0.5, 0.2, [0.0, 0.0], side), 1.0, "ends that are held");
    assert!(push_factor(DVec3::X, 0.5, 0.2, [0.0, 1.0], side) < 1.0, "one end that is held");
}

#[test]
fn the_condition_as_printed_stretches_an_edge_unless_the_step_squared_is_the_mass() {
    // V 7.15 takes forces for ways. With h²/m = 0.1 its factor leaves the edge short; the right one does not.
    let (u, length, push) = (DVec3::X, 0.5, 0.5);
    let curves = [DVec3::ZERO, DVec3::Z];
    let reached = |k1: f64| (u * (length + 2.0 * k1 * push * 0.1) + DVec3::Z * (k1 * push * 0.1)).length();
    let alone = length + 2.0 * push * 0.1;
    let (right, printed) =
        (push_factor(u, length, push, [0.1; 2], curves), push_factor(u, length, push, [1.0; 2], curves));
    println!("right {right:.4}, printed {printed:.4}: lengths {:.4} and {:.4}", reached(right), reached(printed));
    assert!((reached(right) - alone).abs() < 1e-12 && (reached(printed) - alone).abs() > 1e-3);
}

#[test]
fn crests_rise_troughs_sink_and_a_straight_line_goes_along_the_normal() {
    let model = undamped([7, 2]);
    // Wings at 30° to the surface, in units of an edge that is shortened to 0.8.
    let lift = |v: usize, shape: &[f64; 7]| shape[v / 2];
    let shapes: [([f64; 7], f64); 3] = [
        ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1.0),
        ([0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0], 1.0),
        ([0.0, 0.0, 0.0, -0.3, 0.0, 0.0, 0.0], -1.0),
    ];
    for (shape, sign) in shapes {
        let bent: Vec<DVec3> =
            (0..14).map(|v| DVec3::new(0.8 * (v / 2) as f64, (v % 2) as f64, lift(v, &shape))).collect();
        let none = Constraints::default();
        let (with, without) =
            (forces(&mut curving(&model, 0.5, 0.0), &bent, &none), forces(&mut pushing(&model), &bent, &none));
        // In the middle the two springs push alike, so that along the normal only curving is left.
        let curve = with[6].z - without[6].z;
        println!("lift {:?}: {curve:+.3} N", shape[3]);
        assert!(curve * sign > 0.01, "{shape:?}: {curve}");
    }
}

#[test]
fn a_range_of_choices_makes_neighbours_follow_the_one_nearest_to_a_held_vertex() {
    let model = undamped([9, 2]);
    // A zigzag that the strict rule bends further at every vertex.
    let bent: Vec<DVec3> =
        (0..18).map(|v| DVec3::new(0.8 * (v / 2) as f64, (v % 2) as f64, 0.05 * (v / 2 % 2) as f64)).collect();
    let ways = |range: f64| {
        let mut system = curving(&model, 0.5, range);
        let held = crate::hold(&system, &[(0, bent[0]), (1, bent[1])]);
        let plain = forces(&mut pushing(&model), &bent, &held);
        let curved = forces(&mut system, &bent, &held);
        // Of the inner vertices of the first row; one force of curving for either spring.
        (1..8).map(|i| (curved[2 * i].z - plain[2 * i].z).signum()).collect::<Vec<_>>()
    };
    assert_eq!(ways(0.0), [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    // The second vertex, a crest, decides for all within 2.5 edges; the fifth, a trough, for the next three.
    assert_eq!(ways(2.5), [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]);
}

#[test]
fn stretched_springs_pull_as_ever_and_no_ratio_is_the_plain_spring() {
    let model = undamped([6, 5]);
    let mut random = Random(5);
    let wild: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x + random.vector() * 0.3).collect();
    let none = Constraints::default();
    let plain = forces(&mut pushing(&model), &wild, &none);
    let close = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(close(&forces(&mut curving(&model, 1e-300, 0.0), &wild, &none), &plain) < 1e-14);
    let pulled: Vec<DVec3> = wild.iter().map(|x| *x * 4.0).collect();
    let [a, b] = [curving(&model, 1.0, 0.0), pushing(&model)].map(|mut s| forces(&mut s, &pulled, &none));
    assert_eq!(a, b);
    assert!(close(&forces(&mut curving(&model, 0.5, 0.0), &wild, &none), &plain) > 0.01);
}

#[test]
fn forces_turn_with_the_cloth() {
    let model = undamped([6, 5]);
    let mut random = Random(9);
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, 1.9, -0.4);
    let none = Constraints::default();
    // A rough shape, and a flat one, where round-off must not choose the side.
    let rough: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x * 0.8 + random.vector() * 0.2).collect();
    let flat: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x * 0.8).collect();
    for shape in [rough, flat] {
        let turned: Vec<DVec3> = shape.iter().map(|x| turn * *x).collect();
        let base = forces(&mut curving(&model, 0.5, 0.0), &shape, &none);
        let found = forces(&mut curving(&model, 0.5, 0.0), &turned, &none);
        assert!(base.iter().any(|f| f.z.abs() > 0.01));
        for (v, f) in base.iter().enumerate() {
            assert!((turn * *f - found[v]).length() < 1e-12, "{v}: {f} and {}", turn.inverse() * found[v]);
        }
    }
}

#[test]
fn free_cloth_under_compression_flies_off_along_its_normal() {
    // The erratum of V 7.13: nothing takes back what the normals get. All springs of a flat cloth at 80 % of its size are short by
    // 0.2 edges, the ends of each rise together (k₁ = 1) and get c k 0.2 each.
    let model = undamped([4, 3]);
    let short: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x * 0.8).collect();
    let none = Constraints::default();
    let sum: DVec3 = forces(&mut curving(&model, 0.5, 0.0), &short, &none).iter().sum();
    let springs = (3 * 3 + 4 * 2) as f64;
    assert!((sum.z - springs * 2.0 * 0.5 * STIFFNESS * 0.2).abs() < 1e-12 && sum.truncate().length() < 1e-12, "{sum}");
    let plain: DVec3 = forces(&mut pushing(&model), &short, &none).iter().sum();
    assert!(plain.length() < 1e-14);
}

#[test]
fn a_step_from_rest_leaves_an_edge_as_long_as_pushing_alone() {
    // Two columns: one family of springs is shortened, none has a neighbour on its line.
    let model = undamped([2, 2]);
    let short: Vec<DVec3> = model.mesh.positions.iter().map(|x| DVec3::new(0.4 * x.x, x.y, 0.0)).collect();
    let held_at = [(0, short[0]), (1, short[1])];
    let lengths = [curving(&model, 0.7, 0.0), pushing(&model)].map(|mut system| {
        let held = crate::hold(&system, &held_at);
        let mut motion = Motion { positions: short.clone(), velocities: vec![DVec3::ZERO; 4] };
        step(&mut system, &mut motion, &held, 1.0);
        let rise = motion.positions[2].z;
        (motion.positions[2].distance(motion.positions[0]), rise)
    });
    println!("{lengths:?}");
    assert!((lengths[0].0 - lengths[1].0).abs() < 1e-12 && lengths[0].1 > 0.1 && lengths[1].1 == 0.0);
    // Pushing alone: 0.4 + ½ · 0.6.
    assert!((lengths[1].0 - 0.7).abs() < 1e-12);
}
