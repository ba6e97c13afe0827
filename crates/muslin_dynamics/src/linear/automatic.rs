//! The default preconditioner, by size.
//!
//! From `bench/linear.md` (cotton in folds, 1/60 s, one core, to 1e-6, set-up included): of the fresh
//! preconditioners the Cholesky factor of the strong couplings is the cheapest at 50², 100², 200² and 400² vertices;
//! the full factor costs 1.7 to 2.4 times as much there, the multilevel one 5 to 12 times. A factor's work grows like
//! N^1.5 and its memory like N log N, the multilevel one's like N, so somewhere beyond the measured sizes the
//! latter takes over; where exactly is extrapolated, not measured.

use super::{LaggedCholesky, Multilevel, Preconditioner, Reach};
use glam::DVec3;

/// Most vertices for which a factor is the default; extrapolated from 291 MB at 160,000, it then holds about 2 GB.
const CHOLESKY_UP_TO: usize = 800_000;

/// Chooses a preconditioner for a system whose vertices start at these positions [m].
pub fn automatic(layout: Vec<DVec3>) -> Box<dyn Preconditioner> {
    if layout.len() <= CHOLESKY_UP_TO {
        Box::new(LaggedCholesky::new(Reach::Adaptive, layout))
    } else {
        Box::new(Multilevel::new(layout))
    }
}
