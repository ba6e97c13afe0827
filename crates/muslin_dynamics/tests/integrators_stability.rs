//! The estimate of the longest stable step, against closed forms and against runs on both sides of it.

mod spring_systems;

use glam::DVec3;
use muslin_dynamics::{
    Constraints,
    integrators::{Integrator, SymplecticEuler, Verlet, stable_step},
};
use spring_systems::{hold, phase, run, spring, system};

#[test]
fn a_single_spring_is_stable_up_to_two_over_omega() {
    for (mass, stiffness) in [(0.3, 40.0), (2e-5, 1e4), (50.0, 1e-3)] {
        let system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, 0.0)], DVec3::ZERO);
        let state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
        let step = stable_step(&system, &state, &hold(&[0], |_| DVec3::ZERO));
        let exact = 2.0 * f64::sqrt(mass / stiffness);
        assert!((step / exact - 1.0).abs() < 1e-4, "{step} against {exact}");
    }
}

#[test]
fn damping_shortens_the_stable_step_by_the_known_root() {
    let (mass, stiffness, damping) = (0.3, 40.0, 9.0);
    let system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, damping)], DVec3::ZERO);
    let state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
    let step = stable_step(&system, &state, &hold(&[0], |_| DVec3::ZERO));
    let residual = step * step * stiffness / mass + 2.0 * step * damping / mass - 4.0;
    assert!(residual.abs() < 1e-3, "{step}: {residual}");
}

#[test]
fn a_chain_is_stable_up_to_its_highest_mode() {
    // n masses between two walls: ω = 2 √(k/m) sin(n π / (2 (n + 1))).
    let (n, mass, stiffness) = (40usize, 0.01, 500.0);
    let springs: Vec<_> = (0..=n).map(|k| spring(k as u32, k as u32 + 1, stiffness, 0.1, 0.0)).collect();
    let system = system(&vec![mass; n + 2], &springs, DVec3::ZERO);
    let x: Vec<DVec3> = (0..n + 2).map(|k| DVec3::X * (0.1 * k as f64)).collect();
    let state = phase(&x, &vec![DVec3::ZERO; n + 2]);
    let ends = [0, n as u32 + 1];
    let step = stable_step(&system, &state, &hold(&ends, |k| x[ends[k] as usize]));
    let nf = n as f64;
    let omega = 2.0 * f64::sqrt(stiffness / mass) * (nf * std::f64::consts::PI / (2.0 * (nf + 1.0))).sin();
    println!("estimate {step:.6} s, exact {:.6} s", 2.0 / omega);
    assert!((step * omega / 2.0 - 1.0).abs() < 0.03, "{step} against {}", 2.0 / omega);
}

#[test]
fn runs_stay_bounded_below_the_estimate_and_diverge_above_it() {
    for (damping, mut scheme) in [
        (0.0, Box::new(SymplecticEuler::default()) as Box<dyn Integrator>),
        (0.0, Box::new(Verlet::new(0.0))),
        (3.0, Box::new(SymplecticEuler::default())),
    ] {
        let springs = [spring(0, 1, 40.0, 1.0, damping)];
        let start = phase(&[DVec3::ZERO, DVec3::X * 1.001], &[DVec3::ZERO; 2]);
        let limit = stable_step(&system(&[1.0, 0.3], &springs, DVec3::ZERO), &start, &hold(&[0], |_| DVec3::ZERO));
        let reach = [0.97, 1.03].map(|part| {
            let mut system = system(&[1.0, 0.3], &springs, DVec3::ZERO);
            let mut state = start.clone();
            run(scheme.as_mut(), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (80.0 * part * limit, 80));
            (state.positions[1].x - 1.0).abs()
        });
        assert!(reach[0] < 0.02, "{} with damping {damping}: {} below the limit", scheme.name(), reach[0]);
        assert!(reach[1] > 0.1, "{} with damping {damping}: {} above the limit", scheme.name(), reach[1]);
    }
}

#[test]
fn without_forces_every_step_is_stable() {
    let system = system(&[1.0, 1.0], &[spring(0, 1, 0.0, 1.0, 0.0)], DVec3::Z);
    let state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
    assert_eq!(stable_step(&system, &state, &Constraints::default()), f64::INFINITY);
}

#[test]
fn damping_counts_twice_for_verlet() {
    // h² ω² + 4 h d = 4.
    let (mass, stiffness, damping) = (0.3, 40.0, 3.0);
    let (omega2, d) = (stiffness / mass, damping / mass);
    let limit = 4.0 / (2.0 * d + f64::sqrt(4.0 * d * d + 4.0 * omega2));
    let reach = [0.97, 1.03].map(|part| {
        let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, damping)], DVec3::ZERO);
        let mut state = phase(&[DVec3::ZERO, DVec3::X * 1.001], &[DVec3::ZERO; 2]);
        run(&mut Verlet::new(0.0), &mut system, &mut state, &[0], &|_, _| DVec3::ZERO, (200.0 * part * limit, 200));
        (state.positions[1].x - 1.0).abs()
    });
    assert!(reach[0] < 1e-3 && reach[1] > 0.05, "{reach:?}");
}
