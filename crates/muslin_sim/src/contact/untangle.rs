//! Untangling: a faulty start is pushed apart before time begins.
//!
//! No force and no time: positions move in small strides until nothing crosses and nothing is too near. Four things push:
//!
//! - Cloth inside a closed obstacle leaves it. All vertices of a connected piece take one direction, the one with the
//!   shortest way out for the deepest of them; each for itself would be torn between two sides.
//! - Cloth on both sides of a flat open obstacle, such as the ground, goes to the side where most of it is.
//! - Cloth through cloth moves so that the line along which they cross gets shorter (Volino and Magnenat-Thalmann 2006): where
//!   an edge E goes through a face with normal N, and R is the crossing line's direction into the edge's triangle, the line
//!   shrinks along R − (E·R)/(E·N) N. At edges within flat cloth the two triangles' parts cancel; borders and folds pull.
//!   A straight strip stuck through a sheet has no such pull: where the edges that go through cut off a piece of the cloth, the
//!   piece is drawn back instead.
//! - What is only too near moves apart along its normal.
//!
//! When nothing crosses any more, pieces wholly inside a closed obstacle are moved out as they are (`enclosed.rs`), but for those that the
//! scene says belong there.
//!
//! Between strides the edges of the cloth are drawn to their lengths, so that what is pushed draws the rest along.
//! Pinned vertices stay: one inside an obstacle is refused at once. It may fail, and then says what is left.

use super::{
    ContactStage,
    enclosed::Enclosed,
    inside::is_inside,
    start::{StartFault, StartFaultKind, faults},
    ways::Ways,
};
use crate::simulation::{SimError, Simulation};
use glam::DVec3;
use muslin_contact::{Near, TARGET};
use muslin_model::{BodyKind, Model};

/// Strides before it gives up.
const MOST_STRIDES: usize = 1000;
/// Length of a stride in mean edge lengths [-]: short, so that edges can follow.
const STRIDE: f64 = 0.15;
/// Sweeps over all edges between strides.
const SWEEPS: usize = 12;
/// Steepest motion along the face's normal for one along the crossing line [-].
const STEEPEST: f64 = 2.0;
/// Gap that pairs get, in their targets [-].
const AIM: f64 = 1.2;

/// What an untangling knows of the cloth.
struct Cloth {
    edges: Vec<[u32; 2]>,
    /// Their lengths at rest [m].
    lengths: Vec<f64>,
    /// 1 for vertices that may move, else 0 [-].
    mobility: Vec<f64>,
    /// [m].
    stride: f64,
}

impl Cloth {
    fn new(model: &Model, driven: &[bool]) -> Self {
        let (mut sums, mut uses) = (vec![0.0; model.topology.edges.len()], vec![0.0; model.topology.edges.len()]);
        for t in model.cloth_triangles() {
            for k in 0..3 {
                let e = model.topology.triangle_edges[t][k] as usize;
                sums[e] += model.mesh.uv[t][k].distance(model.mesh.uv[t][(k + 1) % 3]);
                uses[e] += 1.0;
            }
        }
        let used: Vec<usize> = (0..sums.len()).filter(|&e| uses[e] > 0.0).collect();
        let lengths: Vec<f64> = used.iter().map(|&e| sums[e] / uses[e]).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Cloth {
            edges: used.iter().map(|&e| model.topology.edges[e]).collect(),
            lengths,
            mobility: driven.iter().map(|&held| if held { 0.0 } else { 1.0 }).collect(),
            stride: STRIDE * mean,
        }
    }

    /// Draws every edge to its length, one after the other.
    fn draw(&self, x: &mut [DVec3]) {
        for (edge, &length) in self.edges.iter().zip(&self.lengths) {
            let [a, b] = edge.map(|v| v as usize);
            let mobility = self.mobility[a] + self.mobility[b];
            let way = x[b] - x[a];
            let is = way.length();
            if mobility > 0.0 && is > 0.0 {
                let change = way * ((is - length) / (is * mobility));
                x[a] += change * self.mobility[a];
                x[b] -= change * self.mobility[b];
            }
        }
    }

    /// Moves the vertices of pairs that are too near apart.
    fn part(&self, near: &[Near], crossing: &[bool], x: &mut [DVec3]) {
        for pair in near.iter().filter(|pair| !pair.vertices.iter().any(|&v| crossing[v as usize])) {
            let Some(contact) = pair.contact(x, x, 0.0) else { continue };
            let lacking = AIM * TARGET * pair.range - contact.gap(x);
            let vertices = pair.vertices.map(|v| v as usize);
            let give: f64 = vertices.iter().zip(contact.weights).map(|(&v, w)| w * w * self.mobility[v]).sum();
            if lacking > 0.0 && give > 0.0 {
                for (&v, w) in vertices.iter().zip(contact.weights) {
                    x[v] += contact.normal * (lacking / give * w * self.mobility[v]);
                }
            }
        }
    }
}

impl Simulation {
    /// Pushes the start apart; `belongs` are the cloths that are to stay inside obstacles.
    pub(super) fn untangle(&mut self, stage: &mut ContactStage, belongs: &[String]) -> Result<(), SimError> {
        self.refuse_pins_inside(stage, belongs)?;
        let cloth = Cloth::new(&self.model, &stage.around.driven);
        let mut x = self.state.positions.clone();
        let mut ways = Ways::new(&self.model, &cloth.edges);
        let (mut strides, mut taken_out): (usize, Vec<(Enclosed, f64)>) = (0, Vec::new());
        let left = loop {
            let found = stage.finder.find(&x, &x).map_err(|source| SimError::Search { time: 0.0, source })?;
            let mut near = found.near;
            stage.around.leave_out_exempt([&self.state.exemptions, &stage.pinched], &mut near);
            let mut left = faults(stage, &self.model, &near, &x)?;
            self.leave_out_known(&mut left);
            if left.is_empty() {
                let Some(piece) = self.enclosed(belongs, &x).into_iter().next() else { break left };
                // What comes back once it was taken out would do so for ever.
                if taken_out.iter().any(|(before, _)| before.vertices == piece.vertices) {
                    break self.faults_of_enclosed(&[piece]);
                }
                let way = self.take_out(stage, &piece, &ways, &mut x)?;
                taken_out.push((piece, way.length));
                continue;
            }
            if strides == MOST_STRIDES {
                break left;
            }
            strides += 1;
            self.stride(&cloth, belongs, (&left, &near), &mut ways, &mut x);
        };
        if !left.is_empty() {
            let (pairs, what) = (left.len(), left[0].describe(&self.model));
            return Err(SimError::StillTangled { strides, pairs, what });
        }
        let moved = x.iter().zip(&self.state.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        self.state.previous_positions.clone_from(&x);
        self.state.positions = x;
        let stretch = crate::report::largest_strain(&self.model, &self.state).stretch;
        for (piece, way) in taken_out {
            let [cloth, obstacle] = [piece.cloth, piece.obstacle].map(|b| &self.model.bodies[b]);
            self.warnings.add(format!(
                "`{}` started inside `{}`, with its vertex {} and all that hangs together with it, and was moved out by {way:.4} m",
                cloth.name,
                obstacle.name,
                piece.vertices[0] as usize - cloth.vertices.start
            ));
        }
        self.warnings.add(format!(
            "the start was untangled in {strides} strides: vertices moved by up to {moved:.4} m, which leaves a strain of \
             {:.1} %",
            100.0 * stretch
        ));
        Ok(())
    }

    /// One stride, for what is left and what is near.
    fn stride(
        &self,
        cloth: &Cloth,
        belongs: &[String],
        (left, near): (&[StartFault], &[Near]),
        ways: &mut Ways,
        x: &mut [DVec3],
    ) {
        let (model, crossings) = (&self.model, left.iter().filter(|f| f.kind == StartFaultKind::Crossing));
        let crossings: Vec<&StartFault> = crossings.collect();
        let mut crossing = vec![false; x.len()];
        crossings.iter().flat_map(|f| f.sides.iter().flatten()).for_each(|&v| crossing[v as usize] = true);
        let mut push = vec![DVec3::ZERO; x.len()];
        let mut solved = Vec::new();
        for b in obstacles_of(model, &crossings) {
            let gravity = model.environment.gravity;
            let stays = |v: usize| !belongs.is_empty() && belongs.contains(&model.body_of_vertex(v).name);
            let leaves = |v: usize| !stays(v) && is_inside(x[v], model, &model.bodies[b], x);
            if ways.push_out(b, &leaves, gravity, x, &mut push) || ways.push_to_side(b, gravity, x, &mut push) {
                solved.push(b as u32);
            }
        }
        let rest = crossings.iter().filter(|f| !f.bodies.iter().any(|b| solved.contains(b)));
        let rest: Vec<[[u32; 3]; 2]> = rest
            .flat_map(|fault| {
                let sides: [[u32; 3]; 2] = std::array::from_fn(|k| std::array::from_fn(|l| fault.sides[k][l]));
                [sides, [sides[1], sides[0]]]
            })
            .collect();
        let is_cloth = |piercing: &Piercing| (piercing.edge[0] as usize) < model.cloth_vertices().end;
        let pierced: Vec<[u32; 2]> =
            rest.iter().flat_map(|&sides| piercings(sides, x)).filter(is_cloth).map(|piercing| piercing.edge).collect();
        if !ways.push_back(&pierced, x, &mut push) {
            rest.iter().for_each(|&sides| shorten(sides, x, &mut push));
        }
        for (v, push) in push.iter().enumerate() {
            x[v] += push.clamp_length_max(1.0) * (cloth.stride * cloth.mobility[v]);
        }
        cloth.part(near, &crossing, x);
        (0..SWEEPS).for_each(|_| cloth.draw(x));
    }
}

/// Obstacles with crossings, ascending.
fn obstacles_of(model: &Model, crossings: &[&StartFault]) -> Vec<usize> {
    let mut bodies: Vec<usize> = crossings.iter().flat_map(|f| f.bodies).map(|b| b as usize).collect();
    bodies.retain(|&b| model.bodies[b].kind == BodyKind::Obstacle);
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// An edge of a triangle that goes through another one.
struct Piercing {
    edge: [u32; 2],
    /// The first triangle's third corner.
    opposite: u32,
    /// Where on the edge [-].
    part: f64,
    /// Weights of the corners of the second triangle [-].
    weights: [f64; 3],
}

/// The edges of the first triangle that go through the second.
fn piercings([own, face]: [[u32; 3]; 2], x: &[DVec3]) -> Vec<Piercing> {
    let at = |v: u32| x[v as usize];
    let [a, b, c] = face.map(at);
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let mut found = Vec::new();
    for k in 0..3 {
        let [p, q, opposite] = [own[k], own[(k + 1) % 3], own[(k + 2) % 3]];
        let [hp, hq] = [p, q].map(|v| normal.dot(at(v) - a));
        if (hp > 0.0) == (hq > 0.0) || area == 0.0 {
            continue;
        }
        let part = hp / (hp - hq);
        let point = at(p) + (at(q) - at(p)) * part;
        let weights = [(b - point).cross(c - point), (c - point).cross(a - point), (a - point).cross(b - point)];
        let weights = weights.map(|w| normal.dot(w) / area);
        if weights.iter().all(|w| *w >= 0.0) {
            found.push(Piercing { edge: [p, q], opposite, part, weights });
        }
    }
    found
}

/// Pushes the edges of the first triangle that go through the second, and the second, so that the line along which they
/// cross gets shorter.
fn shorten([own, face]: [[u32; 3]; 2], x: &[DVec3], push: &mut [DVec3]) {
    let at = |v: u32| x[v as usize];
    let across = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a));
    let Some(normal) = across(face).try_normalize() else { return };
    let Some(line) = across(own).cross(normal).try_normalize() else { return };
    for Piercing { edge: [p, q], opposite, part, weights } in piercings([own, face], x) {
        let Some(along) = (at(q) - at(p)).try_normalize() else { continue };
        let into = at(opposite) - at(p);
        let inwards = (into - along * along.dot(into)).dot(line);
        let into = if inwards < 0.0 { -line } else { line };
        let steep = (along.dot(into) / along.dot(normal)).clamp(-STEEPEST, STEEPEST);
        let way = into - normal * steep;
        push[p as usize] += way * (1.0 - part);
        push[q as usize] += way * part;
        for (v, w) in face.into_iter().zip(weights) {
            push[v as usize] -= way * w;
        }
    }
}
