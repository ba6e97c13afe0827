//! Small, broken and oddly scaled matrices.

use super::{
    pcg::{all, dense_solve},
    sheet::{Sheet, load, sheet},
};
use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints, Domains,
    linear::{BlockMatrix, Pattern, Pcg, PcgSettings},
};
use std::sync::Arc;

const SETTINGS: PcgSettings = PcgSettings { relative_tolerance: 1e-10, most_iterations: 5000 };

/// Every preconditioner solves to the dense solution.
fn check(what: &str, matrix: &BlockMatrix, constraints: &Constraints, layout: &[DVec3], b: &[DVec3]) {
    let expected = dense_solve(matrix, b);
    let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.length()));
    for mut p in all(layout) {
        p.prepare(matrix, constraints);
        let mut x = vec![DVec3::NAN; b.len()];
        let outcome = Pcg::default().solve(matrix, p.as_mut(), b, &mut x, SETTINGS);
        assert!(outcome.converged, "{what}, {}: {outcome:?}", p.name());
        for (got, want) in x.iter().zip(&expected) {
            assert!((*got - *want).length() <= 1e-6 * size, "{what}, {}: {got} instead of {want}", p.name());
        }
    }
}

/// A matrix of springs along the edges of triangles, and masses.
fn springs(vertices: &[DVec3], triangles: &[[u32; 3]], stiffness: f64) -> BlockMatrix {
    let pattern = Pattern::new(Domains::new(vertices.len()), triangles.iter().map(|t| t.as_slice()));
    let mut matrix = BlockMatrix::new(Arc::new(pattern));
    matrix.set_diagonal(|v| 1.0 + 0.1 * v as f64);
    let pattern = matrix.pattern.clone();
    for t in triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let d = (vertices[a as usize] - vertices[b as usize]).normalize();
            let block = DMat3::from_cols(d * d.x, d * d.y, d * d.z) * stiffness;
            matrix.blocks[pattern.slot(a, a).index() as usize] += block;
            matrix.blocks[pattern.slot(b, b).index() as usize] += block;
            matrix.blocks[pattern.slot(a, b).index() as usize] -= block;
        }
    }
    matrix
}

#[test]
fn a_single_triangle_is_solved() {
    let x = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.9, 0.2)];
    let matrix = springs(&x, &[[0, 1, 2]], 50.0);
    check("triangle", &matrix, &Constraints::default(), &x, &[DVec3::X, DVec3::new(0.0, 1.0, -2.0), DVec3::Z]);
}

#[test]
fn cloths_that_do_not_touch_are_solved_together() {
    let mut x = Vec::new();
    let mut triangles = Vec::new();
    for piece in 0..7_u32 {
        let at = DVec3::new(0.0, 0.0, f64::from(piece));
        x.extend([at, at + DVec3::X, at + DVec3::new(0.3, 0.9, 0.2), at + DVec3::new(1.1, 1.2, -0.1)]);
        triangles.extend([[4 * piece, 4 * piece + 1, 4 * piece + 2], [4 * piece + 1, 4 * piece + 3, 4 * piece + 2]]);
    }
    let b: Vec<DVec3> = (0..x.len()).map(|v| DVec3::new(1.0, v as f64, -0.5)).collect();
    check("pieces", &springs(&x, &triangles, 50.0), &Constraints::default(), &x, &b);
}

#[test]
fn mass_alone_is_solved() {
    let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE];
    let matrix = springs(&x, &[[0, 1, 2], [1, 3, 2]], 0.0);
    check("masses", &matrix, &Constraints::default(), &x, &[DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE]);
}

#[test]
fn where_everything_is_held_nothing_moves() {
    let Sheet { mut matrix, rest, .. } = sheet(6, 0.02);
    let held = Constraints {
        vertices: (0..36).collect(),
        free: vec![DMat3::ZERO; 36],
        targets: vec![DVec3::ZERO; 36],
        ..Default::default()
    };
    matrix.constrain(&held);
    for mut p in all(&rest) {
        p.prepare(&matrix, &held);
        let mut x = vec![DVec3::NAN; 36];
        let outcome = Pcg::default().solve(&matrix, p.as_mut(), &[DVec3::ZERO; 36], &mut x, SETTINGS);
        assert!(outcome.converged && x.iter().all(|&x| x == DVec3::ZERO), "{}", p.name());
    }
}

#[test]
fn scales_from_1e_minus_8_to_1e8_make_no_difference() {
    for scale in [1e-8, 1e8] {
        let mut sheet = sheet(9, 0.03);
        let held = sheet.constraints.vertices.clone();
        for row in 0..sheet.matrix.pattern.rows() {
            for slot in sheet.matrix.pattern.row(row) {
                // Held rows stay the identity, as `constrain` leaves them.
                if !held.contains(&(row as u32)) {
                    sheet.matrix.blocks[slot] *= scale;
                }
            }
        }
        let b: Vec<DVec3> = load(&sheet).iter().map(|b| *b * scale * scale).collect();
        check("scaled", &sheet.matrix, &sheet.constraints, &sheet.rest, &b);
    }
}

#[test]
fn a_matrix_that_is_not_finite_ends_without_a_panic() {
    let mut sheet = sheet(9, 0.03);
    sheet.matrix.blocks[7] = DMat3::NAN;
    let b = load(&sheet);
    for mut p in all(&sheet.rest) {
        p.prepare(&sheet.matrix, &sheet.constraints);
        let mut x = vec![DVec3::ZERO; b.len()];
        let outcome = Pcg::default().solve(&sheet.matrix, p.as_mut(), &b, &mut x, SETTINGS);
        assert!(!outcome.converged, "{}: {outcome:?}", p.name());
    }
}
