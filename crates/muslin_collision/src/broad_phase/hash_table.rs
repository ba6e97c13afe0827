//! A hash table of grid cells, filled as a whole: buckets are runs in one array.

use super::items::Items;
use crate::boxes::Box3;
use glam::DVec3;
use muslin_model::parallel;

/// Cells of an item beyond which it is kept on a list and tried against everything instead.
const MOST_CELLS: u64 = 512;

/// Cell indices saturate here; the map stays monotone, so that nothing is lost.
const LARGEST_INDEX: f64 = (1u32 << 30) as f64;

/// The map from positions to cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellMap {
    pub origin: DVec3,
    pub cells_per_metre: f64,
}

/// First and last cell of a box along each axis.
pub(super) type CellRange = [[i32; 3]; 2];

impl CellMap {
    /// The cells that a box meets.
    pub fn range(&self, b: &Box3) -> CellRange {
        // Monotone: boxes that touch share a cell.
        let index = |p: DVec3| {
            let limit = DVec3::splat(LARGEST_INDEX);
            let at = ((p - self.origin) * self.cells_per_metre).floor().clamp(-limit, limit);
            [at.x as i32, at.y as i32, at.z as i32]
        };
        [index(b.low), index(b.high)]
    }
}

/// Number of cells in a range.
pub(super) fn cells_met(range: &CellRange) -> u64 {
    (0..3).map(|k| (i64::from(range[1][k]) - i64::from(range[0][k]) + 1) as u64).fold(1, u64::saturating_mul)
}

/// Whether a range has too many cells to be registered.
pub(super) fn is_large(range: &CellRange) -> bool {
    cells_met(range) > MOST_CELLS
}

/// Runs `body` for each cell of a range.
pub(super) fn for_each_cell(range: &CellRange, mut body: impl FnMut([i32; 3])) {
    for z in range[0][2]..=range[1][2] {
        for y in range[0][1]..=range[1][1] {
            for x in range[0][0]..=range[1][0] {
                body([x, y, z]);
            }
        }
    }
}

/// The first cell that two ranges share, if they share one: where the pair is tested.
pub(super) fn token(a: &CellRange, b: &CellRange) -> [i32; 3] {
    [0, 1, 2].map(|k| a[0][k].max(b[0][k]))
}

/// An item in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub cell: [i32; 3],
    pub item: u32,
}

/// Items by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct HashTable {
    /// Where each bucket begins in `entries`; one more at the end.
    pub starts: Vec<u32>,
    /// The entries of all buckets, in each by ascending item.
    pub entries: Vec<Entry>,
    /// Items in too many cells.
    pub large: Vec<u32>,
}

impl HashTable {
    /// Enters items into the cells of their ranges.
    pub fn fill(&mut self, items: &[u32], ranges: &[CellRange]) {
        self.large.clear();
        let mut entries = Vec::new();
        for &item in items {
            let range = &ranges[item as usize];
            if is_large(range) {
                self.large.push(item);
            } else {
                for_each_cell(range, |cell| entries.push(Entry { cell, item }));
            }
        }
        let buckets = entries.len().next_power_of_two();
        // Counting sort by bucket; stable, so items stay in order.
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        let bucket_of = |entry: &Entry| bucket(entry.cell, buckets);
        entries.iter().for_each(|entry| self.starts[bucket_of(entry) + 1] += 1);
        for k in 0..buckets {
            self.starts[k + 1] += self.starts[k];
        }
        self.entries.clear();
        self.entries.resize(entries.len(), Entry::default());
        let mut next = self.starts.clone();
        for entry in &entries {
            let slot = &mut next[bucket_of(entry)];
            self.entries[*slot as usize] = *entry;
            *slot += 1;
        }
    }

    /// The entries of the bucket that a cell falls into; other cells may fall there too.
    pub fn bucket(&self, cell: [i32; 3]) -> &[Entry] {
        let k = bucket(cell, self.starts.len() - 1);
        &self.entries[self.starts[k] as usize..self.starts[k + 1] as usize]
    }
}

/// The hash of a cell: three large primes, mixed once more, because low bits alone repeat along the axes.
fn bucket(cell: [i32; 3], buckets: usize) -> usize {
    const PRIMES: [u64; 3] = [73_856_093, 19_349_663, 83_492_791];
    let hash = (0..3).fold(0, |hash, k| hash ^ (cell[k] as u32 as u64).wrapping_mul(PRIMES[k]));
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize & (buckets - 1)
}

/// A cell width for all items [m]: a bit more than their mean extent, doubled until registrations and large items
/// are few.
pub(super) fn cell_width(items: &Items) -> f64 {
    /// Cells per mean extent of a box: most items then meet one to eight cells.
    const MEAN_EXTENTS: f64 = 1.5;
    /// Registrations per item, and items on the list of large ones, that a mesh may have.
    const REGISTRATIONS_PER_ITEM: u64 = 24;
    const LARGE_ITEMS: u64 = 32;
    let bounds = items.bounds();
    let extent = |i: usize| {
        let b = items.item_box(i as u32);
        (b.high - b.low).max_element()
    };
    let mean = parallel::sum(items.len(), extent) / items.len().max(1) as f64;
    // A width below this makes indices saturate; it also keeps the inverse finite.
    let least = ((bounds.high - bounds.low).max_element() / LARGEST_INDEX).max(1e-200);
    let mut width = (MEAN_EXTENTS * mean).max(least);
    for _ in 0..1100 {
        let map = CellMap { origin: bounds.low, cells_per_metre: 1.0 / width };
        let piece = |c: usize| {
            let range = c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(items.len());
            let mut sums = (0, 0);
            for i in range {
                let range = map.range(items.item_box(i as u32));
                if is_large(&range) { sums.1 += 1 } else { sums.0 += cells_met(&range) }
            }
            sums
        };
        let pieces: Vec<(u64, u64)> = parallel::map(items.len().div_ceil(parallel::CHUNK), piece);
        let (registered, large) = pieces.iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let count = items.len() as u64;
        if registered <= REGISTRATIONS_PER_ITEM * count + (1 << 12) && large <= LARGE_ITEMS + count / 1000 {
            break;
        }
        width *= 2.0;
    }
    width
}
