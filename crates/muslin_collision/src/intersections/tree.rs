//! A box tree over triangles at rest.
//!
//! Triangles are sorted along a Morton curve and cut into leaves of equal size; a node of each level joins two of
//! the level below. The shape is implicit, so building is one sort and one pass.

use crate::Box3;
use glam::DVec3;

/// Triangles per leaf [-].
const LEAF: usize = 4;

/// Bits per axis of the Morton curve [-].
const BITS: u32 = 21;

pub struct BoxTree {
    /// Triangles along the curve.
    order: Vec<u32>,
    /// Their boxes, in the same order.
    boxes: Vec<Box3>,
    /// `levels[0]` are the leaves; the last level is the root.
    levels: Vec<Vec<Box3>>,
}

impl BoxTree {
    /// A tree over some triangles.
    pub fn new(triangles: Vec<u32>, corners: impl Fn(u32) -> [DVec3; 3]) -> Self {
        let box_of = |t: u32| Box3::around(corners(t));
        let all = triangles.iter().map(|&t| box_of(t)).fold(Box3::EMPTY, Box3::join);
        let mut keys: Vec<(u64, u32)> = triangles.iter().map(|&t| (morton(box_of(t).centre(), &all), t)).collect();
        keys.sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|(_, t)| t).collect();
        let boxes: Vec<Box3> = order.iter().map(|&t| box_of(t)).collect();
        let joined = |boxes: &[Box3], by: usize| -> Vec<Box3> {
            boxes.chunks(by).map(|part| part.iter().copied().fold(Box3::EMPTY, Box3::join)).collect()
        };
        let mut levels = vec![joined(&boxes, LEAF)];
        while let Some(last) = levels.last().filter(|level| level.len() > 1) {
            levels.push(joined(last, 2));
        }
        BoxTree { order, boxes, levels }
    }

    pub fn leaf_count(&self) -> usize {
        self.levels[0].len()
    }

    /// Calls `pair` for all triangles of this leaf with all of this and later leaves whose boxes overlap, each once.
    pub fn for_each_pair(&self, leaf: usize, pair: &mut impl FnMut(u32, u32)) {
        self.visit(self, leaf, leaf, &mut |other| self.leaf_pairs(self, [leaf, other], pair));
    }

    /// Calls `pair` for all triangles of this leaf with all of another tree whose boxes overlap.
    pub fn for_each_pair_with(&self, other: &BoxTree, leaf: usize, pair: &mut impl FnMut(u32, u32)) {
        self.visit(other, leaf, 0, &mut |place| self.leaf_pairs(other, [leaf, place], pair));
    }

    /// Visits the leaves of a tree, from one on, whose boxes overlap a leaf of this one.
    fn visit(&self, tree: &BoxTree, leaf: usize, first: usize, found: &mut impl FnMut(usize)) {
        let own = &self.levels[0][leaf];
        let mut stack = [(0usize, 0usize); 64];
        let mut depth = usize::from(tree.leaf_count() > 0);
        stack[0] = (tree.levels.len() - 1, 0);
        while depth > 0 {
            depth -= 1;
            let (level, node) = stack[depth];
            // The last leaf below the node.
            if ((node + 1) << level) <= first || !tree.levels[level][node].overlaps(own) {
                continue;
            }
            if level == 0 {
                found(node);
                continue;
            }
            for child in [2 * node + 1, 2 * node] {
                if child < tree.levels[level - 1].len() {
                    stack[depth] = (level - 1, child);
                    depth += 1;
                }
            }
        }
    }

    /// The pairs of two leaves, the second of another tree or of this one; each once where both are the same leaf.
    fn leaf_pairs(&self, tree: &BoxTree, [a, b]: [usize; 2], pair: &mut impl FnMut(u32, u32)) {
        let same = std::ptr::eq(self, tree) && a == b;
        let range = |tree: &BoxTree, leaf: usize| leaf * LEAF..((leaf + 1) * LEAF).min(tree.order.len());
        for i in range(self, a) {
            for j in range(tree, b) {
                if (!same || i < j) && self.boxes[i].overlaps(&tree.boxes[j]) {
                    pair(self.order[i], tree.order[j]);
                }
            }
        }
    }
}

/// The place of a point along the curve through a box.
fn morton(p: DVec3, all: &Box3) -> u64 {
    let cells = (1u64 << BITS) as f64;
    let axis = |k: usize| {
        let part = (p[k] - all.low[k]) / (all.high[k] - all.low[k]);
        // A flat box gives NaN, which casts to 0.
        spread(((part * cells) as u64).min((1 << BITS) - 1))
    };
    axis(0) | axis(1) << 1 | axis(2) << 2
}

/// Two zero bits before each of the 21 lowest bits.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
