//! Drive: where pins and obstacles are at the end of the step.

use crate::simulation::Simulation;
use glam::DMat3;

impl Simulation {
    /// Sets the constraints' targets and the obstacles' end positions.
    pub(crate) fn drive(&mut self, end: f64) {
        let constraints = &mut self.constraints;
        constraints.vertices.clear();
        constraints.free.clear();
        constraints.targets.clear();
        let mut held: Vec<(u32, DMat3, glam::DVec3)> = Vec::new();
        for pin in self.model.pins.iter().filter(|pin| end <= pin.release) {
            for &v in &pin.vertices {
                let target = pin.target(self.model.mesh.positions[v as usize], end);
                held.push((self.system.solver_from_model[v as usize], DMat3::IDENTITY - pin.held, target));
            }
        }
        // A vertex in several pins obeys the first that the scene lists.
        held.sort_by_key(|h| h.0);
        held.dedup_by_key(|h| h.0);
        for (vertex, free, target) in held {
            constraints.vertices.push(vertex);
            constraints.free.push(free);
            constraints.targets.push(target);
        }
        self.obstacles_end.clone_from(&self.state.positions);
        self.model.place_obstacles(end, &mut self.obstacles_end);
    }
}
