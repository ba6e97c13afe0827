//! Soft pins: derivatives, a weight on a spring, motion, release, work.

mod common;

use common::{
    checks, element,
    sheet::{Case, Rig, grid_of, odd_fabric},
};
use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    Constraints, Past, System,
    forces::{Force, Layout, SoftPins},
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::BlockJacobi,
};
use muslin_model::{Hold, Keyframe, Model, Pin, PinMotion, Track, shapes::Triangulation};

/// Stiffness of the vertex with a number [N/m].
fn stiffness(v: u32) -> f64 {
    20.0 + f64::from(v % 7) * 13.0
}

/// Every vertex on a spring, half of them held in a plane only, and carried along.
fn soft(model: &Model) -> Vec<Pin> {
    let keys = vec![
        Keyframe::rest(0.0),
        Keyframe { translation: DVec3::new(0.2, -0.1, 0.3), rotation: DVec3::Z, ..Keyframe::rest(1.0) },
    ];
    let motion = PinMotion::Keyframes(Track { pivot: DVec3::new(0.1, 0.0, 0.0), keys });
    let n = DVec3::new(0.6, 0.0, 0.8);
    let plane = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    let pin = |vertices: Vec<u32>, held| {
        let hold = Hold::Springs(vertices.iter().map(|&v| stiffness(v)).collect());
        Pin { vertices, held, hold, motion: motion.clone(), release: 2.0 }
    };
    let all = 0..model.mesh.positions.len() as u32;
    let (even, odd): (Vec<u32>, Vec<u32>) = all.partition(|v| v % 2 == 0);
    vec![pin(even, DMat3::IDENTITY), pin(odd, plane)]
}

fn build(model: &Model, _: &[u32], layout: &Layout) -> Box<dyn Force> {
    Box::new(SoftPins::new(&soft(model), &model.mesh.positions, layout).expect("soft pins"))
}

#[test]
fn energy_gradient_and_hessian_agree_with_differences() {
    let case = Case::irregular(&build);
    checks::gradient_is_the_slope_of_the_potential(&case);
    checks::hessian_is_the_slope_of_the_gradient(&case);
    checks::numbering_and_domains_do_not_matter(&case);
    checks::threads_do_not_change_a_bit(&case);
}

#[test]
fn the_power_is_the_change_of_energy_while_the_cloth_stands() {
    let case = Case::irregular(&build);
    let mut rig = Rig::new(case.sheet(3), 3, &build);
    let x = rig.deformed(3);
    let still = vec![DVec3::ZERO; x.len()];
    let past = |time_end| Past { start: &x, before: &x, start_weight: 1.0, tau: 0.01, time_end };
    let mut strongest: f64 = 0.0;
    for e in 0..rig.count() {
        let mut energy = |time| {
            rig.force.set_time(time);
            rig.force.energy(e..e + 1, &x)
        };
        let h = 1e-4;
        let slope = (energy(0.4 + h) - energy(0.4 - h)) / (2.0 * h);
        rig.force.begin_step(&past(0.4));
        for power in element::powers(&rig, e, &x, &still) {
            assert!(
                (power - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                "element {e}: {power} W, by differences {slope}"
            );
        }
        strongest = strongest.max(slope.abs());
    }
    assert!(strongest > 0.1, "nothing was checked: {strongest} W");
}

#[test]
fn springs_are_gone_after_the_release() {
    let case = Case::irregular(&build);
    let mut rig = Rig::new(case.sheet(3), 3, &build);
    let x = rig.deformed(3);
    rig.force.set_time(2.0);
    assert!(rig.force.energy(0..rig.count(), &x) > 1e-3);
    rig.force.set_time(2.0 + 1e-12);
    assert_eq!(rig.force.energy(0..rig.count(), &x), 0.0);
}

#[test]
fn a_sheet_on_springs_sinks_by_weight_over_stiffness() {
    // Each vertex on a spring of its own stiffness k = m·1000/s² sinks by g/1000, whatever its mass; the sheet stays flat.
    let mut model = grid_of([5, 4], DVec2::new(0.4, 0.3), Triangulation::Alternating, odd_fabric());
    model.environment.gravity = DVec3::new(0.0, 0.0, -9.81);
    let vertices: Vec<u32> = (0..model.mesh.positions.len() as u32).collect();
    let hold = Hold::Springs(vertices.iter().map(|&v| 1000.0 * model.masses[v as usize]).collect());
    model.pins = vec![Pin { vertices, held: DMat3::IDENTITY, hold, motion: PinMotion::Fixed, release: f64::INFINITY }];
    let mut system = System::new(&model, |layout| {
        let soft: Box<dyn Force> =
            Box::new(SoftPins::new(&model.pins, &model.mesh.positions, layout).expect("soft pins"));
        vec![soft]
    });
    let mut phase = Phase::default();
    system.gather(&model.mesh.positions, &mut phase.positions);
    phase.velocities = vec![DVec3::ZERO; phase.positions.len()];
    (phase.previous_positions, phase.previous_velocities) = (phase.positions.clone(), phase.velocities.clone());
    let start = phase.positions.clone();
    let tolerances = Tolerances { correction: 1e-12, residual: 1e-10, ..Tolerances::default() };
    let mut newton = Newton::new(ImplicitScheme::BackwardEuler, tolerances, Box::new(BlockJacobi::default()));
    for step in 0..200 {
        let input = StepInput { time: f64::from(step) * 0.05, step: 0.05, constraints: &Constraints::default() };
        newton.step(&mut system, &mut phase, &input).expect("it converges");
    }
    for (x, start) in phase.positions.iter().zip(&start) {
        let expected = *start - DVec3::Z * (9.81 / 1000.0);
        assert!((*x - expected).length() < 1e-9, "{x} instead of {expected}");
    }
}
