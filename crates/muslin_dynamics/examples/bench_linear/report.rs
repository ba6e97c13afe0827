//! The tables.

use crate::stream::peak_memory;
use muslin_dynamics::linear::Reach;
use std::fmt::Write as _;

/// One solve: set-up and solution in CPU seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solve {
    pub setup: f64,
    pub seconds: f64,
    pub iterations: usize,
    pub measure: f64,
    pub true_residual: f64,
}

/// A Cholesky preconditioner at one size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Factor {
    pub plan: f64,
    pub factorise: f64,
    pub apply: f64,
    pub bytes: usize,
    pub fresh: Solve,
    pub reused: Solve,
    pub kept: bool,
}

/// All results at one size.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub side: usize,
    pub triad: f64,
    pub product: f64,
    pub product_bytes: f64,
    pub jacobi: Solve,
    pub strong: Factor,
    pub full: Factor,
    pub multilevel: Solve,
    pub multilevel_plan: f64,
    pub multilevel_apply: f64,
    pub levels: Vec<usize>,
    pub default_name: &'static str,
    pub default_fresh: Solve,
    pub peak: f64,
}

/// The whole run.
#[derive(Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
}

impl Report {
    /// Adds a Cholesky result to a row.
    pub fn cholesky(
        &mut self,
        row: &mut Row,
        reach: Reach,
        [plan, factorise, apply]: [f64; 3],
        bytes: usize,
        (fresh, reused, kept): (Solve, Solve, bool),
    ) {
        let factor = Factor { plan: plan - factorise, factorise, apply, bytes, fresh, reused, kept };
        *(if reach == Reach::Full { &mut row.full } else { &mut row.strong }) = factor;
    }

    /// Prints and completes the last row.
    pub fn print_last(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.peak = peak_memory();
        }
        println!("{}", self.markdown(self.rows.len().saturating_sub(1)));
    }

    fn markdown(&self, from: usize) -> String {
        let mut text = String::from(
            "| side | solver | set-up s | iterations | s/iteration | total s | times cheaper than block Jacobi | true residual |\n|---|---|---|---|---|---|---|---|\n",
        );
        for row in &self.rows[from..] {
            let jacobi = row.jacobi.setup + row.jacobi.seconds;
            let bound = if row.jacobi.measure > 1.001e-6 { "> " } else { "" };
            let mut line = |name: &str, s: &Solve| {
                let total = s.setup + s.seconds;
                let _ = writeln!(
                    text,
                    "| {} | {name} | {:.4} | {} | {:.5} | {:.4} | {bound}{:.1} | {:.1e} |",
                    row.side,
                    s.setup,
                    s.iterations,
                    s.seconds / s.iterations.max(1) as f64,
                    total,
                    jacobi / total,
                    s.true_residual
                );
            };
            line(if bound.is_empty() { "block Jacobi" } else { "block Jacobi, stopped early" }, &row.jacobi);
            for (name, f) in [("Cholesky, strong couplings", &row.strong), ("Cholesky, full", &row.full)] {
                line(&format!("{name}: fresh"), &Solve { setup: f.factorise, ..f.fresh });
                let kept = if f.kept { "reused a step later" } else { "a step later, renewed" };
                line(&format!("{name}: {kept}"), &f.reused);
            }
            line("multilevel: fresh", &row.multilevel);
            line(&format!("default ({}), plan included", row.default_name), &row.default_fresh);
        }
        text.push_str("\n| side | triad GB/s | product ms | product GB/s | of triad | strong: plan, factor, solve ms; MB | full: plan, factor, solve ms; MB | multilevel: plan, V-cycle ms; levels | peak MB |\n|---|---|---|---|---|---|---|---|---|\n");
        for row in &self.rows[from..] {
            let rate = row.product_bytes / row.product;
            let factor = |f: &Factor| {
                format!(
                    "{:.1}, {:.1}, {:.2}; {:.0}",
                    f.plan * 1e3,
                    f.factorise * 1e3,
                    f.apply * 1e3,
                    f.bytes as f64 / 1e6
                )
            };
            let _ = writeln!(
                text,
                "| {} | {:.1} | {:.3} | {:.1} | {:.0} % | {} | {} | {:.1}, {:.2}; {:?} | {:.0} |",
                row.side,
                row.triad / 1e9,
                row.product * 1e3,
                rate / 1e9,
                100.0 * rate / row.triad,
                factor(&row.strong),
                factor(&row.full),
                (row.multilevel_plan - row.multilevel.setup) * 1e3,
                row.multilevel_apply * 1e3,
                row.levels,
                row.peak / 1e6
            );
        }
        text
    }

    /// Writes `bench/linear.md` and `bench/linear.json`.
    pub fn write(&self) {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        let notes = "# The linear solver\n\nWritten by `cargo run --release -p muslin_dynamics --example bench_linear`; the program's head says what is measured and how. One thread, CPU seconds, cotton sheet of 1 m² in folds, step 1/60 s, all solvers to the same measure 1e-6. Solve times include the loop; the plan (order of elimination, aggregates) is made once per run of the simulation and listed below.\n\n";
        let mut json = String::from("[\n");
        for (k, r) in self.rows.iter().enumerate() {
            let solve = |s: &Solve| {
                format!(
                    "{{\"setup_s\":{:.6},\"solve_s\":{:.6},\"iterations\":{},\"measure\":{:.3e},\"true_residual\":{:.3e}}}",
                    s.setup, s.seconds, s.iterations, s.measure, s.true_residual
                )
            };
            let factor = |f: &Factor| {
                format!(
                    "{{\"plan_s\":{:.6},\"factorise_s\":{:.6},\"apply_s\":{:.6},\"bytes\":{},\"fresh\":{},\"reused\":{}}}",
                    f.plan,
                    f.factorise,
                    f.apply,
                    f.bytes,
                    solve(&f.fresh),
                    solve(&f.reused)
                )
            };
            let _ = writeln!(
                json,
                "{{\"side\":{},\"triad_bytes_per_s\":{:.4e},\"product_s\":{:.4e},\"product_bytes\":{:.4e},\"block_jacobi\":{},\"cholesky_strong\":{},\"cholesky_full\":{},\"multilevel\":{},\"multilevel_apply_s\":{:.4e},\"default\":{},\"peak_bytes\":{:.4e}}}{}",
                r.side,
                r.triad,
                r.product,
                r.product_bytes,
                solve(&r.jacobi),
                factor(&r.strong),
                factor(&r.full),
                solve(&r.multilevel),
                r.multilevel_apply,
                solve(&r.default_fresh),
                r.peak,
                if k + 1 < self.rows.len() { "," } else { "" }
            );
        }
        json.push_str("]\n");
        let results = [("linear.md", format!("{notes}{}", self.markdown(0))), ("linear.json", json)];
        for (name, text) in results {
            if let Err(error) =
                std::fs::create_dir_all(&directory).and_then(|()| std::fs::write(directory.join(name), text))
            {
                eprintln!("{name} not written: {error}");
            }
        }
    }
}
