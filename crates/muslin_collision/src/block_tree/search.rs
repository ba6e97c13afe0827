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
pub struct Side<'a, const N: usize> {
    /// Primitives in curve order.
    pub leaves: &'a [Leaf<N>],
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
pub trait Sink<const M: usize> {
    /// Whether the true boxes of two slots overlap; asked where singles cannot tell.
    fn overlap(&self, a: u32, b: u32) -> bool;
    /// Takes all pairs of one leaf block of side `a`, row by row.
    fn take<L: Lanes>(&mut self, rows: &Rows<M>);
}

/// The pairs of one leaf block of side `a`: for each of its boxes the slots of side `b` that it overlaps.
#[derive(Clone, Debug)]
pub struct Rows<const M: usize> {
    /// First slot of side `a`.
    pub first: u32,
    /// Where each row ends in `slots`.
    pub ends: [usize; WIDTH],
    slots: Vec<u32>,
    /// The vertices of what stands in `slots`: a filter that looked for them in the leaves would wait for each.
    corners: [Vec<u32>; M],
}

/// Work arrays of a search; their memory serves again.
#[derive(Clone, Debug, Default)]
pub struct Work {
    begin: Vec<u32>,
    met: Vec<(u32, u32)>,
    slots: Vec<u32>,
    corners: [Vec<u32>; MOST_CORNERS],
}

/// Most corners of a primitive.
const MOST_CORNERS: usize = 3;

impl<const M: usize> Rows<M> {
    fn new(work: &mut Work) -> Self {
        let slots = std::mem::take(&mut work.slots);
        let corners = std::array::from_fn(|k| std::mem::take(&mut work.corners[k]));
        Rows { first: 0, ends: [0; WIDTH], slots, corners }
    }

    fn give_back(self, work: &mut Work) {
        work.slots = self.slots;
        work.corners.iter_mut().zip(self.corners).for_each(|(room, corners)| *room = corners);
    }

    /// Makes room for so many pairs and for a group of eight that begins with the last.
    fn make_room(&mut self, pairs: usize) {
        let length = self.slots.len().max(pairs + WIDTH);
        for array in self.corners.iter_mut().chain([&mut self.slots]) {
            array.resize(length, 0);
        }
    }

    /// Where row `k` lies in the arrays.
    #[inline(always)]
    pub fn range(&self, k: usize) -> Range<usize> {
        if k == 0 { 0..self.ends[0] } else { self.ends[k - 1]..self.ends[k] }
    }

    /// The slots of side `b` that row `k` meets.
    #[inline(always)]
    pub fn row(&self, k: usize) -> &[u32] {
        &self.slots[self.range(k)]
    }

    /// Eight slots and their vertices, from a place in a row on; those beyond the row are of other pairs.
    #[inline(always)]
    pub fn group(&self, first: usize) -> (&[u32; WIDTH], [&[u32; WIDTH]; M]) {
        (chunk(&self.slots, first), std::array::from_fn(|k| chunk(&self.corners[k], first)))
    }
}

/// Eight numbers of an array that is long enough.
#[inline(always)]
fn chunk(array: &[u32], first: usize) -> &[u32; WIDTH] {
    array[first..].first_chunk().unwrap_or(&[0; WIDTH])
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
pub struct Search<'a, const N: usize, const M: usize> {
    a: Side<'a, N>,
    b: Side<'a, M>,
    sides: Sides,
    /// Blocks of side `b` where the descents of eight leaf blocks begin, and their level.
    begin: Vec<u32>,
    begin_level: usize,
    /// Leaf blocks of side `b` that the current leaf block of side `a` meets, with the rows that do.
    met: Vec<(u32, u32)>,
    rows: Rows<M>,
    counts: SearchCounts,
    /// Memory that this kind of search has no use for.
    rest: Work,
}

impl<'a, const N: usize, const M: usize> Search<'a, N, M> {
    /// A search of nothing yet, in some memory.
    pub fn new(a: Side<'a, N>, b: Side<'a, M>, sides: Sides, mut work: Work) -> Self {
        let begin_level = BEGIN.min(b.blocks.above.len());
        let (rows, counts) = (Rows::new(&mut work), SearchCounts::default());
        let (begin, met) = (std::mem::take(&mut work.begin), std::mem::take(&mut work.met));
        Search { a, b, sides, begin, begin_level, met, rows, counts, rest: work }
    }

    /// Finds all pairs of a range of leaf blocks of side `a`; gives its memory back.
    #[inline(always)]
    pub fn run<L: Lanes>(mut self, leaves: Range<usize>, sink: &mut impl Sink<M>) -> (SearchCounts, Work) {
        let first = leaves.start;
        for leaf in leaves {
            if leaf == first || leaf % WIDTH == 0 {
                self.approach::<L>(leaf / WIDTH);
            }
            self.descend::<L>(leaf);
            self.meet::<L>(leaf, sink);
        }
        let mut work = Work { begin: self.begin, met: self.met, ..self.rest };
        self.rows.give_back(&mut work);
        (self.counts, work)
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
    fn meet<L: Lanes>(&mut self, leaf: usize, sink: &mut impl Sink<M>) {
        let first = (leaf * WIDTH) as u32;
        self.rows.first = first;
        self.rows.make_room(WIDTH * WIDTH * self.met.len());
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
                for (from, to) in block.corners.iter().zip(&mut self.rows.corners) {
                    if let Some(out) = to[end..].first_chunk_mut() {
                        L::compress(bits, from, out);
                    }
                }
                if let Some(out) = self.rows.slots[end..].first_chunk_mut() {
                    end += L::compress_indices(bits, (other * WIDTH) as u32, out);
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
