//! Primitives in curve order, each with all that the filter reads, in one or two cache lines.

use super::lanes::WIDTH;
use super::units::UnitVertex;
use muslin_model::parallel;

/// Records per piece of parallel work.
const PIECE: usize = 1024;

/// The points of a primitive at both ends of the step: `F` groups of four numbers, padded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Record<const F: usize> {
    /// All points at the start, then all points at the end, x, y, z each; unused numbers are 0.
    pub points: [[f32; 4]; F],
}

/// The vertex indices of eight primitives, side by side; unused lanes hold an index that no vertex has.
pub type Corners<const N: usize> = [[u32; WIDTH]; N];

/// What no vertex is called.
const NOBODY: u32 = u32::MAX;

/// Copies the points of primitives with `N` corners into records, in the given order.
pub fn fill<const N: usize, const F: usize>(
    records: &mut Vec<Record<F>>,
    corners: &mut Vec<Corners<N>>,
    vertices: &[UnitVertex],
    primitives: &[[u32; N]],
    order: &[u32],
) {
    parallel::refill(records, order.len(), PIECE, |slot| {
        let mut record = Record { points: [[0.0; 4]; F] };
        let flat = record.points.as_flattened_mut();
        for (k, &v) in primitives[order[slot] as usize].iter().enumerate() {
            let ends = &vertices[v as usize].ends;
            flat[3 * k..3 * k + 3].copy_from_slice(&ends[0..3]);
            flat[3 * (N + k)..3 * (N + k) + 3].copy_from_slice(&ends[3..6]);
        }
        record
    });
    parallel::refill(corners, order.len().div_ceil(WIDTH).max(1), PIECE, |block| {
        let mut group = [[NOBODY; WIDTH]; N];
        for lane in 0..WIDTH.min(order.len().saturating_sub(block * WIDTH)) {
            for k in 0..N {
                group[k][lane] = primitives[order[block * WIDTH + lane] as usize][k];
            }
        }
        group
    });
}
