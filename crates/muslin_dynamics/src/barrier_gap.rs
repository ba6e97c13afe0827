//! Where the barrier of a support has a force: the inverse of its slope.
//!
//! Every contact asks for it in every solve. Newton's method takes several logarithms each time; a table with cubics takes
//! none. With s the gap over the width, the force in units of κ/width is w = (1 − s)²/s − 2 (1 − s) ln s, and s as a function of
//! q = √w is smooth down to no force at all, where s = 1 − q/√3. The logarithm for the stiffness there follows from w itself.

use crate::supports::{STEEPEST, barrier};
use std::sync::LazyLock;

/// Cubics of the table: s is right to a part in 10⁹.
const PIECES: usize = 256;
/// Bisections for a place of the table: more than a number has bits.
const BISECTIONS: usize = 60;

struct Table {
    /// Pieces per unit of q.
    density: f64,
    /// s at the ends of the pieces, and by how much it changes over a piece with the slope there.
    ends: Vec<[f64; 2]>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let most = (-barrier(STEEPEST)[1]).sqrt();
    let density = PIECES as f64 / most;
    let end = |k: usize| {
        let q = k as f64 / density;
        let (mut low, mut high) = (STEEPEST, 1.0);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if -barrier(middle)[1] > q * q { low = middle } else { high = middle }
        }
        // ds/dq = 2q / (dw/ds), and dw/ds is minus the curvature.
        let slope = if k == 0 { -1.0 / 3f64.sqrt() } else { -2.0 * q / barrier(low)[2] };
        [if k == 0 { 1.0 } else { low }, slope / density]
    };
    Table { density, ends: (0..=PIECES).map(end).collect() }
});

/// The gap over the width at which the barrier has a force, between 0 and what it has at [`STEEPEST`], in units of κ over the
/// width; and its curvature there in units of κ over the squared width.
pub(crate) fn gap_of_force(force: f64) -> [f64; 2] {
    let table = &*TABLE;
    let place = force.sqrt() * table.density;
    let piece = (place as usize).min(PIECES - 1);
    let t = place - piece as f64;
    let ([a, da], [b, db]) = (table.ends[piece], table.ends[piece + 1]);
    // Hermite's cubic.
    let rise = b - a;
    let s = a + t * (da + t * (3.0 * rise - 2.0 * da - db + t * (da + db - 2.0 * rise)));
    let rest = 1.0 - s;
    let log = (rest * rest / s - force) / (2.0 * rest);
    [s, -2.0 * log + 4.0 * rest / s + rest * rest / (s * s)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_barrier_has_the_force_and_the_curvature_at_the_gap() {
        // Forces so small that the gap is all of the width have no curvature, or none that is a number.
        for force in [0.0, 1e-300, 1e-40, f64::NAN, f64::INFINITY, -1.0] {
            let [s, curvature] = gap_of_force(force);
            let none = !(curvature > 0.0 && curvature.is_finite());
            assert!(none || force > 0.0 && (0.0..=1.0).contains(&s), "{force}: {s}, {curvature}");
        }
        let most = -barrier(STEEPEST)[1];
        for k in 1..=10_000 {
            let force = most * (f64::from(k) / 10_000.0).powi(4);
            let [s, curvature] = gap_of_force(force);
            // From the formulas themselves, not from the code above.
            let (rest, log) = (1.0 - s, s.ln());
            let found = rest * rest / s - 2.0 * rest * log;
            assert!((found - force).abs() <= 1e-7 * force, "{found} for {force} at {s}");
            let steep = -2.0 * log + 4.0 * rest / s + rest * rest / (s * s);
            assert!((curvature - steep).abs() <= 1e-6 * steep, "{curvature} for {steep} at {s}");
            assert!((STEEPEST * (1.0 - 1e-9)..1.0).contains(&s));
        }
    }
}
