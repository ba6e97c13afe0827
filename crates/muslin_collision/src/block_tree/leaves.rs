//! Primitives in curve order, eight to a leaf, each leaf with all that a search and its filter read.
//!
//! Boxes, names and points of eight neighbours lie side by side and are filled in one pass over the mesh. Kept in
//! arrays of their own, each would be filled in its own pass, and on a large mesh every visit of a leaf would
//! fetch from three places of memory.

use super::blocks::Block;
use super::lanes::WIDTH;
use super::units::UnitVertex;
use muslin_model::parallel;

/// Leaves per piece of parallel work.
const PIECE: usize = 128;

/// The points of a primitive at both ends of the step: `F` groups of four numbers, padded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Record<const F: usize> {
    /// All points at the start, then all points at the end, x, y, z each; unused numbers are 0.
    pub points: [[f32; 4]; F],
}

/// The vertex indices of eight primitives, side by side; unused lanes hold an index that no vertex has.
pub type Corners<const N: usize> = [[u32; WIDTH]; N];

/// What no vertex is called.
const NOBODY: u32 = u32::MAX;

/// Eight primitives with `N` corners.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Leaf<const N: usize, const F: usize> {
    /// Their boxes.
    pub boxes: Block,
    /// Their vertices.
    pub corners: Corners<N>,
    /// Their points.
    pub records: [Record<F>; WIDTH],
}

/// What stands in a slot of the curve order.
#[inline(always)]
pub fn record<const N: usize, const F: usize>(leaves: &[Leaf<N, F>], slot: u32) -> &Record<F> {
    &leaves[slot as usize / WIDTH].records[slot as usize % WIDTH]
}

/// Makes the leaves of primitives in the given order, their boxes grown by half the thickness; at least one.
pub fn fill<const N: usize, const F: usize>(
    leaves: &mut Vec<Leaf<N, F>>,
    vertices: &[UnitVertex],
    primitives: &[[u32; N]],
    order: &[u32],
    half_thickness: f32,
) {
    parallel::refill(leaves, order.len().div_ceil(WIDTH).max(1), PIECE, |leaf| {
        let mut boxes = Block::EMPTY;
        let mut corners = [[NOBODY; WIDTH]; N];
        let mut records = [Record { points: [[0.0; 4]; F] }; WIDTH];
        for (lane, &primitive) in order[leaf * WIDTH..].iter().take(WIDTH).enumerate() {
            let ids = &primitives[primitive as usize];
            let ends = ids.map(|v| &vertices[v as usize].ends);
            let flat = records[lane].points.as_flattened_mut();
            for k in 0..N {
                corners[k][lane] = ids[k];
                flat[3 * k..3 * k + 3].copy_from_slice(&ends[k][0..3]);
                flat[3 * (N + k)..3 * (N + k) + 3].copy_from_slice(&ends[k][3..6]);
            }
            boxes.set(lane, &ends, half_thickness);
        }
        Leaf { boxes, corners, records }
    });
}
