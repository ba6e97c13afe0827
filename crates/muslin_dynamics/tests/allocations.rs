//! A step works in memory that it keeps: what it asks the heap for are short lists of pieces of work, never an array
//! over the mesh. Only a new factor takes more.

#[path = "common/cotton.rs"]
mod cotton;
#[path = "common/heap.rs"]
mod heap;

use cotton::cotton;
use glam::{DMat3, DVec3};
use heap::asked_by;
use muslin_dynamics::{
    Constraints, System,
    forces::HessianKind,
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::{BlockJacobi, BlockMatrix, LaggedCholesky, Pcg, PcgSettings, Preconditioner, Reach},
};
use muslin_model::parallel;

const STEP: f64 = 1.0 / 60.0;

fn sheet(side: usize) -> (System, Phase, Constraints) {
    let (model, system) = cotton(side, 1.0);
    let mut positions = Vec::new();
    system.gather(&model.mesh.positions, &mut positions);
    let still = vec![DVec3::ZERO; positions.len()];
    let edge = |v: &DVec3| v.y > 0.499;
    let vertices: Vec<u32> = (0..positions.len() as u32).filter(|&v| edge(&positions[v as usize])).collect();
    let constraints = Constraints {
        targets: vertices.iter().map(|&v| positions[v as usize]).collect(),
        free: vec![DMat3::ZERO; vertices.len()],
        vertices,
        ..Default::default()
    };
    let phase = Phase {
        previous_positions: positions.clone(),
        previous_velocities: still.clone(),
        positions,
        velocities: still,
        previous_step: 0.0,
        guess: Vec::new(),
    };
    (system, phase, constraints)
}

#[test]
fn assembly_and_conjugate_gradients_ask_for_no_array_over_the_mesh() {
    let side = 150;
    let (system, phase, constraints) = sheet(side);
    let x = &phase.positions;
    parallel::with_threads(1, || {
        let mut matrix = BlockMatrix::new(system.pattern.clone());
        let mut gradient = vec![DVec3::ZERO; x.len()];
        let mut solution = gradient.clone();
        let mut pcg = Pcg::default();
        let mut jacobi = BlockJacobi::default();
        let settings = PcgSettings { relative_tolerance: 1e-3, most_iterations: 20 };
        let mut work = || {
            matrix.set_diagonal(|v| system.masses[v] / (STEP * STEP));
            system.add_gradient(x, &mut gradient);
            system.add_hessian(x, HessianKind::Projected, &mut matrix);
            matrix.constrain(&constraints);
            jacobi.prepare(&matrix, &constraints);
            let load: &[DVec3] = x;
            pcg.solve(&matrix, &mut jacobi, load, &mut solution, settings);
        };
        let [first, _] = asked_by(&mut work);
        let [again, largest] = asked_by(&mut work);
        println!("{side}²: {first} bytes the first time, {again} then, at most {largest} at once");
        // One vector has 24 bytes per vertex; the first time makes several. Later even all requests together are less than a
        // tenth of one.
        let vector = 24 * side * side;
        assert!(first > vector && again < vector / 10 && largest < vector / 100, "{first}, {again}, {largest}");
    });
}

#[test]
fn a_step_that_keeps_its_factor_asks_for_no_array_over_the_mesh() {
    let side = 60;
    let (mut system, mut phase, constraints) = sheet(side);
    let factor = LaggedCholesky::new(Reach::Adaptive, phase.positions.clone());
    let mut newton = Newton::new(ImplicitScheme::BackwardEuler, Tolerances::default(), Box::new(factor));
    parallel::with_threads(1, || {
        let steps: Vec<[usize; 2]> = (0..30)
            .map(|k| {
                let input = StepInput { time: f64::from(k) * STEP, step: STEP, constraints: &constraints };
                asked_by(|| _ = newton.step(&mut system, &mut phase, &input).expect("a step that converges"))
            })
            .collect();
        println!("{side}²: {steps:?}");
        // No request is a tenth of one vector over the mesh.
        let vector = 24 * side * side;
        assert!(steps[0][1] > vector, "the first step makes its arrays");
        assert!(steps[1..].iter().all(|[_, largest]| *largest < vector / 10), "{steps:?}");
    });
}
