//! Soft pulls: derivatives against differences, and the limit of the force.

mod common;

use common::sheet::grid_of;
use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Force, HessianKind, Pull, PullPoint},
    linear::BlockMatrix,
};
use muslin_model::{Material, Model, shapes::Triangulation};

/// Step of differences [m].
const STEP: f64 = 1e-5;
/// Largest error of a derivative relative to its size [-].
const DERIVATIVE: f64 = 1e-6;

fn model() -> Model {
    grid_of([4, 4], DVec2::ONE, Triangulation::RightDiagonal, Material::woven_cotton())
}

/// One pull within its linear reach and one beyond it.
fn points() -> [PullPoint; 2] {
    [
        PullPoint { vertex: 3, target: DVec3::new(0.4, 0.1, 0.3), stiffness: 40.0, most_force: 1e3 },
        PullPoint { vertex: 9, target: DVec3::new(-0.2, 0.9, 0.7), stiffness: 25.0, most_force: 2.0 },
    ]
}

fn system(model: &Model) -> System {
    System::new(model, |layout| vec![Box::new(Pull::new(&points(), layout)) as Box<dyn Force>])
}

fn gradient(system: &System, x: &[DVec3]) -> (f64, Vec<DVec3>) {
    let mut out = vec![DVec3::ZERO; x.len()];
    let (potential, _) = system.add_gradient(x, &mut out);
    (potential, out)
}

#[test]
fn the_gradient_is_the_slope_of_the_potential_and_the_force_its_opposite() {
    let model = model();
    let system = system(&model);
    let mut x = Vec::new();
    system.gather(&model.mesh.positions, &mut x);
    let (_, slope) = gradient(&system, &x);
    assert_eq!(slope.iter().filter(|g| g.length() > 0.1).count(), 2, "two vertices are pulled");
    for v in 0..x.len() {
        for axis in 0..3 {
            let mut at = |way: f64| {
                x[v][axis] += way;
                let potential = gradient(&system, &x).0;
                x[v][axis] -= way;
                potential
            };
            let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            assert!((difference - slope[v][axis]).abs() < DERIVATIVE * (1.0 + slope[v].length()), "{v} {axis}");
        }
    }
    let mut force = vec![DVec3::ZERO; x.len()];
    system.force(&x, &vec![DVec3::ZERO; x.len()], &mut force);
    for v in 0..x.len() {
        let pull = force[v] - system.gravity * system.masses[v];
        assert!((pull + slope[v]).length() < 1e-9);
    }
}

#[test]
fn the_hessian_is_the_slope_of_the_gradient() {
    let model = model();
    let system = system(&model);
    let mut x = Vec::new();
    system.gather(&model.mesh.positions, &mut x);
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    system.add_hessian(&x, HessianKind::Exact, &mut matrix);
    for point in points() {
        let v = system.solver_from_model[point.vertex as usize] as usize;
        let mut columns = [DVec3::ZERO; 3];
        for (axis, column) in columns.iter_mut().enumerate() {
            let mut at = |way: f64| {
                x[v][axis] += way;
                let slope = gradient(&system, &x).1[v];
                x[v][axis] -= way;
                slope
            };
            *column = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        }
        let difference = DMat3::from_cols_array_2d(&columns.map(|c| c.to_array()));
        let block = product_with_axes(&matrix, x.len(), v);
        assert!((difference - block).abs_diff_eq(DMat3::ZERO, DERIVATIVE * 40.0), "{difference} against {block}");
        assert!(block.determinant().abs() > 0.0 || point.most_force < 10.0);
    }
}

/// A diagonal block, column by column, from products with unit vectors.
fn product_with_axes(matrix: &BlockMatrix, count: usize, v: usize) -> DMat3 {
    let column = |axis: DVec3| {
        let mut unit = vec![DVec3::ZERO; count];
        unit[v] = axis;
        let mut out = vec![DVec3::ZERO; count];
        matrix.multiply(&unit, &mut out);
        out[v]
    };
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

#[test]
fn no_pull_is_stronger_than_its_limit() {
    let model = model();
    let system = system(&model);
    let mut x = Vec::new();
    system.gather(&model.mesh.positions, &mut x);
    let v = system.solver_from_model[9] as usize;
    for distance in [0.01, 0.08, 1.0, 1e6] {
        x[v] = points()[1].target + DVec3::X * distance;
        let pull = gradient(&system, &x).1[v].length();
        let expected = (25.0 * distance).min(2.0);
        assert!((pull - expected).abs() < 1e-9, "{pull} N at {distance} m");
    }
}
