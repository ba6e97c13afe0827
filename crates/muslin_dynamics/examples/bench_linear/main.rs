//! Measures the linear solver on the matrices of real cloth and writes `bench/linear.md` and `bench/linear.json`.
//!
//! `cargo run --release -p muslin_dynamics --example bench_linear [-- [product] SIDES…]`; without sides 50, 100, 200, 400
//! and 500 vertices a side. Sizes that are not measured keep their results; `product` measures only the product and the
//! triad of sizes that have some. The program fails where a limit of `limits.rs` is missed or not measured. Everything but
//! the comparison of threads runs on one thread; times are CPU times of that thread, so that a busy machine disturbs them
//! little. All solvers stop at the same measure, √(rᵀ D⁻¹ r) fallen to 1e-6 with D the diagonal blocks: the one that
//! block-Jacobi iterations themselves go by.

mod cloth;
#[path = "../../tests/common/cotton.rs"]
mod cotton;
mod limits;
mod report;
mod stream;

use cloth::{Case, case};
use glam::DVec3;
use muslin_dynamics::linear::{
    BlockJacobi, LaggedCholesky, Multilevel, Pcg, PcgSettings, Preconditioner, ProductWork, Reach, automatic,
};
use muslin_model::parallel;
use report::{Report, Row, Solve};
use std::process::ExitCode;
use stream::{best_of, cpu_seconds, cpu_time_of, peak_memory};

/// Vertices a side of the sheets that are measured.
const SIDES: [usize; 5] = [50, 100, 200, 400, 500];
/// The measure to reach [-].
const GOAL: f64 = 1e-6;
/// Up to this side block Jacobi runs to its end (3 s at 100, a minute at 200, a quarter of an hour at 500).
const WHOLE_JACOBI: usize = 100;
/// Beyond, block-Jacobi runs are stopped after this many times the default solver's time, and the ratio is then a bound.
const MOST_RATIO: f64 = 18.0;
/// Iterations of a short block-Jacobi run, to learn what one costs.
const JACOBI_SAMPLE: usize = 50;

/// Solves to the goal; the tolerance of the preconditioner's own measure is tightened until the common one is met.
fn solve(case: &Case, p: &mut dyn Preconditioner, most_iterations: usize) -> Solve {
    let mut x = vec![DVec3::ZERO; case.load.len()];
    let mut pcg = Pcg::default();
    let mut tolerance = GOAL;
    loop {
        let start = cpu_seconds();
        let settings = PcgSettings { relative_tolerance: tolerance, most_iterations };
        let outcome = pcg.solve(&case.matrix, p, &case.load, &mut x, settings);
        let seconds = cpu_seconds() - start;
        let measure = case.measure(&x);
        if measure <= GOAL || outcome.iterations == most_iterations || tolerance < 1e-12 {
            // Short solves are timed again, which counts only if they are the same: a worn preconditioner may have been
            // renewed in the first.
            let mut again = outcome;
            let timed = if seconds > 0.05 {
                seconds
            } else {
                cpu_time_of(|| again = pcg.solve(&case.matrix, p, &case.load, &mut x, settings))
            };
            let seconds = if again.iterations == outcome.iterations { timed } else { seconds };
            let true_residual = pcg.true_residual(&case.matrix, &case.load, &x);
            return Solve { setup: 0.0, seconds, iterations: outcome.iterations, measure, true_residual };
        }
        tolerance *= (GOAL / measure).clamp(0.1, 0.7);
    }
}

/// Prepares and solves.
fn fresh(case: &Case, p: &mut dyn Preconditioner, most_iterations: usize) -> Solve {
    p.place(&case.positions);
    let start = cpu_seconds();
    p.prepare(&case.matrix, &case.constraints);
    let setup = cpu_seconds() - start;
    Solve { setup, ..solve(case, p, most_iterations) }
}

/// The matrix product and the triad beside it.
fn measure_product(case: &Case, row: &mut Row) {
    let mut out = case.load.clone();
    let mut work = ProductWork::default();
    let slots = case.matrix.blocks.len();
    // Each block with its column once, row starts, x and y (written once, and read before that).
    row.product_bytes = (slots * 76 + case.load.len() * (4 + 24 + 48)) as f64;
    // Taken in turns, so that both see the same load of the machine.
    (row.product, row.triad) = (f64::INFINITY, 0.0);
    for _ in 0..5 {
        row.product = row.product.min(best_of(10, || case.matrix.multiply_with(&case.load, &mut out, &mut work)));
        row.triad = row.triad.max(stream::triad());
    }
}

fn measure(side: usize, report: &mut Report) {
    let (now, later) = (case(side, 0.0), case(side, 1.0));
    let mut row = Row { side, ..Row::default() };
    measure_product(&now, &mut row);
    let mut out = now.load.clone();
    for reach in [Reach::Strong, Reach::Full] {
        let mut p = LaggedCholesky::new(reach, now.rest.clone());
        let first = fresh(&now, &mut p, 20_000);
        // The plan is made once; what a renewal costs is a second factorisation.
        p.place(&now.positions);
        let plan = first.setup;
        let refactor = cpu_time_of(|| p.factorise_now(&now.matrix));
        let apply = best_of(12, || p.apply(&now.load, &mut out));
        p.factorise_now(&now.matrix);
        let renewals = p.renewals();
        p.place(&later.positions);
        p.prepare(&later.matrix, &later.constraints);
        let again = solve(&later, &mut p, 20_000);
        let kept = p.renewals() == renewals;
        report.cholesky(&mut row, reach, [plan, refactor, apply], p.factor_bytes(), (first, again, kept));
    }
    let mut p = Multilevel::new(now.rest.clone());
    row.multilevel = fresh(&now, &mut p, 20_000);
    row.multilevel_plan = row.multilevel.setup;
    row.multilevel.setup = cpu_time_of(|| p.prepare(&now.matrix, &now.constraints));
    row.multilevel_apply = best_of(12, || p.apply(&now.load, &mut out));
    row.levels = p.level_sizes();
    drop(p);

    let mut p = automatic(now.rest.clone());
    row.default_name = p.name().into();
    row.default_fresh = fresh(&now, p.as_mut(), 20_000);
    drop(p);
    let mut p = BlockJacobi::default();
    // CPU time per iteration, from a short run.
    let sample = fresh(&now, &mut p, JACOBI_SAMPLE);
    let iteration = sample.seconds / sample.iterations as f64;
    let most = (MOST_RATIO * (row.default_fresh.setup + row.default_fresh.seconds) / iteration) as usize;
    row.jacobi = fresh(&now, &mut p, if side <= WHOLE_JACOBI { 100_000 } else { most });
    row.same_bits = solution(&now, 1) == solution(&now, 2);
    row.peak = peak_memory();
    println!("{}", report.markdown(std::slice::from_ref(&row)));
    report.renew(row);
}

/// The default solver's answer on so many threads.
fn solution(case: &Case, threads: usize) -> Vec<DVec3> {
    parallel::with_threads(threads, || {
        let mut p = automatic(case.rest.clone());
        p.place(&case.positions);
        p.prepare(&case.matrix, &case.constraints);
        let mut x = vec![DVec3::ZERO; case.load.len()];
        let settings = PcgSettings { relative_tolerance: GOAL, most_iterations: 20_000 };
        Pcg::default().solve(&case.matrix, p.as_mut(), &case.load, &mut x, settings);
        x
    })
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sides: Vec<usize> = words.iter().filter_map(|side| side.parse().ok()).collect();
    let sides = if sides.is_empty() { SIDES.to_vec() } else { sides };
    let product_only = words.iter().any(|word| word == "product");
    let mut report = Report::kept();
    for side in sides {
        let kept = report.rows.iter().position(|row| row.side == side && product_only);
        parallel::with_threads(1, || match kept {
            Some(k) => measure_product(&case(side, 0.0), &mut report.rows[k]),
            None => measure(side, &mut report),
        });
        if let Err(error) = report.write() {
            eprintln!("the results are not written: {error}");
            return ExitCode::FAILURE;
        }
    }
    let limits = report.limits();
    limits.iter().for_each(|limit| println!("{limit}"));
    if limits.iter().all(|limit| limit.held) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
