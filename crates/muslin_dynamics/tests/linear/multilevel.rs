//! The multilevel preconditioner: symmetric, positive definite, and as good on a fine sheet as on a coarse one.

use super::{
    cholesky::symmetry,
    sheet::{load, sheet},
};
use glam::DVec3;
use muslin_dynamics::linear::{Multilevel, Pcg, PcgSettings, Preconditioner};
use muslin_model::parallel;

/// Rounding of single precision in a V-cycle [-].
const SINGLE_ROUND_OFF: f64 = 1e-4;

#[test]
fn the_v_cycle_is_symmetric_and_positive_definite() {
    let sheet = sheet(60, 0.03);
    let mut p = Multilevel::new(sheet.positions.clone());
    p.prepare(&sheet.matrix, &sheet.constraints);
    assert!(p.level_sizes().len() > 1);
    let [a, b, c] = symmetry(&mut p, &sheet);
    assert!((a - b).abs() <= SINGLE_ROUND_OFF * a.abs(), "{a} and {b}");
    assert!(c > 0.0);
}

#[test]
fn iterations_hardly_grow_from_25_to_200_vertices_a_side_flat_or_bent() {
    for amplitude in [0.0, 0.05] {
        let iterations = |n: usize| {
            let sheet = sheet(n, amplitude);
            let b = load(&sheet);
            let mut x = vec![DVec3::ZERO; b.len()];
            let mut p = Multilevel::new(sheet.positions.clone());
            p.prepare(&sheet.matrix, &sheet.constraints);
            let mut pcg = Pcg::default();
            let settings = PcgSettings { relative_tolerance: 1e-9, most_iterations: 200 };
            let outcome = pcg.solve(&sheet.matrix, &mut p, &b, &mut x, settings);
            let residual = pcg.true_residual(&sheet.matrix, &b, &x);
            assert!(outcome.converged && residual < 1e-5, "{n}: {outcome:?}, true residual {residual}");
            for &held in &sheet.constraints.vertices {
                assert_eq!(x[held as usize], DVec3::ZERO);
            }
            outcome.iterations
        };
        // The last has one level more.
        let (coarse, fine, deep) = (iterations(25), iterations(100), iterations(200));
        println!("amplitude {amplitude}: {coarse}, {fine} and {deep} iterations");
        assert!(fine * 2 <= coarse * 3, "{coarse} iterations on 25², {fine} on 100²");
        assert!(deep * 2 <= fine * 3, "{fine} iterations on 100², {deep} on 200²");
        assert!(fine > 5);
    }
}

#[test]
fn a_v_cycle_has_the_same_bits_on_one_and_two_threads() {
    let sheet = sheet(140, 0.03); // 19,600 vertices: two groups in the smoother
    let b = load(&sheet);
    let run = |threads| {
        parallel::with_threads(threads, || {
            let mut p = Multilevel::new(sheet.positions.clone());
            p.prepare(&sheet.matrix, &sheet.constraints);
            let mut x = vec![DVec3::ZERO; b.len()];
            p.apply(&b, &mut x);
            x
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn preparing_twice_gives_the_same_bits_as_once() {
    let (other, sheet) = (sheet(40, 0.01), sheet(40, 0.03));
    let b = load(&sheet);
    let (mut once, mut twice) = (b.clone(), b.clone());
    let mut p = Multilevel::new(sheet.positions.clone());
    p.prepare(&sheet.matrix, &sheet.constraints);
    p.apply(&b, &mut once);
    p.prepare(&other.matrix, &sheet.constraints);
    p.prepare(&sheet.matrix, &sheet.constraints);
    p.apply(&b, &mut twice);
    assert_eq!(once, twice);
}
