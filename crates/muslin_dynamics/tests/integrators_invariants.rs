//! What schemes keep exactly: free fall, momentum, held directions, time's direction; and what they bound.

mod spring_systems;

use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints, System,
    integrators::{Integrator, Mixed, MixedOrder, Phase, RungeKutta, StepInput, SymplecticEuler, Verlet},
};
use spring_systems::{
    Spring, angular_momentum, distance, hold, kinetic, momentum, phase, run, schemes, spring, system,
};

const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// A ring of six masses with cross braces, deformed and spinning: no pins, no gravity.
fn ring(damping: f64) -> (Vec<f64>, Vec<Spring>, Phase) {
    let at = |k: usize| {
        let angle = k as f64 * std::f64::consts::TAU / 6.0;
        DVec3::new(angle.cos(), angle.sin(), 0.1 * (2.0 * angle).sin())
    };
    let mut springs = Vec::new();
    for k in 0..6 {
        for reach in 1..=2 {
            let (a, b) = (k, (k + reach) % 6);
            springs.push(spring(a as u32, b as u32, 30.0, 0.95 * at(a).distance(at(b)), damping));
        }
    }
    let x: Vec<DVec3> = (0..6).map(|k| at(k) * (1.0 + 0.05 * (k as f64).sin())).collect();
    let v = x.iter().map(|x| DVec3::new(0.3, -0.2, 0.5).cross(*x) + DVec3::new(0.4, 0.1, -0.3)).collect::<Vec<_>>();
    ((0..6).map(|k| 0.1 + 0.02 * k as f64).collect(), springs, phase(&x, &v))
}

fn no_pins(_: usize, _: f64) -> DVec3 {
    DVec3::ZERO
}

fn energy(system: &System, masses: &[f64], state: &Phase) -> f64 {
    kinetic(masses, &state.velocities) + system.elastic_energy(&state.positions)
}

#[test]
fn free_fall_is_exact_or_off_by_its_known_error() {
    let (x0, v0, end, steps) = (DVec3::new(0.3, -0.1, 2.0), DVec3::new(1.0, 0.5, 3.0), 0.7, 70);
    let exact = x0 + v0 * end + G * (0.5 * end * end);
    // Euler's schemes take the velocity from one end of the step: off by ½ g h t to either side.
    let off = G * (0.5 * end / steps as f64 * end);
    for (mut scheme, _) in schemes() {
        let expected = match scheme.name() {
            "explicit-euler" => exact - off,
            "symplectic-euler" | "backward-euler" | "linear-backward-euler" | "baraff-witkin" => exact + off,
            "bdf2" => continue, // its first step is backward Euler, so it has an error without a simple form
            _ => exact,
        };
        let mut system = system(&[0.2, 0.1], &[spring(0, 1, 0.0, 1.0, 0.0)], G);
        let mut state = phase(&[x0, x0 + DVec3::X], &[v0, v0]);
        run(scheme.as_mut(), &mut system, &mut state, &[], &no_pins, (end, steps));
        for (vertex, at) in [(0, expected), (1, expected + DVec3::X)] {
            let error = state.positions[vertex].distance(at);
            assert!(error < 1e-9, "{}: {error:.1e} from {at}", scheme.name());
        }
        assert!(state.velocities[0].distance(v0 + G * end) < 1e-9, "{}", scheme.name());
    }
}

#[test]
fn momentum_of_a_free_body_is_conserved_by_every_scheme() {
    let (masses, springs, start) = ring(0.2);
    let before = momentum(&masses, &start.velocities);
    for (mut scheme, _) in schemes() {
        let mut system = system(&masses, &springs, DVec3::ZERO);
        let mut state = start.clone();
        run(scheme.as_mut(), &mut system, &mut state, &[], &no_pins, (1.0, 200));
        assert!(distance(&state.velocities, &start.velocities) > 0.05, "{}: nothing moved", scheme.name());
        let change = momentum(&masses, &state.velocities).distance(before);
        // The one-iteration scheme solves its linear system to 1e-6 per step; all others to round-off.
        let tolerance = if scheme.name() == "linear-backward-euler" { 1e-4 } else { 1e-8 };
        assert!(change < tolerance * before.length(), "{}: {change:.1e}", scheme.name());
    }
}

#[test]
fn angular_momentum_is_conserved_by_schemes_that_kick_and_drift() {
    let (masses, springs, start) = ring(0.2);
    let before = angular_momentum(&masses, &start.positions, &start.velocities);
    let schemes: [Box<dyn Integrator>; 3] = [
        Box::new(SymplecticEuler::default()),
        Box::new(Mixed::new(MixedOrder::ExplicitImplicit)),
        Box::new(Mixed::new(MixedOrder::ImplicitExplicit)),
    ];
    for mut scheme in schemes {
        let mut system = system(&masses, &springs, DVec3::ZERO);
        let mut state = start.clone();
        run(scheme.as_mut(), &mut system, &mut state, &[], &no_pins, (1.0, 200));
        let change = angular_momentum(&masses, &state.positions, &state.velocities).distance(before);
        assert!(change < 1e-8 * before.length(), "{}: {change:.1e}", scheme.name());
    }
    // Verlet's momentum lives between two positions.
    let mut system = system(&masses, &springs, DVec3::ZERO);
    let mut state = start.clone();
    let mut verlet = Verlet::new(0.0);
    let between = |s: &Phase| angular_momentum(&masses, &s.previous_positions, &s.positions) / s.previous_step;
    run(&mut verlet, &mut system, &mut state, &[], &no_pins, (0.005, 1));
    let before = between(&state);
    run(&mut verlet, &mut system, &mut state, &[], &no_pins, (1.0, 200));
    assert!(between(&state).distance(before) < 1e-10 * before.length());
}

/// Slope of a least-squares line through equally spaced samples, times their number.
fn drift(samples: &[f64]) -> f64 {
    let n = samples.len() as f64;
    let (centre, mean) = (0.5 * (n - 1.0), samples.iter().sum::<f64>() / n);
    let (mut top, mut bottom) = (0.0, 0.0);
    for (k, s) in samples.iter().enumerate() {
        top += (k as f64 - centre) * (s - mean);
        bottom += (k as f64 - centre).powi(2);
    }
    top / bottom * n
}

#[test]
fn symplectic_schemes_bound_the_energy_where_explicit_euler_gains() {
    let (masses, springs, start) = ring(0.0);
    // About a twentieth of the longest stable step; a hundred thousand steps. The first tenth is left out of
    // the fit: there the energy still spreads over the modes, each with its own O(h²) share.
    let (step, chunks) = (0.004, 1000);
    let schemes: [(Box<dyn Integrator>, usize); 4] = [
        (Box::new(SymplecticEuler::default()), 100),
        (Box::new(Verlet::new(0.0)), 100),
        (Box::new(Mixed::new(MixedOrder::ExplicitImplicit)), 20),
        (Box::new(Mixed::new(MixedOrder::ImplicitExplicit)), 20),
    ];
    for (mut scheme, per_chunk) in schemes {
        let mut system = system(&masses, &springs, DVec3::ZERO);
        let mut state = start.clone();
        let first = energy(&system, &masses, &state);
        let mut samples = Vec::new();
        for _ in 0..chunks {
            run(scheme.as_mut(), &mut system, &mut state, &[], &no_pins, (step * per_chunk as f64, per_chunk));
            samples.push(energy(&system, &masses, &state) / first);
        }
        let (low, high) = samples.iter().fold((f64::MAX, f64::MIN), |(l, h), &s| (l.min(s), h.max(s)));
        let slope = drift(&samples[chunks / 10..]);
        println!("{:20} energy in {low:.4}..{high:.4}, drift {slope:.1e} of it", scheme.name());
        assert!(low > 0.9 && high < 1.1, "{}: energy in {low}..{high}", scheme.name());
        assert!(high - low > 1e-5, "{}: an energy that never swings was not simulated", scheme.name());
        assert!(slope.abs() < 2e-3, "{}: drift {slope:.1e}", scheme.name());
    }
    let mut system = system(&masses, &springs, DVec3::ZERO);
    let mut state = start.clone();
    let first = energy(&system, &masses, &state);
    run(&mut RungeKutta::explicit_euler(), &mut system, &mut state, &[], &no_pins, (step * 1000.0, 1000));
    let gain = energy(&system, &masses, &state) / first;
    println!("explicit-euler       energy grew to {gain:.1} in 1000 steps");
    assert!(gain > 2.0, "explicit Euler's energy is {gain} times the start's");
}

#[test]
fn verlet_runs_backwards_to_where_it_came_from() {
    let (masses, springs, start) = ring(0.0);
    let mut system = system(&masses, &springs, DVec3::ZERO);
    let (mut state, step) = (start.clone(), 0.01);
    let mut verlet = Verlet::new(0.0);
    run(&mut verlet, &mut system, &mut state, &[], &no_pins, (500.0 * step, 500));
    assert!(distance(&state.positions, &start.positions) > 0.1);
    std::mem::swap(&mut state.positions, &mut state.previous_positions);
    // From step 499 back to 0: each of these steps undoes one.
    run(&mut verlet, &mut system, &mut state, &[], &no_pins, (499.0 * step, 499));
    let error = distance(&state.positions, &start.positions);
    assert!(error < 1e-9, "{error:.1e}");
}

/// One mass of a spring held in one oblique direction that moves, the other fully.
fn partial(time: f64) -> Constraints {
    let n = DVec3::new(1.0, 2.0, 2.0) / 3.0;
    let nn = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    Constraints {
        vertices: vec![0, 2],
        free: vec![DMat3::ZERO, DMat3::IDENTITY - nn],
        targets: vec![DVec3::new(0.1, 0.2 * time, 0.0), DVec3::new(1.0, 0.0, 0.0) + n * (0.3 * (4.0 * time).sin())],
        ..Default::default()
    }
}

#[test]
fn held_directions_are_exact_and_free_ones_feel_no_pin() {
    let n = DVec3::new(1.0, 2.0, 2.0) / 3.0;
    let springs = [spring(0, 1, 50.0, 0.5, 0.1), spring(1, 2, 50.0, 0.5, 0.1)];
    let start = phase(&[DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.5, 0.1, 0.0), DVec3::X], &[DVec3::ZERO; 3]);
    for (mut scheme, _) in schemes() {
        let mut system = system(&[0.1, 0.1, 0.1], &springs, G);
        let mut state = start.clone();
        let step = 0.002;
        for k in 0..100 {
            let time = k as f64 * step;
            let constraints = partial(time + step);
            scheme.step(&mut system, &mut state, &StepInput { time, step, constraints: &constraints }).unwrap();
            assert_eq!(state.positions[0], constraints.targets[0], "{}", scheme.name());
            let off = n.dot(state.positions[2] - constraints.targets[1]);
            assert!(off.abs() < 1e-14, "{}: {off:.1e} m off its plane", scheme.name());
        }
        let slid = state.positions[2] - n * n.dot(state.positions[2]) - (DVec3::X - n * n.x);
        assert!(slid.length() > 1e-3, "{}: the free directions did not move", scheme.name());
    }
    // A mass held in n only falls as in S g: exactly, in schemes that are exact in free fall.
    for mut scheme in [RungeKutta::midpoint(), RungeKutta::classical()] {
        let mut system = system(&[0.1, 0.1, 0.1], &[spring(0, 1, 0.0, 1.0, 0.0)], G);
        let mut state = start.clone();
        let mut held = partial(0.0);
        held.vertices.remove(0);
        held.free.remove(0);
        held.targets.remove(0);
        for k in 0..50 {
            let input = StepInput { time: k as f64 * 0.01, step: 0.01, constraints: &held };
            scheme.step(&mut system, &mut state, &input).unwrap();
        }
        let expected = DVec3::X + held.free[0] * G * (0.5 * 0.25);
        assert!(state.positions[2].distance(expected) < 1e-12, "{} {}", scheme.name(), state.positions[2]);
    }
}

#[test]
fn a_step_that_is_not_finite_names_its_vertex_and_changes_nothing() {
    for (mut scheme, _) in schemes() {
        // Masses 1 and 2 coincide: their spring has no direction.
        let springs = [spring(0, 1, 10.0, 1.0, 0.1), spring(1, 2, 10.0, 1.0, 0.1)];
        let mut system = system(&[1.0; 3], &springs, G);
        let start = phase(&[DVec3::ZERO, DVec3::X, DVec3::X], &[DVec3::ZERO; 3]);
        let mut state = start.clone();
        let constraints = hold(&[0], |_| DVec3::ZERO);
        let input = StepInput { time: 0.0, step: 0.01, constraints: &constraints };
        let error = scheme.step(&mut system, &mut state, &input).expect_err(scheme.name());
        let vertex = error.vertex().unwrap_or_else(|| panic!("{}: {error}", scheme.name()));
        assert!(vertex == 1 || vertex == 2, "{}: vertex {vertex}", scheme.name());
        assert_eq!(state, start, "{}", scheme.name());
    }
}

#[test]
fn work_of_the_pins_is_the_energy_that_appears() {
    let springs = [spring(0, 1, 60.0, 0.5, 0.0), spring(1, 2, 60.0, 0.5, 0.0)];
    let masses = [0.1, 0.2, 0.1];
    let start = phase(&[DVec3::ZERO, DVec3::new(0.5, 0.0, 0.0), DVec3::X], &[DVec3::ZERO; 3]);
    let path = |_: usize, t: f64| DVec3::new(0.0, 0.1, 0.2) * (1.0 - (6.0 * t).cos());
    for (mut scheme, _) in schemes() {
        let mut system = system(&masses, &springs, DVec3::ZERO);
        let (mut state, step, mut work) = (start.clone(), 2e-5, 0.0);
        for k in 0..20_000 {
            let time = k as f64 * step;
            let constraints = hold(&[0], |_| path(0, time + step));
            let input = StepInput { time, step, constraints: &constraints };
            work += scheme.step(&mut system, &mut state, &input).unwrap().work.pins;
        }
        let gained = energy(&system, &masses, &state);
        println!("{:24} work {work:.6} J, energy {gained:.6} J", scheme.name());
        assert!(gained > 0.1, "{}: the pin moved nothing", scheme.name());
        assert!((work - gained).abs() < 3e-3 * gained, "{}: work {work}, energy {gained}", scheme.name());
    }
}
