//! Every scheme has the global order that theory gives it: against closed forms, and against a reference
//! integrator that shares no code with the crate.

mod spring_systems;

use glam::DVec3;
use muslin_dynamics::integrators::{Mixed, MixedOrder, Phase, Verlet};
use spring_systems::{
    HeldPath, Spring, distance, phase, reference, run, run_at, run_on_curves, schemes, spring, system,
};

/// How far a measured order may be from theory: the next term of the error at the steps used here.
const ORDER_TOLERANCE: f64 = 0.15;

/// Steps of the coarser of two runs: fine enough for the leading term, coarse enough to stay above the
/// tolerance of the implicit solves and round-off.
fn coarse_steps(order: f64) -> usize {
    match order as usize {
        1 => 4000,
        2 => 400,
        _ => 100,
    }
}

fn assert_order(name: &str, theory: f64, coarse: f64, fine: f64) {
    assert!(fine > 1e-12, "{name}: error {fine:.1e} is too small to measure an order");
    let order = (coarse / fine).log2();
    println!("{name:24} errors {coarse:.3e} {fine:.3e}  order {order:.3}  theory {theory}");
    assert!((order - theory).abs() < ORDER_TOLERANCE, "{name}: order {order:.3}, theory {theory}");
}

/// Error of position and velocity together, the latter over a typical frequency of the problem.
fn error(result: &Phase, x: &[DVec3], v: &[DVec3], free: &[usize], frequency: f64) -> f64 {
    let pick = |values: &[DVec3]| -> Vec<DVec3> { free.iter().map(|&i| values[i]).collect() };
    distance(&pick(&result.positions), &pick(x)).hypot(distance(&pick(&result.velocities), &pick(v)) / frequency)
}

/// Runs every scheme from `start` on one spring of unit length (mass, constant, damping) to (time, position, velocity).
fn assert_orders_on_one_spring(
    (mass, stiffness, damping): (f64, f64, f64),
    start: &Phase,
    (end, x, v): (f64, DVec3, DVec3),
    omega: f64,
) {
    for (mut scheme, theory) in schemes() {
        let errors = [1, 2].map(|refine| {
            let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, damping)], DVec3::ZERO);
            let mut state = start.clone();
            let steps = refine * coarse_steps(theory);
            run(scheme.as_mut(), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (end, steps));
            error(&state, &[DVec3::ZERO, x], &[DVec3::ZERO, v], &[1], omega)
        });
        assert_order(scheme.name(), theory, errors[0], errors[1]);
    }
}

#[test]
fn each_scheme_has_its_order_on_a_harmonic_spring() {
    let (mass, stiffness, end) = (0.3, 40.0, 1.0);
    let omega = f64::sqrt(stiffness / mass);
    let start = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO, DVec3::new(0.5, 0.0, 0.0)]);
    let (s, c) = (omega * end).sin_cos();
    let x = DVec3::new(1.0 + 0.2 * c + 0.5 / omega * s, 0.0, 0.0);
    let v = DVec3::new(-0.2 * omega * s + 0.5 * c, 0.0, 0.0);
    assert_orders_on_one_spring((mass, stiffness, 0.0), &start, (end, x, v), omega);
}

#[test]
fn each_scheme_has_its_order_on_a_damped_spring() {
    let (mass, stiffness, damping, end) = (0.3, 40.0, 1.2, 1.0);
    let start = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
    let rate = damping / (2.0 * mass);
    let omega = f64::sqrt(stiffness / mass - rate * rate);
    let (s, c) = (omega * end).sin_cos();
    let decay = 0.2 * (-rate * end).exp();
    let x = DVec3::new(1.0 + decay * (c + rate / omega * s), 0.0, 0.0);
    let v = DVec3::new(-decay * (omega + rate * rate / omega) * s, 0.0, 0.0);
    assert_orders_on_one_spring((mass, stiffness, damping), &start, (end, x, v), omega);
}

#[test]
fn each_scheme_has_its_order_on_a_spring_pendulum() {
    let (masses, springs, gravity) = ([1.0, 0.2], [spring(0, 1, 60.0, 0.8, 0.0)], DVec3::new(0.0, 0.0, -9.81));
    let start = phase(&[DVec3::ZERO, DVec3::new(0.6, 0.1, -0.7)], &[DVec3::ZERO, DVec3::new(0.2, 0.9, 0.1)]);
    let end = 0.8;
    let rest = |_: f64| DVec3::ZERO;
    let (x, v) = reference(&masses, &springs, gravity, &start, &[(0, &rest, &rest)], end);
    for (mut scheme, theory) in schemes() {
        let errors = [1, 2].map(|refine| {
            let mut system = system(&masses, &springs, gravity);
            let mut state = start.clone();
            let steps = refine * coarse_steps(theory);
            run(scheme.as_mut(), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (end, steps));
            error(&state, &x, &v, &[1], 17.0)
        });
        assert_order(scheme.name(), theory, errors[0], errors[1]);
    }
}

/// A small cloth of 3 × 3 vertices with structural and shear springs.
fn patch(damping: f64) -> (Vec<f64>, Vec<Spring>, Phase) {
    let at = |i: usize, j: usize| (3 * j + i) as u32;
    let mut springs = Vec::new();
    for j in 0..3 {
        for i in 0..3 {
            let mut join = |a: u32, b: u32, rest: f64| springs.push(spring(a, b, 50.0, rest, damping));
            if i < 2 {
                join(at(i, j), at(i + 1, j), 0.1);
            }
            if j < 2 {
                join(at(i, j), at(i, j + 1), 0.1);
            }
            if i < 2 && j < 2 {
                join(at(i, j), at(i + 1, j + 1), 0.1 * 2f64.sqrt());
                join(at(i + 1, j), at(i, j + 1), 0.1 * 2f64.sqrt());
            }
        }
    }
    let wave = |k: usize| (k as f64 * 2.3).sin();
    let x: Vec<DVec3> =
        (0..9).map(|k| DVec3::new(0.1 * (k % 3) as f64, 0.1 * (k / 3) as f64, 0.02 * wave(k))).collect();
    let mut v: Vec<DVec3> = (0..9).map(|k| DVec3::new(wave(k + 20), wave(k + 40), wave(k + 60)) * 0.1).collect();
    v[0] = DVec3::ZERO;
    v[2] = DVec3::ZERO;
    (vec![0.02; 9], springs, phase(&x, &v))
}

const PATCH_FREE: [usize; 7] = [1, 3, 4, 5, 6, 7, 8];

#[test]
fn each_scheme_has_its_order_on_a_damped_cloth_with_uniformly_moving_pins() {
    let (masses, springs, mut start) = patch(0.05);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let drift = DVec3::new(0.3, -0.1, 0.4);
    let origin = [start.positions[0], start.positions[2]];
    for vertex in [0, 2] {
        start.velocities[vertex] = drift;
        start.previous_velocities[vertex] = drift;
    }
    let end = 0.2;
    let paths: [&dyn Fn(f64) -> DVec3; 2] = [&|t| origin[0] + drift * t, &|t| origin[1] + drift * t];
    let velocity = |_: f64| drift;
    let (x, v) =
        reference(&masses, &springs, gravity, &start, &[(0, paths[0], &velocity), (2, paths[1], &velocity)], end);
    for (mut scheme, theory) in schemes() {
        let errors = [1, 2].map(|refine| {
            let mut system = system(&masses, &springs, gravity);
            let mut state = start.clone();
            let steps = refine * coarse_steps(theory) / if theory < 3.0 { 1 } else { 2 };
            run(scheme.as_mut(), &mut system, &mut state, &[0, 2], &|k, t| paths[k](t), (end, steps));
            error(&state, &x, &v, &PATCH_FREE, 80.0)
        });
        assert_order(scheme.name(), theory, errors[0], errors[1]);
    }
}

#[test]
fn each_scheme_has_its_order_with_pins_on_a_curve_and_at_most_two_without_their_velocities() {
    let (masses, springs, mut start) = patch(0.05);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let origin = [start.positions[0], start.positions[2]];
    let (swing, omega, end) = (DVec3::new(0.0, 0.01, 0.02), 25.0, 0.2);
    // A phase of its own, so that the velocity is not zero at the start.
    let path = |k: usize, t: f64| origin[k] + swing * ((0.7_f64).cos() - (omega * t + 0.7).cos());
    let velocity = |t: f64| swing * (omega * (omega * t + 0.7).sin());
    for vertex in [0, 2] {
        start.velocities[vertex] = velocity(0.0);
        start.previous_velocities[vertex] = velocity(0.0);
    }
    let paths: [&dyn Fn(f64) -> DVec3; 2] = [&|t| path(0, t), &|t| path(1, t)];
    let held: [HeldPath; 2] = [(0, paths[0], &velocity), (2, paths[1], &velocity)];
    let (x, v) = reference(&masses, &springs, gravity, &start, &held, end);
    for (mut scheme, theory) in schemes() {
        let errors = [1, 2].map(|refine| {
            let (mut system, mut state) = (system(&masses, &springs, gravity), start.clone());
            run_on_curves(scheme.as_mut(), &mut system, &mut state, &held, (end, refine * coarse_steps(theory)));
            error(&state, &x, &v, &PATCH_FREE, 80.0)
        });
        assert_order(scheme.name(), theory, errors[0], errors[1]);
        let theory = theory.min(2.0);
        let errors = [1, 2].map(|refine| {
            let (mut system, mut state) = (system(&masses, &springs, gravity), start.clone());
            run(scheme.as_mut(), &mut system, &mut state, &[0, 2], &path, (end, refine * coarse_steps(theory)));
            error(&state, &x, &v, &PATCH_FREE, 80.0)
        });
        assert_order(scheme.name(), theory, errors[0], errors[1]);
    }
}

/// Steps that keep changing by a factor of 1.5, so that errors of unequal halves show.
fn uneven_times(end: f64, steps: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..steps).map(|k| if (k / 3) % 2 == 0 { 1.0 } else { 1.5 }).collect();
    let total: f64 = weights.iter().sum();
    let mut times = vec![0.0];
    weights.iter().for_each(|w| times.push(times[times.len() - 1] + end * w / total));
    times
}

#[test]
fn verlet_and_the_mixed_schemes_keep_their_order_when_the_step_changes() {
    let (masses, springs, start) = patch(0.05);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let (end, origin) = (0.2, [start.positions[0], start.positions[2]]);
    let still = |_: f64| DVec3::ZERO;
    let paths: [&dyn Fn(f64) -> DVec3; 2] = [&|_| origin[0], &|_| origin[1]];
    let (x, v) = reference(&masses, &springs, gravity, &start, &[(0, paths[0], &still), (2, paths[1], &still)], end);
    let schemes: [Box<dyn muslin_dynamics::integrators::Integrator>; 4] = [
        Box::new(Verlet::new(0.0)),
        Box::new(Mixed::new(MixedOrder::ExplicitImplicit)),
        Box::new(Mixed::new(MixedOrder::ImplicitExplicit)),
        Box::new(Mixed::new(MixedOrder::Variable)),
    ];
    for mut scheme in schemes {
        let errors = [1, 2].map(|refine| {
            let mut system = system(&masses, &springs, gravity);
            let mut state = start.clone();
            // A multiple of the pattern's six, so that both runs end on the same kind of step.
            let times = uneven_times(end, refine * 402);
            run_at(scheme.as_mut(), &mut system, &mut state, &[0, 2], &|k, _| origin[k], &times);
            error(&state, &x, &v, &PATCH_FREE, 80.0)
        });
        assert_order(scheme.name(), 2.0, errors[0], errors[1]);
    }
}

#[test]
fn verlets_epsilon_damps_by_the_step_and_not_by_time() {
    // The amplitude of an oscillation falls by √(1 − ε) per step: twice the steps, twice the damping.
    let epsilon: f64 = 0.01;
    for steps in [1000, 2000] {
        let mut system = system(&[1.0, 0.3], &[spring(0, 1, 40.0, 1.0, 0.0)], DVec3::ZERO);
        let mut state = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
        run(&mut Verlet::new(epsilon), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (5.0, steps));
        let omega = f64::sqrt(40.0 / 0.3);
        let amplitude = (state.positions[1].x - 1.0).hypot(state.velocities[1].x / omega) / 0.2;
        let expected = (1.0 - epsilon).powf(0.5 * steps as f64);
        println!("{steps} steps: amplitude {amplitude:.5}, expected {expected:.5}");
        assert!((amplitude / expected - 1.0).abs() < 0.15, "{steps}: {amplitude} against {expected}");
    }
}

#[test]
fn strong_damping_throws_positions_only_if_the_first_half_is_explicit() {
    // z = ½hc/m = 1000: the first half step gives (1 − z) v explicitly and v/(1 + z) implicitly.
    let (damping, step, speed) = (1e6, 0.002, 1e-3);
    let z = 0.5 * step * damping;
    let orders = [
        (MixedOrder::ExplicitImplicit, 1.0 - z),
        (MixedOrder::ImplicitExplicit, 1.0 / (1.0 + z)),
        (MixedOrder::Variable, 1.0 / (1.0 + z)),
    ];
    for (order, factor) in orders {
        let mut system = system(&[1.0, 1.0], &[spring(0, 1, 0.0, 1.0, damping)], DVec3::ZERO);
        let mut state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO, DVec3::X * speed]);
        run(&mut Mixed::new(order), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (step, 1));
        let moved = state.positions[1].x - 1.0;
        assert!((moved / (step * factor * speed) - 1.0).abs() < 1e-6, "{order:?}: {moved:e}");
        // All three are the trapezium rule in v.
        let expected = (1.0 - z) / (1.0 + z) * speed;
        assert!((state.velocities[1].x / expected - 1.0).abs() < 1e-6, "{order:?}: {}", state.velocities[1].x);
    }
}
