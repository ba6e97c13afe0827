//! The default preconditioner, by size.
//!
//! From `bench/linear.md` (cotton, 1/60 s, one core, to 1e-6): the Cholesky factor of the strong couplings is the
//! cheapest at every size measured, 50² to 500² vertices, fresh or reused; the multilevel one costs about four
//! to eight times as much. A factor's work grows like N^1.5 and its memory like N log N, the multilevel
//! one's like N, so far beyond the measured sizes the latter takes over.

use super::{LaggedCholesky, Multilevel, Preconditioner, Reach};
use glam::DVec3;

/// Most vertices for which a factor is the default; its memory is then about 2 GB.
const CHOLESKY_UP_TO: usize = 800_000;

/// Chooses a preconditioner for a system whose vertices start at these positions [m].
pub fn automatic(layout: Vec<DVec3>) -> Box<dyn Preconditioner> {
    if layout.len() <= CHOLESKY_UP_TO {
        Box::new(LaggedCholesky::new(Reach::Adaptive, layout))
    } else {
        Box::new(Multilevel::new(layout))
    }
}
