//! The modified conjugate gradients against dense algebra on the free directions.

mod spring_systems;

use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints, Past,
    forces::HessianKind,
    linear::{BlockMatrix, Diagonal, Mpcg, PcgSettings, Prescribed},
};
use spring_systems::{Spring, spring, system};

const TIGHT: PcgSettings = PcgSettings { relative_tolerance: 1e-13, most_iterations: 10_000 };

/// Fixed pseudo-random vectors of about unit size.
fn noise(count: usize, seed: f64) -> Vec<DVec3> {
    let part = |k: f64| ((k * 12.9898 + seed * 78.233).sin() * 43758.5453).fract();
    (0..count).map(|k| DVec3::new(part(k as f64), part(k as f64 + 0.37), part(k as f64 + 0.71))).collect()
}

/// The matrix of an implicit step of a crumpled 4 × 4 net of springs.
fn net() -> BlockMatrix {
    let side = 4usize;
    let mut springs: Vec<Spring> = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let k = (i * side + j) as u32;
            let mut join = |other: usize, rest: f64| springs.push(spring(k, other as u32, 300.0, rest, 0.5));
            if i + 1 < side {
                join((i + 1) * side + j, 0.1);
            }
            if j + 1 < side {
                join(i * side + j + 1, 0.1);
            }
            if i + 1 < side && j + 1 < side {
                join((i + 1) * side + j + 1, 0.14);
            }
        }
    }
    let count = side * side;
    let x: Vec<DVec3> = noise(count, 5.0)
        .iter()
        .enumerate()
        .map(|(k, n)| DVec3::new((k / side) as f64, (k % side) as f64, 0.0) * 0.1 + *n * 0.03)
        .collect();
    let masses: Vec<f64> = (0..count).map(|k| 0.01 * (1.0 + k as f64)).collect();
    let mut system = system(&masses, &springs, DVec3::ZERO);
    let step = 0.02;
    system.begin_step(&Past { start: &x, before: &x, start_weight: 1.0, tau: step, time_end: step });
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    matrix.set_diagonal(|i| masses[i] / (step * step));
    system.add_hessian(&x, HessianKind::Projected, &mut matrix);
    matrix
}

/// One vertex fully held, one in an oblique direction, one on an oblique line.
fn holds() -> Constraints {
    let outer = |n: DVec3| DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    let (n, t) = (DVec3::new(1.0, 2.0, 2.0) / 3.0, DVec3::new(2.0, 3.0, 6.0) / 7.0);
    Constraints {
        vertices: vec![0, 3, 9],
        free: vec![DMat3::ZERO, DMat3::IDENTITY - outer(n), outer(t)],
        targets: vec![DVec3::ZERO; 3],
        ..Default::default()
    }
}

type Dense = Vec<Vec<f64>>;

fn dense(matrix: &BlockMatrix) -> Dense {
    let n = matrix.pattern.rows();
    let mut columns = Vec::new();
    for k in 0..3 * n {
        let mut unit = vec![DVec3::ZERO; n];
        unit[k / 3][k % 3] = 1.0;
        let mut out = vec![DVec3::ZERO; n];
        matrix.multiply(&unit, &mut out);
        columns.push(out.iter().flat_map(|v| v.to_array()).collect());
    }
    columns // symmetric, so columns are rows
}

/// An orthonormal basis of the free directions, one vector per row.
fn free_basis(n: usize, constraints: &Constraints) -> Dense {
    let mut basis: Dense = Vec::new();
    for v in 0..n {
        let held = constraints.vertices.iter().position(|&w| w as usize == v);
        let free = held.map_or(DMat3::IDENTITY, |k| constraints.free[k]);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let mut candidate = vec![0.0; 3 * n];
            candidate[3 * v..3 * v + 3].copy_from_slice(&(free * axis).to_array());
            for row in &basis {
                let along: f64 = row.iter().zip(&candidate).map(|(a, b)| a * b).sum();
                candidate.iter_mut().zip(row).for_each(|(c, r)| *c -= along * r);
            }
            let norm = candidate.iter().map(|c| c * c).sum::<f64>().sqrt();
            if norm > 1e-6 {
                basis.push(candidate.iter().map(|c| c / norm).collect());
            }
        }
    }
    basis
}

fn times(a: &Dense, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// Q A Qᵀ for the rows Q.
fn reduced(a: &Dense, basis: &Dense) -> Dense {
    let products: Dense = basis.iter().map(|q| times(a, q)).collect();
    basis.iter().map(|q| products.iter().map(|p| p.iter().zip(q).map(|(a, b)| a * b).sum()).collect()).collect()
}

/// Gaussian elimination with pivots.
fn eliminate(mut a: Dense, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// Plain conjugate gradients on a dense matrix with a dense preconditioner; returns the iterations.
fn conjugate_gradients(a: &Dense, inverse: &Dense, b: &[f64], tolerance: f64) -> usize {
    let inner = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut r = b.to_vec();
    let mut p = times(inverse, &r);
    let mut delta = inner(&r, &p);
    let first = delta;
    for iteration in 1..10_000 {
        let q = times(a, &p);
        let alpha = delta / inner(&p, &q);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        let z = times(inverse, &r);
        let next = inner(&r, &z);
        if next <= tolerance * tolerance * first {
            return iteration;
        }
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + *p * (next / delta));
        delta = next;
    }
    panic!("no convergence")
}

fn flat(values: &[DVec3]) -> Vec<f64> {
    values.iter().flat_map(|v| v.to_array()).collect()
}

#[test]
fn the_solution_is_that_of_the_free_subspace_and_held_directions_are_exact() {
    let (matrix, constraints) = (net(), holds());
    let n = matrix.pattern.rows();
    let (b, z) = (noise(n, 1.0), noise(3, 2.0));
    let mut x = vec![DVec3::ZERO; n];
    let prescribed = Prescribed { constraints: &constraints, values: &z };
    let outcome = Mpcg::default().solve(&matrix, prescribed, &b, &mut x, TIGHT);
    assert!(outcome.converged && outcome.relative_residual <= 1e-13, "{outcome:?}");

    // x = z + Qᵀ s with (Q A Qᵀ) s = Q (b − A z).
    let (a, basis) = (dense(&matrix), free_basis(n, &constraints));
    assert_eq!(basis.len(), 3 * n - 3 - 1 - 2);
    let mut held = vec![DVec3::ZERO; n];
    for k in 0..3 {
        held[constraints.vertices[k] as usize] = (DMat3::IDENTITY - constraints.free[k]) * z[k];
    }
    let az = times(&a, &flat(&held));
    let right: Vec<f64> = flat(&b).iter().zip(&az).map(|(b, az)| b - az).collect();
    let s = eliminate(reduced(&a, &basis), times(&basis, &right));
    let mut exact = flat(&held);
    for (row, s) in basis.iter().zip(&s) {
        exact.iter_mut().zip(row).for_each(|(x, q)| *x += q * s);
    }
    let error = flat(&x).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let size = exact.iter().map(|x| x.abs()).fold(0.0, f64::max);
    assert!(size > 0.1 && error < 1e-11 * size, "{error:.1e} of {size}");
    for k in 0..3 {
        let off = (DMat3::IDENTITY - constraints.free[k]) * (x[constraints.vertices[k] as usize] - z[k]);
        assert!(off.length() < 1e-15, "{off}");
    }
}

#[test]
fn it_converges_like_plain_conjugate_gradients_on_the_free_subspace() {
    let (matrix, constraints) = (net(), holds());
    let n = matrix.pattern.rows();
    let b = noise(n, 1.0);
    let (a, basis) = (dense(&matrix), free_basis(n, &constraints));
    let diagonal: Dense =
        (0..3 * n).map(|i| (0..3 * n).map(|j| if i == j { 1.0 / a[i][i] } else { 0.0 }).collect()).collect();
    for tolerance in [1e-2, 1e-4, 1e-8] {
        let expected = conjugate_gradients(
            &reduced(&a, &basis),
            &reduced(&diagonal, &basis),
            &times(&basis, &flat(&b)),
            tolerance,
        );
        let mut x = vec![DVec3::ZERO; n];
        let prescribed = Prescribed { constraints: &constraints, values: &[DVec3::ZERO; 3] };
        let settings = PcgSettings { relative_tolerance: tolerance, most_iterations: 10_000 };
        let outcome = Mpcg::default().solve(&matrix, prescribed, &b, &mut x, settings);
        println!("to {tolerance:.0e}: {} iterations, on the subspace {expected}", outcome.iterations);
        assert!(outcome.iterations.abs_diff(expected) <= 1, "{} against {expected}", outcome.iterations);
    }
}

#[test]
fn multiplying_by_the_diagonal_as_printed_takes_hundreds_of_times_the_iterations() {
    // Light springs between masses from 0.1 g to 1 kg: the matrix is nearly its own diagonal.
    let count = 60;
    let masses: Vec<f64> = (0..count).map(|k| 10f64.powf(-4.0 + 4.0 * k as f64 / (count - 1) as f64)).collect();
    let springs: Vec<Spring> = (1..count as u32).map(|k| spring(k - 1, k, 1e-5, 0.1, 0.0)).collect();
    let x: Vec<DVec3> = (0..count).map(|k| DVec3::X * (0.1 * k as f64)).collect();
    let mut system = system(&masses, &springs, DVec3::ZERO);
    system.begin_step(&Past { start: &x, before: &x, start_weight: 1.0, tau: 1.0, time_end: 1.0 });
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    matrix.set_diagonal(|i| masses[i]);
    system.add_hessian(&x, HessianKind::Projected, &mut matrix);
    let b = noise(count, 3.0);
    let constraints = Constraints::default();
    let iterations = [Diagonal::Divides, Diagonal::AsPrinted].map(|diagonal| {
        let mut x = vec![DVec3::ZERO; count];
        let settings = PcgSettings { relative_tolerance: 1e-10, most_iterations: 100_000 };
        let prescribed = Prescribed { constraints: &constraints, values: &[] };
        let outcome = Mpcg::new(diagonal).solve(&matrix, prescribed, &b, &mut x, settings);
        println!("{diagonal:?}: {} iterations, converged {}", outcome.iterations, outcome.converged);
        outcome.iterations
    });
    assert!(iterations[0] <= 10, "{iterations:?}");
    assert!(iterations[1] > 200 * iterations[0], "{iterations:?}");
}

#[test]
fn it_stops_at_once_when_z_already_solves_the_system() {
    // V's test against filter(b) would iterate here for nothing.
    let matrix = net();
    let n = matrix.pattern.rows();
    let z = noise(n, 4.0);
    let all = Constraints {
        vertices: (0..n as u32).collect(),
        free: vec![DMat3::ZERO; n],
        targets: vec![DVec3::ZERO; n],
        ..Default::default()
    };
    let mut x = vec![DVec3::ZERO; n];
    let prescribed = Prescribed { constraints: &all, values: &z };
    let outcome = Mpcg::default().solve(&matrix, prescribed, &noise(n, 6.0), &mut x, TIGHT);
    assert_eq!((outcome.iterations, outcome.converged), (0, true));
    assert_eq!(x, z);
}

#[test]
fn a_good_beginning_saves_iterations_and_changes_no_tolerance() {
    let (matrix, constraints) = (net(), holds());
    let n = matrix.pattern.rows();
    let (b, z) = (noise(n, 1.0), noise(3, 2.0));
    let prescribed = Prescribed { constraints: &constraints, values: &z };
    let mut exact = vec![DVec3::ZERO; n];
    Mpcg::default().solve(&matrix, prescribed, &b, &mut exact, TIGHT);
    let size = exact.iter().map(|x| x.length()).fold(0.0, f64::max);
    let settings = PcgSettings { relative_tolerance: 1e-6, most_iterations: 10_000 };
    let from = |beginning: Vec<DVec3>| {
        let mut x = beginning;
        let outcome = Mpcg::default().solve(&matrix, prescribed, &b, &mut x, settings);
        assert!(outcome.converged && outcome.relative_residual <= 1e-6, "{outcome:?}");
        let error = x.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(error < 1e-4 * size, "{error:.1e} of {size}");
        for k in 0..3 {
            let off = (DMat3::IDENTITY - constraints.free[k]) * (x[constraints.vertices[k] as usize] - z[k]);
            assert!(off.length() < 1e-13, "held directions are z's wherever it begins: {off}");
        }
        outcome.iterations
    };
    let near = |part: f64| exact.iter().zip(noise(n, 9.0)).map(|(x, e)| *x + e * (part * size)).collect::<Vec<_>>();
    let (cold, warm, far) = (from(vec![DVec3::ZERO; n]), from(near(1e-4)), from(near(30.0)));
    println!("{cold} iterations from z, {warm} from nearby, {far} from far away");
    assert!(warm < cold && cold < far, "{warm}, {cold} and {far}");
    assert_eq!(from(exact.clone()), 0);
}

#[test]
fn an_indefinite_matrix_is_reported() {
    // Couplings ten times too strong for the diagonal.
    let mut matrix = net();
    for row in 0..matrix.pattern.rows() {
        let slots = matrix.pattern.row(row);
        matrix.blocks[slots.start + 1..slots.end].iter_mut().for_each(|block| *block *= 10.0);
    }
    let n = matrix.pattern.rows();
    let mut x = vec![DVec3::ZERO; n];
    let none = Constraints::default();
    let prescribed = Prescribed { constraints: &none, values: &[] };
    let outcome = Mpcg::default().solve(&matrix, prescribed, &noise(n, 1.0), &mut x, TIGHT);
    assert!(!outcome.converged && outcome.indefinite, "{outcome:?}");
    assert!(x.iter().all(|x| x.is_finite()));
}
