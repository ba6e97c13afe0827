//! The tables.

use muslin_dynamics::linear::Reach;
use serde::{Deserialize, Serialize};
use std::{fmt::Write as _, io, path::PathBuf};

/// One solve: set-up and solution in CPU seconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Solve {
    pub setup: f64,
    pub seconds: f64,
    pub iterations: usize,
    pub measure: f64,
    pub true_residual: f64,
}

/// A Cholesky preconditioner at one size.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    pub default_name: String,
    pub default_fresh: Solve,
    /// Whether the default solver gave the same bits on one and on two threads.
    pub same_bits: bool,
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

    pub fn markdown(&self, rows: &[Row]) -> String {
        let mut text = String::from(
            "| side | solver | set-up s | iterations | s/iteration | total s | times cheaper than block Jacobi | true residual |\n|---|---|---|---|---|---|---|---|\n",
        );
        for row in rows {
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
        for row in rows {
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

    /// The results that are kept, from which sizes that are not measured now are taken over.
    pub fn kept() -> Self {
        let rows = std::fs::read_to_string(folder().join("linear.json")).ok();
        Report { rows: rows.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default() }
    }

    /// Puts a row in the place of an older one of its size.
    pub fn renew(&mut self, row: Row) {
        self.rows.retain(|old| old.side != row.side);
        self.rows.push(row);
        self.rows.sort_by_key(|row| row.side);
    }

    /// Writes `bench/linear.md` and `bench/linear.json`.
    pub fn write(&self) -> io::Result<()> {
        let limits = self.limits();
        let verdicts: String = limits.iter().map(|limit| format!("- {limit}\n")).collect();
        let notes = "# The linear solver\n\nWritten by `cargo xtask bench linear`, size by size by `cargo run --release -p muslin_dynamics --example bench_linear -- SIDES`; the program's head says what is measured and how. One thread, CPU seconds (a triad far below that of the other sizes tells of a busy machine, where all times are longer; `product SIDES` measures the triad and the product alone), cotton sheet of 1 m² in folds, step 1/60 s, all solvers to the same measure 1e-6. Solve times include the loop; the plan (order of elimination, aggregates) is made once per run of the simulation and listed below. The command fails where a limit is missed or not measured:\n\n";
        std::fs::create_dir_all(folder())?;
        std::fs::write(folder().join("linear.md"), format!("{notes}{verdicts}\n{}", self.markdown(&self.rows)))?;
        std::fs::write(folder().join("linear.json"), serde_json::to_string_pretty(&self.rows)? + "\n")
    }
}

fn folder() -> PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench")
}
