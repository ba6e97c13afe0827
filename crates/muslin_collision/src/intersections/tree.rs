//! A box tree over triangles at rest.
//!
//! Triangles are sorted along a Morton curve and cut into leaves of equal size; a node of each level joins two of
//! the level below. The shape is implicit, so building is one sort and one pass. Boxes are in single precision, rounded
//! outwards: they miss nothing, and four numbers are compared at a time.

use crate::Box3;
use glam::DVec3;

/// Triangles per leaf [-].
const LEAF: usize = 4;

/// Bits per axis of the Morton curve [-].
const BITS: u32 = 21;

/// A box that holds another one; the fourth numbers are 0.
#[derive(Clone, Copy)]
struct Wide {
    low: [f32; 4],
    high: [f32; 4],
}

impl Wide {
    fn around(inner: &Box3) -> Self {
        let [low, high] = [inner.low, inner.high].map(|corner| [corner.x, corner.y, corner.z, 0.0]);
        let down = |x: f64| if f64::from(x as f32) > x { (x as f32).next_down() } else { x as f32 };
        let up = |x: f64| if f64::from(x as f32) < x { (x as f32).next_up() } else { x as f32 };
        Wide { low: low.map(down), high: high.map(up) }
    }

    #[inline]
    fn overlaps(&self, other: &Wide) -> bool {
        // Without a branch for each number, so that all four are compared together.
        let apart = |k: usize| (self.low[k] > other.high[k]) | (other.low[k] > self.high[k]);
        !(apart(0) | apart(1) | apart(2) | apart(3))
    }
}

/// The boxes of a leaf's triangles, number by number; places without a triangle overlap nothing.
#[derive(Clone, Copy)]
struct Leaf {
    low: [[f32; LEAF]; 3],
    high: [[f32; LEAF]; 3],
}

impl Leaf {
    fn new(boxes: &[Wide]) -> Self {
        let mut leaf = Leaf { low: [[f32::INFINITY; LEAF]; 3], high: [[f32::NEG_INFINITY; LEAF]; 3] };
        for (place, one) in boxes.iter().enumerate() {
            for k in 0..3 {
                (leaf.low[k][place], leaf.high[k][place]) = (one.low[k], one.high[k]);
            }
        }
        leaf
    }

    /// A bit for each triangle whose box a box overlaps.
    #[inline]
    fn overlapping(&self, own: &Wide) -> u32 {
        let mut apart = [0u32; LEAF];
        for k in 0..3 {
            for place in 0..LEAF {
                apart[place] |=
                    u32::from((own.low[k] > self.high[k][place]) | (self.low[k][place] > own.high[k])) << place;
            }
        }
        !apart.into_iter().fold(0, |all, bit| all | bit) & ((1 << LEAF) - 1)
    }
}

pub struct BoxTree {
    /// Triangles along the curve.
    order: Vec<u32>,
    /// Their boxes, in the same order.
    boxes: Vec<Wide>,
    /// The same, leaf by leaf.
    leaves: Vec<Leaf>,
    /// `levels[0]` are the leaves; the last level is the root.
    levels: Vec<Vec<Wide>>,
}

impl BoxTree {
    /// A tree over some triangles.
    pub fn new(triangles: Vec<u32>, corners: impl Fn(u32) -> [DVec3; 3]) -> Self {
        let boxes: Vec<Box3> = triangles.iter().map(|&t| Box3::around(corners(t))).collect();
        let all = boxes.iter().copied().fold(Box3::EMPTY, Box3::join);
        let mut keys: Vec<(u64, u32)> = (0u32..).zip(&boxes).map(|(k, b)| (morton(b.centre(), &all), k)).collect();
        keys.sort_unstable();
        let order: Vec<u32> = keys.iter().map(|&(_, k)| triangles[k as usize]).collect();
        let mut level: Vec<Box3> = keys.iter().map(|&(_, k)| boxes[k as usize]).collect();
        let boxes: Vec<Wide> = level.iter().map(Wide::around).collect();
        let leaves = boxes.chunks(LEAF).map(Leaf::new).collect();
        let joined = |boxes: &[Box3], by: usize| -> Vec<Box3> {
            boxes.chunks(by).map(|part| part.iter().copied().fold(Box3::EMPTY, Box3::join)).collect()
        };
        level = joined(&level, LEAF);
        let mut levels = vec![level.iter().map(Wide::around).collect::<Vec<_>>()];
        while level.len() > 1 {
            level = joined(&level, 2);
            levels.push(level.iter().map(Wide::around).collect());
        }
        BoxTree { order, boxes, leaves, levels }
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
        for i in a * LEAF..((a + 1) * LEAF).min(self.order.len()) {
            let mut overlapping = tree.leaves[b].overlapping(&self.boxes[i]);
            while overlapping != 0 {
                let j = b * LEAF + overlapping.trailing_zeros() as usize;
                overlapping &= overlapping - 1;
                if !same || i < j {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_in_single_precision_hold_the_exact_ones_at_any_scale() {
        for exponent in [-60, -40, -8, 0, 8, 39, 60] {
            let scale = 10f64.powi(exponent);
            for k in 0..100 {
                let x = scale * (f64::from(k) * 0.618_033_988_75).sin();
                let inner = Box3::around([DVec3::new(x, -x, 0.1 * x), DVec3::new(x, 0.3 * x, x)]);
                let wide = Wide::around(&inner);
                for axis in 0..3 {
                    assert!(f64::from(wide.low[axis]) <= inner.low[axis], "{x}");
                    assert!(f64::from(wide.high[axis]) >= inner.high[axis], "{x}");
                }
            }
        }
    }
}
