//! A run resumed from a checkpoint gives the bits of the run that went on, lagged factors and all.

use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    Constraints, System,
    forces::{Curvature, Membrane},
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::{LaggedCholesky, Reach},
};
use muslin_model::{
    Cloth, Environment, Material, Model,
    shapes::{Triangulation, grid},
};

const STEP: f64 = 1.0 / 60.0;

fn system() -> System {
    let cloth = Cloth {
        name: "sheet".into(),
        mesh: grid(20, 20, DVec2::splat(0.5), Triangulation::RightDiagonal).expect("a valid grid"),
        material: Material::woven_cotton(),
        pins: Vec::new(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    let model = Model::new(vec![cloth], Vec::new(), Environment::default()).expect("a valid model");
    let faces: Vec<u32> = model.cloth_triangles().map(|face| face as u32).collect();
    System::new(&model, |layout| {
        vec![Box::new(Membrane::new(&model, &faces, layout)), Box::new(Curvature::new(&model, &faces, layout))]
    })
}

fn newton(layout: &[DVec3]) -> Newton {
    let preconditioner = Box::new(LaggedCholesky::new(Reach::Adaptive, layout.to_vec()));
    Newton::new(ImplicitScheme::BackwardEuler, Tolerances::default(), preconditioner)
}

fn run(newton: &mut Newton, phase: &mut Phase, steps: std::ops::Range<usize>) -> usize {
    let mut system = system();
    let held = vec![0, 19];
    let constraints = Constraints {
        targets: held.iter().map(|&v| phase.positions[v as usize]).collect(),
        free: vec![DMat3::ZERO; 2],
        vertices: held,
    };
    let step = |k: usize| {
        let input = StepInput { time: k as f64 * STEP, step: STEP, constraints: &constraints };
        newton.step(&mut system, phase, &input).expect("a step that converges").pcg_iterations
    };
    steps.map(step).sum()
}

#[test]
fn a_resumed_run_has_the_same_bits_if_checkpoints_reset_the_integrator() {
    let start: Vec<DVec3> = {
        let (n, edge) = (20, 0.5 / 19.0);
        // A slight wave, so that the sheet folds and its factor ages.
        (0..n * n).map(|v| DVec3::new((v / n) as f64 * edge, (v % n) as f64 * edge, 0.002 * (v as f64).sin())).collect()
    };
    let still = vec![DVec3::ZERO; start.len()];
    let phase = Phase {
        positions: start.clone(),
        velocities: still.clone(),
        previous_positions: start.clone(),
        previous_velocities: still,
        previous_step: 0.0,
    };
    let (mut whole, mut first) = (phase.clone(), phase);
    let mut on = newton(&start);
    run(&mut on, &mut whole, 0..4);
    on.reset();
    run(&mut on, &mut whole, 4..8);

    run(&mut newton(&start), &mut first, 0..4);
    let iterations = run(&mut newton(&start), &mut first, 4..8);
    assert_eq!(whole, first);
    assert!(iterations > 0 && whole.positions != start);
}
