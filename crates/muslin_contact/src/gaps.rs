//! How near is near.
//!
//! Gaps are distances between mid-surfaces. A pair begins to repel at its *range*: the thickness of the cloth, or of
//! both cloths in the mean, but no more than half of what the pair has at rest, so that a fine flat mesh does
//! not repel itself. Everything else is a part of the range:
//!
//! | gap | what it is |
//! |---|---|
//! | range | repulsion begins |
//! | [`TARGET`] × range | what every response leaves |
//! | [`CHECK`] × range | what every committed state keeps; nearer is a violation |
//!
//! A state whose pairs all keep the check can always be returned to: its zero motion passes.
//!
//! # Near at rest
//! Distances at rest are those in the pattern, where every vertex has one place in it. A cloth that was sewn from pieces,
//! or whose triangles were flattened one by one, has no such pattern: its start is taken instead. Pieces of a pattern may lie on
//! each other, and a cloth may start folded, so that a small distance alone says nothing: a pair is near at rest only if the
//! mesh joins its sides on a way that stays near.

use glam::DVec3;
use muslin_collision::{PairKind, Surface, narrow_phase::minimum_separation};
use muslin_model::{BodyKind, Model};

/// The part of its range that a pair keeps in every committed state [-]. Above 0.1, the smallest gap that users
/// are promised, by more than the certified test's error.
pub const CHECK: f64 = 0.11;

/// The part of its range that a response leaves at least [-]: twice the check, so that a state after a response
/// is no limiting case of it.
pub const TARGET: f64 = 0.25;

/// Ranges of all pairs.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// Thickness at each vertex [m]; 0 on obstacles.
    thickness: Vec<f64>,
    /// Places of the cloths' vertices at rest [m].
    rest: Vec<DVec3>,
    /// The cloth of each vertex of cloth.
    body: Vec<u32>,
    /// Where the neighbours of each vertex of cloth begin, and the neighbours.
    neighbours: (Vec<u32>, Vec<u32>),
    largest: f64,
    smallest: f64,
}

impl Gaps {
    /// The gaps of a model's cloths.
    pub fn new(model: &Model) -> Self {
        let count = model.mesh.positions.len();
        let (mut thickness, mut uses) = (vec![0.0; count], vec![0.0; count]);
        for (face, material) in model.cloth_triangles().zip(&model.materials) {
            for &v in &model.mesh.triangles[face] {
                thickness[v as usize] += material.thickness;
                uses[v as usize] += 1.0;
            }
        }
        for (t, n) in thickness.iter_mut().zip(uses) {
            *t /= f64::max(n, 1.0);
        }
        let cloth = &thickness[model.cloth_vertices()];
        let largest = cloth.iter().copied().fold(0.0, f64::max);
        let smallest = cloth.iter().copied().fold(f64::INFINITY, f64::min).min(0.5 * least_height(model));
        let (rest, neighbours) = (places_at_rest(model), neighbours(model));
        let cloths = (0u32..).zip(&model.bodies).filter(|(_, body)| body.kind == BodyKind::Cloth);
        let mut body = vec![0; rest.len()];
        cloths.for_each(|(b, cloth)| body[cloth.vertices.clone()].fill(b));
        Gaps { thickness, rest, body, neighbours, largest, smallest }
    }

    /// The largest range of any pair [m].
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The smallest range that a pair may have [m]: that of the thinnest cloth, or half the height of the lowest triangle.
    pub fn smallest(&self) -> f64 {
        self.smallest
    }

    /// The range of a pair [m].
    pub fn range(&self, kind: PairKind, vertices: [u32; 4]) -> f64 {
        let thickest = |side: &[u32]| side.iter().map(|&v| self.thickness[v as usize]).fold(0.0, f64::max);
        let (a, b) = vertices.split_at(side_a(kind));
        let (a, b) = (thickest(a), thickest(b));
        if a == 0.0 || b == 0.0 {
            return a.max(b);
        }
        let thickness = 0.5 * (a + b);
        if self.body[vertices[0] as usize] != self.body[vertices[3] as usize] {
            return thickness;
        }
        let at_rest = minimum_separation(kind, vertices.map(|v| self.rest[v as usize]), thickness);
        if at_rest < thickness && self.are_joined(kind, vertices, thickness) { at_rest } else { thickness }
    }

    /// Whether the mesh joins the sides of a pair that are near at rest, on a way that does not leave their neighbourhood.
    fn are_joined(&self, kind: PairKind, vertices: [u32; 4], thickness: f64) -> bool {
        let (a, b) = vertices.split_at(side_a(kind));
        let centre = self.rest[a[0] as usize];
        let distance = |v: u32| self.rest[v as usize].distance(centre);
        let reach = vertices.into_iter().map(distance).fold(0.0, f64::max) + 2.0 * thickness;
        let (mut seen, mut next) = (a.to_vec(), 0);
        while next < seen.len() {
            let v = seen[next] as usize;
            next += 1;
            let (begins, list) = &self.neighbours;
            for &w in &list[begins[v] as usize..begins[v + 1] as usize] {
                if b.contains(&w) {
                    return true;
                }
                if distance(w) <= reach && !seen.contains(&w) {
                    seen.push(w);
                }
            }
        }
        false
    }
}

/// Where the vertices of each cloth are at rest [m]: in its pattern if each has one place there, else where they start.
fn places_at_rest(model: &Model) -> Vec<DVec3> {
    let mut rest = model.mesh.positions[model.cloth_vertices()].to_vec();
    for body in model.bodies.iter().filter(|body| body.kind == BodyKind::Cloth) {
        let mut place = vec![None; body.vertices.len()];
        let corners = body.triangles.clone().flat_map(|t| model.mesh.triangles[t].into_iter().zip(model.mesh.uv[t]));
        let one_each = corners.fold(true, |one_each, (v, uv)| {
            let known = place[v as usize - body.vertices.start].get_or_insert(uv);
            one_each && *known == uv
        });
        if one_each {
            for (to, from) in rest[body.vertices.clone()].iter_mut().zip(&place) {
                *to = from.map_or(*to, |uv| uv.extend(0.0));
            }
        }
    }
    rest
}

/// Where the neighbours of each vertex of cloth begin in a list, and the list.
fn neighbours(model: &Model) -> (Vec<u32>, Vec<u32>) {
    let count = model.cloth_vertices().end;
    let mut begins = vec![0u32; count + 1];
    let edges = || model.topology.edges.iter().filter(|edge| (edge[1] as usize) < count);
    edges().flatten().for_each(|&v| begins[v as usize + 1] += 1);
    (0..count).for_each(|v| begins[v + 1] += begins[v]);
    let (mut list, mut place) = (vec![0; begins[count] as usize], begins.clone());
    for &[a, b] in edges() {
        for [v, other] in [[a, b], [b, a]] {
            list[place[v as usize] as usize] = other;
            place[v as usize] += 1;
        }
    }
    (begins, list)
}

/// The lowest height of a triangle of cloth at rest [m].
fn least_height(model: &Model) -> f64 {
    let height = |t: usize| {
        let [a, b, c] = model.mesh.uv[t];
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        (b - a).perp_dot(c - a).abs() / longest
    };
    model.cloth_triangles().map(height).fold(f64::INFINITY, f64::min)
}

/// How many of a pair's four vertices are its side a.
pub fn side_a(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

/// The four vertices of a pair, side a first.
pub fn vertices(surface: &Surface, kind: PairKind, a: u32, b: u32) -> [u32; 4] {
    match kind {
        PairKind::VertexFace => {
            let [p, q, r] = surface.triangles()[b as usize];
            [a, p, q, r]
        }
        PairKind::EdgeEdge => {
            let ([p, q], [r, s]) = (surface.edges()[a as usize], surface.edges()[b as usize]);
            [p, q, r, s]
        }
    }
}
