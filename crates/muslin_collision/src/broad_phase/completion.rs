//! The box pairs that virtual subdivision leaves out.
//!
//! Two whole items whose boxes overlap are always met in a cell. Missing are pairs with a root that was cut, whose box is
//! mostly empty. A whole partner lies at home in a cell near the root's box. If the root is registered in
//! that cell, the pair is met there or was met elsewhere. So only the other cells near the box are visited, and
//! there the items at home. Nearly every test made here succeeds, so the cost is that of the result. Pairs of two
//! cut roots are found by sweeping along the axis of largest spread.

use super::items::Items;
use super::lattice::{self, Lattice, SLACK};
use super::subdivision::{Child, Cut};
use super::virtual_subdivision::Entry;
use glam::I64Vec3;
use muslin_model::parallel;

/// Roots per piece of parallel work.
const PIECE: usize = 32;

/// What is needed to find the missing pairs.
pub(super) struct Completion<'a> {
    pub items: &'a Items,
    pub grid: &'a Lattice,
    pub children: &'a [Child],
    /// Roots in cells, sorted by cell, homes first, by root in both parts.
    pub entries: &'a [Entry],
}

/// A cell in which some item is at home.
struct HomeCell {
    cell: u64,
    start: usize,
    homes: usize,
    end: usize,
}

impl Completion<'_> {
    /// Adds pairs of items with overlapping boxes and a root that was cut, lower item first; some may be known.
    /// Returns the number of box tests.
    pub fn add_pairs(&self, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let mut roots: Vec<u32> = self.children.iter().filter(|c| c.cut != Cut::Whole).map(|c| c.root).collect();
        roots.dedup();
        let mut tests = 0;
        for (found, count) in [self.whole_partners(&roots), self.cut_partners(roots)].into_iter().flatten() {
            pairs.extend(found);
            tests += count;
        }
        tests
    }

    /// Pairs with items that were not cut.
    fn whole_partners(&self, roots: &[u32]) -> Vec<(Vec<[u32; 2]>, u64)> {
        let mut cells = Vec::new();
        let mut start = 0;
        for cell in self.entries.chunk_by(|a, b| a.cell == b.cell) {
            let homes = cell.partition_point(Entry::is_home);
            if homes > 0 {
                cells.push(HomeCell { cell: cell[0].cell, start, homes: start + homes, end: start + cell.len() });
            }
            start += cell.len();
        }
        parallel::map(roots.len().div_ceil(PIECE), |piece| {
            let (mut pairs, mut tests) = (Vec::new(), 0);
            for &root in &roots[piece * PIECE..((piece + 1) * PIECE).min(roots.len())] {
                self.near_cells(&cells, root, |cell| tests += self.test_homes(cell, root, &mut pairs));
            }
            (pairs, tests)
        })
    }

    /// Runs `body` for the cells that can be home to a partner of a root.
    fn near_cells(&self, cells: &[HomeCell], root: u32, mut body: impl FnMut(&HomeCell)) {
        // Half the extent of an item that was not cut is below the radius of its sphere, a third of a cell.
        let reach = 1.0 / 3.0 + 4.0 * SLACK;
        let near = self.grid.map(self.items.item_box(root));
        let low = (near.low - reach).floor().as_i64vec3().max(I64Vec3::NEG_ONE);
        let high = (near.high + reach).floor().as_i64vec3();
        let rows = (high.y - low.y + 1) * (high.z - low.z + 1);
        if rows as usize > cells.len() / 8 {
            let inside = |cell: I64Vec3| cell.cmpge(low).all() && cell.cmple(high).all();
            return cells.iter().filter(|c| inside(lattice::cell_of(c.cell))).for_each(body);
        }
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let (first, last) = (lattice::key(I64Vec3::new(low.x, y, z)), lattice::key(I64Vec3::new(high.x, y, z)));
                let from = cells.partition_point(|c| c.cell < first);
                cells[from..].iter().take_while(|c| c.cell <= last).for_each(&mut body);
            }
        }
    }

    fn test_homes(&self, cell: &HomeCell, root: u32, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let (homes, phantoms) = (&self.entries[cell.start..cell.homes], &self.entries[cell.homes..cell.end]);
        let holds = |part: &[Entry]| part.binary_search_by_key(&root, |entry| entry.root).is_ok();
        if holds(homes) || holds(phantoms) {
            return 0;
        }
        let mut tests = 0;
        for entry in homes.iter().filter(|entry| self.children[entry.child()].cut == Cut::Whole) {
            tests += 1;
            if self.items.item_box(root).overlaps(self.items.item_box(entry.root)) {
                pairs.push([root.min(entry.root), root.max(entry.root)]);
            }
        }
        tests
    }

    /// Pairs of two roots that were both cut.
    fn cut_partners(&self, mut roots: Vec<u32>) -> Vec<(Vec<[u32; 2]>, u64)> {
        let bounds = self.items.bounds();
        let extent = (bounds.high - bounds.low).to_array();
        let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        let low = |root: u32| self.items.item_box(root).low[axis];
        roots.sort_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
        parallel::map(roots.len().div_ceil(PIECE), |piece| {
            let (mut pairs, mut tests) = (Vec::new(), 0);
            for i in piece * PIECE..((piece + 1) * PIECE).min(roots.len()) {
                let a = self.items.item_box(roots[i]);
                for &b in roots[i + 1..].iter().take_while(|&&b| low(b) <= a.high[axis]) {
                    tests += 1;
                    if a.overlaps(self.items.item_box(b)) {
                        pairs.push([roots[i].min(b), roots[i].max(b)]);
                    }
                }
            }
            (pairs, tests)
        })
    }
}
