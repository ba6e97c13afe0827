//! The default preconditioner, by size.

use super::{LaggedCholesky, Preconditioner, Reach};
use glam::DVec3;

/// Up to this many vertices only the strong couplings are factorised.
const STRONG_UP_TO: usize = 20_000;

/// Chooses a preconditioner for a system whose vertices start at these positions [m].
pub fn automatic(layout: Vec<DVec3>) -> Box<dyn Preconditioner> {
    let reach = if layout.len() <= STRONG_UP_TO { Reach::Strong } else { Reach::Full };
    Box::new(LaggedCholesky::new(reach, layout))
}
