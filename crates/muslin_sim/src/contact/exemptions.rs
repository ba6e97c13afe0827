//! Triangles of cloth that contact leaves alone with a body until they have separated.
//!
//! Contact knows pairs of a vertex and a face and of two edges, but what crosses are triangles: an edge may stick in the
//! middle of a face with all those pairs far apart, and to get out it has to pass through one of them, of this face or
//! of the next. So a triangle of cloth is exempt with a whole body, until it crosses none of its triangles, is not inside
//! it, and every pair of their primitives has the gap that a response leaves. Then contact takes it up again, from a state
//! that passes its check.

use super::{ContactStage, inside::is_inside};
use crate::simulation::Simulation;
use glam::DVec3;
use muslin_collision::{
    PairKind, Surface,
    narrow_phase::{Proximity, triangle_triangle::triangles_meet},
};
use muslin_contact::{Gaps, Near, TARGET};
use muslin_model::{BodyKind, ExemptCause, Exemption, Hold, Model, parallel};

/// Which triangles are around a vertex or an edge, which body it belongs to, and which vertices the scene moves.
#[derive(Debug, Default)]
pub(crate) struct Around {
    of_vertex: Vec<Vec<u32>>,
    of_edge: Vec<Vec<u32>>,
    body_of_vertex: Vec<u32>,
    /// Vertices of the triangles of cloth.
    corners: Vec<[u32; 3]>,
    /// First triangle that belongs to no cloth.
    cloth_end: u32,
    /// Vertices of obstacles, and those that a pin or a hand has held at any time.
    pub driven: Vec<bool>,
}

impl Around {
    /// The neighbourhoods of a model's mesh.
    pub fn new(model: &Model, surface: &Surface) -> Self {
        let mut around = Around {
            of_vertex: vec![Vec::new(); surface.vertex_count()],
            of_edge: vec![Vec::new(); surface.edges().len()],
            body_of_vertex: vec![0; surface.vertex_count()],
            corners: surface.triangles()[model.cloth_triangles()].to_vec(),
            cloth_end: model.cloth_triangles().end as u32,
            driven: vec![false; surface.vertex_count()],
        };
        for (t, (corners, edges)) in surface.triangles().iter().zip(surface.triangle_edges()).enumerate() {
            corners.iter().for_each(|&v| around.of_vertex[v as usize].push(t as u32));
            edges.iter().for_each(|&e| around.of_edge[e as usize].push(t as u32));
        }
        for (b, body) in model.bodies.iter().enumerate() {
            around.body_of_vertex[body.vertices.clone()].fill(b as u32);
        }
        around.driven[model.cloth_vertices().end..].fill(true);
        for pin in model.pins.iter().filter(|pin| pin.hold == Hold::Exact) {
            pin.vertices.iter().for_each(|&v| around.driven[v as usize] = true);
        }
        around
    }

    /// The triangles of cloth around each side of a pair, with the body of the other side.
    pub fn triangles_and_bodies<'a>(&'a self, near: &'a Near) -> impl Iterator<Item = (u32, u32)> + 'a {
        let (a, b) = (near.key.a as usize, near.key.b as usize);
        let (of_a, of_b, first_of_b) = match near.key.kind() {
            PairKind::VertexFace => (&self.of_vertex[a][..], std::slice::from_ref(&near.key.b), near.vertices[1]),
            PairKind::EdgeEdge => (&self.of_edge[a][..], &self.of_edge[b][..], near.vertices[2]),
        };
        let [body_a, body_b] = [near.vertices[0], first_of_b].map(|v| self.body_of_vertex[v as usize]);
        let sides = of_a.iter().map(move |&t| (t, body_b)).chain(of_b.iter().map(move |&t| (t, body_a)));
        let cloth_end = self.cloth_end;
        sides.filter(move |&(t, _)| t < cloth_end)
    }

    /// The triangles of cloth that share a vertex with one of an ascending list and are not in it, for the same body and cause.
    fn ring(&self, list: &[Exemption]) -> Vec<Exemption> {
        let mut ring = Vec::new();
        for exemption in list {
            for t in self.corners[exemption.triangle as usize].iter().flat_map(|&v| &self.of_vertex[v as usize]) {
                if list.binary_search_by_key(&(*t, exemption.body), |e| (e.triangle, e.body)).is_err() {
                    ring.push(Exemption { triangle: *t, ..*exemption });
                }
            }
        }
        ring.sort_unstable();
        ring.dedup();
        ring
    }

    /// Whether the scene moves a vertex of a pair.
    pub fn is_driven(&self, near: &Near) -> bool {
        near.vertices.iter().any(|&v| self.driven[v as usize])
    }

    /// Leaves out of a list of pairs what lists exempt: that of the state and that of the attempt under way.
    pub fn leave_out_exempt(&self, lists: [&[Exemption]; 2], near: &mut Vec<Near>) {
        for list in lists.into_iter().filter(|list| !list.is_empty()) {
            near.retain(|pair| !self.is_exempt(pair, list));
        }
    }

    /// Whether a pair belongs to an exemption of an ascending list.
    fn is_exempt(&self, near: &Near, list: &[Exemption]) -> bool {
        let driven = self.is_driven(near);
        self.triangles_and_bodies(near).any(|key| {
            let found = list.binary_search_by_key(&key, |e| (e.triangle, e.body));
            found.is_ok_and(|k| driven || list[k].cause == ExemptCause::Start)
        })
    }
}

/// Adds exemptions to an ascending list. One that is there keeps its cause.
pub(crate) fn insert(list: &mut Vec<Exemption>, more: impl IntoIterator<Item = Exemption>) {
    for exemption in more {
        if let Err(k) = list.binary_search_by_key(&(exemption.triangle, exemption.body), |e| (e.triangle, e.body)) {
            list.insert(k, exemption);
        }
    }
}

impl ContactStage {
    /// What tells whether an exemption may end at some positions [m].
    fn separation<'a>(&'a self, model: &'a Model, positions: &'a [DVec3]) -> Separation<'a> {
        let (surface, gaps) = (self.finder.surface(), self.finder.gaps());
        Separation { model, surface, gaps, driven: &self.around.driven, positions }
    }
}

/// Tells whether an exemption may end.
struct Separation<'a> {
    model: &'a Model,
    surface: &'a Surface,
    gaps: &'a Gaps,
    driven: &'a [bool],
    /// [m].
    positions: &'a [DVec3],
}

impl Separation<'_> {
    /// Whether what is exempt has separated: nothing crosses, the triangle is not inside an obstacle, and all pairs of
    /// primitives have the gap that a response leaves.
    fn is_apart(&self, exemption: &Exemption) -> bool {
        let Separation { model, surface, positions, .. } = *self;
        let (t, body) = (exemption.triangle, &model.bodies[exemption.body as usize]);
        let reach = self.gaps.largest();
        let corners = surface.triangles()[t as usize].map(|v| positions[v as usize]);
        let (low, high) = bounds(corners);
        let far = |u: usize| {
            let (l, h) = bounds(surface.triangles()[u].map(|v| positions[v as usize]));
            (l - high).max(low - h).max_element() > reach
        };
        let others = body.triangles.clone().filter(|&u| u != t as usize && !far(u));
        others.into_iter().all(|u| self.are_apart([t, u as u32], exemption.cause))
            && (body.kind == BodyKind::Cloth || !is_inside(corners.iter().sum::<DVec3>() / 3.0, model, body, positions))
    }

    /// Whether two triangles do not cross and their pairs of primitives have the gap that a response leaves. Of a pinch
    /// only those pairs count of which the scene moves a vertex.
    fn are_apart(&self, triangles: [u32; 2], cause: ExemptCause) -> bool {
        let Separation { surface, gaps, positions, .. } = *self;
        let corners = triangles.map(|t| surface.triangles()[t as usize]);
        let driven = |vertices: &[u32]| vertices.iter().any(|&v| self.driven[v as usize]);
        if cause == ExemptCause::Pinch && !driven(&corners.concat()) {
            return true;
        }
        let all = (0..9).map(|k| [k / 3, k % 3]);
        let shared: Vec<[usize; 2]> = all.filter(|&[k, l]| corners[0][k] == corners[1][l]).collect();
        let [a, b] = corners.map(|corners| corners.map(|v| positions[v as usize]));
        let counts = |vertices: &[u32; 4]| cause == ExemptCause::Start || driven(vertices);
        triangles_meet(a, b, &shared).is_none()
            && pairs_of(surface, triangles).filter(|(_, vertices)| counts(vertices)).all(|(kind, vertices)| {
                let distance = Proximity::new(kind, vertices.map(|v| positions[v as usize])).distance;
                distance >= TARGET * gaps.range(kind, vertices)
            })
    }
}

fn bounds(corners: [DVec3; 3]) -> (DVec3, DVec3) {
    let [a, b, c] = corners;
    (a.min(b).min(c), a.max(b).max(c))
}

/// The pairs of a vertex and a face and of two edges of two triangles, without those that share a vertex.
fn pairs_of(surface: &Surface, [t, u]: [u32; 2]) -> impl Iterator<Item = (PairKind, [u32; 4])> {
    let faces = [[t, u], [u, t]].into_iter().flat_map(move |[of, face]| {
        let corners = surface.triangles()[of as usize];
        corners.into_iter().map(move |v| surface.pair_vertices(PairKind::VertexFace, [v, face]))
    });
    let edges = surface.triangle_edges()[t as usize].into_iter().flat_map(move |e| {
        let other = surface.triangle_edges()[u as usize];
        other.into_iter().map(move |f| surface.pair_vertices(PairKind::EdgeEdge, [e, f]))
    });
    let faces = faces.filter(|v| !v[1..].contains(&v[0])).map(|v| (PairKind::VertexFace, v));
    faces.chain(edges.filter(|v| !v[..2].iter().any(|a| v[2..].contains(a))).map(|v| (PairKind::EdgeEdge, v)))
}

impl Simulation {
    /// After a commit: takes over what the attempt has exempted, and ends the exemption of what has separated.
    pub(crate) fn settle_exemptions(&mut self) {
        let Some(mut stage) = self.contact.take() else { return };
        self.tally_last_resort(&mut stage);
        insert(&mut self.state.exemptions, stage.pinched.drain(..));
        if !self.state.exemptions.is_empty() {
            let more = stage.around.ring(&self.state.exemptions);
            let (model, positions) = (&self.model, &self.state.positions);
            let separation = stage.separation(model, positions);
            let apart = parallel::map(more.len(), |k| separation.is_apart(&more[k]));
            // A triangle beside an exempt one may have gone through with it.
            insert(&mut self.state.exemptions, more.into_iter().zip(apart).filter(|(_, a)| !a).map(|(e, _)| e));
            let list = &self.state.exemptions;
            let apart = parallel::map(list.len(), |k| separation.is_apart(&list[k]));
            let mut apart = apart.into_iter();
            self.state.exemptions.retain(|_| !apart.next().unwrap_or(false));
            self.end_pinches();
        }
        self.contact = Some(stage);
    }
}
