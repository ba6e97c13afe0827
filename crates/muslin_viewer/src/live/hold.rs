//! What the pages' hands hold: soft grabs, pins set by hand, pins let go.

use crate::message::MOST_GRABS;
use glam::DVec3;
use muslin::{
    dynamics::forces::PullPoint,
    model::Model,
    sim::{Hands, Simulation},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A grab takes the vertices within this part of the cloth's size [-]: a fingertip on a towel.
const FINGERTIP: f64 = 0.03;
/// The weight of the cloth moves a grab this part of the cloth's size away from the hand [-].
const GIVE: f64 = 0.005;
/// Largest force of a hand, in weights of the cloth [-]: it can shake and stretch the cloth, not tear the scene apart.
const STRENGTH: f64 = 30.0;
/// Gravity for weights where the scene has none [m/s²].
const EARTH: f64 = 9.81;

/// A soft grab.
#[derive(Clone, Debug, PartialEq)]
struct Grab {
    vertex: u32,
    target: DVec3,
    /// The vertices pulled: number, place relative to the grabbed one when it was grabbed [m], weight [-].
    points: Vec<(u32, DVec3, f64)>,
    /// Spring constant [N/m] and largest force [N], of all points together.
    stiffness: f64,
    most_force: f64,
}

/// Everything that hands hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holds {
    grabs: BTreeMap<(u64, u32), Grab>,
    /// Pins set by hand: where each holds its vertex [m].
    pinned: BTreeMap<u32, DVec3>,
    /// Vertices let go from pins of the scene.
    freed: BTreeSet<u32>,
    /// Pins of the scene that were cut, and when [s].
    cut: BTreeMap<usize, f64>,
}

impl Holds {
    /// Takes hold; the error says why not.
    pub fn grab(&mut self, key: (u64, u32), vertex: u32, target: DVec3, sim: &Simulation) -> Result<(), String> {
        let (model, positions) = (sim.model(), &sim.state().positions);
        let body = cloth_of(model, vertex)?;
        if self.grabs.keys().filter(|other| other.0 == key.0).count() >= MOST_GRABS && !self.grabs.contains_key(&key) {
            return Err(format!("at most {MOST_GRABS} grabs at a time"));
        }
        let rest = &model.mesh.positions;
        let range = model.bodies[body].vertices.clone();
        let (low, high) =
            rest[range.clone()].iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let size = low.distance(high);
        // Neighbours in the rest shape: what lies close in a fold is not what a finger holds.
        let (centre, reach) = (rest[vertex as usize], FINGERTIP * size);
        let mut points: Vec<(u32, DVec3, f64)> = range
            .clone()
            .filter_map(|v| {
                let distance = rest[v].distance(centre);
                let weight = 1.0 - distance / reach;
                let near = v == vertex as usize || weight > 0.0;
                near.then(|| (v as u32, positions[v] - positions[vertex as usize], weight.max(0.1)))
            })
            .collect();
        let total: f64 = points.iter().map(|p| p.2).sum();
        points.iter_mut().for_each(|p| p.2 /= total);
        let gravity = model.environment.gravity.length();
        let gravity = if gravity > 0.0 { gravity } else { EARTH };
        let weight: f64 = model.masses[range].iter().sum::<f64>() * gravity;
        let (stiffness, most_force) = (weight / (GIVE * size), STRENGTH * weight);
        self.grabs.insert(key, Grab { vertex, target, points, stiffness, most_force });
        Ok(())
    }

    /// Pulls elsewhere.
    pub fn move_to(&mut self, key: (u64, u32), target: DVec3) -> Result<(), String> {
        self.grabs.get_mut(&key).map(|grab| grab.target = target).ok_or_else(|| "nothing is held by that number".into())
    }

    /// Lets go.
    pub fn release(&mut self, key: (u64, u32)) -> Result<(), String> {
        self.grabs.remove(&key).map(drop).ok_or_else(|| "nothing is held by that number".into())
    }

    /// Lets go whatever a page held.
    pub fn release_all_of(&mut self, client: u64) {
        self.grabs.retain(|key, _| key.0 != client);
    }

    /// Holds a vertex where it is.
    pub fn pin(&mut self, vertex: u32, sim: &Simulation) -> Result<(), String> {
        cloth_of(sim.model(), vertex)?;
        self.pinned.insert(vertex, sim.state().positions[vertex as usize]);
        self.freed.remove(&vertex);
        Ok(())
    }

    /// Lets a vertex go, whoever held it.
    pub fn unpin(&mut self, vertex: u32, model: &Model) -> Result<(), String> {
        cloth_of(model, vertex)?;
        let by_hand = self.pinned.remove(&vertex).is_some();
        let by_scene = model.pins.iter().any(|pin| pin.vertices.contains(&vertex));
        if by_scene {
            self.freed.insert(vertex);
        }
        if by_hand || by_scene { Ok(()) } else { Err(format!("vertex {vertex} is not held")) }
    }

    /// Cuts a pin of the scene.
    pub fn cut(&mut self, pin: usize, sim: &Simulation) -> Result<(), String> {
        if pin >= sim.model().pins.len() {
            return Err(format!("there is no pin {pin}"));
        }
        self.cut.entry(pin).or_insert(sim.state().time);
        Ok(())
    }

    /// What a simulation is to do with all this.
    pub fn hands(&self) -> Hands {
        let pulls = self.grabs.values().flat_map(|grab| {
            grab.points.iter().map(|&(vertex, offset, weight)| PullPoint {
                vertex,
                target: grab.target + offset,
                stiffness: grab.stiffness * weight,
                most_force: grab.most_force * weight,
            })
        });
        Hands {
            pulls: pulls.collect(),
            held: self.pinned.iter().map(|(v, p)| (*v, *p)).collect(),
            freed: self.freed.iter().copied().collect(),
            cut: self.cut.keys().copied().collect(),
        }
    }

    /// Pins set by hand.
    pub fn pinned(&self) -> impl Iterator<Item = u32> + '_ {
        self.pinned.keys().copied()
    }

    /// Vertices let go from pins of the scene.
    pub fn freed(&self) -> &BTreeSet<u32> {
        &self.freed
    }

    /// Pins that were cut, and when [s].
    pub fn cuts(&self) -> &BTreeMap<usize, f64> {
        &self.cut
    }

    /// Whether hands have changed anything that a saved scene would show.
    pub fn changes_the_scene(&self) -> bool {
        !(self.pinned.is_empty() && self.freed.is_empty() && self.cut.is_empty())
    }

    /// For the page: pins with their vertices now, and grabs.
    pub fn describe(&self, model: &Model, time: f64) -> Value {
        let pins = model.pins.iter().enumerate().map(|(number, pin)| {
            let body = pin.vertices.first().map_or("", |v| model.body_of_vertex(*v as usize).name.as_str());
            let gone = self.cut.contains_key(&number) || time >= pin.release;
            let held = pin.vertices.iter().filter(|v| !gone && !self.freed.contains(v) && !self.pinned.contains_key(v));
            json!({ "cloth": body, "vertices": held.collect::<Vec<_>>(), "cut": gone })
        });
        let grabs = self.grabs.iter().map(
            |(key, grab)| json!({ "client": key.0, "id": key.1, "vertex": grab.vertex, "target": grab.target.to_array() }),
        );
        json!({
            "pins": pins.collect::<Vec<_>>(), "held": self.pinned.keys().collect::<Vec<_>>(),
            "grabs": grabs.collect::<Vec<_>>(),
        })
    }
}

/// The number of the cloth that a vertex belongs to.
fn cloth_of(model: &Model, vertex: u32) -> Result<usize, String> {
    let found = model.bodies.iter().position(|body| body.vertices.contains(&(vertex as usize)));
    match found.filter(|_| model.cloth_vertices().contains(&(vertex as usize))) {
        Some(body) => Ok(body),
        None => Err(format!("vertex {vertex} is not one of a cloth")),
    }
}
