//! Primitives in curve order, eight to a leaf, each leaf with all that a search and its filter read.
//!
//! Boxes, names and points of eight neighbours lie side by side and are filled in one pass over the mesh. Kept in
//! arrays of their own, each would be filled in its own pass, and on a large mesh every visit of a leaf would
//! fetch from three places of memory. Only vertices have no points in their leaves (`F` = 0): a filter takes them from the
//! array of vertices by name. Faces without points would save a quarter of all memory, but cost the filter more than
//! that saves.

use super::blocks::Block;
use super::lanes::{Lanes, WIDTH};
use super::pages;
use super::units::UnitVertex;
use muslin_model::parallel;

/// Leaves per piece of parallel work.
const PIECE: usize = 128;

/// The points of a primitive at both ends of the step: `F` groups of four numbers, padded; none where `F` is 0.
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
    /// Their points, if they are kept here.
    pub records: [Record<F>; WIDTH],
}

/// Where the points of primitives are found: in their leaves, or in the array of vertices by name.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, const N: usize, const F: usize> {
    /// Primitives in curve order.
    pub leaves: &'a [Leaf<N, F>],
    /// All vertices, by name.
    pub vertices: &'a [UnitVertex],
}

impl<'a, const N: usize, const F: usize> Points<'a, N, F> {
    /// The points of what stands in a slot.
    #[inline(always)]
    fn record(&self, slot: u32) -> &'a Record<F> {
        &self.leaves[slot as usize / WIDTH].records[slot as usize % WIDTH]
    }

    /// A corner of what stands in a slot.
    #[inline(always)]
    fn corner(&self, slot: u32, corner: usize) -> &'a UnitVertex {
        let name = self.leaves[slot as usize / WIDTH].corners[corner][slot as usize % WIDTH];
        &self.vertices[name as usize]
    }

    /// The points of one primitive in all lanes: all corners at the start, then all at the end.
    #[inline(always)]
    pub fn same<L: Lanes, const P: usize>(&self, slot: u32) -> [[L; 3]; P] {
        if F > 0 {
            let flat = self.record(slot).points.as_flattened();
            return std::array::from_fn(|k| std::array::from_fn(|c| L::splat(flat[3 * k + c])));
        }
        let mut points = [[L::splat(0.0); 3]; P];
        for (k, point) in points.iter_mut().enumerate() {
            let ends = &self.corner(slot, k % N).ends[k / N * 3..];
            *point = [L::splat(ends[0]), L::splat(ends[1]), L::splat(ends[2])];
        }
        points
    }

    /// The points of eight primitives, side by side.
    #[inline(always)]
    pub fn of<L: Lanes, const P: usize>(&self, slots: &[u32; WIDTH]) -> [[L; 3]; P] {
        if F > 0 {
            let rows: [&Record<F>; WIDTH] = slots.map(|slot| self.record(slot));
            // A loop: vectors that a library function calls back for are not compiled for vector instructions.
            let mut groups = [[L::splat(0.0); 4]; F];
            for (g, group) in groups.iter_mut().enumerate() {
                *group = L::transpose(rows.map(|r| &r.points[g]));
            }
            let flat = groups.as_flattened();
            return std::array::from_fn(|k| [flat[3 * k], flat[3 * k + 1], flat[3 * k + 2]]);
        }
        let mut points = [[L::splat(0.0); 3]; P];
        for k in 0..N {
            let rows = slots.map(|slot| self.corner(slot, k));
            let [a, b, c, d] = L::transpose(rows.map(|row| row.half(0)));
            let [e, f, ..] = L::transpose(rows.map(|row| row.half(1)));
            (points[k], points[N + k]) = ([a, b, c], [d, e, f]);
        }
        points
    }
}

/// Leaves that are filled before the boxes around them are computed: they are then still in a processor's own cache. A
/// pass over all leaves afterwards would fetch them from memory once more.
const CHUNK: usize = 128 * WIDTH;

/// Makes the leaves of primitives in the given order, at least one, their boxes grown by half the thickness, and the boxes
/// around each.
pub fn fill<const N: usize, const F: usize>(
    (leaves, above): (&mut Vec<Leaf<N, F>>, &mut Vec<Block>),
    vertices: &[UnitVertex],
    primitives: &[[u32; N]],
    order: &[u32],
    half_thickness: f32,
) {
    let count = order.len().div_ceil(WIDTH).max(1);
    pages::make_room(leaves, count);
    pages::make_room(above, count.div_ceil(WIDTH));
    for first in (0..count).step_by(CHUNK) {
        let end = count.min(first + CHUNK);
        parallel::append(leaves, end - first, PIECE, |k| {
            let slots = &order[(first + k) * WIDTH..];
            leaf(vertices, primitives, &slots[..slots.len().min(WIDTH)], half_thickness)
        });
        let filled = &leaves[first..end];
        parallel::append(above, filled.len().div_ceil(WIDTH), PIECE, |b| {
            let mut block = Block::EMPTY;
            for (lane, leaf) in filled[b * WIDTH..].iter().take(WIDTH).enumerate() {
                block.set_lane(lane, leaf.boxes.around());
            }
            block
        });
    }
}

/// The leaf of up to eight primitives.
#[inline(always)]
fn leaf<const N: usize, const F: usize>(
    vertices: &[UnitVertex],
    primitives: &[[u32; N]],
    members: &[u32],
    half_thickness: f32,
) -> Leaf<N, F> {
    let mut boxes = Block::EMPTY;
    let mut corners = [[NOBODY; WIDTH]; N];
    let mut records = [Record { points: [[0.0; 4]; F] }; WIDTH];
    for (lane, &primitive) in members.iter().enumerate() {
        let ids = &primitives[primitive as usize];
        let ends = ids.map(|v| &vertices[v as usize].ends);
        let flat = records[lane].points.as_flattened_mut();
        for k in 0..N {
            corners[k][lane] = ids[k];
            if F > 0 {
                flat[3 * k..3 * k + 3].copy_from_slice(&ends[k][0..3]);
                flat[3 * (N + k)..3 * (N + k) + 3].copy_from_slice(&ends[k][3..6]);
            }
        }
        boxes.set(lane, &ends, half_thickness);
    }
    Leaf { boxes, corners, records }
}
