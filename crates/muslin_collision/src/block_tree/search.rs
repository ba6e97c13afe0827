//! The search for box pairs, block against block.
//!
//! Eight leaf blocks of side `a` in a row go down the upper levels of the tree of side `b` together, so that the
//! height of the tree hardly costs; then each alone, with the box around its eight boxes. Where it meets a leaf block,
//! each of its boxes that meets the box around that block is tested against all eight at once. The pairs of a leaf block
//! leave together, row by row, in an order that depends on the trees alone.
//!
//! The boxes are singles that are a little too large. A pair that overlaps by less than
//! [`super::blocks::UNCERTAIN`] is decided in double precision, so the set of pairs is that of the true boxes.

use super::blocks::{Blocks, UNCERTAIN};
use super::lanes::{Lanes, WIDTH};
use super::leaves::Leaf;
use std::ops::Range;

/// One side of a search.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a, const N: usize, const F: usize> {
    /// Primitives in curve order.
    pub leaves: &'a [Leaf<N, F>],
    /// The tree above them.
    pub blocks: &'a Blocks,
}

/// Whether both sides are the same primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// The same: each pair once, none with itself.
    Same,
    /// Different ones: all pairs.
    Different,
}

/// Receives box pairs, as slots of the curve orders.
pub trait Sink {
    /// Whether the true boxes of two slots overlap; asked where singles cannot tell.
    fn overlap(&self, a: u32, b: u32) -> bool;
    /// Takes all pairs of one leaf block of side `a`, row by row.
    fn take<L: Lanes>(&mut self, rows: &Rows);
}

/// The pairs of one leaf block of side `a`: for each of its boxes the slots of side `b` that it overlaps.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// First slot of side `a`.
    pub first: u32,
    /// Where each row ends in `slots`.
    pub ends: [usize; WIDTH],
    slots: Vec<u32>,
}

impl Rows {
    /// The slots of side `b` that row `k` meets.
    #[inline(always)]
    pub fn row(&self, k: usize) -> &[u32] {
        let begin = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.slots[begin..self.ends[k]]
    }
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

/// Room for a depth-first descent: each level leaves at most seven siblings behind, and 32-bit indices give 11 levels.
const STACK: usize = 12 * WIDTH;

/// The level at which leaf blocks go on alone. Lower, and the eight of a group bring each other too many blocks.
const BEGIN: usize = 2;

/// A search: its two sides and its work arrays.
pub struct Search<'a, const N: usize, const M: usize, const FA: usize, const FB: usize> {
    a: Side<'a, N, FA>,
    b: Side<'a, M, FB>,
    sides: Sides,
    /// Blocks of side `b` where the descents of eight leaf blocks begin, and their level.
    begin: Vec<u32>,
    begin_level: usize,
    /// Leaf blocks of side `b` that the current leaf block of side `a` meets, with the rows that do.
    met: Vec<(u32, u32)>,
    rows: Rows,
    counts: SearchCounts,
}

impl<'a, const N: usize, const M: usize, const FA: usize, const FB: usize> Search<'a, N, M, FA, FB> {
    /// A search of nothing yet.
    pub fn new(a: Side<'a, N, FA>, b: Side<'a, M, FB>, sides: Sides) -> Self {
        let begin_level = BEGIN.min(b.blocks.above.len());
        let (rows, counts) = (Rows::default(), SearchCounts::default());
        Search { a, b, sides, begin: Vec::new(), begin_level, met: Vec::new(), rows, counts }
    }

    /// Finds all pairs of a range of leaf blocks of side `a`.
    #[inline(always)]
    pub fn run<L: Lanes>(mut self, leaves: Range<usize>, sink: &mut impl Sink) -> SearchCounts {
        let first = leaves.start;
        for leaf in leaves {
            if leaf == first || leaf % WIDTH == 0 {
                self.approach::<L>(leaf / WIDTH);
            }
            self.descend::<L>(leaf);
            self.meet::<L>(leaf, sink);
        }
        self.counts
    }

    /// Collects the blocks of side `b` where the descents of a group of eight leaf blocks of side `a` begin.
    #[inline(always)]
    fn approach<L: Lanes>(&mut self, group: usize) {
        self.begin.clear();
        let around = self.a.blocks.above[0][group].around();
        let above = &self.b.blocks.above;
        let mut stack = [(0u8, 0u32); STACK];
        stack[0] = (above.len() as u8, 0);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (level, index) = (stack[height].0 as usize, stack[height].1 as usize);
            if level == self.begin_level {
                self.begin.push(index as u32);
                continue;
            }
            self.counts.tests += WIDTH as u64;
            let depths: L = above[level - 1][index].depths(&around);
            let mut bits = L::bits(depths.at_least(L::splat(0.0)));
            while bits != 0 {
                let lane = (31 - bits.leading_zeros()) as usize;
                bits &= !(1 << lane);
                let child = index * WIDTH + lane;
                let last = ((child + 1) << (3 * (level - 1))) - 1;
                if self.sides == Sides::Same && last < group * WIDTH {
                    continue;
                }
                stack[height] = ((level - 1) as u8, child as u32);
                height += 1;
            }
        }
    }

    /// Collects the leaf blocks of side `b` that a leaf block of side `a` meets.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, leaf: usize) {
        self.met.clear();
        // The box around a leaf block is one of the boxes above.
        let around = self.a.blocks.above[0][leaf / WIDTH].lane(leaf % WIDTH);
        for k in 0..self.begin.len() {
            self.descend_from::<L>(leaf, &around, self.begin[k]);
        }
    }

    /// Collects those below one block.
    #[inline(always)]
    fn descend_from<L: Lanes>(&mut self, leaf: usize, around: &[f32; 6], root: u32) {
        let block = &self.a.leaves[leaf].boxes;
        let above = &self.b.blocks.above;
        let mut stack = [(0u8, 0u32); (BEGIN + 1) * WIDTH];
        stack[0] = (self.begin_level as u8, root);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (level, index) = stack[height];
            let (level, index) = (level as usize, index as usize);
            self.counts.tests += WIDTH as u64;
            let node = &above[level - 1][index];
            let depths: L = node.depths(around);
            let mut bits = L::bits(depths.at_least(L::splat(0.0)));
            while bits != 0 {
                // From the last child to the first, so that the first is taken from the stack first.
                let lane = (31 - bits.leading_zeros()) as usize;
                bits &= !(1 << lane);
                let child = index * WIDTH + lane;
                // A block before `leaf` has met it in its own descent.
                let last = ((child + 1) << (3 * (level - 1))) - 1;
                if self.sides == Sides::Same && last < leaf {
                    continue;
                }
                if level > 1 {
                    stack[height] = ((level - 1) as u8, child as u32);
                    height += 1;
                    continue;
                }
                self.counts.tests += WIDTH as u64;
                let depths: L = block.depths(&node.lane(lane));
                let rows = L::bits(depths.at_least(L::splat(0.0)));
                if rows != 0 {
                    self.met.push((child as u32, rows));
                }
            }
        }
    }

    /// Tests each box of a leaf block against all boxes of the blocks that it meets.
    #[inline(always)]
    fn meet<L: Lanes>(&mut self, leaf: usize, sink: &mut impl Sink) {
        let first = (leaf * WIDTH) as u32;
        self.rows.first = first;
        self.rows.slots.resize(self.rows.slots.len().max(WIDTH * WIDTH * self.met.len()), 0);
        let block = &self.a.leaves[leaf].boxes;
        let mut end = 0;
        for row in 0..WIDTH {
            let own = block.lane(row);
            let corners: [u32; N] = std::array::from_fn(|i| self.a.leaves[leaf].corners[i][row]);
            let mut tests = 0;
            for &(other, rows) in &self.met {
                if rows >> row & 1 == 0 {
                    continue;
                }
                tests += WIDTH as u64;
                let other = other as usize;
                let block = &self.b.leaves[other];
                let depths: L = block.boxes.depths(&own);
                let mut bits = L::bits(depths.at_least(L::splat(0.0)));
                if self.sides == Sides::Same && other == leaf {
                    bits &= !1 << row;
                }
                if bits == 0 {
                    continue;
                }
                for corner in corners {
                    for others in &block.corners {
                        bits &= !L::equal_indices(others, corner);
                    }
                }
                let mut unsure = bits & !L::bits(depths.at_least(L::splat(UNCERTAIN)));
                while unsure != 0 {
                    let lane = unsure.trailing_zeros();
                    unsure &= unsure - 1;
                    self.counts.uncertain += 1;
                    if !sink.overlap(first + row as u32, (other * WIDTH) as u32 + lane) {
                        bits &= !(1 << lane);
                    }
                }
                if let Some(out) = self.rows.slots[end..].first_chunk_mut() {
                    end += L::compress(bits, (other * WIDTH) as u32, out);
                }
            }
            self.counts.tests += tests;
            self.rows.ends[row] = end;
        }
        self.counts.pairs += end as u64;
        if end > 0 {
            sink.take::<L>(&self.rows);
        }
    }
}
