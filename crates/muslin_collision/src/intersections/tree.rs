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
    pub fn new(count: usize, corners: impl Fn(usize) -> [DVec3; 3]) -> Self {
        let box_of = |t: usize| Box3::around(corners(t));
        let all = (0..count).map(box_of).fold(Box3::EMPTY, Box3::join);
        let mut keys: Vec<(u64, u32)> = (0..count).map(|t| (morton(box_of(t).centre(), &all), t as u32)).collect();
        keys.sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|(_, t)| t).collect();
        let boxes: Vec<Box3> = order.iter().map(|&t| box_of(t as usize)).collect();
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
    pub fn for_each_pair(&self, leaf: usize, mut pair: impl FnMut(u32, u32)) {
        let own = &self.levels[0][leaf];
        let mut stack = [(0usize, 0usize); 64];
        let mut depth = 1;
        stack[0] = (self.levels.len() - 1, 0);
        while depth > 0 {
            depth -= 1;
            let (level, node) = stack[depth];
            // The last leaf below the node; all before this leaf have met it already.
            if ((node + 1) << level) <= leaf || !self.levels[level][node].overlaps(own) {
                continue;
            }
            if level == 0 {
                self.leaf_pairs(leaf, node, &mut pair);
                continue;
            }
            for child in [2 * node + 1, 2 * node] {
                if child < self.levels[level - 1].len() {
                    stack[depth] = (level - 1, child);
                    depth += 1;
                }
            }
        }
    }

    fn leaf_pairs(&self, a: usize, b: usize, pair: &mut impl FnMut(u32, u32)) {
        let range = |leaf: usize| leaf * LEAF..((leaf + 1) * LEAF).min(self.order.len());
        for i in range(a) {
            for j in range(b) {
                if (a < b || i < j) && self.boxes[i].overlaps(&self.boxes[j]) {
                    pair(self.order[i], self.order[j]);
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
