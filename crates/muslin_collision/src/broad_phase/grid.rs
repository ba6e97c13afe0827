//! C3: a uniform grid with control bits (W 3.3.1).
//!
//! The cell is 1.5 times the largest bounding sphere, as wide as three of its radii. One large triangle makes
//! all cells large, and then cells hold many triangles: that is what virtual subdivision and the octree are
//! for.

use super::control_bits::{ControlBits, cell_type};
use super::features::Features;
use super::items::Items;
use super::lattice::{self, Ball, Lattice};
use super::workload::{Cells, concatenate};
use super::{BroadPhase, BroadPhaseError, Counts, FeatureCulling, dop::Dops};
use crate::{Candidates, Surface, Sweep};
use muslin_model::parallel;

/// Width of a cell in radii of the largest sphere [-]: 1.5 diameters.
const RADII_PER_CELL: f64 = 3.0;

/// The uniform grid.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    culling: FeatureCulling,
    items: Items,
    dops: Dops,
    cells: Cells,
}

/// An item in a cell. Sorted by cell, homes first, then by item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    cell: u64,
    /// Bit 48: the cell is not the item's home. Bits 16–47: the item. Bits 0–15: its control bits.
    packed: u64,
}

impl Entry {
    fn is_home(&self) -> bool {
        self.packed >> 48 == 0
    }

    fn item(&self) -> u32 {
        (self.packed >> 16) as u32
    }

    fn bits(&self) -> ControlBits {
        ControlBits(self.packed as u16)
    }
}

/// What a portion of pair tests gives.
#[derive(Default)]
pub(super) struct Portion {
    pub candidates: Candidates,
    pub tests: u64,
    pub duplicates: u64,
}

impl Portion {
    /// Strings the pairs of portions together and adds their counts.
    pub fn join(portions: Vec<Portion>, counts: &mut Counts, out: &mut Candidates) {
        counts.tests += portions.iter().map(|p| p.tests).sum::<u64>();
        counts.duplicates_avoided += portions.iter().map(|p| p.duplicates).sum::<u64>();
        concatenate(portions.into_iter().map(|p| p.candidates).collect(), out);
    }
}

impl Grid {
    /// A grid that looks at pairs of features in this way.
    pub fn with_culling(culling: FeatureCulling) -> Self {
        Grid { culling, ..Grid::default() }
    }

    fn register(&self) -> Vec<Entry> {
        let (largest, _) = lattice::radii(&self.items);
        let grid = Lattice::new(self.items.bounds(), RADII_PER_CELL * largest);
        let mut entries = self.items.gather(|item, out: &mut Vec<Entry>| {
            let ball = Ball::around(&grid.map(self.items.item_box(item)));
            let (home, bits) = ControlBits::of(&ball);
            for cell in bits.cells(home) {
                let phantom = u64::from(cell != home) << 48;
                out.push(Entry {
                    cell: lattice::key(cell),
                    packed: phantom | u64::from(item) << 16 | u64::from(bits.0),
                });
            }
        });
        parallel::sort(&mut entries);
        entries
    }
}

impl BroadPhase for Grid {
    fn name(&self) -> &'static str {
        "grid"
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
        let entries = self.register();
        let mut counts = Counts { registrations: entries.len() as u64, ..Counts::default() };
        self.cells.clear();
        let mut types = Vec::new();
        let mut start = 0;
        for cell in entries.chunk_by(|a, b| a.cell == b.cell) {
            counts.cells += 1;
            let homes = cell.partition_point(Entry::is_home);
            if cell.len() > 1 && homes > 0 {
                self.cells.push(start..start + cell.len(), homes);
                types.push(cell_type(lattice::cell_of(cell[0].cell)));
            }
            start += cell.len();
        }
        let dops = (self.culling == FeatureCulling::Dops).then_some(&self.dops);
        let features = Features { surface, items: &self.items, dops };
        let portions = self.cells.for_all_pairs(|cell, i, j, out: &mut Portion| {
            let (a, b) = (entries[i], entries[j]);
            if a.bits().tested_elsewhere(b.bits(), types[cell]) {
                out.duplicates += 1;
                return;
            }
            out.tests += 1;
            if self.items.item_box(a.item()).overlaps(self.items.item_box(b.item())) {
                features.push(a.item(), b.item(), &mut out.candidates);
            }
        });
        Portion::join(portions, &mut counts, candidates);
        Ok(counts)
    }
}
