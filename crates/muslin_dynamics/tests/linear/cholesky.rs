//! The Cholesky preconditioner: symmetric, positive definite, close to the inverse, the same on any number
//! of threads.

use super::sheet::{Sheet, load, sheet};
use glam::{DMat3, DVec3, Vec3Swizzles as _};
use muslin_dynamics::{
    Interrupt,
    linear::{LaggedCholesky, Pcg, PcgSettings, Preconditioner, Reach},
};
use muslin_model::parallel;

const TO_1E_10: PcgSettings = PcgSettings { relative_tolerance: 1e-10, most_iterations: 500 };
/// Rounding of single precision through a condition number of 1e5 or so [-].
const SINGLE_ROUND_OFF: f64 = 1e-4;

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Applies to two different vectors; returns ⟨Pu, v⟩, ⟨u, Pv⟩ and ⟨Pu, u⟩.
pub fn symmetry(preconditioner: &mut dyn Preconditioner, sheet: &Sheet) -> [f64; 3] {
    let u = load(sheet);
    let v: Vec<DVec3> = u.iter().rev().map(|u| u.yzx() * DVec3::new(1.0, -2.0, 0.5)).collect();
    let (mut pu, mut pv) = (u.clone(), v.clone());
    preconditioner.apply(&u, &mut pu);
    preconditioner.apply(&v, &mut pv);
    [dot(&pu, &v), dot(&u, &pv), dot(&pu, &u)]
}

#[test]
fn the_factor_is_symmetric_and_positive_definite() {
    for reach in [Reach::Full, Reach::Strong] {
        let sheet = sheet(30, 0.03);
        let mut p = LaggedCholesky::new(reach, sheet.rest.clone());
        p.prepare(&sheet.matrix, &sheet.constraints);
        let [a, b, c] = symmetry(&mut p, &sheet);
        assert!((a - b).abs() <= SINGLE_ROUND_OFF * a.abs(), "{reach:?}: {a} and {b}");
        assert!(c > 0.0);
    }
}

#[test]
fn the_full_factor_is_the_inverse_to_single_precision() {
    let sheet = sheet(40, 0.03);
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    // Without a layout the graph alone guides the dissection.
    for layout in [sheet.rest.clone(), Vec::new()] {
        let mut p = LaggedCholesky::new(Reach::Full, layout);
        p.prepare(&sheet.matrix, &sheet.constraints);
        p.apply(&b, &mut x);
        let residual = Pcg::default().true_residual(&sheet.matrix, &b, &x);
        assert!(residual < 0.02, "{residual}");
    }
}

#[test]
fn conjugate_gradients_with_the_factor_reach_the_true_solution_and_leave_held_vertices_alone() {
    let sheet = sheet(60, 0.03);
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    for (reach, most) in [(Reach::Full, 8), (Reach::Strong, 60)] {
        let mut p = LaggedCholesky::new(reach, sheet.rest.clone());
        p.prepare(&sheet.matrix, &sheet.constraints);
        let mut pcg = Pcg::default();
        let outcome = pcg.solve(&sheet.matrix, &mut p, &b, &mut x, TO_1E_10);
        assert!(outcome.converged && outcome.iterations <= most, "{reach:?}: {outcome:?}");
        let residual = pcg.true_residual(&sheet.matrix, &b, &x);
        assert!(residual < 1e-8, "{reach:?}: {residual}");
        for &held in &sheet.constraints.vertices {
            assert_eq!(x[held as usize], DVec3::ZERO);
        }
    }
}

#[test]
fn a_second_factorisation_is_as_good_as_the_first() {
    let (first, second) = (sheet(40, 0.01), sheet(40, 0.05));
    let b = load(&second);
    let mut x = vec![DVec3::ZERO; b.len()];
    let mut p = LaggedCholesky::new(Reach::Full, first.rest.clone());
    p.prepare(&first.matrix, &first.constraints);
    // Other constraints force a new factor on the old plan.
    let mut other = second.constraints.clone();
    other.free[0] = glam::DMat3::IDENTITY;
    p.prepare(&second.matrix, &other);
    assert_eq!(p.renewals(), 2);
    let outcome = Pcg::default().solve(&second.matrix, &mut p, &b, &mut x, TO_1E_10);
    assert!(outcome.converged && outcome.iterations <= 8, "{outcome:?}");
}

#[test]
fn a_factor_follows_cloth_that_turns_as_a_whole() {
    let sheet = sheet(40, 0.03);
    let turn = glam::DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
    let mut turned = sheet.matrix.clone();
    for block in &mut turned.blocks {
        *block = turn * *block * turn.transpose();
    }
    let positions: Vec<DVec3> = sheet.positions.iter().map(|p| turn * *p).collect();
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    let iterations = |follow: bool, x: &mut [DVec3]| {
        let mut p = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
        if follow {
            p.place(&sheet.positions);
        }
        p.prepare(&sheet.matrix, &sheet.constraints);
        if follow {
            p.place(&positions);
        }
        p.prepare(&turned, &sheet.constraints);
        let before = p.renewals();
        Pcg::default().solve(&turned, &mut p, &b, x, TO_1E_10).iterations * if p.renewals() > before { 1000 } else { 1 }
    };
    // Held vertices keep their axes, and three turns leave some error; the count stays of the same order.
    assert!(iterations(true, &mut x) <= 40, "{}", iterations(true, &mut x));
    assert!(iterations(false, &mut x) > 100, "turning must matter for this test to mean anything");
}

#[test]
fn factor_and_solve_have_the_same_bits_on_one_and_two_threads() {
    let sheet = sheet(80, 0.03);
    let b = load(&sheet);
    let run = |threads| {
        parallel::with_threads(threads, || {
            let mut p = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
            p.prepare(&sheet.matrix, &sheet.constraints);
            let mut x = vec![DVec3::ZERO; b.len()];
            p.apply(&b, &mut x);
            x
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn an_adaptive_factor_becomes_full_where_bending_makes_the_strong_one_poor() {
    // On a flat sheet without much tension, edges of 5 mm are far shorter than the bending length.
    let sheet = sheet(200, 0.0);
    let b = load(&sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    let mut p = LaggedCholesky::new(Reach::Adaptive, sheet.rest.clone());
    let settings = PcgSettings { relative_tolerance: 1e-6, most_iterations: 1000 };
    let mut iterations = || {
        p.prepare(&sheet.matrix, &sheet.constraints);
        Pcg::default().solve(&sheet.matrix, &mut p, &b, &mut x, settings).iterations
    };
    let (first, second) = (iterations(), iterations());
    assert!(first > 50 && second <= 6, "{first}, then {second} iterations");
}

/// The corrections of a Newton step solve with the same matrix more than once, without preparing it again.
#[test]
fn a_factor_whose_reach_is_to_grow_still_serves_until_the_next_preparation() {
    let sheet = sheet(30, 0.03);
    let b = load(&sheet);
    let (mut before, mut after) = (b.clone(), b.clone());
    let mut p = LaggedCholesky::new(Reach::Adaptive, sheet.rest.clone());
    p.prepare(&sheet.matrix, &sheet.constraints);
    let strong = p.factor_bytes();
    p.apply(&b, &mut before);
    // So poor that the whole matrix will be factorised next time.
    p.solved(1000, 0.1);
    p.apply(&b, &mut after);
    assert_eq!(before, after);
    p.prepare(&sheet.matrix, &sheet.constraints);
    assert!(p.factor_bytes() > strong, "{} and {strong} bytes", p.factor_bytes());
}

#[test]
fn a_factor_of_the_whole_matrix_that_wears_out_at_once_is_left_again() {
    let sheet = sheet(30, 0.03);
    let mut p = LaggedCholesky::new(Reach::Adaptive, sheet.rest.clone());
    let renewed = |p: &mut LaggedCholesky| {
        p.prepare(&sheet.matrix, &sheet.constraints);
        p.factor_bytes()
    };
    let strong = renewed(&mut p);
    p.solved(1000, 0.1);
    let whole = renewed(&mut p);
    assert!(whole > strong);
    // As good as hoped, then worn: the whole matrix is worth its price, and factorised again.
    for iterations in [1, 1, 1, 200] {
        p.solved(iterations, 0.1);
    }
    assert_eq!(renewed(&mut p), whole);
    // Dearer than what was given up for it.
    for iterations in [1, 9000] {
        p.solved(iterations, 0.1);
    }
    assert_eq!(renewed(&mut p), strong);
    assert_eq!(p.renewals(), 4);
}

#[test]
fn a_factorisation_that_is_given_up_is_never_applied_and_the_next_one_is_whole() {
    let sheet = sheet(30, 0.03);
    let b = load(&sheet);
    let (mut x, mut whole) = (b.clone(), b.clone());
    let mut p = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
    let overdue = Interrupt::default();
    overdue.ask();
    while !overdue.is_overdue() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    p.heed(&overdue);
    p.prepare(&sheet.matrix, &sheet.constraints);
    p.apply(&b, &mut x);
    assert_eq!((p.renewals(), p.factor_bytes()), (0, 0));
    assert_eq!(x, b, "half a factor was applied");
    // Nobody asks any more: the same preconditioner factorises, as one that was never stopped.
    p.heed(&Interrupt::default());
    p.prepare(&sheet.matrix, &sheet.constraints);
    p.apply(&b, &mut x);
    let mut unstopped = LaggedCholesky::new(Reach::Full, sheet.rest.clone());
    unstopped.prepare(&sheet.matrix, &sheet.constraints);
    unstopped.apply(&b, &mut whole);
    assert!(p.renewals() == 1 && x == whole && x != b);
}

/// What a factor makes of a load, bit by bit.
fn answer(p: &mut LaggedCholesky, sheet: &Sheet) -> Vec<[u64; 3]> {
    let b = load(sheet);
    let mut x = vec![DVec3::ZERO; b.len()];
    p.apply(&b, &mut x);
    x.iter().map(|x| x.to_array().map(f64::to_bits)).collect()
}

#[test]
fn a_factor_made_again_where_something_changed_has_the_bits_of_a_whole_one() {
    for threads in [1, 2] {
        parallel::with_threads(threads, || {
            let mut sheet = sheet(60, 0.03);
            let mut again = LaggedCholesky::new(Reach::Strong, sheet.rest.clone());
            again.prepare(&sheet.matrix, &sheet.constraints);
            let mut before = answer(&mut again, &sheet);
            // A patch, one vertex, the last one, nothing, everything.
            let changes: [&[usize]; 5] = [&[1830, 1831, 1890, 1891], &[7], &[3500], &[], &[]];
            for (round, vertices) in changes.into_iter().enumerate() {
                for &v in vertices {
                    sheet.matrix.add_pair(v as u32, v as u32, DMat3::from_diagonal(DVec3::new(40.0, 3.0, 900.0)));
                }
                if round == 4 {
                    sheet.matrix.blocks.iter_mut().for_each(|block| *block *= 1.25);
                }
                again.factorise_now(&sheet.matrix);
                let mut fresh = LaggedCholesky::new(Reach::Strong, sheet.rest.clone());
                fresh.prepare(&sheet.matrix, &sheet.constraints);
                let (now, expected) = (answer(&mut again, &sheet), answer(&mut fresh, &sheet));
                assert!(now == expected, "round {round}");
                assert_eq!(now == before, vertices.is_empty() && round != 4, "round {round}");
                before = now;
            }
        });
    }
}
