//! Conjugate gradients against a dense solve.

use super::sheet::{load, sheet};
use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints,
    linear::{BlockJacobi, BlockMatrix, Ending, LaggedCholesky, Multilevel, Pcg, PcgSettings, Preconditioner, Reach},
};
use muslin_model::parallel;

/// Solves by Gaussian elimination with partial pivoting on the full matrix.
pub fn dense_solve(matrix: &BlockMatrix, b: &[DVec3]) -> Vec<DVec3> {
    let n = 3 * b.len();
    let mut a = vec![vec![0.0; n + 1]; n];
    for row in 0..b.len() {
        for slot in matrix.pattern.row(row) {
            let column = matrix.pattern.columns[slot] as usize;
            for i in 0..3 {
                for j in 0..3 {
                    a[3 * row + i][3 * column + j] = matrix.blocks[slot].col(j)[i];
                    a[3 * column + j][3 * row + i] = matrix.blocks[slot].col(j)[i];
                }
            }
        }
        (0..3).for_each(|i| a[3 * row + i][n] = b[row][i]);
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).unwrap();
        a.swap(k, pivot);
        let line = a[k].clone();
        for row in a.iter_mut().skip(k + 1) {
            let factor = row[k] / line[k];
            if factor != 0.0 {
                (k..=n).for_each(|c| row[c] -= factor * line[c]);
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        x[k] = (a[k][n] - (k + 1..n).map(|c| a[k][c] * x[c]).sum::<f64>()) / a[k][k];
    }
    x.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// All preconditioners for a layout.
pub fn all(layout: &[DVec3]) -> Vec<Box<dyn Preconditioner>> {
    vec![
        Box::new(BlockJacobi::default()),
        Box::new(LaggedCholesky::new(Reach::Strong, layout.to_vec())),
        Box::new(LaggedCholesky::new(Reach::Full, layout.to_vec())),
        Box::new(Multilevel::new(layout.to_vec())),
    ]
}

/// A negative direction is the matrix' own; Newton's method projects it then and goes on with the factor that it has.
#[test]
fn an_indefinite_matrix_does_not_cost_its_factor() {
    let mut sheet = sheet(12, 0.03);
    let mut p = LaggedCholesky::new(Reach::Strong, sheet.rest.clone());
    p.prepare(&sheet.matrix, &sheet.constraints);
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    let settings = PcgSettings { relative_tolerance: 1e-6, most_iterations: 500 };
    assert!(Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings).converged);
    let good = sheet.matrix.blocks.clone();
    for row in 0..sheet.matrix.pattern.rows() {
        let slot = sheet.matrix.pattern.row(row).start;
        sheet.matrix.blocks[slot] *= 0.5;
    }
    let outcome = Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings);
    assert!(outcome.indefinite && !outcome.converged, "{outcome:?}");
    sheet.matrix.blocks = good;
    p.prepare(&sheet.matrix, &sheet.constraints);
    assert!(Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings).converged);
    assert_eq!(p.renewals(), 1);
}

/// Its pivots are not the matrix' own: it would be a poor factor of every later matrix, and always equally poor, so that it never wore out.
#[test]
fn a_factor_of_the_indefinite_matrix_itself_is_made_anew() {
    let mut sheet = sheet(40, 0.03);
    let mut p = LaggedCholesky::new(Reach::Strong, sheet.rest.clone());
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    let settings = PcgSettings { relative_tolerance: 1e-2, most_iterations: 500 };
    let good = sheet.matrix.blocks.clone();
    for row in 0..sheet.matrix.pattern.rows() {
        let slot = sheet.matrix.pattern.row(row).start;
        sheet.matrix.blocks[slot] *= 0.98;
    }
    p.prepare(&sheet.matrix, &sheet.constraints);
    let outcome = Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings);
    assert!(outcome.indefinite, "{outcome:?}");
    let renewals = p.renewals();
    sheet.matrix.blocks = good;
    p.prepare(&sheet.matrix, &sheet.constraints);
    let outcome = Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings);
    assert!(outcome.converged && outcome.iterations < 20, "{outcome:?}");
    assert_eq!(p.renewals(), renewals + 1);
}

#[test]
fn every_preconditioner_leads_to_the_dense_solution_with_corners_pinned_or_sliding() {
    let mut sheet = sheet(9, 0.03);
    // A third vertex may only slide along a slanted plane.
    let axis = DVec3::new(0.6, 0.0, 0.8);
    let slide = DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
    let mut sliding =
        Constraints { vertices: vec![40], free: vec![slide], targets: vec![DVec3::ZERO], ..Default::default() };
    sheet.matrix.constrain(&sliding);
    sliding.vertices.splice(0..0, [sheet.constraints.vertices[0]]);
    sliding.free.splice(0..0, [DMat3::ZERO]);
    sliding.targets.splice(0..0, [DVec3::ZERO]);
    sliding.vertices.push(sheet.constraints.vertices[1]);
    sliding.free.push(DMat3::ZERO);
    sliding.targets.push(DVec3::ZERO);
    let mut b = load(&sheet);
    sliding.filter(&mut b);
    let expected = dense_solve(&sheet.matrix, &b);
    let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.length()));
    assert!(size > 0.0);
    for mut p in all(&sheet.rest) {
        p.prepare(&sheet.matrix, &sliding);
        let mut x = vec![DVec3::ZERO; b.len()];
        let settings = PcgSettings { relative_tolerance: 1e-12, most_iterations: 5000 };
        let outcome = Pcg::default().solve(&sheet.matrix, p.as_mut(), &b, &mut x, settings);
        assert!(outcome.converged, "{}: {outcome:?}", p.name());
        for (got, want) in x.iter().zip(&expected) {
            assert!((*got - *want).length() < 1e-8 * size, "{}: {got} instead of {want}", p.name());
        }
        assert!(x[40].dot(axis).abs() < 1e-12 * size, "{}: the held direction moved", p.name());
    }
}

#[test]
fn solutions_have_the_same_bits_on_one_and_two_threads() {
    let sheet = sheet(200, 0.05);
    let b = load(&sheet);
    let run = |threads| {
        parallel::with_threads(threads, || {
            let mut p = muslin_dynamics::linear::automatic(sheet.rest.clone());
            p.prepare(&sheet.matrix, &sheet.constraints);
            let mut x = vec![DVec3::ZERO; b.len()];
            let settings = PcgSettings { relative_tolerance: 1e-6, most_iterations: 500 };
            let outcome = Pcg::default().solve(&sheet.matrix, p.as_mut(), &b, &mut x, settings);
            assert!(outcome.converged);
            (x, outcome)
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_worn_factor_is_renewed_within_the_solve() {
    let (old, new) = (sheet(40, 0.0), sheet(40, 0.1));
    let b = load(&new);
    let mut x = vec![DVec3::ZERO; b.len()];
    let settings = PcgSettings { relative_tolerance: 1e-8, most_iterations: 2000 };
    let mut p = LaggedCholesky::new(Reach::Full, old.rest.clone());
    p.prepare(&old.matrix, &old.constraints);
    Pcg::default().solve(&old.matrix, &mut p, &b, &mut x, settings);
    p.prepare(&new.matrix, &new.constraints);
    assert_eq!(p.renewals(), 1);
    let mut pcg = Pcg::default();
    let outcome = pcg.solve(&new.matrix, &mut p, &b, &mut x, settings);
    assert!(p.renewals() == 2 && outcome.converged && outcome.iterations < 200, "{outcome:?}");
    assert!(pcg.true_residual(&new.matrix, &b, &x) < 1e-6);
}

#[test]
fn an_ending_that_is_foretold_takes_one_iteration_less_and_is_as_near() {
    let sheet = sheet(40, 0.05);
    let b = load(&sheet);
    let settings = PcgSettings { relative_tolerance: 1e-9, most_iterations: 100 };
    let run = |ending| {
        let mut p = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
        p.prepare(&sheet.matrix, &sheet.constraints);
        let mut x = vec![DVec3::ZERO; b.len()];
        let mut pcg = Pcg::default();
        pcg.ending = ending;
        let outcome = pcg.solve(&sheet.matrix, &mut p, &b, &mut x, settings);
        assert!(outcome.converged, "{outcome:?}");
        // What is left, by the measure of the tolerance.
        let (mut r, mut z) = (vec![DVec3::ZERO; b.len()], vec![DVec3::ZERO; b.len()]);
        sheet.matrix.multiply(&x, &mut r);
        r.iter_mut().zip(&b).for_each(|(r, b)| *r = *b - *r);
        p.apply(&r, &mut z);
        let left = muslin_dynamics::linear::dot(&r, &z);
        p.apply(&b, &mut z);
        (outcome.iterations, (left / muslin_dynamics::linear::dot(&b, &z)).sqrt())
    };
    let ((seen, left_seen), (foretold, left)) = (run(Ending::Seen), run(Ending::Foretold));
    assert!(left_seen <= 1e-9 && left <= 1e-9, "{left_seen} and {left} are left");
    assert_eq!(foretold + 1, seen);
}

#[test]
fn a_trusted_solve_ends_after_one_iteration_and_is_as_near_as_one_iteration_gets() {
    let sheet = sheet(40, 0.05);
    let b = load(&sheet);
    let run = |ending, relative_tolerance| {
        let mut p = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
        p.prepare(&sheet.matrix, &sheet.constraints);
        let mut x = vec![DVec3::ZERO; b.len()];
        let mut pcg = Pcg::default();
        pcg.ending = ending;
        let settings = PcgSettings { relative_tolerance, most_iterations: 100 };
        let outcome = pcg.solve(&sheet.matrix, &mut p, &b, &mut x, settings);
        (outcome, x)
    };
    let (seen, one) = run(Ending::Seen, 1e-2);
    let (trusted, x) = run(Ending::Trusted, 1e-2);
    // What the solve just before must have shown.
    assert_eq!(seen.iterations, 1);
    assert_eq!((trusted.iterations, trusted.converged), (1, true));
    assert_eq!(x, one);
    // Whoever trusts a tolerance that one iteration does not reach is not told so: that is the price.
    assert!(run(Ending::Seen, 1e-9).0.iterations > 1 && run(Ending::Trusted, 1e-9).0.iterations == 1);
}
