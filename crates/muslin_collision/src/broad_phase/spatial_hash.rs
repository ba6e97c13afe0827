//! C6: a spatial hash that searches again only around what moved (I 3).
//!
//! A first search sorts all items into a hash of cells. When some vertices are moved afterwards, the items with
//! such a vertex are *dynamic*, all others *static*. Two static items are as they were; only dynamic against static
//! and dynamic against dynamic are tested.
//!
//! The two sets are two tables. The first is that of the last full search and stays; items that have moved since are skipped in
//! it. The second holds the items that have moved since, at their present boxes, and is made anew in each
//! round. So a round costs in proportion to what has moved since the full search, not to the mesh.
//!
//! I's lemma speaks of vertices in colliding pairs; it holds for every vertex that *moved*, which is what is
//! asked for here.

use super::features::Features;
use super::grid::Portion;
use super::hash_table::{CellMap, CellRange, HashTable, cell_width, for_each_cell, is_large, token};
use super::items::Items;
use super::workload::Cells;
use super::{BroadPhase, BroadPhaseError, Counts};
use crate::boxes::swept_box;
use crate::{Candidates, Surface, Sweep};
use muslin_model::parallel;

/// Dynamic items per piece of parallel work.
const PIECE: usize = 64;

/// The spatial hash.
#[derive(Clone, Debug, Default)]
pub struct SpatialHash {
    items: Items,
    map: CellMap,
    ranges: Vec<CellRange>,
    all: HashTable,
    /// Items that moved since the full search, ascending; and whether an item is one of them.
    moved_items: Vec<u32>,
    has_moved: Vec<bool>,
    moved: HashTable,
    /// Thickness of the full search [m]; boxes of another one cannot be taken over.
    thickness: Option<f64>,
    dynamic_triangles: usize,
}

impl SpatialHash {
    /// Triangles (and loose points) in the dynamic set of the last search; all of them in a full one.
    pub fn dynamic_items(&self) -> usize {
        self.dynamic_triangles
    }

    /// Pairs of all items.
    fn full(&mut self, surface: &Surface, counts: &mut Counts, candidates: &mut Candidates) {
        let width = cell_width(&self.items);
        self.map = CellMap { origin: self.items.bounds().low, cells_per_metre: 1.0 / width };
        self.ranges.resize(self.items.len(), CellRange::default());
        parallel::fill(&mut self.ranges, |i| self.map.range(self.items.item_box(i as u32)));
        let everything: Vec<u32> = (0..self.items.len() as u32).collect();
        self.all.fill(&everything, &self.ranges);
        self.dynamic_triangles = everything.len();

        let mut cells = Cells::default();
        for bucket in self.all.starts.windows(2) {
            let (start, end) = (bucket[0] as usize, bucket[1] as usize);
            cells.push(start..end, end - start);
        }
        let (items, ranges, entries) = (&self.items, &self.ranges, &self.all.entries);
        let features = Features { surface, items, dops: None };
        let mut portions = cells.for_all_pairs(|_, i, j, out: &mut Portion| {
            let (a, b) = (entries[i], entries[j]);
            if a.cell != b.cell {
                return; // two cells in one bucket
            }
            if token(&ranges[a.item as usize], &ranges[b.item as usize]) != a.cell {
                out.duplicates += 1;
                return;
            }
            test(&features, a.item, b.item, out);
        });
        // Large items meet everything; two large ones once.
        let large = &self.all.large;
        let pieces = items.len().div_ceil(parallel::CHUNK);
        portions.extend(parallel::map(large.len() * pieces, |k| {
            let (a, piece) = (large[k / pieces], k % pieces);
            let mut out = Portion::default();
            for b in piece * parallel::CHUNK..((piece + 1) * parallel::CHUNK).min(items.len()) {
                let b = b as u32;
                if b != a && (b > a || large.binary_search(&b).is_err()) {
                    test(&features, a, b, &mut out);
                }
            }
            out
        }));
        counts.cells = cells.starts.len() as u64;
        counts.registrations = entries.len() as u64;
        Portion::join(portions, counts, candidates);
    }

    /// Takes over the new boxes of what moved; returns the dynamic items, ascending.
    fn move_items(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64, is_moved: &[bool]) -> Vec<u32> {
        let touches = |vertices: &[u32]| vertices.iter().any(|&v| is_moved[v as usize]);
        let boxes = &mut self.items.boxes;
        let renew = |slot: &mut _, vertices: &[u32]| {
            if touches(vertices) {
                *slot = swept_box(sweep, vertices, thickness);
            }
        };
        boxes.vertices.iter_mut().enumerate().for_each(|(v, slot)| renew(slot, &[v as u32]));
        boxes.edges.iter_mut().zip(surface.edges()).for_each(|(slot, edge)| renew(slot, edge));
        boxes.faces.iter_mut().zip(surface.triangles()).for_each(|(slot, face)| renew(slot, face));
        let items = &self.items;
        let dynamic: Vec<u32> = (0..items.len() as u32).filter(|&item| touches(items.vertices(item))).collect();
        for &item in &dynamic {
            self.ranges[item as usize] = self.map.range(items.item_box(item));
            self.has_moved[item as usize] = true;
        }
        self.moved_items.extend(&dynamic);
        self.moved_items.sort_unstable();
        self.moved_items.dedup();
        self.moved.fill(&self.moved_items, &self.ranges);
        dynamic
    }

    /// Pairs of dynamic items with all items, each once.
    fn around(&self, features: &Features, dynamic: &[u32]) -> Vec<Portion> {
        let mut is_dynamic = vec![false; self.items.len()];
        dynamic.iter().for_each(|&item| is_dynamic[item as usize] = true);
        parallel::map(dynamic.len().div_ceil(PIECE), |piece| {
            let mut out = Portion::default();
            for &a in &dynamic[piece * PIECE..((piece + 1) * PIECE).min(dynamic.len())] {
                // Of two dynamic items the lower asks.
                let asks = |b: u32| b != a && !(is_dynamic[b as usize] && b < a);
                let stays = |b: u32| !self.has_moved[b as usize];
                let range = &self.ranges[a as usize];
                if is_large(range) {
                    (0..self.items.len() as u32).filter(|&b| asks(b)).for_each(|b| test(features, a, b, &mut out));
                    continue;
                }
                for_each_cell(range, |cell| {
                    let here =
                        self.moved.bucket(cell).iter().chain(self.all.bucket(cell).iter().filter(|e| stays(e.item)));
                    for entry in here.filter(|entry| entry.cell == cell && asks(entry.item)) {
                        if token(range, &self.ranges[entry.item as usize]) == cell {
                            test(features, a, entry.item, &mut out);
                        } else {
                            out.duplicates += 1;
                        }
                    }
                });
                let large = self.moved.large.iter().chain(self.all.large.iter().filter(|b| stays(**b)));
                large.filter(|b| asks(**b)).for_each(|&b| test(features, a, b, &mut out));
            }
            out
        })
    }
}

fn test(features: &Features, a: u32, b: u32, out: &mut Portion) {
    out.tests += 1;
    if features.items.item_box(a).overlaps(features.items.item_box(b)) {
        features.push(a, b, &mut out.candidates);
    }
}

impl BroadPhase for SpatialHash {
    fn name(&self) -> &'static str {
        "spatial-hash"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn searches_again(&self) -> bool {
        true
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.items.update(surface, sweep, thickness);
        self.thickness = Some(thickness);
        self.moved_items.clear();
        self.has_moved.clear();
        self.has_moved.resize(self.items.len(), false);
        let mut counts = Counts::default();
        self.full(surface, &mut counts, candidates);
        Ok(counts)
    }

    /// Exactly the box pairs with a vertex that moved. Before a full search, or at another thickness, that is
    /// a full search.
    fn find_again(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        moved: &[u32],
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        if self.thickness != Some(thickness) || !self.items.is_of(surface) {
            return self.find(surface, sweep, thickness, candidates);
        }
        let mut is_moved = vec![false; surface.vertex_count()];
        moved.iter().for_each(|&v| is_moved[v as usize] = true);
        let dynamic = self.move_items(surface, sweep, thickness, &is_moved);
        self.dynamic_triangles = dynamic.len();
        let features = Features { surface, items: &self.items, dops: None };
        let mut portions = self.around(&features, &dynamic);
        // A dynamic triangle also has features that stayed.
        let touches = |vertices: &[u32]| vertices.iter().any(|&v| is_moved[v as usize]);
        let edge = |e: u32| touches(&surface.edges()[e as usize]);
        for portion in &mut portions {
            let pairs = &mut portion.candidates;
            pairs.vertex_face.retain(|&[v, f]| is_moved[v as usize] || touches(&surface.triangles()[f as usize]));
            pairs.edge_edge.retain(|&[a, b]| edge(a) || edge(b));
        }
        let mut counts = Counts { registrations: self.moved.entries.len() as u64, ..Counts::default() };
        Portion::join(portions, &mut counts, candidates);
        Ok(counts)
    }
}
