//! Drive: where pins and obstacles are at the end of the step.

use crate::simulation::Simulation;
use glam::{DMat3, DVec3};
use muslin_model::Hold;

/// One hold of a vertex.
pub(crate) struct Held {
    vertex: u32,
    /// Its place in the scene's list of holds.
    order: u32,
    free: DMat3,
    target: DVec3,
    velocities: Option<[DVec3; 2]>,
}

impl Simulation {
    /// Sets the constraints' targets and the obstacles' end positions.
    pub(crate) fn drive(&mut self, end: f64) {
        let start = self.state.time;
        let constraints = &mut self.constraints;
        constraints.vertices.clear();
        constraints.free.clear();
        constraints.targets.clear();
        constraints.velocities.clear();
        let held = &mut self.held;
        held.clear();
        // Hands first: they win against the scene's pins.
        for &(v, target) in &self.hands.held {
            let vertex = self.system.solver_from_model[v as usize];
            held.push(Held { vertex, order: held.len() as u32, free: DMat3::ZERO, target, velocities: None });
        }
        let (freed, cut) = (&self.hands.freed, &self.hands.cut);
        for (number, pin) in self.model.pins.iter().enumerate() {
            // Soft pins are a force.
            if end > pin.release || cut.contains(&number) || pin.hold != Hold::Exact {
                continue;
            }
            for &v in pin.vertices.iter().filter(|v| freed.binary_search(v).is_err()) {
                let rest = self.model.mesh.positions[v as usize];
                let (target, velocities) = (pin.target(rest, end), pin.velocities(rest, [start, end]));
                let vertex = self.system.solver_from_model[v as usize];
                let (order, free) = (held.len() as u32, DMat3::IDENTITY - pin.held);
                held.push(Held { vertex, order, free, target, velocities });
            }
        }
        // A vertex in several pins obeys the first that the scene lists.
        held.sort_unstable_by_key(|h| (h.vertex, h.order));
        held.dedup_by_key(|h| h.vertex);
        constraints.vertices.extend(held.iter().map(|h| h.vertex));
        constraints.free.extend(held.iter().map(|h| h.free));
        constraints.targets.extend(held.iter().map(|h| h.target));
        constraints.velocities.extend(held.iter().map(|h| h.velocities));
        self.obstacles_end.clone_from(&self.state.positions);
        self.model.place_obstacles(end, &mut self.obstacles_end);
    }
}
