//! The published step of Baraff and Witkin: beside one Newton iteration, and its position correction y.

mod spring_systems;

use glam::DVec3;
use muslin_dynamics::{
    Constraints,
    integrators::{BaraffWitkin, ImplicitScheme, Integrator, Newton, StepInput, Tolerances},
    linear::{BlockJacobi, PcgSettings},
};
use spring_systems::{Spring, distance, hold, phase, spring, system};

const TIGHT: PcgSettings = PcgSettings { relative_tolerance: 1e-13, most_iterations: 10_000 };
const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn chain(stiffness: f64) -> (Vec<f64>, Vec<Spring>, Vec<DVec3>) {
    let springs = (0..7).map(|k| spring(k, k + 1, stiffness, 0.1, 0.02)).collect();
    let x =
        (0..8).map(|k| DVec3::new(0.1 * k as f64, 0.01 * (k as f64).sin(), 0.02 * (2.0 * k as f64).cos())).collect();
    ((0..8).map(|k| 0.01 + 0.001 * k as f64).collect(), springs, x)
}

/// Distance after 1/6 s between the published step and one Newton iteration from the carried-on motion.
fn gap_at(steps: usize) -> f64 {
    let (masses, springs, x) = chain(400.0);
    let step = 1.0 / 6.0 / steps as f64;
    let newton =
        Newton::new(ImplicitScheme::LinearBackwardEuler, Tolerances::default(), Box::new(BlockJacobi::default()));
    let schemes: [Box<dyn Integrator>; 2] = [Box::new(BaraffWitkin::new(TIGHT)), Box::new(newton)];
    let [a, b] = schemes.map(|mut scheme| {
        let mut system = system(&masses, &springs, G);
        let mut state = phase(&x, &[DVec3::new(0.1, 0.2, 0.0); 8]);
        for k in 0..steps {
            let time = k as f64 * step;
            let constraints = hold(&[0], |_| x[0] + DVec3::Y * (0.3 * (time + step)));
            scheme.step(&mut system, &mut state, &StepInput { time, step, constraints: &constraints }).unwrap();
        }
        state
    });
    assert!(distance(&a.positions, &x) > 0.05);
    distance(&a.positions, &b.positions)
}

#[test]
fn it_and_one_newton_iteration_approach_each_other_with_the_step() {
    // They linearise at xₙ and at xₙ + h vₙ: different steps of the same order.
    let gaps = [20, 40, 80].map(gap_at);
    assert!(gaps[0] < 2e-2 && gaps[2] > 0.0, "{gaps:?}");
    for pair in gaps.windows(2) {
        assert!(pair[0] / pair[1] > 1.7, "{gaps:?}");
    }
}

#[test]
fn a_position_correction_moves_without_speed_where_nothing_resists() {
    let (masses, springs, x) = chain(0.0);
    let springs: Vec<Spring> = springs.iter().map(|s| Spring { damping: 0.0, ..*s }).collect();
    let (v, y, step) = (DVec3::new(0.3, 0.0, 0.1), DVec3::new(0.0, 0.02, -0.01), 0.01);
    let mut system = system(&masses, &springs, DVec3::ZERO);
    let mut state = phase(&x, &[v; 8]);
    let mut scheme = BaraffWitkin::new(TIGHT);
    scheme.correct_positions([(3, y)]);
    let none = Constraints::default();
    for k in 0..2 {
        scheme.step(&mut system, &mut state, &StepInput { time: 0.0, step, constraints: &none }).unwrap();
        let expected = x[3] + v * (step * (k + 1) as f64) + y;
        assert!(state.positions[3].distance(expected) < 1e-15, "only the first step is corrected");
        assert!(state.velocities[3].distance(v) < 1e-15);
    }
}

#[test]
fn forces_feel_the_position_correction() {
    // One spring along x: (m + hc + h²k) Δv = h (−k s − k (h v + y) − c v), x′ = x + h (v + Δv) + y.
    let (m, k, c, h) = (0.3, 40.0, 1.5, 0.05);
    let (s, v, y) = (0.2, 0.7, -0.04);
    let mut system = system(&[1.0, m], &[spring(0, 1, k, 1.0, c)], DVec3::ZERO);
    let mut state = phase(&[DVec3::ZERO, DVec3::X * (1.0 + s)], &[DVec3::ZERO, DVec3::X * v]);
    let mut scheme = BaraffWitkin::new(TIGHT);
    scheme.correct_positions([(1, DVec3::X * y)]);
    let pin = hold(&[0], |_| DVec3::ZERO);
    scheme.step(&mut system, &mut state, &StepInput { time: 0.0, step: h, constraints: &pin }).unwrap();
    let change = h * (-k * s - k * (h * v + y) - c * v) / (m + h * c + h * h * k);
    assert!(state.velocities[1].distance(DVec3::X * (v + change)) < 1e-13, "{}", state.velocities[1]);
    let expected = 1.0 + s + h * (v + change) + y;
    assert!(state.positions[1].distance(DVec3::X * expected) < 1e-13, "{}", state.positions[1]);
}
