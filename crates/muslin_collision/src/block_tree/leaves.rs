//! Primitives in curve order, eight to a leaf.
//!
//! A leaf holds boxes and the slots of its vertices side by side, and no points: a filter takes them from the vertices, which
//! stand in an array of their own in curve order, so that those of neighbours are neighbours too. Leaves with points were
//! as fast on a hundred thousand triangles, but took twice the memory, and on a million a twentieth more time to get, fill
//! and read it.

use super::blocks::Block;
use super::lanes::{Lanes, WIDTH};
use super::pages;
use super::units::UnitVertex;
use muslin_model::parallel;

/// Leaves per piece of parallel work.
const PIECE: usize = 128;

/// The vertex slots of eight primitives, side by side; unused lanes hold a slot that no vertex has.
pub type Corners<const N: usize> = [[u32; WIDTH]; N];

/// What no vertex is called.
const NOBODY: u32 = u32::MAX;

/// Eight primitives with `N` corners.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Leaf<const N: usize> {
    /// Their boxes.
    pub boxes: Block,
    /// Their vertices.
    pub corners: Corners<N>,
}

/// Where the points of primitives are found.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, const N: usize> {
    /// Primitives in curve order.
    pub leaves: &'a [Leaf<N>],
    /// All vertices in curve order.
    pub vertices: &'a [UnitVertex],
}

impl<'a, const N: usize> Points<'a, N> {
    /// The vertices of what stands in a slot.
    #[inline(always)]
    pub fn corners(&self, slot: u32) -> [u32; N] {
        let leaf = &self.leaves[slot as usize / WIDTH];
        std::array::from_fn(|k| leaf.corners[k][slot as usize % WIDTH])
    }

    /// The points of one primitive in all lanes: all corners at the start, then all at the end.
    #[inline(always)]
    pub fn same<L: Lanes, const P: usize>(&self, slot: u32) -> [[L; 3]; P] {
        let corners = self.corners(slot);
        let mut points = [[L::splat(0.0); 3]; P];
        for (k, point) in points.iter_mut().enumerate() {
            let ends = &self.vertices[corners[k % N] as usize].ends[k / N * 3..];
            *point = [L::splat(ends[0]), L::splat(ends[1]), L::splat(ends[2])];
        }
        points
    }

    /// The points of eight primitives by their vertices, side by side.
    #[inline(always)]
    pub fn of<L: Lanes, const P: usize>(&self, corners: [&[u32; WIDTH]; N]) -> [[L; 3]; P] {
        // A loop: vectors that a library function calls back for are not compiled for vector instructions.
        let mut points = [[L::splat(0.0); 3]; P];
        for k in 0..N {
            let rows = corners[k].map(|slot| &self.vertices[slot as usize]);
            let [a, b, c, d] = L::transpose(rows.map(|row| row.half(0)));
            let [e, f, ..] = L::transpose(rows.map(|row| row.half(1)));
            (points[k], points[N + k]) = ([a, b, c], [d, e, f]);
        }
        points
    }

    /// The points of what stands in eight slots, side by side.
    #[inline(always)]
    pub fn at<L: Lanes, const P: usize>(&self, slots: &[u32; WIDTH]) -> [[L; 3]; P] {
        let mut corners = [[0; WIDTH]; N];
        for (lane, &slot) in slots.iter().enumerate() {
            for (k, corner) in self.corners(slot).into_iter().enumerate() {
                corners[k][lane] = corner;
            }
        }
        self.of(corners.each_ref())
    }
}

/// Leaves that are filled before the boxes around them are computed: they are then still in a processor's own cache. A
/// pass over all leaves afterwards would fetch them from memory once more.
const CHUNK: usize = 128 * WIDTH;

/// The vertices of a motion in curve order, and where each of them stands.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The vertices in curve order.
    pub vertices: &'a [UnitVertex],
    /// The slot of each vertex.
    pub slots: &'a [u32],
}

/// Makes the leaves of primitives in the given order, at least one, their boxes grown by half the thickness, and the boxes
/// around each.
pub fn fill<const N: usize>(
    (leaves, above): (&mut Vec<Leaf<N>>, &mut Vec<Block>),
    placed: Placed,
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
            let members = &order[(first + k) * WIDTH..];
            leaf(placed, primitives, &members[..members.len().min(WIDTH)], half_thickness)
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
fn leaf<const N: usize>(placed: Placed, primitives: &[[u32; N]], members: &[u32], half_thickness: f32) -> Leaf<N> {
    let mut boxes = Block::EMPTY;
    let mut corners = [[NOBODY; WIDTH]; N];
    for (lane, &primitive) in members.iter().enumerate() {
        let slots = primitives[primitive as usize].map(|v| placed.slots[v as usize]);
        for k in 0..N {
            corners[k][lane] = slots[k];
        }
        boxes.set(lane, &slots.map(|slot| &placed.vertices[slot as usize].ends), half_thickness);
    }
    Leaf { boxes, corners }
}
