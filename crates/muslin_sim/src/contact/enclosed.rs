//! Cloth that starts wholly inside a closed obstacle: it crosses nothing, so that no fault shows it.
//!
//! It may be the content of a bag, which `[start] inside` says, or a mistake. Untangling moves such a piece out as it is, without
//! bending it: along the shortest of some straight ways to a place where it meets nothing, if possible past everything else, so that a
//! sheet in a ball that lies on the ground is not put below the ground. Strides as for cloth that crosses would take hundreds
//! for a large obstacle, and stretch the piece on the way.

use super::{
    ContactStage,
    inside::{is_inside, winding_number},
    start::{StartFault, StartFaultKind, faults},
    ways::Ways,
};
use crate::simulation::{SimError, Simulation};
use glam::DVec3;
use muslin_model::{Body, BodyKind, Model, topology::NONE};

/// An obstacle with open edges encloses what it goes around by this much [-]: a scan with small holes does, a cup does not.
const NEARLY_CLOSED: f64 = 0.9;
/// Places along a direction between the shortest and the surest way out.
const PLACES: usize = 4;
/// Way beyond the obstacle, in the largest range of contact [-].
const BEYOND: f64 = 1.5;

/// A connected piece of cloth inside an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Enclosed {
    /// The cloth's number among the bodies.
    pub cloth: usize,
    /// The obstacle's number.
    pub obstacle: usize,
    /// Its vertices, ascending.
    pub vertices: Vec<u32>,
}

/// A straight way out, and how far [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Way {
    pub direction: DVec3,
    pub length: f64,
}

/// The connected pieces of all cloths, ascending, each with its cloth.
fn pieces(model: &Model) -> Vec<(usize, Vec<u32>)> {
    let end = model.cloth_vertices().end;
    let mut lower: Vec<usize> = (0..end).collect();
    for [a, b] in model.topology.edges.iter().map(|edge| edge.map(|v| v as usize)).filter(|edge| edge[1] < end) {
        let (a, b) = (root(&lower, a), root(&lower, b));
        lower[a.max(b)] = a.min(b);
    }
    let mut pieces: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut number = vec![usize::MAX; end];
    for (cloth, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.kind == BodyKind::Cloth) {
        for v in body.vertices.clone() {
            let first = root(&lower, v);
            if number[first] == usize::MAX {
                number[first] = pieces.len();
                pieces.push((cloth, Vec::new()));
            }
            pieces[number[first]].1.push(v as u32);
        }
    }
    pieces
}

/// The lowest vertex of a piece, by the way through lower ones.
fn root(lower: &[usize], mut v: usize) -> usize {
    while lower[v] != v {
        v = lower[v];
    }
    v
}

/// Whether a point is inside an obstacle that is closed, or nearly so.
pub(super) fn encloses(model: &Model, body: &Body, point: DVec3, positions: &[DVec3]) -> bool {
    is_inside(point, model, body, positions)
        && (is_closed(model, body) || winding_number(point, model, body, positions).abs() > NEARLY_CLOSED)
}

fn is_closed(model: &Model, body: &Body) -> bool {
    let edges = model.topology.triangle_edges[body.triangles.clone()].iter().flatten();
    edges.into_iter().all(|&e| model.topology.edge_triangles[e as usize][1] != NONE)
}

impl Simulation {
    /// The pieces of cloth that are wholly inside an obstacle though the scene does not say so, where nothing crosses: all of a
    /// piece is where its first vertex is. What is exempt with the obstacle is known.
    pub(super) fn enclosed(&self, belongs: &[String], x: &[DVec3]) -> Vec<Enclosed> {
        let model = &self.model;
        let mut found = Vec::new();
        for (cloth, vertices) in pieces(model) {
            if belongs.contains(&model.bodies[cloth].name) {
                continue;
            }
            let obstacles = model.bodies.iter().enumerate().filter(|(_, body)| body.kind == BodyKind::Obstacle);
            for (obstacle, body) in obstacles {
                if encloses(model, body, x[vertices[0] as usize], x) && !self.is_known(&vertices, obstacle) {
                    found.push(Enclosed { cloth, obstacle, vertices: vertices.clone() });
                }
            }
        }
        found
    }

    /// Whether a triangle of a piece is exempt with an obstacle.
    fn is_known(&self, piece: &[u32], obstacle: usize) -> bool {
        let mut exempt = self.state.exemptions.iter().filter(|exemption| exemption.body as usize == obstacle);
        exempt.any(|exemption| {
            let corners = self.model.mesh.triangles[exemption.triangle as usize];
            corners.iter().any(|v| piece.binary_search(v).is_ok())
        })
    }

    /// The first vertex that a pin holds inside an obstacle, where it cannot be helped.
    pub(super) fn refuse_pins_inside(&self, stage: &ContactStage, belongs: &[String]) -> Result<(), SimError> {
        let (model, x) = (&self.model, &self.state.positions);
        for v in model.cloth_vertices().filter(|&v| stage.around.driven[v]) {
            let cloth = model.body_of_vertex(v);
            if belongs.contains(&cloth.name) {
                continue;
            }
            for (b, obstacle) in model.bodies.iter().enumerate().filter(|(_, body)| body.kind == BodyKind::Obstacle) {
                if encloses(model, obstacle, x[v], x) && !self.is_known(&[v as u32], b) {
                    let (cloth, obstacle) = (cloth.clone(), obstacle.name.clone());
                    let DVec3 { x, y, z } = x[v];
                    return Err(SimError::PinnedInside {
                        vertex: v - cloth.vertices.start,
                        place: format!("({x:.6}, {y:.6}, {z:.6}) m"),
                        cloth: cloth.name,
                        obstacle,
                    });
                }
            }
        }
        Ok(())
    }

    /// Moves a piece out of all obstacles that it is in.
    pub(super) fn take_out(
        &self,
        stage: &mut ContactStage,
        piece: &Enclosed,
        ways: &Ways,
        x: &mut Vec<DVec3>,
    ) -> Result<Way, SimError> {
        let model = &self.model;
        let around: Vec<usize> = (0..model.bodies.len())
            .filter(|&b| model.bodies[b].kind == BodyKind::Obstacle)
            .filter(|&b| encloses(model, &model.bodies[b], x[piece.vertices[0] as usize], x))
            .collect();
        let margin = BEYOND * stage.finder.gaps().largest();
        let (mut candidates, mut surest) = (Vec::new(), Way { direction: DVec3::Z, length: f64::INFINITY });
        for direction in ways.directions(piece.obstacle, &piece.vertices, model.environment.gravity, x) {
            let exit = |b: usize| ways.last_exit(b, &piece.vertices, direction, x);
            let shortest = around.iter().map(|&b| exit(b)).fold(0.0, f64::max) + margin;
            let extent = |list: &mut dyn Iterator<Item = usize>| {
                let along = list.map(|v| direction.dot(x[v]));
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
            };
            let lowest = extent(&mut piece.vertices.iter().map(|&v| v as usize)).0;
            let highest = extent(&mut around.iter().flat_map(|&b| model.bodies[b].vertices.clone())).1;
            let longest = (highest - lowest + margin).max(shortest);
            let part = |k: usize| shortest + (longest - shortest) * k as f64 / PLACES as f64;
            candidates.extend((0..=PLACES).map(|k| Way { direction, length: part(k) }));
            if longest < surest.length {
                surest = Way { direction, length: longest };
            }
        }
        // Equal lengths keep the order of the directions.
        candidates.sort_by(|a, b| a.length.total_cmp(&b.length));
        let mut behind = None;
        for way in candidates {
            let place = moved(x, piece, way);
            if !self.is_free(stage, piece, &place)? {
                continue;
            }
            if self.passes(stage, x, &place, &around)? {
                *x = place;
                return Ok(way);
            }
            behind = behind.or(Some(way));
        }
        // Past something else, or onto it: what then crosses is pushed apart in strides.
        let way = behind.unwrap_or(surest);
        *x = moved(x, piece, way);
        Ok(way)
    }

    /// Whether a piece meets nothing where it is, and is inside nothing.
    fn is_free(&self, stage: &mut ContactStage, piece: &Enclosed, x: &[DVec3]) -> Result<bool, SimError> {
        let (model, first) = (&self.model, x[piece.vertices[0] as usize]);
        let mut obstacles = model.bodies.iter().filter(|body| body.kind == BodyKind::Obstacle);
        if obstacles.any(|body| encloses(model, body, first, x)) {
            return Ok(false);
        }
        let found = stage.finder.find(x, x).map_err(|source| SimError::Search { time: 0.0, source })?;
        let own = |fault: &StartFault| fault.sides.iter().flatten().any(|v| piece.vertices.binary_search(v).is_ok());
        Ok(!faults(stage, model, &found.near, x)?.iter().any(own))
    }

    /// Whether a motion meets none but some bodies on its way.
    fn passes(
        &self,
        stage: &mut ContactStage,
        start: &[DVec3],
        end: &[DVec3],
        through: &[usize],
    ) -> Result<bool, SimError> {
        let found = stage.finder.find(start, end).map_err(|source| SimError::Search { time: 0.0, source })?;
        let within = |v: u32| through.iter().any(|&b| self.model.bodies[b].vertices.contains(&(v as usize)));
        Ok(found.violations(start, end).iter().all(|(near, _)| near.vertices.iter().any(|&v| within(v))))
    }

    /// The faults of pieces inside obstacles, for lists and pictures.
    pub(super) fn faults_of_enclosed(&self, list: &[Enclosed]) -> Vec<StartFault> {
        let fault = |piece: &Enclosed| StartFault {
            kind: StartFaultKind::Inside,
            bodies: [piece.cloth as u32, piece.obstacle as u32],
            sides: [piece.vertices.clone(), Vec::new()],
            crossing: None,
            triangles: Vec::new(),
            place: self.state.positions[piece.vertices[0] as usize],
            distance: 0.0,
        };
        list.iter().map(fault).collect()
    }
}

fn moved(x: &[DVec3], piece: &Enclosed, way: Way) -> Vec<DVec3> {
    let mut x = x.to_vec();
    piece.vertices.iter().for_each(|&v| x[v as usize] += way.direction * way.length);
    x
}
