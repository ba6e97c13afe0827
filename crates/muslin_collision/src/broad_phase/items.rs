//! What a grid sorts: triangles, and points that no triangle holds; and which triangle speaks for a feature.
//!
//! A vertex has some six triangles and an edge two, so that testing all features of two triangles meets the
//! same pair of features up to a dozen times. Each vertex and each edge therefore has one *representative*
//! triangle (the R-triangles of W 3.3.1 and 5.3.5), the one of lowest index, and a pair of features is looked at only
//! in the pair of their representatives. Nothing is lost: a triangle's box holds the boxes of its features, so
//! representatives overlap where features do; and they differ, because features of one triangle share a
//! vertex and are no pair. Triangles that share a vertex are a pair like any other: a fold can close at a hinge.

use crate::boxes::{Box3, SweptBoxes};
use crate::{Surface, Sweep};
use muslin_model::parallel;

/// The items of a surface, triangles first, then loose points; with their boxes.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    /// Bit k: the triangle speaks for its corner k; bit 3 + k: for its edge k.
    speaks_for: Vec<u8>,
    /// Vertices that no triangle uses.
    loose: Vec<u32>,
    /// The boxes of all features.
    pub boxes: SweptBoxes,
}

impl Items {
    /// Boxes of a motion; the constant part is made anew only for another surface.
    pub fn update(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64) {
        self.know(surface);
        self.boxes.update(surface, sweep, thickness);
    }

    /// Whether the items are those of this surface.
    pub fn is_of(&self, surface: &Surface) -> bool {
        self.vertex_count == surface.vertex_count() && self.triangles == surface.triangles()
    }

    fn know(&mut self, surface: &Surface) {
        if self.is_of(surface) {
            return;
        }
        self.vertex_count = surface.vertex_count();
        self.triangles = surface.triangles().to_vec();
        let mut vertex_taken = vec![false; surface.vertex_count()];
        let mut edge_taken = vec![false; surface.edges().len()];
        // Whether the feature was still free; it no longer is.
        let take = |taken: &mut bool| !std::mem::replace(taken, true);
        self.speaks_for.clear();
        for (corners, edges) in surface.triangles().iter().zip(surface.triangle_edges()) {
            let mut bits = 0;
            for k in 0..3 {
                bits |= u8::from(take(&mut vertex_taken[corners[k] as usize])) << k;
                bits |= u8::from(take(&mut edge_taken[edges[k] as usize])) << (3 + k);
            }
            self.speaks_for.push(bits);
        }
        self.loose = (0..surface.vertex_count() as u32).filter(|&v| !vertex_taken[v as usize]).collect();
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.triangles.len() + self.loose.len()
    }

    /// Number of triangles; items from here on are loose points.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Which features a triangle speaks for: bits 0 to 2 its corners, 3 to 5 its edges.
    pub fn speaks_for(&self, triangle: u32) -> u8 {
        self.speaks_for[triangle as usize]
    }

    /// The vertices of an item: three, or one.
    pub fn vertices(&self, item: u32) -> &[u32] {
        match self.triangles.get(item as usize) {
            Some(corners) => corners,
            None => std::slice::from_ref(&self.loose[item as usize - self.triangles.len()]),
        }
    }

    /// The box of an item.
    pub fn item_box(&self, item: u32) -> &Box3 {
        match self.boxes.faces.get(item as usize) {
            Some(face) => face,
            None => &self.boxes.vertices[self.loose[item as usize - self.triangles.len()] as usize],
        }
    }

    /// The box around all items.
    pub fn bounds(&self) -> Box3 {
        let piece = |c: usize| {
            let range = c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(self.len());
            range.fold(Box3::EMPTY, |b, i| b.join(*self.item_box(i as u32)))
        };
        // Joining rounds nothing, so the pieces may be joined in any order.
        parallel::map(self.len().div_ceil(parallel::CHUNK), piece).into_iter().fold(Box3::EMPTY, Box3::join)
    }

    /// Runs `entries` for all items, in parallel, and strings what they push together in the order of items.
    pub fn gather<T: Send>(&self, entries: impl Fn(u32, &mut Vec<T>) + Sync + Send) -> Vec<T> {
        let piece = |c: usize| {
            let mut out = Vec::new();
            for i in c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(self.len()) {
                entries(i as u32, &mut out);
            }
            out
        };
        let pieces = parallel::map(self.len().div_ceil(parallel::CHUNK), piece);
        let mut all = Vec::with_capacity(pieces.iter().map(Vec::len).sum());
        pieces.into_iter().for_each(|piece| all.extend(piece));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn every_feature_has_exactly_one_representative_that_holds_it() {
        // A fan of four triangles, a lone triangle and a loose point.
        let triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 6, 7]];
        let surface = Surface::new(9, &triangles).unwrap();
        let points = vec![DVec3::ZERO; 9];
        let mut items = Items::default();
        items.update(&surface, &Sweep::new(&surface, &points, &points).unwrap(), 0.0);
        let (mut vertices, mut edges) = ([0; 9], vec![0; surface.edges().len()]);
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                vertices[corners[k] as usize] += items.speaks_for(t as u32) >> k & 1;
                edges[surface.triangle_edges()[t][k] as usize] += items.speaks_for(t as u32) >> (3 + k) & 1;
            }
        }
        assert_eq!(vertices, [1, 1, 1, 1, 1, 1, 1, 1, 0]);
        assert!(edges.iter().all(|&count| count == 1));
        assert_eq!((items.len(), items.triangle_count(), items.vertices(5)), (6, 5, &[8][..]));
    }
}
