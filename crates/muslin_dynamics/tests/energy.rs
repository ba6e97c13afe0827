//! The energy ledger against closed forms.

mod spring_systems;

use glam::DVec3;
use muslin_dynamics::{
    Constraints, System,
    energy::{Energies, EnergyLedger},
    integrators::{ImplicitScheme, Integrator, Newton, Phase, RungeKutta, StepInput, Tolerances, Verlet},
    linear::BlockJacobi,
};
use spring_systems::{hold, phase, spring, system};

fn run(
    scheme: &mut dyn Integrator,
    system: &mut System,
    state: &mut Phase,
    held: &Constraints,
    time: (f64, usize),
) -> EnergyLedger {
    let mut ledger = EnergyLedger::open(system, state);
    let step = time.0 / time.1 as f64;
    for k in 0..time.1 {
        let input = StepInput { time: k as f64 * step, step, constraints: held };
        let outcome = scheme.step(system, state, &input).unwrap();
        ledger.enter(system, state, step, outcome.pin_work);
    }
    ledger
}

#[test]
fn the_parts_are_those_of_the_textbook() {
    let system = system(&[0.2, 0.5], &[spring(0, 1, 40.0, 1.0, 0.3)], DVec3::new(0.0, 0.0, -10.0));
    let x = [DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.3, 0.0, 2.0)];
    let v = [DVec3::new(3.0, 0.0, 4.0), DVec3::new(0.0, 2.0, 0.0)];
    let energies = Energies::of(&system, &x, &v);
    assert!((energies.kinetic - (0.5 * 0.2 * 25.0 + 0.5 * 0.5 * 4.0)).abs() < 1e-13);
    assert!((energies.elastic - 0.5 * 40.0 * 0.09).abs() < 1e-13);
    assert!((energies.gravity - 0.7 * 10.0 * 2.0).abs() < 1e-13);
    assert_eq!(energies.total(), energies.kinetic + energies.elastic + energies.gravity);
    // The ends part at −3 m/s along the spring: power −c · 9.
    let power = EnergyLedger::default().damping_power(&system, &x, &v);
    assert!((power + 0.3 * 9.0).abs() < 1e-12, "{power}");
}

#[test]
fn free_fall_conserves_energy() {
    let mut system = system(&[0.2, 0.1], &[spring(0, 1, 0.0, 1.0, 0.0)], DVec3::new(0.0, 0.0, -9.81));
    let mut state = phase(&[DVec3::Z, DVec3::X], &[DVec3::new(1.0, 0.0, 2.0); 2]);
    let ledger = run(&mut Verlet::new(0.0), &mut system, &mut state, &Constraints::default(), (1.0, 100));
    let now = Energies::of(&system, &state.positions, &state.velocities);
    assert!((now.kinetic - ledger.start.kinetic).abs() > 1.0, "it must fall");
    assert!(ledger.scheme_work(&now).abs() < 1e-12 * now.kinetic, "{}", ledger.scheme_work(&now));
}

#[test]
fn a_damped_spring_loses_what_its_damper_takes() {
    let (mass, stiffness, damping, end) = (0.3, 40.0, 1.2, 1.0);
    let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, damping)], DVec3::ZERO);
    let mut state = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
    let held = hold(&[0], |_| DVec3::ZERO);
    let ledger = run(&mut RungeKutta::classical(), &mut system, &mut state, &held, (end, 4000));
    // Closed form of what is left.
    let rate = damping / (2.0 * mass);
    let omega = f64::sqrt(stiffness / mass - rate * rate);
    let (s, c) = (omega * end).sin_cos();
    let decay = 0.2 * (-rate * end).exp();
    let (x, v) = (decay * (c + rate / omega * s), -decay * (omega + rate * rate / omega) * s);
    let left = 0.5 * stiffness * x * x + 0.5 * mass * v * v;
    let lost = 0.5 * stiffness * 0.04 - left;
    assert!(lost > 0.5, "{lost}");
    assert!((ledger.damping_work + lost).abs() < 1e-5 * lost, "{} against {lost}", ledger.damping_work);
    let now = Energies::of(&system, &state.positions, &state.velocities);
    assert!(ledger.scheme_work(&now).abs() < 1e-5 * lost);
}

#[test]
fn the_ledger_shows_what_backward_euler_takes() {
    // Undamped oscillation: each step divides the energy by 1 + h²ω².
    let (mass, stiffness, steps) = (0.3, 40.0, 200);
    let step: f64 = 0.005;
    let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, 0.0)], DVec3::ZERO);
    let mut state = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
    let held = hold(&[0], |_| DVec3::ZERO);
    let tight = Tolerances { correction: 1e-9, residual: 1e-7, ..Default::default() };
    let mut scheme = Newton::new(ImplicitScheme::BackwardEuler, tight, Box::new(BlockJacobi::default()));
    let ledger = run(&mut scheme, &mut system, &mut state, &held, (step * steps as f64, steps));
    let now = Energies::of(&system, &state.positions, &state.velocities);
    let start = ledger.start.total();
    let expected = start * ((1.0 + step * step * stiffness / mass).powi(-(steps as i32)) - 1.0);
    assert!(expected < -0.3 * start);
    assert!((ledger.scheme_work(&now) / expected - 1.0).abs() < 1e-4, "{} {expected}", ledger.scheme_work(&now));
    assert!(ledger.damping_work == 0.0 && ledger.pin_work == 0.0);
}
