//! The limiters: closed forms of one edge, chains, momentum, energy, and limits that cannot be met.

mod spring_systems;

use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints,
    integrators::Phase,
    limits::{LIMIT_TOLERANCE, LimitedEdges, Limiter, StrainImpulses, SuperElasticity, VelocityRule},
};
use spring_systems::{angular_momentum, distance, hold, kinetic, momentum};

const STEP: f64 = 0.01;

fn edges(masses: &[f64], ends: &[[u32; 2]], rest: f64) -> LimitedEdges {
    LimitedEdges {
        ends: ends.to_vec(),
        rest_lengths: vec![rest; ends.len()],
        inverse_masses: masses.iter().map(|m| 1.0 / m).collect(),
    }
}

fn chain(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).map(|k| [k, k + 1]).collect()
}

/// A step from `start` to `end` with the velocity of its mean motion.
fn moved(start: &[DVec3], end: &[DVec3]) -> Phase {
    let velocities = start.iter().zip(end).map(|(&a, &b)| (b - a) / STEP).collect();
    Phase {
        positions: end.to_vec(),
        velocities,
        previous_positions: start.to_vec(),
        previous_velocities: vec![DVec3::ZERO; start.len()],
        previous_step: STEP,
        guess: Vec::new(),
    }
}

/// Fixed pseudo-random vectors of about unit size.
fn noise(count: usize, seed: f64) -> Vec<DVec3> {
    let part = |k: f64| ((k * 12.9898 + seed * 78.233).sin() * 43758.5453).fract();
    (0..count).map(|k| DVec3::new(part(k as f64), part(k as f64 + 0.37), part(k as f64 + 0.71))).collect()
}

fn both(edges: &LimitedEdges, limit: f64) -> [Box<dyn Limiter>; 2] {
    [
        Box::new(SuperElasticity::new(edges.clone(), limit, 0, VelocityRule::FollowPositions)),
        Box::new(StrainImpulses::new(edges.clone(), limit, f64::INFINITY, 10_000)),
    ]
}

#[test]
fn two_free_masses_meet_the_limit_and_share_by_inverse_mass() {
    let masses = [0.1, 0.3];
    let start = [DVec3::ZERO, DVec3::X];
    let end = [DVec3::new(-0.2, 0.0, 0.1), DVec3::new(1.2, 0.1, 0.1)];
    for mut limiter in both(&edges(&masses, &[[0, 1]], 1.0), 0.1) {
        let mut state = moved(&start, &end);
        let before = state.clone();
        let report = limiter.limit(&mut state, &Constraints::default(), STEP);
        let length = state.positions[0].distance(state.positions[1]);
        assert!((length - 1.1).abs() < 1e-14, "{}: {length}", limiter.name());
        assert_eq!((report.largest_excess, report.worst_edge), (0.0, None));
        // The light end moves three times as far, and both along the edge.
        let along = (end[1] - end[0]).normalize();
        let excess = end[0].distance(end[1]) - 1.1;
        assert!(state.positions[0].distance(end[0] + along * (0.75 * excess)) < 1e-14);
        assert!(state.positions[1].distance(end[1] - along * (0.25 * excess)) < 1e-14);
        // The velocities follow: moving from the start with them leads to the positions.
        for i in 0..2 {
            assert!((start[i] + state.velocities[i] * STEP).distance(state.positions[i]) < 1e-14);
        }
        let change = |f: &dyn Fn(&Phase) -> DVec3| f(&state).distance(f(&before));
        assert!(change(&|s| momentum(&masses, &s.velocities)) < 1e-13);
        // The impulses have no moment: about the positions at which they act.
        let torque =
            angular_momentum(&masses, &end, &state.velocities) - angular_momentum(&masses, &end, &before.velocities);
        assert!(torque.length() < 1e-13, "{torque}");
        let loss = kinetic(&masses, &before.velocities) - kinetic(&masses, &state.velocities);
        assert!(loss > 0.1, "{}: loss {loss}", limiter.name());
    }
}

#[test]
fn a_held_end_leaves_the_whole_correction_to_the_other() {
    let masses = [0.1, 0.3];
    for mut limiter in both(&edges(&masses, &[[0, 1]], 1.0), 0.1) {
        let mut state = moved(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO, DVec3::new(1.5, 0.0, 0.0)]);
        limiter.limit(&mut state, &hold(&[0], |_| DVec3::ZERO), STEP);
        assert_eq!(state.positions[0], DVec3::ZERO, "{}", limiter.name());
        assert_eq!(state.velocities[0], DVec3::ZERO, "{}", limiter.name());
        assert!((state.positions[1].x - 1.1).abs() < 1e-14, "{}", limiter.name());
    }
}

#[test]
fn a_partly_held_end_stays_in_its_plane() {
    let masses = [0.1, 0.1];
    let n = DVec3::new(1.0, 2.0, 2.0) / 3.0;
    let free = DMat3::IDENTITY - DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    let end = [DVec3::ZERO, DVec3::new(1.6, 0.3, 0.0)];
    let constraints = Constraints { vertices: vec![1], free: vec![free], targets: vec![end[1]], ..Default::default() };
    for mut limiter in both(&edges(&masses, &[[0, 1]], 1.0), 0.1) {
        let mut state = moved(&[DVec3::ZERO, DVec3::X], &end);
        limiter.limit(&mut state, &constraints, STEP);
        assert!(n.dot(state.positions[1] - end[1]).abs() < 1e-15, "{}", limiter.name());
        assert!(state.positions[1].distance(end[1]) > 0.1);
        let length = state.positions[0].distance(state.positions[1]);
        assert!(length < 1.1 + LIMIT_TOLERANCE, "{}: {length}", limiter.name());
    }
}

#[test]
fn short_edges_and_rigid_motion_are_left_alone() {
    let start: Vec<DVec3> = (0..6).map(|k| DVec3::new(0.1 * k as f64, 0.0, 0.0)).collect();
    // A quarter turn, and a crumpled chain.
    let turned: Vec<DVec3> = start.iter().map(|x| DVec3::new(0.0, x.x, 1.0)).collect();
    let crumpled: Vec<DVec3> = noise(6, 3.0).iter().map(|x| *x * 0.02).collect();
    for end in [turned, crumpled] {
        for mut limiter in both(&edges(&[0.1; 6], &chain(5), 0.1), 0.1) {
            let mut state = moved(&start, &end);
            let before = state.clone();
            let report = limiter.limit(&mut state, &Constraints::default(), STEP);
            assert_eq!((state, report.passes), (before, 1), "{}", limiter.name());
        }
    }
}

#[test]
fn one_pass_passes_the_excess_on_and_many_remove_it() {
    // V fig. 7.29: the last node of A–B–C–D is torn away; correcting CD makes BC too long.
    let masses = [0.1; 4];
    let start: Vec<DVec3> = (0..4).map(|k| DVec3::X * k as f64).collect();
    let mut end = start.clone();
    end[3].x = 4.5;
    let held = hold(&[0], |_| DVec3::ZERO);
    let excess = |passes| {
        let edges = edges(&masses, &chain(3), 1.0);
        let mut limiter = SuperElasticity::new(edges, 0.1, passes, VelocityRule::FollowPositions);
        let mut state = moved(&start, &end);
        let report = limiter.limit(&mut state, &held, STEP);
        (report, state)
    };
    let (once, state) = excess(1);
    assert_eq!((once.passes, once.worst_edge), (1, Some(1)), "{once:?} {:?}", state.positions);
    assert!((once.largest_excess - 0.6).abs() < 1e-12, "half of CD's excess of 1.4 less what BC had to spare");
    let few = excess(5).0.largest_excess;
    assert!(few < 0.5 * once.largest_excess && few > 0.0, "{few}");
    let (many, state) = excess(0);
    assert_eq!(many.largest_excess, 0.0);
    assert!(state.positions[3].x < 3.3 + 1e-5 && state.positions[3].x > 3.0);
}

#[test]
fn a_long_stretched_chain_is_brought_within_the_limit() {
    let count = 100;
    let masses = vec![0.01; count + 1];
    let start: Vec<DVec3> = (0..=count).map(|k| DVec3::X * (0.01 * k as f64)).collect();
    let end: Vec<DVec3> = start.iter().map(|x| *x * 1.3).collect();
    let held = hold(&[0], |_| DVec3::ZERO);
    for mut limiter in both(&edges(&masses, &chain(count), 0.01), 0.1) {
        let mut state = moved(&start, &end);
        let report = limiter.limit(&mut state, &held, STEP);
        println!("{}: {} passes, excess {:.1e}", limiter.name(), report.passes, report.largest_excess);
        assert_eq!(report.largest_excess, 0.0, "{}: {} passes", limiter.name(), report.passes);
        let longest = state.positions.windows(2).map(|p| p[0].distance(p[1])).fold(0.0, f64::max);
        assert!(longest <= 0.011 * (1.0 + 2.0 * LIMIT_TOLERANCE), "{longest}");
    }
}

#[test]
fn momentum_changes_only_through_held_vertices() {
    let count = 40;
    let masses: Vec<f64> = (0..=count).map(|k| 0.01 + 0.0003 * k as f64).collect();
    let start: Vec<DVec3> = (0..=count).map(|k| DVec3::X * (0.01 * k as f64)).collect();
    let end: Vec<DVec3> = start.iter().zip(noise(count + 1, 1.0)).map(|(x, n)| *x * 1.2 + n * 0.004).collect();
    for mut limiter in both(&edges(&masses, &chain(count), 0.01), 0.1) {
        let mut state = moved(&start, &end);
        let before = state.clone();
        let report = limiter.limit(&mut state, &Constraints::default(), STEP);
        assert_eq!(report.largest_excess, 0.0, "{}", limiter.name());
        assert!(distance(&state.positions, &before.positions) > 0.01);
        let scale = kinetic(&masses, &before.velocities).sqrt();
        let change = momentum(&masses, &state.velocities).distance(momentum(&masses, &before.velocities));
        assert!(change < 1e-12 * scale, "{}: {change:.1e}", limiter.name());
    }
}

#[test]
fn pins_further_apart_than_the_limit_are_reported_and_end_the_passes() {
    let count = 10;
    let masses = vec![0.01; count + 1];
    let start: Vec<DVec3> = (0..=count).map(|k| DVec3::X * (0.1 * k as f64)).collect();
    let end: Vec<DVec3> = start.iter().map(|x| *x * 1.5).collect();
    let pins = [0, count as u32];
    let held = hold(&pins, |k| end[pins[k] as usize]);
    for mut limiter in both(&edges(&masses, &chain(count), 0.1), 0.1) {
        let mut state = moved(&start, &end);
        let report = limiter.limit(&mut state, &held, STEP);
        // The mean strain is 0.5: some edge must be 0.4 beyond the limit.
        assert!(report.largest_excess >= 0.4 - 1e-9, "{}: {report:?}", limiter.name());
        assert!(report.worst_edge.is_some() && report.passes < 1000, "{}: {report:?}", limiter.name());
        assert!(state.positions.iter().chain(&state.velocities).all(|x| x.is_finite()));
        assert_eq!([state.positions[0], state.positions[count]], [end[0], end[count]]);
    }
}

#[test]
fn limiters_never_add_kinetic_energy() {
    let side = 6usize;
    let at = |i: usize, j: usize| (i * side + j) as u32;
    let mut ends = Vec::new();
    for i in 0..side {
        for j in 0..side {
            if i + 1 < side {
                ends.push([at(i, j), at(i + 1, j)]);
            }
            if j + 1 < side {
                ends.push([at(i, j), at(i, j + 1)]);
            }
        }
    }
    let count = side * side;
    let masses: Vec<f64> = (0..count).map(|k| 0.01 + 0.001 * (k % 7) as f64).collect();
    let flat: Vec<DVec3> = (0..count).map(|k| DVec3::new((k / side) as f64, (k % side) as f64, 0.0) * 0.1).collect();
    for seed in 0..20 {
        let end: Vec<DVec3> = flat.iter().zip(noise(count, seed as f64)).map(|(x, n)| *x + n * 0.08).collect();
        let mut limiters = both(&edges(&masses, &ends, 0.1), 0.05).to_vec_with(StrainImpulses::new(
            edges(&masses, &ends, 0.1),
            0.05,
            0.1,
            500,
        ));
        for limiter in &mut limiters {
            let mut state = moved(&flat, &end);
            let before = kinetic(&masses, &state.velocities);
            limiter.limit(&mut state, &Constraints::default(), STEP);
            let after = kinetic(&masses, &state.velocities);
            assert!(after <= before * (1.0 + 1e-12), "{} seed {seed}: {before} to {after}", limiter.name());
            assert!(after < 0.999 * before, "{} seed {seed}: nothing was limited", limiter.name());
        }
        // Impulses keep the promise even if the step began beyond the limit, and still reach the limit.
        let start: Vec<DVec3> = flat.iter().map(|x| *x * 1.2).collect();
        let mut state = moved(&start, &end);
        let before = kinetic(&masses, &state.velocities);
        let mut limiter = StrainImpulses::new(edges(&masses, &ends, 0.1), 0.05, f64::INFINITY, 10_000);
        let report = limiter.limit(&mut state, &Constraints::default(), STEP);
        assert!(kinetic(&masses, &state.velocities) <= before * (1.0 + 1e-12), "seed {seed}");
        assert_eq!(report.largest_excess, 0.0, "seed {seed}: {report:?}");
    }
}

trait WithOneMore {
    fn to_vec_with(self, limiter: StrainImpulses) -> Vec<Box<dyn Limiter>>;
}

impl WithOneMore for [Box<dyn Limiter>; 2] {
    fn to_vec_with(self, limiter: StrainImpulses) -> Vec<Box<dyn Limiter>> {
        self.into_iter().chain([Box::new(limiter) as Box<dyn Limiter>]).collect()
    }
}

#[test]
fn strain_changes_by_no_more_than_the_rate_limit_in_a_step() {
    for (end, expected) in [(1.5, 1.08), (0.4, 0.92), (1.05, 1.05), (0.95, 0.95)] {
        let mut state = moved(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO, DVec3::X * end]);
        let mut limiter = StrainImpulses::new(edges(&[0.1, 0.1], &[[0, 1]], 1.0), 10.0, 0.08, 100);
        limiter.limit(&mut state, &Constraints::default(), STEP);
        let length = state.positions[0].distance(state.positions[1]);
        assert!((length - expected).abs() < 1e-14, "{end}: {length}");
    }
    // An edge that turned over is not blown up again: that would add energy.
    let mut state = moved(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO, DVec3::X * -0.3]);
    let before = state.clone();
    StrainImpulses::new(edges(&[0.1, 0.1], &[[0, 1]], 1.0), 10.0, 0.08, 100).limit(
        &mut state,
        &Constraints::default(),
        STEP,
    );
    assert_eq!(state, before);
}

#[test]
fn velocities_stay_if_told_to() {
    let mut state = moved(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO, DVec3::X * 1.5]);
    let before = state.clone();
    let edges = edges(&[0.1, 0.1], &[[0, 1]], 1.0);
    SuperElasticity::new(edges, 0.1, 1, VelocityRule::Keep).limit(&mut state, &Constraints::default(), STEP);
    assert_eq!(state.velocities, before.velocities);
    assert!(distance(&state.positions, &before.positions) > 0.19);
}
