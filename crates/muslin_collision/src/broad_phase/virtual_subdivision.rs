//! C4: a uniform grid of small cells, with large triangles virtually subdivided (W 5).
//!
//! Cells follow the mean triangle; larger triangles are cut into children that fit ([`super::subdivision`]). In each
//! cell one child stands for its root: one that is at home there if there is any, and of those the first. A pair
//! is tested in one cell by control bits. For a root that was cut once the bits are *expanded* by the homes of
//! the siblings (W 5.3.3): of the cells that are home to a child and hold the partner, the one of the first
//! child counts. W keeps the types of the siblings' homes; types repeat every second cell and siblings can
//! lie further apart, so the homes are kept whole here. Roots that were cut again can still meet a partner twice
//! (W counts below 0.4 %); those pairs are sorted, and repeated ones are dropped.
//!
//! Children follow the triangle, not its box, so pairs whose boxes overlap only in an empty corner never share a
//! cell. They cannot be contacts, and W's method leaves them out ([`Completeness::Children`]). To give
//! exactly the box pairs, [`super::completion`] adds them.

use super::completion::Completion;
use super::control_bits::cell_type;
use super::dop::{Dops, FeatureCulling};
use super::features::Features;
use super::items::Items;
use super::lattice;
use super::subdivision::{Child, Cut, Pieces};
use super::workload::{Cells, concatenate};
use super::{BroadPhase, BroadPhaseError, Counts};
use crate::{Candidates, Surface, Sweep};
use muslin_model::parallel;

/// λ of W 5.1 [-]: cells fit spheres that much larger than the mean.
pub const LAMBDA: f64 = 1.2;

/// Pairs per piece of parallel work on the list of pairs with a root that was cut.
const PIECE: usize = 1 << 12;

/// What happens to a triangle that moves too far for a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongMotion {
    /// Its own step is halved, virtually.
    #[default]
    HalveItsStep,
    /// The search is refused with [`BroadPhaseError::NeedsShorterStep`], as W does it.
    Refuse,
}

/// Which pairs are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// Exactly the box pairs.
    #[default]
    BoxPairs,
    /// The box pairs whose children share a cell: fewer, and every one that can be a contact.
    Children,
}

/// How virtual subdivision works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subdivision {
    /// λ of W 5.1 [-].
    pub lambda: f64,
    /// What happens to a triangle that moves too far.
    pub long_motion: LongMotion,
    /// Which pairs are given.
    pub completeness: Completeness,
    /// How pairs of features are looked at.
    pub culling: FeatureCulling,
}

impl Default for Subdivision {
    fn default() -> Self {
        Subdivision {
            lambda: LAMBDA,
            long_motion: LongMotion::default(),
            completeness: Completeness::default(),
            culling: FeatureCulling::default(),
        }
    }
}

/// Virtual subdivision with a uniform grid.
#[derive(Clone, Debug, Default)]
pub struct VirtualSubdivision {
    settings: Subdivision,
    items: Items,
    dops: Dops,
}

impl VirtualSubdivision {
    /// Works in this way.
    pub fn new(settings: Subdivision) -> Self {
        VirtualSubdivision { settings, ..VirtualSubdivision::default() }
    }
}

/// A root in a cell. Sorted by cell, root, homes first, then by child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub cell: u64,
    pub root: u32,
    /// The child that stands for the root there; the top bit is set where it is not at home.
    child: u32,
}

const PHANTOM: u32 = 1 << 31;

impl Entry {
    pub fn is_home(&self) -> bool {
        self.child & PHANTOM == 0
    }

    pub fn child(&self) -> usize {
        (self.child & !PHANTOM) as usize
    }
}

/// What a portion of pair tests gives: pairs of features, and pairs of items that may be met again.
#[derive(Default)]
struct Portion {
    candidates: Candidates,
    with_cut_root: Vec<[u32; 2]>,
    tests: u64,
    duplicates: u64,
}

/// Enters all children into cells, and leaves one per root and cell; homes first in each cell.
fn register(children: &[Child], counts: &mut Counts) -> Vec<Entry> {
    let chunks = parallel::map(children.len().div_ceil(parallel::CHUNK), |c| {
        let mut out = Vec::new();
        for k in c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(children.len()) {
            let child = &children[k];
            for cell in child.bits.cells(child.home) {
                let phantom = if cell == child.home { 0 } else { PHANTOM };
                out.push(Entry { cell: lattice::key(cell), root: child.root, child: k as u32 | phantom });
            }
        }
        out
    });
    let mut entries = chunks.concat();
    parallel::sort(&mut entries);
    let all = entries.len();
    entries.dedup_by_key(|entry| (entry.cell, entry.root));
    counts.registrations = entries.len() as u64;
    counts.redundant_registrations = (all - entries.len()) as u64;
    // Homes to the front of each cell, in both parts by root.
    let mut ordered = Vec::with_capacity(entries.len());
    for cell in entries.chunk_by(|a, b| a.cell == b.cell) {
        ordered.extend(cell.iter().filter(|entry| entry.is_home()));
        ordered.extend(cell.iter().filter(|entry| !entry.is_home()));
    }
    ordered
}

/// Whether a pair met in a cell is tested in another.
fn tested_elsewhere(children: &[Child], a: Entry, b: Entry) -> bool {
    let here = lattice::cell_of(a.cell);
    let by_siblings = |cut: &Child, k: usize, whole: &Child| {
        let siblings = &children[k - cut.position as usize..][..cut.siblings as usize];
        let first = siblings.iter().find(|s| s.home == here || whole.bits.registered_in(whole.home, s.home));
        first.is_some_and(|sibling| sibling.home != here)
    };
    let (p, q) = (&children[a.child()], &children[b.child()]);
    match (p.cut, q.cut) {
        (Cut::Once, Cut::Whole) => by_siblings(p, a.child(), q),
        (Cut::Whole, Cut::Once) => by_siblings(q, b.child(), p),
        _ => p.bits.tested_elsewhere(q.bits, cell_type(here)),
    }
}

impl BroadPhase for VirtualSubdivision {
    fn name(&self) -> &'static str {
        "virtual-subdivision"
    }

    fn is_exact(&self) -> bool {
        self.settings.completeness == Completeness::BoxPairs && self.settings.culling == FeatureCulling::Boxes
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        candidates.clear();
        self.items.update(surface, sweep, thickness);
        if self.settings.culling == FeatureCulling::Dops {
            self.dops.update(surface, sweep, thickness);
        }
        let items = &self.items;
        let pieces = Pieces::new(surface, sweep, thickness, items, (self.settings.lambda, self.settings.long_motion))?;
        let children = &pieces.children;
        let cut = children.iter().filter(|child| child.cut != Cut::Whole).count();
        let mut counts = Counts { children: cut as u64, ..Counts::default() };
        let entries = register(children, &mut counts);

        let mut cells = Cells::default();
        let mut start = 0;
        for cell in entries.chunk_by(|a, b| a.cell == b.cell) {
            counts.cells += 1;
            cells.push(start..start + cell.len(), cell.partition_point(Entry::is_home));
            start += cell.len();
        }
        let dops = (self.settings.culling == FeatureCulling::Dops).then_some(&self.dops);
        let features = Features { surface, items, dops };
        let mut portions = cells.for_all_pairs(|_, i, j, out: &mut Portion| {
            let (a, b) = (entries[i], entries[j]);
            if tested_elsewhere(children, a, b) {
                out.duplicates += 1;
                return;
            }
            out.tests += 1;
            // The boxes are those of the roots: not every child is registered.
            if items.item_box(a.root).overlaps(items.item_box(b.root)) {
                if children[a.child()].cut == Cut::Whole && children[b.child()].cut == Cut::Whole {
                    features.push(a.root, b.root, &mut out.candidates);
                } else {
                    out.with_cut_root.push([a.root.min(b.root), a.root.max(b.root)]);
                }
            }
        });
        counts.tests = portions.iter().map(|p| p.tests).sum();
        counts.duplicates_avoided = portions.iter().map(|p| p.duplicates).sum();
        let mut again: Vec<[u32; 2]> = portions.iter_mut().flat_map(|p| std::mem::take(&mut p.with_cut_root)).collect();
        if self.settings.completeness == Completeness::BoxPairs {
            let completion = Completion { items, grid: &pieces.grid, children, entries: &entries };
            counts.completion_tests = completion.add_pairs(&mut again);
            counts.tests += counts.completion_tests;
        }
        parallel::sort(&mut again);
        again.dedup();
        let rest = parallel::map(again.len().div_ceil(PIECE), |c| {
            let mut out = Candidates::default();
            let pairs = &again[c * PIECE..((c + 1) * PIECE).min(again.len())];
            pairs.iter().for_each(|&[a, b]| features.push(a, b, &mut out));
            out
        });
        concatenate(portions.into_iter().map(|p| p.candidates).chain(rest).collect(), candidates);
        Ok(counts)
    }
}
