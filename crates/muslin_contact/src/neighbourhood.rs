//! Which pairs stand for a contact, and which are spare.
//!
//! Above the middle of a flat sheet a vertex has one face below it, but all faces, and edges, within its range are pairs as well,
//! each with a normal that leans. They hold nothing that the one does not hold; they are bumps that sheets would have to climb in
//! sliding, and what climbs one is thrown up and meets the next one steeper. So a pair stands for a contact only where the distance between
//! the two *surfaces* is least, and not only that between its two primitives:
//!
//! | nearest points | stands if |
//! |---|---|
//! | vertex and the inside of a face | always: its normal is the face's |
//! | vertex and a rim of a face | nothing beside the rim is nearer to the vertex, and no neighbour of the vertex to the rim |
//! | insides of two edges | the direction between them lies between those of the faces beside each edge, or nearly so |
//! | an end of an edge | never: the vertex there has pairs of its own |
//!
//! A pair that pressed in the step before stands as long as its sides go by less than their range in this one, whatever it leans: cloth that rests on the
//! border of these rules would be held and let go in turn (three drapes of 32 were, for ever), and layers that are wrung would be told of their
//! contacts anew in every step (`twist` took five times as long). What slides farther in a step meets its bumps elsewhere.
//!
//! This is the condition of normal cones, with which feature tracking begins (Lin and Canny 1991). The check knows no such
//! rule: whatever violates it is held, if need be as it is.

use crate::{contact::Contact, finder::Near, normals::Normals};
use glam::DVec3;
use muslin_collision::PairKind;
use muslin_model::{
    Topology,
    topology::{NONE, opposite_corner},
};

/// What lies next to each edge and each vertex of a mesh.
#[derive(Debug)]
pub struct Neighbourhood {
    /// The vertices opposite to each edge; [`NONE`] where there is no second triangle.
    opposite: Vec<[u32; 2]>,
    /// Where the neighbours of each vertex begin, and the neighbours.
    begins: Vec<u32>,
    neighbours: Vec<u32>,
    /// The edges of each triangle: entry k joins its corners k and k+1.
    triangle_edges: Vec<[u32; 3]>,
}

/// Where the nearest point of a pair is that is on a rim.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rim {
    /// On the edge of a face from this corner to the next one.
    Edge(usize),
    /// At this corner of a face.
    Corner(usize),
}

/// A direction leans towards something if it does so by more than this part of its length [-]: one that is square to it but for rounding
/// does not.
const LEANS: f64 = 1e-6;

/// The direction between two edges may be outside of what lies between the faces beside them by this sine [-]: cloth that lies flat is wavy by some
/// degrees, and its edges hold it there.
const CONE: f64 = 0.1;

/// What a pair did in the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    /// Nothing.
    New,
    /// Its sides pressed on each other.
    Pressed,
}

impl Neighbourhood {
    /// Of a mesh of so many vertices.
    pub fn new(vertices: usize, triangles: &[[u32; 3]], topology: &Topology) -> Self {
        let opposite = topology.edges.iter().zip(&topology.edge_triangles).map(|(&edge, beside)| {
            let corner = |t: u32| {
                let triangle = triangles[t as usize];
                triangle[opposite_corner(triangle, edge)]
            };
            beside.map(|t| if t == NONE { NONE } else { corner(t) })
        });
        let opposite = opposite.collect();
        let mut begins = vec![0u32; vertices + 1];
        topology.edges.iter().flatten().for_each(|&v| begins[v as usize + 1] += 1);
        (1..begins.len()).for_each(|v| begins[v] += begins[v - 1]);
        let (mut neighbours, mut place) = (vec![0; 2 * topology.edges.len()], begins.clone());
        for &[a, b] in &topology.edges {
            for [v, other] in [[a, b], [b, a]] {
                neighbours[place[v as usize] as usize] = other;
                place[v as usize] += 1;
            }
        }
        Neighbourhood { opposite, begins, neighbours, triangle_edges: topology.triangle_edges.clone() }
    }

    /// The contact that stands for a pair in a motion that is foreseen; none where another one does, or its sides touch, or come from
    /// behind.
    pub fn foreseen(
        &self,
        pair: &Near,
        start: &[DVec3],
        end: &[DVec3],
        normals: &Normals,
        past: Past,
    ) -> Option<Contact> {
        let contact = pair.where_nearest(start, end)?;
        self.holds(&contact, start, end, normals, past).then_some(contact)
    }

    /// Whether a contact that was taken in a motion that is foreseen stands for its pair, and comes from the side on which it was.
    pub fn holds(&self, contact: &Contact, start: &[DVec3], end: &[DVec3], normals: &Normals, past: Past) -> bool {
        let slow = || (contact.difference(end) - contact.difference(start)).length() < contact.range;
        let kept = past == Past::Pressed && slow();
        (kept || !self.is_spare(contact, start, end)) && contact.gap(start) > 0.0 && !normals.are_behind(contact, start)
    }

    /// The contact that stands for a pair in a motion; none where another one does, or its sides touch.
    pub fn standing(&self, pair: &Near, start: &[DVec3], end: &[DVec3]) -> Option<Contact> {
        let contact = pair.where_nearest(start, end)?;
        (!self.is_spare(&contact, start, end)).then_some(contact)
    }

    /// Whether another pair is nearer than this one, or as near, where its contact was taken in a motion.
    fn is_spare(&self, contact: &Contact, start: &[DVec3], end: &[DVec3]) -> bool {
        let at = |v: u32| start[v as usize] + (end[v as usize] - start[v as usize]) * contact.time;
        let n = contact.normal;
        // Whether the way from an edge to a vertex leads along a direction, by more than a part of its length.
        let edge_leads = |[a, b]: [u32; 2], to: u32, direction: DVec3, part: f64| {
            let (edge, way) = (at(b) - at(a), at(to) - at(a));
            let way = way - edge * (way.dot(edge) / edge.length_squared());
            direction.dot(way) > part * way.length()
        };
        let vertex_leads = |v: u32, direction: DVec3| {
            let neighbours = &self.neighbours[self.begins[v as usize] as usize..self.begins[v as usize + 1] as usize];
            neighbours.iter().any(|&other| {
                let way = at(other) - at(v);
                direction.dot(way) > LEANS * way.length()
            })
        };
        let beside = |edge: u32| self.opposite[edge as usize].into_iter().filter(|&v| v != NONE);
        let [v0, v1, v2, v3] = contact.vertices;
        if contact.key.kind() == PairKind::EdgeEdge {
            return contact.weights.contains(&0.0)
                || beside(contact.key.a).any(|v| edge_leads([v0, v1], v, -n, CONE))
                || beside(contact.key.b).any(|v| edge_leads([v2, v3], v, n, CONE));
        }
        let corners = [v1, v2, v3];
        let nearer = match rim(contact.weights) {
            None => return false,
            Some(Rim::Edge(k)) => {
                let edge = self.triangle_edges[contact.key.b as usize][k];
                beside(edge)
                    .any(|v| !corners.contains(&v) && edge_leads([corners[k], corners[(k + 1) % 3]], v, n, LEANS))
            }
            Some(Rim::Corner(k)) => vertex_leads(corners[k], n),
        };
        nearer || vertex_leads(v0, -n)
    }
}

/// On which rim of a face the point of a pair is that is nearest to a vertex, if it is on one.
fn rim(weights: [f64; 4]) -> Option<Rim> {
    let none = [1, 2, 3].map(|k| weights[k] == 0.0);
    match none.iter().filter(|&&none| none).count() {
        0 => None,
        1 => (0..3).find(|&k| none[(k + 2) % 3]).map(Rim::Edge),
        _ => (0..3).find(|&k| !none[k]).map(Rim::Corner),
    }
}
