//! Force transfer: the cone in closed form, momentum, frames of reference.

use crate::{Motion, faces, hold, particles, pin, sheet::Random, step, system};
use glam::{DQuat, DVec3};
use muslin_dynamics::{
    Constraints, System,
    forces::{Load, LoadPoint},
    mechanisms::{ForceTransfer, TransferOptions, cone},
};
use muslin_model::Model;

const SIDE: usize = 8;
/// The struck particle: the first column, in the middle.
const STRUCK: u32 = 4;
const MASS: f64 = 0.3;
const STEP: f64 = 0.1;
/// c [N]: half an edge of 1 m within the step.
const LIMIT: f64 = MASS * 0.5 / (STEP * STEP);

/// A cloth of particles that a force strikes, with or without transfer.
fn struck(force: DVec3, transfer: bool, model: &Model) -> System {
    let point = LoadPoint { vertex: STRUCK, force, span: [0.0, 10.0] };
    let mut system = system(model, |layout| vec![Box::new(Load::new(&[point], layout))]);
    if transfer {
        let mut sharing = ForceTransfer::default();
        sharing.add(model, &faces(model), TransferOptions { reach: 0.5 }, &system).unwrap();
        system.mechanisms.transfer = Some(sharing);
    }
    system
}

fn at_rest(model: &Model) -> Motion {
    Motion { positions: model.mesh.positions.clone(), velocities: vec![DVec3::ZERO; model.masses.len()] }
}

/// Where each particle is carried by one step of a strike with so many times c [m].
fn ways(times: f64, transfer: bool) -> Vec<DVec3> {
    let model = particles([SIDE; 2], MASS, DVec3::ZERO);
    let mut motion = at_rest(&model);
    let mut system = struck(DVec3::X * (times * LIMIT), transfer, &model);
    step(&mut system, &mut motion, &Constraints::default(), STEP);
    motion.positions.iter().zip(&model.mesh.positions).map(|(x, start)| *x - *start).collect()
}

#[test]
fn the_cone_has_the_cosine_of_the_thesis() {
    assert_eq!(cone(0.0), 1.0);
    assert!((cone(1.0) - 0.9).abs() < 1e-15 && (cone(2.0) - 0.81).abs() < 1e-15);
    // Half a right angle at ln √½ / ln 0.9 times c.
    let excess = 0.5f64.sqrt().ln() / 0.9f64.ln();
    assert!((cone(excess).acos().to_degrees() - 45.0).abs() < 1e-9 && (excess - 3.2894).abs() < 1e-4);
}

#[test]
fn who_lies_in_the_cone_gets_its_share_and_nobody_else_moves() {
    for times in [1.5, 3.0, 9.0, 40.0] {
        let (excess, model) = (times - 1.0, particles([SIDE; 2], MASS, DVec3::ZERO));
        let a = model.mesh.positions[STRUCK as usize];
        // From the geometry of the flat cloth alone: (1 m/|AB|) cos θ_B for cos θ_B beyond 0.9^excess.
        let weight = |x: DVec3| {
            let (way, cosine) = (x - a, (x - a).normalize_or_zero().x);
            if cosine > 0.9f64.powf(excess) { cosine / way.length() } else { 0.0 }
        };
        let weights: Vec<f64> = model.mesh.positions.iter().map(|&x| weight(x)).collect();
        let total: f64 = weights.iter().sum();
        let scale = excess * (1.0 / total).min(1.0);
        let found = ways(times, true);
        assert!(weights.iter().any(|w| *w > 0.0) && weights.contains(&0.0));
        for (v, way) in found.iter().enumerate() {
            // Half an edge per c.
            let kept = if v == STRUCK as usize { times - scale * total } else { 0.0 };
            let expected = DVec3::X * (0.5 * (weights[v] * scale + kept));
            assert!((*way - expected).length() < 1e-12, "{times}: {v} moved {way}, not {expected}");
        }
        let kept = found[STRUCK as usize].x;
        println!("{times} c: {} share, the struck one goes {kept} edges", weights.iter().filter(|w| **w > 0.0).count());
    }
}

#[test]
fn what_is_given_is_taken_from_the_struck_one() {
    let mut random = Random(7);
    for times in [0.9, 2.0, 5.0, 30.0] {
        let model = particles([SIDE; 2], MASS, DVec3::ZERO);
        let mut motion = at_rest(&model);
        motion.positions.iter_mut().for_each(|x| *x += random.vector() * 0.2);
        motion.velocities.iter_mut().for_each(|v| *v = random.vector());
        let momentum = |m: &Motion| m.velocities.iter().sum::<DVec3>() * MASS;
        let (before, force) = (momentum(&motion), DVec3::new(3.0, 0.3, -0.2).normalize() * (times * LIMIT));
        let mut system = struck(force, true, &model);
        step(&mut system, &mut motion, &Constraints::default(), STEP);
        let gained = momentum(&motion) - before;
        assert!((gained - force * STEP).length() < 1e-12 * (1.0 + force.length()), "{times}: {gained}");
        let shared = system.mechanisms.transfer.as_ref().unwrap().shared();
        assert_eq!(shared, usize::from(times > 1.0), "{times}");
    }
}

#[test]
fn the_algorithm_as_printed_makes_momentum_from_nothing() {
    // V 7.11 gives each of the cone its share and leaves the struck particle its whole force. From the closed form of the shares: at
    // 10 c the particles in the cone get six times the excess on top of the 10 c.
    let model = particles([SIDE; 2], MASS, DVec3::ZERO);
    let a = model.mesh.positions[STRUCK as usize];
    let cosine = |x: DVec3| (x - a).normalize_or_zero().x;
    let inside = model.mesh.positions.iter().filter(|x| cosine(**x) > 0.9f64.powf(9.0));
    let given: f64 = inside.map(|&x| cosine(x) / x.distance(a)).sum::<f64>() * 9.0;
    println!("printed: {given:.1} c given on top of 10 c");
    assert!(given > 50.0);
}

#[test]
fn a_force_below_the_limit_changes_no_bit() {
    assert_eq!(ways(0.99, true), ways(0.99, false));
    assert_ne!(ways(1.01, true), ways(1.01, false));
}

#[test]
fn a_cloth_that_moves_or_is_turned_as_a_whole_shares_the_same() {
    let base = ways(12.0, true);
    let (turn, drift) = (DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0), DVec3::new(40.0, -7.0, 90.0));
    let mut model = particles([SIDE; 2], MASS, DVec3::ZERO);
    model.mesh.positions.iter_mut().for_each(|x| *x = turn * *x);
    let mut motion = at_rest(&model);
    motion.velocities.fill(drift);
    let mut system = struck(turn * DVec3::X * (12.0 * LIMIT), true, &model);
    step(&mut system, &mut motion, &Constraints::default(), STEP);
    for (v, way) in base.iter().enumerate() {
        let found = turn.inverse() * (motion.positions[v] - model.mesh.positions[v] - drift * STEP);
        assert!((found - *way).length() < 1e-11, "{v}: {found} and {way}");
    }
}

#[test]
fn held_particles_get_nothing_and_share_nothing() {
    let mut model = particles([SIDE; 2], MASS, DVec3::ZERO);
    let ahead = STRUCK + SIDE as u32;
    pin(&mut model, &[ahead]);
    let mut system = struck(DVec3::X * (5.0 * LIMIT), true, &model);
    let held = hold(&system, &[(ahead, model.mesh.positions[ahead as usize])]);
    let mut motion = at_rest(&model);
    step(&mut system, &mut motion, &held, STEP);
    let momentum = motion.velocities.iter().sum::<DVec3>() * MASS;
    assert!((momentum.x - 5.0 * LIMIT * STEP).abs() < 1e-12, "all of it went to particles that can move");
    assert_eq!(motion.velocities[ahead as usize], DVec3::ZERO);
}

#[test]
fn a_struck_particle_goes_half_an_edge_a_step_however_long_the_strike() {
    // V's c holds for a particle at rest; in the second step of a strike it has gone through its neighbour.
    let model = particles([SIDE; 2], MASS, DVec3::ZERO);
    let (mut motion, mut plain) = (at_rest(&model), at_rest(&model));
    let force = DVec3::X * (10.0 * LIMIT);
    let (mut with, mut without) = (struck(force, true, &model), struck(force, false, &model));
    for k in 1..=5 {
        let before = motion.positions[STRUCK as usize].x;
        let drift: f64 = motion.velocities.iter().map(|v| v.x).sum::<f64>() / motion.velocities.len() as f64;
        step(&mut with, &mut motion, &Constraints::default(), STEP);
        step(&mut without, &mut plain, &Constraints::default(), STEP);
        let way = motion.positions[STRUCK as usize].x - before;
        assert!((way - drift * STEP - 0.5).abs() < 1e-9, "step {k}: {way}");
        let next = STRUCK as usize + SIDE;
        assert!(motion.positions[STRUCK as usize].x < motion.positions[next].x, "step {k}");
    }
    assert!(plain.positions[STRUCK as usize].x > model.mesh.positions[model.masses.len() - 1].x, "through all of it");
}
