//! The numbers of what a page has picked in a live scene.

use super::show::Show;
use crate::hinge::{Bending, OTHER_MODEL, Picked, bending, remembered};
use muslin::{
    dynamics::forces::CurvatureProbe,
    measure::Measure,
    sim::{BendModel, Grip},
};
use serde_json::{Value, json};

impl Show {
    /// The numbers of what a page has picked.
    pub fn numbers(&mut self, picked: Picked) -> Option<Value> {
        let v = picked.vertex as usize;
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let (position, velocity) = (*self.positions.get(v)?, *state.velocities.get(v)?);
        let body = model.body_of_vertex(v);
        let mut numbers = json!({
            "type": "vertex", "vertex": picked.vertex, "body": body.name, "number": v - body.vertices.start,
            "position": position.to_array(), "velocity": velocity.to_array(), "mass": model.masses[v],
            "time": state.time,
        });
        for measure in [Measure::Strain, Measure::Shear, Measure::Curvature] {
            self.gauge.measure(measure, model, &self.positions, &state.velocities);
            if let Some(value) = self.gauge.values.get(v) {
                numbers[measure.name()] = (*value).into();
            }
        }
        if self.simulation.has_contact() {
            let own = || self.simulation.pressing_contacts().filter(|c| c.vertices.contains(&picked.vertex));
            let slips = own().any(|contact| contact.grip == Grip::Slips);
            let gap = own().map(|contact| contact.gap).reduce(f64::min);
            numbers["contact"] = json!({ "gap": gap, "slips": slips });
        }
        if Measure::told_by(&self.simulation).contains(&Measure::Residual) {
            self.gauge.measure_creases(&self.simulation);
            self.gauge.values.get(v).into_iter().for_each(|angle| numbers["residual"] = (*angle).into());
        }
        let bends = picked.other.and_then(|_| self.bend_of(picked.vertex).cloned());
        let hinge = match bends {
            Some(BendModel::Curvature) => picked.other.and_then(|other| self.hinge([picked.vertex, other])),
            Some(BendModel::Remembering { .. }) => {
                picked.other.and_then(|other| remembered(&self.simulation, [picked.vertex, other]))
            }
            // No hinge for the page, and why.
            Some(_) => {
                numbers["notes"] = json!([OTHER_MODEL]);
                None
            }
            None => None,
        };
        numbers["hinge"] = match hinge {
            Some(Bending { curvature, moment }) => json!({ "curvature": curvature, "moment": moment }),
            None => Value::Null,
        };
        Some(numbers)
    }

    /// How the cloth of a vertex bends.
    fn bend_of(&self, vertex: u32) -> Option<&BendModel> {
        let bodies = &self.simulation.model().bodies;
        let cloth = bodies.iter().position(|body| body.vertices.contains(&(vertex as usize)))?;
        Some(&self.scene.cloths.get(cloth)?.bend)
    }

    /// The bending of an edge of a cloth that bends by the default model.
    fn hinge(&mut self, ends: [u32; 2]) -> Option<Bending> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let probe = self.probe.get_or_insert_with(|| CurvatureProbe::new(model));
        let (mut now, mut before) = (Vec::new(), Vec::new());
        probe.measure(&state.positions, &mut now);
        probe.measure(&state.previous_positions, &mut before);
        let rate = if state.previous_step > 0.0 { 1.0 / state.previous_step } else { 0.0 };
        before.iter_mut().zip(&now).for_each(|(then, now)| *then = (*now - *then) * rate);
        bending(model, ends, &now, &before)
    }
}
