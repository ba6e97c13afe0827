//! Every pair of stretch and bending model hangs a sheet from two corners: the implicit step converges with
//! projected Hessians, the sheet loses energy and stays of one piece.

mod common;

use common::sheet;
use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    Constraints, System,
    forces::{
        AngularSprings, AngularStiffness, BaraffWitkin, Conditions, Curvature, Force, GridDamping, GridOptions,
        GridStiffness, HingeLaw, Hinges, Layout, Membrane, Resistance, Springs,
    },
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::BlockJacobi,
};
use muslin_model::{Material, Model, shapes::Triangulation};

const GRID: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Material };
const CRITICAL: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Critical };

type Make = fn(&Model, &[u32], &Layout) -> Box<dyn Force>;

const STRETCH: [Make; 6] = [
    |m, f, l| Box::new(Membrane::new(m, f, l)),
    |m, f, l| Box::new(BaraffWitkin::new(m, f, Conditions::default(), l)),
    |m, f, l| Box::new(Springs::on_edges(m, f, Resistance::Both, l)),
    |m, f, l| Box::new(Springs::on_edges(m, f, Resistance::TensionOnly, l)),
    |m, f, l| Box::new(Springs::on_grid(m, f, GRID, l).expect("a grid")),
    |m, f, l| Box::new(Springs::on_grid(m, f, CRITICAL, l).expect("a grid")),
];

const BEND: [Make; 6] = [
    |m, f, l| Box::new(Curvature::new(m, f, l)),
    |m, f, l| Box::new(Hinges::new(m, f, HingeLaw::Angle, l)),
    |m, f, l| Box::new(Hinges::new(m, f, HingeLaw::HalfSine, l)),
    |m, f, l| Box::new(Springs::across_hinges(m, f, l)),
    |m, f, l| Box::new(Springs::grid_flexion(m, f, GRID, l).expect("a grid")),
    |m, f, l| Box::new(AngularSprings::new(m, f, AngularStiffness::Material, l).expect("a grid")),
];

/// Hangs a 1 m sheet for half a second; returns Newton iterations per step and the largest edge stretch.
fn hang(stretch: Make, bend: Make) -> (f64, f64) {
    let n = 13;
    let model = sheet::grid_of([n, n], DVec2::ONE, Triangulation::Alternating, Material::woven_cotton());
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    let mut system = System::new(&model, |l| vec![stretch(&model, &faces, l), bend(&model, &faces, l)]);
    let mut phase = Phase { velocities: vec![DVec3::ZERO; n * n], ..Phase::default() };
    system.gather(&model.mesh.positions, &mut phase.positions);
    phase.previous_positions = phase.positions.clone();
    phase.previous_velocities = phase.velocities.clone();
    let mut held = [0, n - 1].map(|v| system.solver_from_model[v]);
    held.sort_unstable();
    let targets = held.map(|v| phase.positions[v as usize]).to_vec();
    let constraints =
        Constraints { vertices: held.to_vec(), free: vec![DMat3::ZERO; 2], targets, ..Default::default() };
    let mut newton =
        Newton::new(ImplicitScheme::BackwardEuler, Tolerances::default(), Box::new(BlockJacobi::default()));
    let energy = |system: &System, phase: &Phase| -> f64 {
        let weights = system.masses.iter().zip(&phase.positions).map(|(m, x)| m * 9.81 * x.z).sum::<f64>();
        let kinetic =
            system.masses.iter().zip(&phase.velocities).map(|(m, v)| 0.5 * m * v.length_squared()).sum::<f64>();
        weights + kinetic + system.elastic_energy(&phase.positions)
    };
    let (mut iterations, mut before, steps, step) = (0, energy(&system, &phase), 30, 1.0 / 60.0);
    for k in 0..steps {
        let input = StepInput { time: k as f64 * step, step, constraints: &constraints };
        let outcome = newton.step(&mut system, &mut phase, &input).expect("a hanging sheet converges");
        iterations += outcome.newton_iterations;
        let after = energy(&system, &phase);
        // Backward Euler only loses; the tolerance of each solve may give a little back.
        assert!(after < before + 1e-4, "energy grew from {before} to {after} J in step {k}");
        before = after;
    }
    let mut x = vec![DVec3::ZERO; n * n];
    system.scatter(&phase.positions, &mut x);
    let stretch = (0..n * n - n).map(|v| x[v].distance(x[v + n]) * (n - 1) as f64 - 1.0).fold(0.0, f64::max);
    assert!(x[n * n - 1].z < -0.3, "the free edge has fallen to {} m", x[n * n - 1].z);
    (iterations as f64 / steps as f64, stretch)
}

#[test]
fn every_stretch_model_hangs_a_sheet() {
    for (k, make) in STRETCH.into_iter().enumerate() {
        let (iterations, stretch) = hang(make, BEND[0]);
        println!(
            "stretch model {k}: {iterations:.1} Newton iterations per step, warp stretch {:.2} %",
            100.0 * stretch
        );
        assert!(stretch < 0.05, "stretch model {k}: {stretch}");
    }
}

#[test]
fn every_bending_model_hangs_a_sheet() {
    for (k, make) in BEND.into_iter().enumerate() {
        let (iterations, stretch) = hang(STRETCH[0], make);
        println!(
            "bending model {k}: {iterations:.1} Newton iterations per step, warp stretch {:.2} %",
            100.0 * stretch
        );
        assert!(stretch < 0.05, "bending model {k}: {stretch}");
    }
}
