//! The sparse product against the same matrix written out in full.

use super::sheet::{load, sheet};
use glam::DVec3;
use muslin_dynamics::linear::{BlockMatrix, Kernel, Pcg, ProductWork, multiply};
use muslin_model::parallel;

/// y = A x entry by entry from both halves of the pattern.
pub fn dense_product(matrix: &BlockMatrix, x: &[DVec3]) -> Vec<DVec3> {
    let mut full = vec![vec![0.0; 3 * x.len()]; 3 * x.len()];
    for row in 0..matrix.pattern.rows() {
        for slot in matrix.pattern.row(row) {
            let column = matrix.pattern.columns[slot] as usize;
            for a in 0..3 {
                for b in 0..3 {
                    full[3 * row + a][3 * column + b] = matrix.blocks[slot].col(b)[a];
                    full[3 * column + b][3 * row + a] = matrix.blocks[slot].col(b)[a];
                }
            }
        }
    }
    let flat: Vec<f64> = x.iter().flat_map(|v| v.to_array()).collect();
    let y: Vec<f64> = full.iter().map(|row| row.iter().zip(&flat).map(|(a, x)| a * x).sum()).collect();
    y.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Rounding of a sum of some sixty products, relative to the largest entry [-].
const ROUND_OFF: f64 = 1e-14;

#[test]
fn the_product_is_that_of_the_dense_matrix_within_and_across_domains() {
    let sheet = sheet(36, 0.03); // 1296 vertices: two domains
    assert!(sheet.matrix.pattern.domains.count() > 1);
    assert!(!sheet.matrix.pattern.ghosts.vertices.is_empty());
    let x = load(&sheet);
    let expected = dense_product(&sheet.matrix, &x);
    let largest = expected.iter().fold(0.0_f64, |m, v| m.max(v.length()));
    let mut out = vec![DVec3::NAN; x.len()];
    sheet.matrix.multiply(&x, &mut out);
    for (got, want) in out.iter().zip(&expected) {
        assert!((*got - *want).length() <= ROUND_OFF * largest, "{got} instead of {want}");
    }
    assert!(largest > 1.0);
}

#[test]
fn vector_and_scalar_kernels_give_the_same_bits() {
    let sheet = sheet(50, 0.03);
    let x = load(&sheet);
    let mut work = ProductWork::default();
    let (mut scalar, mut vector) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
    multiply(&sheet.matrix, Kernel::Scalar, &x, &mut scalar, &mut work);
    multiply(&sheet.matrix, Kernel::detect(), &x, &mut vector, &mut work);
    if Kernel::detect() == Kernel::Scalar {
        println!("skipped: this machine has no AVX2");
    }
    assert_eq!(scalar, vector);
}

#[test]
fn the_product_has_the_same_bits_on_one_and_two_threads() {
    let sheet = sheet(100, 0.03);
    let x = load(&sheet);
    let run = |threads| {
        parallel::with_threads(threads, || {
            let mut out = vec![DVec3::ZERO; x.len()];
            sheet.matrix.multiply(&x, &mut out);
            out
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn the_true_residual_of_the_zero_vector_is_one() {
    let sheet = sheet(10, 0.03);
    let b = load(&sheet);
    let zero = vec![DVec3::ZERO; b.len()];
    assert_eq!(Pcg::default().true_residual(&sheet.matrix, &b, &zero), 1.0);
}
