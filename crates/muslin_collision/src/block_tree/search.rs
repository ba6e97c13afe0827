//! The search for box pairs, block against block.
//!
//! Each leaf block of side `a` goes down the tree of side `b` with the box around its eight boxes. Where it
//! meets a leaf block, each of its boxes that meets the box around that block is tested against all eight at
//! once. Pairs leave in batches of a size that stays in the fastest cache, in an order that depends on the
//! trees alone.
//!
//! The boxes are singles that are a little too large. A pair that overlaps by less than
//! [`super::blocks::UNCERTAIN`] is decided in double precision, so the set of pairs is that of the true boxes.

use super::blocks::{Blocks, UNCERTAIN};
use super::lanes::{Lanes, WIDTH};
use super::records::Corners;
use std::ops::Range;

/// Pairs per batch.
pub const BATCH: usize = 1024;

/// One side of a search.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a, const N: usize> {
    /// Boxes in curve order.
    pub blocks: &'a Blocks,
    /// Vertex indices in curve order.
    pub corners: &'a [Corners<N>],
}

/// Whether both sides are the same primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// The same: each pair once, none with itself.
    Same,
    /// Different ones: all pairs.
    Different,
}

/// Receives box pairs in batches, as slots of the curve orders.
pub trait Sink {
    /// Whether the true boxes of two slots overlap; asked where singles cannot tell.
    fn overlap(&self, a: u32, b: u32) -> bool;
    /// Takes pairs `(a[k], b[k])`; both slices have the same length, which is not 0.
    fn take<L: Lanes>(&mut self, a: &[u32], b: &[u32]);
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Box tests, of blocks and of primitives [-].
    pub tests: u64,
    /// Box pairs found [-].
    pub pairs: u64,
    /// Pairs that double precision had to decide [-].
    pub uncertain: u64,
}

impl SearchCounts {
    /// The counts of two searches.
    pub fn plus(self, other: Self) -> Self {
        SearchCounts {
            tests: self.tests + other.tests,
            pairs: self.pairs + other.pairs,
            uncertain: self.uncertain + other.uncertain,
        }
    }
}

/// A search: its two sides, the batch under way and what it did.
pub struct Search<'a, const N: usize, const M: usize> {
    a: Side<'a, N>,
    b: Side<'a, M>,
    sides: Sides,
    batch_a: [u32; BATCH + WIDTH],
    batch_b: [u32; BATCH + WIDTH],
    held: usize,
    counts: SearchCounts,
}

impl<'a, const N: usize, const M: usize> Search<'a, N, M> {
    /// A search of nothing yet.
    pub fn new(a: Side<'a, N>, b: Side<'a, M>, sides: Sides) -> Self {
        let batch = [0; BATCH + WIDTH];
        Search { a, b, sides, batch_a: batch, batch_b: batch, held: 0, counts: SearchCounts::default() }
    }

    /// Finds all pairs of a range of leaf blocks of side `a`.
    #[inline(always)]
    pub fn run<L: Lanes>(mut self, leaves: Range<usize>, sink: &mut impl Sink) -> SearchCounts {
        for leaf in leaves {
            self.descend::<L>(leaf, sink);
        }
        self.flush::<L>(sink);
        self.counts
    }

    #[inline(always)]
    fn descend<L: Lanes>(&mut self, leaf: usize, sink: &mut impl Sink) {
        let around = self.a.blocks.levels[0][leaf].around();
        let levels = &self.b.blocks.levels;
        // Depth-first: each level leaves at most seven siblings behind, and 32-bit indices give 11 levels.
        let mut stack = [(0u8, 0u32); 8 * 12];
        stack[0] = ((levels.len() - 1) as u8, 0);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (level, index) = stack[height];
            let (level, index) = (level as usize, index as usize);
            self.counts.tests += WIDTH as u64;
            let depths: L = levels[level][index].depths(&around);
            let mut bits = L::bits(depths.at_least(L::splat(0.0)));
            while bits != 0 {
                // From the last child to the first, so that the first is taken from the stack first.
                let lane = 31 - bits.leading_zeros();
                bits &= !(1 << lane);
                let child = index * WIDTH + lane as usize;
                // A block before `leaf` has met it in its own descent.
                let last = ((child + 1) << (3 * (level - 1))) - 1;
                if self.sides == Sides::Same && last < leaf {
                    continue;
                }
                if level == 1 {
                    self.meet::<L>(leaf, child, sink);
                } else {
                    stack[height] = ((level - 1) as u8, child as u32);
                    height += 1;
                }
            }
        }
    }

    /// All pairs of two leaf blocks.
    #[inline(always)]
    fn meet<L: Lanes>(&mut self, leaf_a: usize, leaf_b: usize, sink: &mut impl Sink) {
        let (block_a, block_b) = (&self.a.blocks.levels[0][leaf_a], &self.b.blocks.levels[0][leaf_b]);
        // The box around b stands in the level above it.
        let around = self.b.blocks.levels[1][leaf_b / WIDTH].lane(leaf_b % WIDTH);
        let depths: L = block_a.depths(&around);
        let mut rows = L::bits(depths.at_least(L::splat(0.0)));
        let within = self.sides == Sides::Same && leaf_a == leaf_b;
        self.counts.tests += WIDTH as u64 * (1 + rows.count_ones() as u64);
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let depths: L = block_b.depths(&block_a.lane(row));
            let mut bits = L::bits(depths.at_least(L::splat(0.0)));
            if within {
                bits &= !1 << row;
            }
            if bits == 0 {
                continue;
            }
            for i in 0..N {
                let corner = self.a.corners[leaf_a][i][row];
                for j in 0..M {
                    bits &= !L::equal_indices(&self.b.corners[leaf_b][j], corner);
                }
            }
            let slot = (leaf_a * WIDTH + row) as u32;
            let first = (leaf_b * WIDTH) as u32;
            let sure = L::bits(depths.at_least(L::splat(UNCERTAIN)));
            let mut unsure = bits & !sure;
            while unsure != 0 {
                let lane = unsure.trailing_zeros();
                unsure &= unsure - 1;
                self.counts.uncertain += 1;
                if !sink.overlap(slot, first + lane) {
                    bits &= !(1 << lane);
                }
            }
            self.push::<L>(slot, first, bits, sink);
        }
    }

    #[inline(always)]
    fn push<L: Lanes>(&mut self, slot: u32, first: u32, bits: u32, sink: &mut impl Sink) {
        let at = self.held;
        let count = match self.batch_b[at..].first_chunk_mut::<WIDTH>() {
            Some(out) => L::compress(bits, first, out),
            None => 0,
        };
        if let Some(out) = self.batch_a[at..].first_chunk_mut::<WIDTH>() {
            *out = [slot; WIDTH];
        }
        self.held += count;
        self.counts.pairs += count as u64;
        if self.held >= BATCH {
            self.flush::<L>(sink);
        }
    }

    #[inline(always)]
    fn flush<L: Lanes>(&mut self, sink: &mut impl Sink) {
        if self.held > 0 {
            sink.take::<L>(&self.batch_a[..self.held], &self.batch_b[..self.held]);
            self.held = 0;
        }
    }
}
