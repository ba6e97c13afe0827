//! What the linear solver must hold.

use crate::{
    SIDES,
    report::{Report, Row, Solve},
};
use std::fmt;

/// Least rate of the product, over the bandwidth of the triad in the same run [-].
const LEAST_BANDWIDTH: f64 = 0.75;
/// By how much the default solver is cheaper in CPU time than block Jacobi at least, by size [-].
const LEAST_RATIOS: [(usize, f64); 2] = [(200, 8.0), (500, 15.0)];
/// By what factor the iterations of the multilevel preconditioner grow at most, between these sizes [-].
const MOST_GROWTH: (usize, usize, f64) = (50, 400, 2.0);
/// The size at which threads really work and must not change a bit.
const SAME_BITS: usize = 200;

/// One limit and what was measured.
pub struct Limit {
    what: String,
    measured: String,
    pub held: bool,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {} ({})", self.what, self.measured, if self.held { "held" } else { "MISSED" })
    }
}

fn total(solve: &Solve) -> f64 {
    solve.setup + solve.seconds
}

impl Limit {
    /// A limit on a number of some rows, which are there or make it missed: what was not measured does not hold.
    fn new<T>(what: String, rows: Option<T>, judge: impl FnOnce(T) -> (String, bool)) -> Self {
        let (measured, held) = rows.map_or_else(|| ("not measured".into(), false), judge);
        Limit { what, measured, held }
    }
}

impl Report {
    /// All limits. A size that has no results misses its own.
    pub fn limits(&self) -> Vec<Limit> {
        let row = |side: usize| self.rows.iter().find(|row| row.side == side);
        let product = |side: usize| {
            let what = format!("product at {side}² at {LEAST_BANDWIDTH} of the triad's bandwidth or more");
            Limit::new(what, row(side), |row: &Row| {
                let part = row.product_bytes / row.product / row.triad;
                (format!("{part:.2}"), part >= LEAST_BANDWIDTH)
            })
        };
        let mut limits: Vec<Limit> = SIDES.into_iter().map(product).collect();
        limits.extend(LEAST_RATIOS.map(|(side, least)| {
            let what = format!("default solver at {side}² at least {least} times cheaper than block Jacobi");
            // A block-Jacobi run that was stopped early makes this a lower bound.
            Limit::new(what, row(side), |row| {
                let ratio = total(&row.jacobi) / total(&row.default_fresh);
                (format!("{ratio:.1} or more"), ratio >= least)
            })
        }));
        let (small, large, most) = MOST_GROWTH;
        let what = format!("multilevel iterations grow by less than {most} from {small}² to {large}²");
        limits.push(Limit::new(what, row(small).zip(row(large)), |(a, b)| {
            let growth = b.multilevel.iterations as f64 / a.multilevel.iterations as f64;
            (format!("{growth:.2}"), growth < most)
        }));
        let what = format!("same bits on one and two threads at {SAME_BITS}²");
        limits.push(Limit::new(what, row(SAME_BITS), |row| {
            (if row.same_bits { "same" } else { "other" }.into(), row.same_bits)
        }));
        limits
    }
}
