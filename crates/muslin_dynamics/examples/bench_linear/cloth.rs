//! The matrix of a square metre of woven cotton in the middle of a drape.

use crate::cotton::cotton;
use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{Constraints, Past, forces::HessianKind, linear::BlockMatrix};

/// Time step [s].
const STEP: f64 = 1.0 / 60.0;
/// Folds: largest slope angle [rad], wavelength [m], direction across them (unit), slanted to the threads.
const SLOPE: f64 = 0.8;
const WAVELENGTH: f64 = 0.4;
const ACROSS: DVec2 = DVec2::new(0.8, 0.6);
/// Stretch along both threads, as under the cloth's own weight [-].
const STRETCH: f64 = 2e-4;
/// Between one step and the next the folds travel this far [m] and the cloth turns this far [rad].
const TRAVEL: f64 = 0.005;
const TURN: f64 = 0.02;

/// A linear system.
pub struct Case {
    pub matrix: BlockMatrix,
    pub constraints: Constraints,
    pub rest: Vec<DVec3>,
    pub positions: Vec<DVec3>,
    pub load: Vec<DVec3>,
}

impl Case {
    /// √(rᵀ D⁻¹ r) of the residual over that of the load [-].
    pub fn measure(&self, x: &[DVec3]) -> f64 {
        let mut ax = x.to_vec();
        self.matrix.multiply(x, &mut ax);
        let size = |r: &dyn Fn(usize) -> DVec3| -> f64 {
            (0..x.len()).map(|i| r(i).dot(self.matrix.diagonal(i).inverse() * r(i))).sum()
        };
        (size(&|i| self.load[i] - ax[i]) / size(&|i| self.load[i])).sqrt()
    }
}

/// A sheet of `side`² vertices, `steps` time steps after the first state.
pub fn case(side: usize, steps: f64) -> Case {
    let (model, mut system) = cotton(side, 1.0);
    let mut rest = Vec::new();
    system.gather(&model.mesh.positions, &mut rest);
    let fold = Fold::new(TRAVEL * steps);
    let turn = DMat3::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), TURN * steps);
    let positions: Vec<DVec3> = rest.iter().map(|p| turn * fold.place(p.truncate())).collect();
    system.begin_step(&Past { start: &positions, before: &positions, start_weight: 1.0, tau: STEP, time_end: STEP });
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    matrix.set_diagonal(|v| system.masses[v] / (STEP * STEP));
    system.add_hessian(&positions, HessianKind::Projected, &mut matrix);
    let mut held: Vec<u32> = [side - 1, side * side - 1].map(|v| system.solver_from_model[v]).to_vec();
    held.sort_unstable();
    let constraints = Constraints {
        free: vec![DMat3::ZERO; 2],
        targets: held.iter().map(|&v| positions[v as usize]).collect(),
        vertices: held,
        ..Default::default()
    };
    // Weight, and the force that a rough velocity field would need.
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut load: Vec<DVec3> =
        system.masses.iter().map(|m| (system.gravity + 10.0 * DVec3::new(next(), next(), next())) * *m).collect();
    constraints.filter(&mut load);
    matrix.constrain(&constraints);
    Case { matrix, constraints, rest, positions, load }
}

/// A curve of given length whose slope swings: folds without stretch.
struct Fold {
    points: Vec<DVec2>,
}

impl Fold {
    const PARTS: usize = 40_000;
    /// Arc lengths from −LENGTH to LENGTH are tabulated [m].
    const LENGTH: f64 = 2.0;

    fn new(shift: f64) -> Self {
        let ds = 2.0 * Self::LENGTH / Self::PARTS as f64;
        let mut at = DVec2::ZERO;
        let points = (0..=Self::PARTS).map(|k| {
            let s = k as f64 * ds - Self::LENGTH + shift;
            let here = at;
            at += DVec2::from_angle(SLOPE * (std::f64::consts::TAU * s / WAVELENGTH).sin()) * ds;
            here
        });
        Fold { points: points.collect() }
    }

    fn place(&self, rest: DVec2) -> DVec3 {
        let (along, across) = (rest.dot(ACROSS.perp()), rest.dot(ACROSS));
        let t = (across + Self::LENGTH) / (2.0 * Self::LENGTH) * Self::PARTS as f64;
        let k = t as usize;
        let p = self.points[k].lerp(self.points[k + 1], t - k as f64);
        let flat = ACROSS * p.x + ACROSS.perp() * along;
        flat.extend(p.y) * (1.0 + STRETCH)
    }
}
