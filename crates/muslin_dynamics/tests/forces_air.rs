//! Wind and drag: analytic plates and falls, power, convexity, derivatives of their potentials.

mod common;

use common::{
    checks, element,
    sheet::{self, Case, Random, Rig},
};
use glam::{DVec2, DVec3};
use muslin_dynamics::{
    Constraints, Past, System,
    forces::{Curvature, Drag, Force, HessianKind, Layout, Membrane, Wind, critical_damping},
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::BlockJacobi,
};
use muslin_model::{
    Environment, Gust, Model, Wind as Air,
    shapes::{Triangulation, grid},
};

/// Air that blows askew, with a gust.
fn air() -> Air {
    let gust = Gust { velocity: DVec3::new(0.5, 1.0, -2.0), period: 1.7, phase: 0.1 };
    Air { velocity: DVec3::new(3.0, -2.0, 4.0), density: 1.2, normal_drag: 1.3, gusts: vec![gust] }
}

fn windy(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    let mut model = m.clone();
    model.environment.wind = air();
    Box::new(Wind::new(&model, f, l))
}

fn draggy(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    let mut model = m.clone();
    model.environment.viscous_drag = 2.5;
    Box::new(Drag::new(&model, f, l))
}

/// A flat sheet in the xy plane in some air.
fn plate(environment: Environment) -> Model {
    let mesh = grid(6, 5, DVec2::new(0.8, 0.5), Triangulation::Irregular { seed: 2, straight_columns: 0 })
        .expect("a valid grid");
    sheet::model_in(mesh, sheet::odd_fabric(), environment)
}

#[test]
fn potentials_have_the_right_slopes() {
    checks::gradient_is_the_slope_of_the_potential(&Case::irregular(&windy));
    checks::gradient_is_the_slope_of_the_potential(&Case::irregular(&draggy));
    checks::hessian_is_the_slope_of_the_gradient(&Case::irregular(&windy));
    checks::hessian_is_the_slope_of_the_gradient(&Case::irregular(&draggy));
}

#[test]
fn numbering_domains_and_threads_do_not_matter() {
    let stepping = |m: &Model, f: &[u32], l: &Layout| {
        let mut force = windy(m, f, l);
        let mut past = vec![DVec3::ZERO; m.mesh.positions.len()];
        l.solver_from_model.iter().zip(&m.mesh.positions).for_each(|(&s, p)| past[s as usize] = *p);
        force.begin_step(&Past { start: &past, before: &past, start_weight: 1.0, tau: 0.1, time_end: 0.2 });
        force
    };
    checks::numbering_and_domains_do_not_matter(&Case::irregular(&stepping));
    checks::threads_do_not_change_a_bit(&Case::irregular(&stepping));
}

#[test]
fn steady_wind_presses_on_a_plate_by_half_rho_c_a_w_squared() {
    let environment = Environment { wind: Air { gusts: Vec::new(), ..air() }, ..Environment::default() };
    let system_of = |model: &Model| System::new(model, |l| vec![windless_gravity(model, l)]);
    let model = plate(Environment { gravity: DVec3::ZERO, ..environment });
    let system = system_of(&model);
    let (mut x, mut force) = (Vec::new(), vec![DVec3::ZERO; model.mesh.positions.len()]);
    system.gather(&model.mesh.positions, &mut x);
    for speed in [-3.0, 0.0, 4.0, 10.0] {
        let v = vec![DVec3::new(5.0, -7.0, speed); x.len()];
        system.force(&x, &v, &mut force);
        let total: DVec3 = force.iter().sum();
        let w: f64 = 4.0 - speed;
        let expected = DVec3::Z * (0.5 * 1.2 * 1.3 * (0.8 * 0.5) * w.abs() * w);
        assert!((total - expected).length() < 1e-12, "at {speed} m/s: {total}, not {expected}");
    }
}

fn windless_gravity(model: &Model, layout: &Layout) -> Box<dyn Force> {
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    Box::new(Wind::new(model, &faces, layout))
}

#[test]
fn gusts_follow_the_time_of_explicit_and_implicit_steps() {
    let mut rig = Rig::new(sheet::irregular(1), 1, &windy);
    let x = rig.deformed(1);
    let still = vec![DVec3::ZERO; x.len()];
    rig.force.set_time(0.4);
    let early = element::force(&rig, 3, &x, &still)[0];
    rig.force.set_time(0.9);
    let late = element::force(&rig, 3, &x, &still)[0];
    assert!((early - late).length() > 1e-3 * early.length());
    // A still sheet: the implicit force at the same time and place is the same.
    rig.force.begin_step(&Past { start: &x, before: &x, start_weight: 1.0, tau: 0.1, time_end: 0.9 });
    let (_, gradient) = element::gradient(&rig, 3, &x);
    assert!((gradient[0] + late).length() <= 1e-12 * late.length());
}

/// Lets the plate fall for a while; returns its speed downwards.
fn fall(scheme: ImplicitScheme, environment: Environment, step: f64, steps: usize) -> f64 {
    let model = plate(environment);
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    let mut system = System::new(&model, |l| {
        // The sheet's own stiffness keeps round-off from tilting its triangles.
        let mut forces: Vec<Box<dyn Force>> = vec![
            Box::new(Wind::new(&model, &faces, l)),
            Box::new(Membrane::new(&model, &faces, l)),
            Box::new(Curvature::new(&model, &faces, l)),
        ];
        if model.environment.viscous_drag > 0.0 {
            forces.push(Box::new(Drag::new(&model, &faces, l)));
        }
        forces
    });
    let mut phase = Phase { velocities: vec![DVec3::ZERO; model.mesh.positions.len()], ..Phase::default() };
    system.gather(&model.mesh.positions, &mut phase.positions);
    phase.previous_positions = phase.positions.clone();
    phase.previous_velocities = phase.velocities.clone();
    let tolerances = Tolerances { correction: 1e-9, residual: 1e-9, ..Tolerances::default() };
    let mut newton = Newton::new(scheme, tolerances, Box::new(BlockJacobi::default()));
    for k in 0..steps {
        let input = StepInput { time: k as f64 * step, step, constraints: &Constraints::default() };
        newton.step(&mut system, &mut phase, &input).expect("a falling plate converges");
    }
    let speeds: Vec<f64> = phase.velocities.iter().map(|v| -v.z).collect();
    let spread = speeds.iter().map(|s| (s - speeds[0]).abs()).fold(0.0, f64::max);
    assert!(spread < 1e-6 * speeds[0], "a flat plate falls as a whole, not {spread} m/s apart");
    speeds.iter().sum::<f64>() / speeds.len() as f64
}

fn still_air() -> Environment {
    Environment { wind: Air { velocity: DVec3::ZERO, gusts: Vec::new(), ..air() }, ..Environment::default() }
}

#[test]
fn falling_sheet_reaches_its_terminal_speed() {
    // Weight per area = pressure: σ g = ½ ρ c v².
    let terminal = (2.0 * 0.21 * 9.81 / (1.2 * 1.3_f64)).sqrt();
    let speed = fall(ImplicitScheme::BackwardEuler, still_air(), 0.1, 60);
    assert!((speed - terminal).abs() < 1e-6 * terminal, "{speed} m/s, not {terminal}");
}

#[test]
fn fall_through_air_follows_the_hyperbolic_tangent_to_second_order() {
    let terminal = (2.0 * 0.21 * 9.81 / (1.2 * 1.3_f64)).sqrt();
    let time = 0.2;
    let exact = terminal * (9.81 * time / terminal).tanh();
    let error = |steps: usize| (fall(ImplicitScheme::Bdf2, still_air(), time / steps as f64, steps) - exact).abs();
    let (coarse, fine) = (error(160), error(320));
    let order = (coarse / fine).log2();
    assert!(coarse < 1e-2 * exact && (order - 2.0).abs() < 0.2, "errors {coarse} {fine}: order {order}");
}

#[test]
fn viscous_drag_alone_limits_the_fall_to_gravity_over_rate() {
    let calm = Air { normal_drag: 0.0, ..Air::default() };
    let environment = Environment { viscous_drag: 4.0, wind: calm, ..Environment::default() };
    let speed = fall(ImplicitScheme::BackwardEuler, environment, 0.1, 100);
    assert!((speed - 9.81 / 4.0).abs() < 1e-9, "{speed} m/s");
}

#[test]
fn still_air_and_drag_never_add_energy() {
    let calm = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        let mut model = m.clone();
        model.environment = still_air();
        Box::new(Wind::new(&model, f, l))
    };
    for build in [&calm as common::sheet::Build, &draggy] {
        let rig = Rig::new(sheet::irregular(7), 7, build);
        let x = rig.deformed(7);
        let mut least = 0.0_f64;
        for trial in 0..20 {
            let v = Random(trial).vectors(x.len(), 3.0);
            for e in 0..rig.count() {
                let force = element::force(&rig, e, &x, &v);
                let power: f64 = force.iter().zip(rig.force.stencil(e)).map(|(f, &k)| f.dot(v[k as usize])).sum();
                assert!(power <= 0.0, "element {e}: {power} W");
                let [reported, _] = element::powers(&rig, e, &x, &v);
                assert!(
                    (reported - power).abs() <= 1e-12 * power.abs() + 1e-15,
                    "element {e}: {reported}, not {power}"
                );
                least = least.min(power);
            }
        }
        assert!(least < -1e-4, "nothing was braked: {least} W");
    }
}

#[test]
fn implicit_wind_is_convex() {
    let mut rig = Rig::new(sheet::irregular(4), 4, &windy);
    let x = rig.deformed(4);
    let before = Random(1).vectors(x.len(), 0.01).iter().zip(&x).map(|(d, p)| *p + *d).collect::<Vec<_>>();
    for start_weight in [1.0, 4.0 / 3.0] {
        rig.force.begin_step(&Past { start: &x, before: &before, start_weight, tau: 0.05, time_end: 0.3 });
        for trial in 0..10 {
            let mut random = Random(trial + 50);
            let a: Vec<DVec3> = x.iter().map(|p| *p + random.vector()).collect();
            let b: Vec<DVec3> = x.iter().map(|p| *p + random.vector()).collect();
            let middle: Vec<DVec3> = a.iter().zip(&b).map(|(p, q)| (*p + *q) * 0.5).collect();
            for e in 0..rig.count() {
                let [ya, yb, ym] = [&a, &b, &middle].map(|y| element::gradient(&rig, e, y).0);
                assert!(ya >= 0.0 && ym <= 0.5 * (ya + yb) * (1.0 + 1e-12), "element {e}: {ya} {ym} {yb}");
                let (low, high) = element::extreme_eigenvalues(&element::hessian(&rig, e, &a, HessianKind::Projected));
                assert!(low >= -1e-12 * high && high > 0.0);
            }
        }
    }
}

#[test]
fn critical_damping_is_the_one_of_the_thesis() {
    // V 7.1: m = 0.000651, k = 0.005 give the default of its table 7.1.
    assert!((critical_damping(0.000651, 0.005) - 0.003608).abs() < 5e-7);
}
