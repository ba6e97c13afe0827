//! All schemes on real cloth: the default forces, air with gusts and drag, an irregular mesh.

mod spring_systems;

use glam::{DVec2, DVec3};
use muslin_dynamics::{
    Constraints, System,
    forces::{Curvature, Drag, Membrane, Wind},
    integrators::{Integrator, Phase, RungeKutta, StepInput, stable_step},
    limits::{LimitedEdges, Limiter, StrainImpulses, SuperElasticity, VelocityRule},
};
use muslin_model::{
    Cloth, Environment, Gust, Material, Model, Wind as Air, parallel,
    shapes::{Triangulation, grid},
};
use spring_systems::{distance, hold, schemes};

/// A soft, damped cloth in a gusty wind that always blows on the same side.
fn cloth(vertices: [usize; 2]) -> (Model, System) {
    let mut material = Material::woven_cotton();
    for (stiffness, value) in
        [(&mut material.stretch_warp, 60.0), (&mut material.stretch_weft, 40.0), (&mut material.shear, 10.0)]
    {
        *stiffness = value.into();
    }
    for viscosity in [&mut material.damping_warp, &mut material.damping_weft, &mut material.damping_shear] {
        *viscosity = 0.02.into();
    }
    let size = DVec2::new(0.1 * (vertices[0] - 1) as f64, 0.1 * (vertices[1] - 1) as f64);
    let cloth = Cloth {
        name: "patch".into(),
        mesh: grid(vertices[0], vertices[1], size, Triangulation::Irregular { seed: 5, straight_columns: 0 }).unwrap(),
        material,
        pins: Vec::new(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    let gust = Gust { velocity: DVec3::new(0.3, 0.0, 2.0), period: 0.1, phase: 0.1 };
    let environment = Environment {
        gravity: DVec3::new(0.0, -9.81, 0.0),
        wind: Air { velocity: DVec3::new(0.5, 0.2, 8.0), density: 1.2, normal_drag: 1.0, gusts: vec![gust] },
        viscous_drag: 0.5,
    };
    let model = Model::new(vec![cloth], Vec::new(), environment).unwrap();
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    let system = System::new(&model, |layout| {
        vec![
            Box::new(Membrane::new(&model, &faces, layout)),
            Box::new(Curvature::new(&model, &faces, layout)),
            Box::new(Wind::new(&model, &faces, layout)),
            Box::new(Drag::new(&model, &faces, layout)),
        ]
    });
    (model, system)
}

/// The flat cloth at rest in the solver's order, and two held corners.
fn start(model: &Model, system: &System, last: u32) -> (Phase, Constraints) {
    let mut phase = Phase::default();
    system.gather(&model.mesh.positions, &mut phase.positions);
    phase.velocities = vec![DVec3::ZERO; phase.positions.len()];
    phase.previous_positions = phase.positions.clone();
    phase.previous_velocities = phase.velocities.clone();
    let mut corners = [0, last].map(|v| system.solver_from_model[v as usize]);
    corners.sort_unstable();
    let held = hold(&corners, |k| phase.positions[corners[k] as usize]);
    (phase, held)
}

fn run(scheme: &mut dyn Integrator, end: f64, steps: usize) -> Phase {
    let (model, mut system) = cloth([4, 4]);
    let (mut phase, held) = start(&model, &system, 12);
    let step = end / steps as f64;
    for k in 0..steps {
        let input = StepInput { time: k as f64 * step, step, constraints: &held };
        scheme.step(&mut system, &mut phase, &input).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
    }
    phase
}

#[test]
fn each_scheme_has_its_order_on_cloth_in_gusty_wind() {
    let end = 0.1;
    // The reference for all others; its own error is 0.02^4 of what they are compared at.
    let reference = run(&mut RungeKutta::classical(), end, 8000);
    for (mut scheme, theory) in schemes() {
        let coarse = [0, 2000, 400, 0, 250][theory as usize];
        let errors = [coarse, 2 * coarse].map(|steps| {
            let result = run(scheme.as_mut(), end, steps);
            distance(&result.positions, &reference.positions)
        });
        let order = (errors[0] / errors[1]).log2();
        println!("{:24} errors {:.2e} {:.2e}  order {order:.3}", scheme.name(), errors[0], errors[1]);
        assert!(errors[1] > 1e-12 && errors[0] < 1e-2, "{}: {errors:?}", scheme.name());
        assert!((order - theory).abs() < 0.2, "{}: order {order:.3}, theory {theory}", scheme.name());
    }
    let moved = distance(&reference.positions, &cloth([4, 4]).0.mesh.positions);
    assert!(moved > 0.02, "the cloth moved by {moved} m only");
}

#[test]
fn the_stable_step_of_cloth_is_found() {
    let (model, system) = cloth([12, 9]);
    let (phase, held) = start(&model, &system, 99);
    let limit = stable_step(&system, &phase, &held);
    let reach = [0.9, 1.3].map(|part| {
        let (model, mut system) = cloth([12, 9]);
        let (mut phase, held) = start(&model, &system, 99);
        let first = phase.positions.clone();
        let mut scheme = muslin_dynamics::integrators::SymplecticEuler::default();
        for _ in 0..300 {
            let input = StepInput { time: 0.0, step: part * limit, constraints: &held };
            if scheme.step(&mut system, &mut phase, &input).is_err() {
                return f64::INFINITY;
            }
        }
        distance(&phase.positions, &first) / (300.0 * part * limit)
    });
    println!("limit {limit:.2e} s; mean speed {:.2} m/s below it, {:.2e} above", reach[0], reach[1]);
    assert!(reach[0] < 10.0 && reach[1] > 1e3, "{reach:?}");
}

#[test]
fn schemes_and_limiters_give_the_same_bits_on_one_and_two_threads() {
    let simulate = |threads: usize, scheme: usize| {
        parallel::with_threads(threads, || {
            // 16 800 vertices: beyond the size below which loops stay on one thread, in many domains.
            let (model, mut system) = cloth([140, 120]);
            let edges = LimitedEdges::of_cloths(&system, &model);
            let mut limiters: [Box<dyn Limiter>; 2] = [
                Box::new(SuperElasticity::new(edges.clone(), 1e-4, 3, VelocityRule::FollowPositions)),
                Box::new(StrainImpulses::new(edges, 1e-4, 0.1, 3)),
            ];
            let (mut phase, held) = start(&model, &system, 139 * 120);
            let mut scheme = schemes().swap_remove(scheme).0;
            for k in 0..3 {
                let input = StepInput { time: k as f64 * 1e-3, step: 1e-3, constraints: &held };
                scheme.step(&mut system, &mut phase, &input).unwrap();
                limiters[k % 2].limit(&mut phase, &held, 1e-3);
            }
            phase
        })
    };
    for scheme in 0..schemes().len() {
        let (one, two) = (simulate(1, scheme), simulate(2, scheme));
        assert!(one.velocities.iter().any(|v| v.length() > 1e-3));
        assert_eq!(one, two, "{}", schemes()[scheme].0.name());
    }
}
