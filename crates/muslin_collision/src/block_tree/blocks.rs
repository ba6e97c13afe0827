//! A tree of blocks of eight boxes.
//!
//! The primitives stand in curve order; eight in a row are a leaf block, eight leaf blocks a block of the next
//! level, and so on to one block at the top. No pointer is stored: the children of block `i` are the blocks
//! `8 i … 8 i + 7` below. A refit is a pass over each level. The boxes are singles, rounded outwards.

use super::lanes::{Lanes, WIDTH};
use super::units::COORDINATE_ERROR;
use muslin_model::parallel;

/// Half the distance, in units, at which boxes that overlap may in truth be apart [-]: see [`PAD`].
///
/// The sides of a box are off by the error of a coordinate, the pad, the error of the padding's addition
/// (half a spacing of singles below 4) and the rounding of the thickness; twice that for the two boxes.
pub const UNCERTAIN: f32 = 8.0 * PAD;

/// What boxes are grown by, beside the thickness, to hold the true box in spite of all rounding [-].
const PAD: f32 = 4.0 * COORDINATE_ERROR + 1.0 / (1u32 << 23) as f32;

/// Blocks per piece of parallel work.
const PIECE: usize = 256;

/// Eight boxes, side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Block {
    /// Lowest x, y, z of each box [-].
    pub low: [[f32; WIDTH]; 3],
    /// Highest x, y, z of each box [-].
    pub high: [[f32; WIDTH]; 3],
}

impl Block {
    /// Eight boxes of nothing.
    pub const EMPTY: Block = Block { low: [[f32::INFINITY; WIDTH]; 3], high: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// Sets one box to what some vertices sweep, x, y, z at the start and x, y, z at the end each, grown by half the
    /// thickness.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, points: &[&[f32; 8]], half_thickness: f32) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for point in points {
            for k in 0..3 {
                low[k] = lesser(low[k], lesser(point[k], point[k + 3]));
                high[k] = greater(high[k], greater(point[k], point[k + 3]));
            }
        }
        for k in 0..3 {
            self.low[k][lane] = low[k] - (half_thickness + PAD);
            self.high[k][lane] = high[k] + (half_thickness + PAD);
        }
    }

    /// Sets one box: lowest x, y, z, highest x, y, z.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, sides: [f32; 6]) {
        for k in 0..3 {
            (self.low[k][lane], self.high[k][lane]) = (sides[k], sides[k + 3]);
        }
    }

    /// The box around all eight.
    pub fn around(&self) -> [f32; 6] {
        let least = |x: &[f32; WIDTH]| x.iter().fold(f32::INFINITY, |m, &v| lesser(m, v));
        let most = |x: &[f32; WIDTH]| x.iter().fold(f32::NEG_INFINITY, |m, &v| greater(m, v));
        let ([a, b, c], [d, e, f]) = (&self.low, &self.high);
        [least(a), least(b), least(c), most(d), most(e), most(f)]
    }

    /// One of the boxes: lowest x, y, z, highest x, y, z.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> [f32; 6] {
        let ([a, b, c], [d, e, f]) = (&self.low, &self.high);
        [a[k], b[k], c[k], d[k], e[k], f[k]]
    }

    /// How far each box reaches into another along the axis where it does so least [-]; negative: apart.
    #[inline(always)]
    pub fn depths<L: Lanes>(&self, other: &[f32; 6]) -> L {
        let side = |k: usize| {
            let a = L::splat(other[k + 3]).sub(L::load(&self.low[k]));
            a.min(L::load(&self.high[k]).sub(L::splat(other[k])))
        };
        side(0).min(side(1)).min(side(2))
    }
}

/// The lesser of two numbers; unlike `f32::min` one instruction, as it need not care for what is no number.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater of two numbers.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The tree over the leaves of one kind of primitives.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// `above[0]` holds the boxes around the leaves, each next level the boxes around the blocks below.
    pub above: Vec<Vec<Block>>,
}

impl Blocks {
    /// Where the boxes around the leaves belong.
    pub fn first(&mut self) -> &mut Vec<Block> {
        self.above.resize_with(self.above.len().max(1), Vec::new);
        &mut self.above[0]
    }

    /// Computes all boxes above those around the leaves, which are there already.
    pub fn refit(&mut self) {
        let mut depth = 1;
        while self.above[depth - 1].len() > 1 {
            self.above.resize_with(self.above.len().max(depth + 1), Vec::new);
            let (lower, upper) = self.above.split_at_mut(depth);
            let below = &lower[depth - 1];
            parallel::refill(&mut upper[0], below.len().div_ceil(WIDTH), PIECE, |b| {
                let mut block = Block::EMPTY;
                for (lane, below) in below[b * WIDTH..].iter().take(WIDTH).enumerate() {
                    block.set_lane(lane, below.around());
                }
                block
            });
            depth += 1;
        }
        self.above.truncate(depth);
    }

    /// The number of blocks above the leaves.
    pub fn count(&self) -> usize {
        self.above.iter().map(Vec::len).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.above.iter().map(|l| l.capacity() * size_of::<Block>()).sum()
    }
}
