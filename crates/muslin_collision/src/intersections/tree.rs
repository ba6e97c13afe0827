//! A box tree over triangles at rest.
//!
//! Triangles are sorted along a Morton curve and cut into leaves of equal size; a node of each level joins two of
//! the level below. The shape is implicit, so building is one sort and one pass. Boxes are in single precision, rounded
//! outwards: they miss nothing.

use super::leaf::{Kernel, LEAF, Leaf, Wide};
use crate::Box3;
use glam::DVec3;
use muslin_model::parallel;

/// Bits per axis of the Morton curve [-].
const BITS: u32 = 21;

/// Triangles and leaves per piece of parallel work [-].
const PIECE: usize = 1024;

pub struct BoxTree {
    leaves: Vec<Leaf>,
    /// `levels[0]` are the boxes of the leaves; the last level is the root.
    levels: Vec<Vec<Wide>>,
    /// How many triangles there are.
    count: usize,
}

impl BoxTree {
    /// A tree over some triangles of a mesh at some positions [m].
    pub fn new(chosen: &[u32], triangles: &[[u32; 3]], positions: &[DVec3]) -> Self {
        let corners = |t: u32| triangles[t as usize].map(|v| positions[v as usize]);
        let all = Box3::around(positions.iter().copied());
        let mut keys = Vec::new();
        parallel::refill(&mut keys, chosen.len(), PIECE, |k| {
            (morton(Box3::around(corners(chosen[k])).centre(), &all), chosen[k])
        });
        parallel::sort(&mut keys);
        let mut leaves = Vec::new();
        parallel::refill(&mut leaves, keys.len().div_ceil(LEAF), PIECE / LEAF, |leaf| {
            let part = &keys[leaf * LEAF..((leaf + 1) * LEAF).min(keys.len())];
            Leaf::new(part.iter().map(|&(_, t)| (t, triangles[t as usize], corners(t))))
        });
        let mut levels = vec![leaves.iter().map(Leaf::wide).collect::<Vec<_>>()];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let joined = level.chunks(2).map(|pair| pair.iter().fold(Wide::EMPTY, Wide::join)).collect();
            levels.push(joined);
        }
        BoxTree { leaves, levels, count: keys.len() }
    }

    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// Calls `pair` for all triangles of this leaf with those of this and later leaves that may share more with them than common
    /// vertices, each once.
    pub fn for_each_pair(&self, leaf: usize, kernel: Kernel, pair: &mut impl FnMut(u32, u32)) {
        self.visit(self, leaf, leaf, &mut |other| self.leaf_pairs(self, [leaf, other], kernel, pair));
    }

    /// The same with all triangles of another tree.
    pub fn for_each_pair_with(&self, other: &BoxTree, leaf: usize, kernel: Kernel, pair: &mut impl FnMut(u32, u32)) {
        self.visit(other, leaf, 0, &mut |place| self.leaf_pairs(other, [leaf, place], kernel, pair));
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
    fn leaf_pairs(&self, tree: &BoxTree, [a, b]: [usize; 2], kernel: Kernel, pair: &mut impl FnMut(u32, u32)) {
        let same = std::ptr::eq(self, tree) && a == b;
        let (own, others) = (&self.leaves[a], &tree.leaves[b]);
        for i in 0..LEAF.min(self.count - a * LEAF) {
            // Places without a triangle overlap nothing, unless a box is without bounds.
            let filled = LEAF.min(tree.count - b * LEAF);
            let mut left = others.left_with(own, i, kernel) & ((1 << filled) - 1);
            if same {
                left &= !0 << (i + 1);
            }
            while left != 0 {
                pair(own.triangles[i], others.triangles[left.trailing_zeros() as usize]);
                left &= left - 1;
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
