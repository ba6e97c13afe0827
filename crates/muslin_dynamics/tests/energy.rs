//! The energy ledger against closed forms.

mod spring_systems;

use glam::DVec3;
use muslin_dynamics::{
    Constraints, System,
    energy::{Energies, Work},
    integrators::{ImplicitScheme, Integrator, Newton, Phase, RungeKutta, StepInput, Tolerances, Verlet},
    linear::BlockJacobi,
};
use spring_systems::{hold, phase, spring, system};

/// Energy before and after a run, and the work on the way.
struct Balance {
    start: Energies,
    end: Energies,
    work: Work,
}

impl Balance {
    /// What the scheme has added [J].
    fn scheme(&self) -> f64 {
        self.end.total() - self.start.total() - self.work.total()
    }
}

fn run(
    scheme: &mut dyn Integrator,
    system: &mut System,
    state: &mut Phase,
    held: &Constraints,
    time: (f64, usize),
) -> Balance {
    let start = Energies::of(system, &state.positions, &state.velocities);
    let (mut work, step) = (Work::default(), time.0 / time.1 as f64);
    for k in 0..time.1 {
        let input = StepInput { time: k as f64 * step, step, constraints: held };
        work += scheme.step(system, state, &input).unwrap().work;
    }
    Balance { start, end: Energies::of(system, &state.positions, &state.velocities), work }
}

fn tight(scheme: ImplicitScheme) -> Newton {
    let tolerances = Tolerances { correction: 1e-9, residual: 1e-7, ..Default::default() };
    Newton::new(scheme, tolerances, Box::new(BlockJacobi::default()))
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
    // The ends approach at 3 m/s along the spring: power −c · 9.
    let power = system.force(&x, &v, &mut [DVec3::ZERO; 2]);
    assert!((power.damping + 0.3 * 9.0).abs() < 1e-12, "{power:?}");
    assert!(power.wind == 0.0 && power.drag == 0.0);
}

#[test]
fn free_fall_conserves_energy() {
    let mut system = system(&[0.2, 0.1], &[spring(0, 1, 0.0, 1.0, 0.0)], DVec3::new(0.0, 0.0, -9.81));
    let mut state = phase(&[DVec3::Z, DVec3::X], &[DVec3::new(1.0, 0.0, 2.0); 2]);
    let fall = run(&mut Verlet::new(0.0), &mut system, &mut state, &Constraints::default(), (1.0, 100));
    assert!((fall.end.kinetic - fall.start.kinetic).abs() > 1.0, "it must fall");
    assert!(fall.scheme().abs() < 1e-12 * fall.end.kinetic, "{}", fall.scheme());
}

#[test]
fn backward_euler_takes_the_textbook_part_of_a_free_fall() {
    // vₙ = −n h g and xₙ = −½ n (n+1) h² g: each step loses ½ m h² g².
    let (mass, g, steps, end) = (0.3, 9.81, 100, 1.0);
    let mut system = system(&[0.2, 0.1], &[spring(0, 1, 0.0, 1.0, 0.0)], DVec3::new(0.0, 0.0, -g));
    let mut state = phase(&[DVec3::Z, DVec3::X], &[DVec3::ZERO; 2]);
    let mut scheme = tight(ImplicitScheme::BackwardEuler);
    let fall = run(&mut scheme, &mut system, &mut state, &Constraints::default(), (end, steps));
    let expected = -0.5 * mass * (end / steps as f64).powi(2) * g * g * steps as f64;
    assert!((fall.scheme() / expected - 1.0).abs() < 1e-9, "{} {expected}", fall.scheme());
    assert!(fall.work.total().abs() < 1e-9 * expected.abs(), "{:?}", fall.work);
}

#[test]
fn a_damped_spring_loses_what_its_damper_takes() {
    let (mass, stiffness, damping, end) = (0.3, 40.0, 1.2, 1.0);
    // Closed form of what is left.
    let rate = damping / (2.0 * mass);
    let omega = f64::sqrt(stiffness / mass - rate * rate);
    let (s, c) = (omega * end).sin_cos();
    let decay = 0.2 * (-rate * end).exp();
    let (x, v) = (decay * (c + rate / omega * s), -decay * (omega + rate * rate / omega) * s);
    let left = 0.5 * stiffness * x * x + 0.5 * mass * v * v;
    let lost = 0.5 * stiffness * 0.04 - left;
    assert!(lost > 0.5, "{lost}");
    // Order 4, order 2, and order 1 with the damping that it adds itself.
    let schemes: [(Box<dyn Integrator>, f64); 3] = [
        (Box::new(RungeKutta::classical()), 1e-9),
        (Box::new(tight(ImplicitScheme::Bdf2)), 2e-3),
        (Box::new(tight(ImplicitScheme::BackwardEuler)), 2e-2),
    ];
    for (mut scheme, tolerance) in schemes {
        let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, damping)], DVec3::ZERO);
        let mut state = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
        let swing = run(scheme.as_mut(), &mut system, &mut state, &hold(&[0], |_| DVec3::ZERO), (end, 4000));
        let (taken, rest) = (-swing.work.damping / lost - 1.0, swing.scheme() / lost);
        println!("{:16} damping off by {taken:.2e}, scheme {rest:.2e}", scheme.name());
        assert!(taken.abs() < tolerance && rest.abs() < tolerance, "{}: {taken} {rest}", scheme.name());
    }
}

#[test]
fn the_balance_shows_what_backward_euler_takes() {
    // Undamped oscillation: each step divides the energy by 1 + h²ω².
    let (mass, stiffness, steps) = (0.3, 40.0, 200);
    let step: f64 = 0.005;
    let mut system = system(&[1.0, mass], &[spring(0, 1, stiffness, 1.0, 0.0)], DVec3::ZERO);
    let mut state = phase(&[DVec3::ZERO, DVec3::new(1.2, 0.0, 0.0)], &[DVec3::ZERO; 2]);
    let held = hold(&[0], |_| DVec3::ZERO);
    let mut scheme = tight(ImplicitScheme::BackwardEuler);
    let swing = run(&mut scheme, &mut system, &mut state, &held, (step * steps as f64, steps));
    let start = swing.start.total();
    let expected = start * ((1.0 + step * step * stiffness / mass).powi(-(steps as i32)) - 1.0);
    assert!(expected < -0.3 * start);
    assert!((swing.scheme() / expected - 1.0).abs() < 1e-4, "{} {expected}", swing.scheme());
    assert!(swing.work.damping == 0.0 && swing.work.pins == 0.0);
}

#[test]
fn a_loose_solve_shows_in_the_unbalanced_work() {
    // A mass on an arc, solved well and solved badly.
    let pull = |tolerances: Tolerances| {
        let mut system = system(&[1.0, 0.3], &[spring(0, 1, 4e3, 1.0, 0.0)], DVec3::new(0.0, 0.0, -9.81));
        let mut state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
        let mut scheme = Newton::new(ImplicitScheme::BackwardEuler, tolerances, Box::new(BlockJacobi::default()));
        run(&mut scheme, &mut system, &mut state, &hold(&[0], |_| DVec3::ZERO), (0.5, 50))
    };
    let exact = pull(Tolerances { correction: 1e-9, residual: 1e-9, ..Default::default() });
    let loose = pull(Tolerances { correction: 1.0, residual: 0.5, ..Default::default() });
    assert!(exact.work.unbalanced.abs() < 1e-8, "{:?}", exact.work);
    assert!(loose.work.unbalanced.abs() > 1e3 * exact.work.unbalanced.abs(), "{:?}", loose.work);
}

#[test]
fn an_undamped_pendulum_closes_its_balance_with_a_symplectic_scheme() {
    let mut system = system(&[1.0, 0.3], &[spring(0, 1, 4e3, 1.0, 0.0)], DVec3::new(0.0, 0.0, -9.81));
    let mut state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
    let held = hold(&[0], |_| DVec3::ZERO);
    // Five swings of about two seconds; the energy at stake is m g l = 2.9 J.
    let swing = run(&mut Verlet::new(0.0), &mut system, &mut state, &held, (10.0, 40_000));
    assert!(swing.end.kinetic > 1e-3 && swing.work.total() == 0.0);
    assert!(swing.scheme().abs() < 1e-4 * 0.3 * 9.81, "{}", swing.scheme());
}

#[test]
fn held_ends_that_pull_account_for_all_that_a_spring_stores() {
    // A spring pulled slowly by 0.1 m: ½ k 0.01 J come from the pin, whatever the scheme's own share.
    let mut system = system(&[0.1, 0.1], &[spring(0, 1, 50.0, 1.0, 0.0)], DVec3::ZERO);
    let mut state = phase(&[DVec3::ZERO, DVec3::X], &[DVec3::ZERO; 2]);
    let mut scheme = tight(ImplicitScheme::BackwardEuler);
    let (steps, mut work) = (1000, Work::default());
    for k in 0..steps {
        let way = |v: usize| DVec3::X * v as f64 * (1.0 + 0.1 * (k + 1) as f64 / steps as f64);
        let held = hold(&[0, 1], way);
        let input = StepInput { time: k as f64 * 0.1, step: 0.1, constraints: &held };
        work += scheme.step(&mut system, &mut state, &input).unwrap().work;
    }
    let stored = system.elastic_energy(&state.positions);
    assert!((stored - 0.25).abs() < 1e-12);
    // The reaction at the end of each step is larger than its mean by half a step's: 1/steps of the whole.
    assert!((work.pins / stored - 1.0 - 1.0 / steps as f64).abs() < 1e-4, "{work:?}");
}
