//! From pairs of items to pairs of features: each vertex–face and edge–edge pair once (C8).

use super::dop::Dops;
use super::items::Items;
use crate::boxes::Box3;
use crate::{Candidates, Surface};

/// Looks at the features of item pairs.
#[derive(Clone, Copy)]
pub(super) struct Features<'a> {
    /// The mesh.
    pub surface: &'a Surface,
    /// Its items and the boxes of all features.
    pub items: &'a Items,
    /// Polytopes for a second, finer look at each pair of features.
    pub dops: Option<&'a Dops>,
}

impl Features<'_> {
    /// Adds the feature pairs of two items that speak for them.
    pub fn push(&self, a: u32, b: u32, out: &mut Candidates) {
        let triangles = self.items.triangle_count() as u32;
        match (a < triangles, b < triangles) {
            (true, true) => {
                self.vertices_of(a, b, out);
                self.vertices_of(b, a, out);
                self.edges_of(a, b, out);
            }
            (false, true) => self.vertex_face(self.items.vertices(a)[0], b, out),
            (true, false) => self.vertex_face(self.items.vertices(b)[0], a, out),
            (false, false) => {} // two points never meet
        }
    }

    /// The vertices that triangle `a` speaks for, against the face `b`.
    fn vertices_of(&self, a: u32, b: u32, out: &mut Candidates) {
        let bits = self.items.speaks_for(a);
        if bits & 0b111 == 0 {
            return;
        }
        for (k, &vertex) in self.items.vertices(a).iter().enumerate() {
            if bits >> k & 1 == 1 {
                self.vertex_face(vertex, b, out);
            }
        }
    }

    fn vertex_face(&self, vertex: u32, face: u32, out: &mut Candidates) {
        let boxes = &self.items.boxes;
        if boxes.vertices[vertex as usize].overlaps(&boxes.faces[face as usize])
            && !self.surface.vertex_touches_face(vertex, face)
            && self.dops.is_none_or(|dops| dops.vertex_meets_face(vertex, face))
        {
            out.vertex_face.push([vertex, face]);
        }
    }

    /// The edges that two triangles speak for, against each other.
    fn edges_of(&self, a: u32, b: u32, out: &mut Candidates) {
        let faces = &self.items.boxes.faces;
        // Edges that miss the other triangle's box need not be tried against its edges one by one.
        let (near_a, count_a) = self.near_edges(a, &faces[b as usize]);
        if count_a == 0 {
            return;
        }
        let (near_b, count_b) = self.near_edges(b, &faces[a as usize]);
        for &p in &near_a[..count_a] {
            let p_box = &self.items.boxes.edges[p as usize];
            for &q in &near_b[..count_b] {
                if p_box.overlaps(&self.items.boxes.edges[q as usize])
                    && !self.surface.edges_touch(p, q)
                    && self.dops.is_none_or(|dops| dops.edges_meet(p, q))
                {
                    out.edge_edge.push([p.min(q), p.max(q)]);
                }
            }
        }
    }

    fn near_edges(&self, triangle: u32, other: &Box3) -> ([u32; 3], usize) {
        let bits = self.items.speaks_for(triangle) >> 3;
        let edges = &self.surface.triangle_edges()[triangle as usize];
        let (mut near, mut count) = ([0; 3], 0);
        for (k, &edge) in edges.iter().enumerate() {
            if bits >> k & 1 == 1 && self.items.boxes.edges[edge as usize].overlaps(other) {
                near[count] = edge;
                count += 1;
            }
        }
        (near, count)
    }
}
