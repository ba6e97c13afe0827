//! C5: an adaptive octree grid, one-stage and two-stage (W 6).
//!
//! The scene's box is level 1; each level halves the cells along all axes. Items are registered on the finest level,
//! a [`CounterTree`] decides which cells to keep, and the pairs of each leaf are tested. A pair that shares
//! several leaves is tested in the one that holds its *token position*: the first cell along each axis in which both
//! items are.
//!
//! W's hierarchy has a fixed start of nine levels, in which an item as large as the scene meets 16 million cells. The
//! finest level is therefore raised until the registrations fit a budget per item; their number
//! is known beforehand from the ranges of indices.

use super::counter_tree::{CounterTree, Leaf, Registration, Scheme, height};
use super::features::Features;
use super::grid::Portion;
use super::items::Items;
use super::levels::{FINEST, LevelRange};
use super::workload::Cells;
use super::{BroadPhase, BroadPhaseError, Counts, FeatureCulling, dop::Dops};
use crate::boxes::Box3;
use crate::{Candidates, Surface, Sweep};
use glam::DVec3;
use muslin_model::parallel;

/// Registrations on the finest level per item [-]: small items meet eight cells, W's benchmarks a few dozen.
const REGISTRATIONS_PER_ITEM: u64 = 64;
/// Registrations that any mesh may have, however few its items.
const FREE_REGISTRATIONS: u64 = 1 << 14;

/// Cells along an axis on the finest level there can be.
const FINEST_CELLS: f64 = (1u32 << (FINEST - 1)) as f64;

/// The octree grid.
#[derive(Clone, Debug)]
pub struct Octree {
    scheme: Scheme,
    culling: FeatureCulling,
    levels: LevelRange,
    items: Items,
    dops: Dops,
    cells: Cells,
    per_level: Vec<u64>,
}

/// The cells that an item's box meets, first and last along each axis.
type IndexRange = [[u32; 3]; 2];

impl Octree {
    /// The octree made in one pass, from the top down.
    pub fn one_stage() -> Self {
        Self::new(Scheme::OneStage)
    }

    /// The octree of fewest tests, with a number of levels that follows the scene.
    pub fn two_stage() -> Self {
        Self::new(Scheme::TwoStage)
    }

    fn new(scheme: Scheme) -> Self {
        Octree {
            scheme,
            culling: FeatureCulling::default(),
            levels: LevelRange::default(),
            items: Items::default(),
            dops: Dops::default(),
            cells: Cells::default(),
            per_level: Vec::new(),
        }
    }

    /// The same, looking at pairs of features in this way.
    pub fn with_culling(self, culling: FeatureCulling) -> Self {
        Octree { culling, ..self }
    }

    /// Registrations in the leaves of each level in the last search, level 1 first (W table 6.1).
    pub fn registrations_per_level(&self) -> &[u64] {
        &self.per_level
    }

    /// Index ranges on the finest level there can be; coarser ones are shifts of them.
    fn ranges(&self) -> Vec<IndexRange> {
        let bounds = self.items.bounds();
        let extent = bounds.high - bounds.low;
        // One rounded difference and one rounded product: monotone, so that boxes that touch share a cell.
        let per_metre = DVec3::select(extent.cmpgt(DVec3::ZERO), DVec3::splat(FINEST_CELLS) / extent, DVec3::ZERO);
        let index = |p: DVec3| {
            let at = ((p - bounds.low) * per_metre).min(DVec3::splat(FINEST_CELLS - 1.0));
            [at.x as u32, at.y as u32, at.z as u32]
        };
        let range = |b: &Box3| [index(b.low), index(b.high)];
        let mut ranges = vec![[[0; 3]; 2]; self.items.len()];
        parallel::fill(&mut ranges, |i| range(self.items.item_box(i as u32)));
        ranges
    }

    /// The finest level, at most `wanted`, on which the registrations fit the budget.
    fn affordable_level(&self, ranges: &[IndexRange], wanted: u32) -> u32 {
        let budget = FREE_REGISTRATIONS + REGISTRATIONS_PER_ITEM * ranges.len() as u64;
        let on = |level: u32| -> u64 {
            let piece = |c: usize| -> u64 {
                let upto = ((c + 1) * parallel::CHUNK).min(ranges.len());
                ranges[c * parallel::CHUNK..upto].iter().map(|range| cells_met(&shifted(range, FINEST - level))).sum()
            };
            parallel::map(ranges.len().div_ceil(parallel::CHUNK), piece).into_iter().sum()
        };
        (1..=wanted).rev().find(|&level| on(level) <= budget).unwrap_or(1)
    }

    /// Registers all items on a level, sorted.
    fn register(&self, ranges: &[IndexRange], level: u32) -> Vec<Registration> {
        let mut registrations = self.items.gather(|item, out: &mut Vec<Registration>| {
            let [low, high] = shifted(&ranges[item as usize], FINEST - level);
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        let cell = [x, y, z];
                        out.push(Registration { code: morton(cell), item, height: height(&cell, &low) });
                    }
                }
            }
        });
        parallel::sort(&mut registrations);
        registrations
    }
}

fn shifted(range: &IndexRange, by: u32) -> IndexRange {
    range.map(|corner| corner.map(|index| index >> by))
}

fn cells_met(range: &IndexRange) -> u64 {
    (0..3).map(|axis| u64::from(range[1][axis] - range[0][axis]) + 1).product()
}

/// Interleaves the bits of three indices below 2^21.
fn morton(cell: [u32; 3]) -> u64 {
    let spread = |index: u32| {
        let mut bits = u64::from(index);
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

impl BroadPhase for Octree {
    fn name(&self) -> &'static str {
        match self.scheme {
            Scheme::OneStage => "octree",
            Scheme::TwoStage => "octree-two-stage",
        }
    }

    fn is_exact(&self) -> bool {
        self.culling == FeatureCulling::Boxes
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.items.update(surface, sweep, thickness);
        if self.culling == FeatureCulling::Dops {
            self.dops.update(surface, sweep, thickness);
        }
        let ranges = self.ranges();
        let base = self.affordable_level(&ranges, self.levels.base);
        let top = self.levels.top.min(base);
        let registrations = self.register(&ranges, base);
        let tree = CounterTree::new(&registrations, 3, base - top + 1);
        let leaves = tree.leaves(self.scheme);

        let mut counts = Counts { cells: leaves.len() as u64, ..Counts::default() };
        let members = self.fill_leaves(&registrations, &leaves, base);
        counts.registrations = self.per_level.iter().sum();
        if self.scheme == Scheme::TwoStage {
            self.levels = self.levels.adjusted(&self.per_level);
        }

        let dops = (self.culling == FeatureCulling::Dops).then_some(&self.dops);
        let features = Features { surface, items: &self.items, dops };
        let portions = self.cells.for_all_pairs(|_, i, j, out: &mut Portion| {
            let ((a, leaf), (b, _)) = (members[i], members[j]);
            let leaf = leaves[leaf as usize];
            let [first_a, first_b] = [a, b].map(|item| ranges[item as usize][0]);
            let token = [0, 1, 2].map(|k| first_a[k].max(first_b[k]) >> (FINEST - base));
            if morton(token) >> (3 * leaf.up) != leaf.code {
                out.duplicates += 1;
                return;
            }
            out.tests += 1;
            if self.items.item_box(a).overlaps(self.items.item_box(b)) {
                features.push(a, b, &mut out.candidates);
            }
        });
        Portion::join(portions, &mut counts, candidates);
        Ok(counts)
    }
}

impl Octree {
    /// Items of each leaf, leaf by leaf, with the number of the leaf.
    fn fill_leaves(&mut self, registrations: &[Registration], leaves: &[Leaf], base: u32) -> Vec<(u32, u32)> {
        self.per_level.clear();
        self.per_level.resize(base as usize, 0);
        self.cells.clear();
        let mut members = Vec::new();
        let mut at = 0;
        for (number, leaf) in leaves.iter().enumerate() {
            let start = members.len();
            while let Some(r) = registrations.get(at).filter(|r| r.code >> (3 * leaf.up) == leaf.code) {
                if r.height >= leaf.up {
                    members.push((r.item, number as u32));
                }
                at += 1;
            }
            self.per_level[(base - leaf.up - 1) as usize] += (members.len() - start) as u64;
            self.cells.push(start..members.len(), members.len() - start);
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morton_codes_interleave_and_nest() {
        assert_eq!(morton([1, 0, 0]) | morton([0, 1, 0]) | morton([0, 0, 1]), 7);
        let cell = [0xabcde, 0x12345, 0xfffff];
        assert_eq!(morton(cell) >> 3, morton(cell.map(|k| k >> 1)));
        let naive = |cell: [u32; 3]| {
            (0..21)
                .fold(0, |code, bit| (0..3).fold(code, |code, k| code | u64::from(cell[k] >> bit & 1) << (3 * bit + k)))
        };
        assert_eq!(morton(cell), naive(cell));
    }
}
