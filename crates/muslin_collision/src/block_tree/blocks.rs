//! A tree of blocks of eight boxes.
//!
//! The primitives stand in curve order; eight in a row are a leaf block, eight leaf blocks a block of the next
//! level, and so on to one block at the top. No pointer is stored: the children of block `i` are the blocks
//! `8 i … 8 i + 7` below. A refit is a pass over each level. The boxes are singles, rounded outwards.

use super::lanes::{Lanes, WIDTH};
use super::records::Record;
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

    /// Sets one box to what some points at both ends of the step sweep, grown by half the thickness.
    fn set(&mut self, lane: usize, points: &[[f32; 3]], half_thickness: f32) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for point in points {
            for k in 0..3 {
                low[k] = lesser(low[k], point[k]);
                high[k] = greater(high[k], point[k]);
            }
        }
        for k in 0..3 {
            self.low[k][lane] = low[k] - (half_thickness + PAD);
            self.high[k][lane] = high[k] + (half_thickness + PAD);
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

/// The tree over one kind of primitives.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// `levels[0]` holds the primitives' boxes, each next level the boxes of the blocks below.
    pub levels: Vec<Vec<Block>>,
}

impl Blocks {
    /// Computes all boxes from the records of the primitives in curve order, `points` in each.
    pub fn refit<const F: usize>(&mut self, records: &[Record<F>], points: usize, half_thickness: f32) {
        let mut count = records.len().div_ceil(WIDTH).max(1);
        self.levels.resize_with(self.levels.len().max(1), Vec::new);
        parallel::refill(&mut self.levels[0], count, PIECE, |b| {
            let mut block = Block::EMPTY;
            for (lane, record) in records[b * WIDTH..].iter().take(WIDTH).enumerate() {
                let (all, _) = record.points.as_flattened().as_chunks();
                block.set(lane, &all[..points], half_thickness);
            }
            block
        });
        let mut depth = 0;
        // At least two levels, so that a search begins above the leaves.
        while count > 1 || depth == 0 {
            (depth, count) = (depth + 1, count.div_ceil(WIDTH));
            self.levels.resize_with(self.levels.len().max(depth + 1), Vec::new);
            let (below, above) = self.levels.split_at_mut(depth);
            let below = &below[depth - 1];
            parallel::refill(&mut above[0], count, PIECE, |b| {
                let mut block = Block::EMPTY;
                for lane in 0..WIDTH.min(below.len().saturating_sub(b * WIDTH)) {
                    let around = below[b * WIDTH + lane].around();
                    for k in 0..3 {
                        (block.low[k][lane], block.high[k][lane]) = (around[k], around[k + 3]);
                    }
                }
                block
            });
        }
        self.levels.truncate(depth + 1);
    }

    /// The number of leaf blocks.
    pub fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|l| l.capacity() * size_of::<Block>()).sum()
    }
}
