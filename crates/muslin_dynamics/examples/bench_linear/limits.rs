//! What the linear solver must hold.

use crate::report::{Report, Row, Solve};
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

impl Report {
    /// All limits of the sizes that are there.
    pub fn limits(&self) -> Vec<Limit> {
        let row = |side: usize| self.rows.iter().find(|row| row.side == side);
        let product = |row: &Row| {
            let part = row.product_bytes / row.product / row.triad;
            Limit {
                what: format!("product at {0}² at {LEAST_BANDWIDTH} of the triad's bandwidth or more", row.side),
                measured: format!("{part:.2}"),
                held: part >= LEAST_BANDWIDTH,
            }
        };
        let mut limits: Vec<Limit> = self.rows.iter().map(product).collect();
        limits.extend(LEAST_RATIOS.iter().filter_map(|&(side, least)| {
            let row = row(side)?;
            // A block-Jacobi run that was stopped early makes this a lower bound.
            let ratio = total(&row.jacobi) / total(&row.default_fresh);
            let what = format!("default solver at {side}² at least {least} times cheaper than block Jacobi");
            Some(Limit { what, measured: format!("{ratio:.1} or more"), held: ratio >= least })
        }));
        let (small, large, most) = MOST_GROWTH;
        limits.extend(row(small).zip(row(large)).map(|(a, b)| {
            let growth = b.multilevel.iterations as f64 / a.multilevel.iterations as f64;
            let what = format!("multilevel iterations grow by less than {most} from {small}² to {large}²");
            Limit { what, measured: format!("{growth:.2}"), held: growth < most }
        }));
        limits.extend(row(SAME_BITS).map(|row| Limit {
            what: format!("same bits on one and two threads at {SAME_BITS}²"),
            measured: if row.same_bits { "same".into() } else { "other".into() },
            held: row.same_bits,
        }));
        limits
    }
}
