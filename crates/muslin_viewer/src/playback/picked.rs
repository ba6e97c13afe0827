//! The numbers of what a page has picked in a recording, as far as the run wrote what they follow from.

use super::{run::Run, taken};
use crate::hinge::{OTHER_MODEL, Picked, bending};
use glam::DVec3;
use muslin::{
    dynamics::forces::CurvatureProbe,
    measure::Measure,
    model::{Model, topology::NONE},
    recorded::{self, RecordedBending},
};
use serde_json::{Value, json};
use std::sync::Mutex;

/// Points of a loop over all frames; of longer recordings every second frame, or fewer.
const MOST_POINTS: usize = 300;
/// Most triangles that are measured for a loop, over all its frames: a second or two.
const MOST_WORK: usize = 40_000_000;

const NO_FABRIC: &str = "Mass and moment need the fabric, which the run's report.json does not tell as one per cloth.";
const NO_MEMORY: &str =
    "Bending with a memory was not recorded, and curvatures do not tell its moments; run with --format npz,vtk.";
const NO_PATTERN: &str =
    "Strain, shear and curvature need pattern coordinates, which this recording lacks; record as npz.";

impl Run {
    /// The number of the cloth that a vertex belongs to.
    fn cloth_of(&self, vertex: u32) -> Option<usize> {
        let (model, _) = self.measured.as_ref()?;
        model.bodies.iter().position(|body| body.vertices.contains(&(vertex as usize)))
    }

    /// Why the moment of a hinge is not known; `None` if it is.
    fn unbent(&self, vertex: u32) -> Option<&'static str> {
        let Some(cloth) = self.cloth_of(vertex) else { return Some(NO_PATTERN) };
        match self.cloths.get(cloth) {
            Some(cloth) if cloth.bending == RecordedBending::Other => Some(OTHER_MODEL),
            Some(cloth) if cloth.bending == RecordedBending::Remembering => {
                (!self.tells(Measure::Residual)).then_some(NO_MEMORY)
            }
            Some(cloth) if cloth.material.is_some() => None,
            _ => Some(NO_FABRIC),
        }
    }

    /// Whether the bending of a vertex's cloth has a memory.
    fn remembers(&self, vertex: u32) -> bool {
        let cloth = self.cloth_of(vertex).and_then(|cloth| self.cloths.get(cloth));
        cloth.is_some_and(|cloth| cloth.bending == RecordedBending::Remembering)
    }

    /// The numbers of a vertex at a frame, and of the hinge beside it; the error says why there are none.
    pub fn numbers(&mut self, picked: Picked, frame: usize) -> Result<Value, String> {
        self.read(frame)?;
        let cast = self.recording.cast();
        let (rate, v) = (cast.frames_per_second, picked.vertex as usize);
        let unknown = || format!("there is no vertex {v}");
        let body = cast.bodies.iter().find(|body| body.vertices.contains(&v)).ok_or_else(unknown)?;
        let mut numbers = json!({
            "vertex": v, "body": body.name, "number": v - body.vertices.start, "frame": frame,
            "position": self.positions.get(v).ok_or_else(unknown)?.to_array(), "time": frame as f64 / rate,
        });
        let mut notes: Vec<String> = Vec::new();
        self.find_velocities(frame, rate)?;
        numbers["velocity"] = json!(self.velocities[v].to_array());
        let fabric = self.cloth_of(picked.vertex).and_then(|cloth| self.cloths.get(cloth)?.material.as_ref());
        let knows_fabric = fabric.is_some();
        match &mut self.measured {
            Some((model, gauge)) => {
                for measure in [Measure::Strain, Measure::Shear, Measure::Curvature] {
                    gauge.measure(measure, model, &self.positions, &self.velocities);
                    if let Some(value) = gauge.values.get(v) {
                        numbers[measure.name()] = (*value).into();
                    }
                }
                match model.masses.get(v).filter(|_| knows_fabric) {
                    Some(mass) => numbers["mass"] = (*mass).into(),
                    None => notes.push(NO_FABRIC.into()),
                }
            }
            None => notes.push(NO_PATTERN.into()),
        }
        if let Some(told) = self.told.as_ref().filter(|told| told.tells(Measure::Residual)) {
            let mut angles = Vec::new();
            told.read(Measure::Residual, frame, &mut angles).map_err(|error| error.to_string())?;
            angles.get(v).into_iter().for_each(|angle| numbers[Measure::Residual.name()] = (*angle).into());
        }
        match self.told.as_ref().filter(|told| told.tells(Measure::Gap)) {
            Some(contacts) => {
                let (mut gaps, mut states) = (Vec::new(), Vec::new());
                contacts.read(Measure::Gap, frame, &mut gaps).map_err(|error| error.to_string())?;
                contacts.read(Measure::Friction, frame, &mut states).map_err(|error| error.to_string())?;
                let gap = gaps.get(v).filter(|gap| gap.is_finite());
                numbers["contact"] = json!({ "gap": gap, "slips": states.get(v).is_some_and(|state| *state > 0.75) });
            }
            None => notes.push(format!("Contacts were not recorded; run with --format {}.", recorded::FORMATS)),
        }
        if let Some(why) =
            picked.other.and_then(|_| self.unbent(picked.vertex)).filter(|why| *why == OTHER_MODEL || *why == NO_MEMORY)
        {
            notes.push(why.into());
        }
        numbers["notes"] = notes.into();
        Ok(numbers)
    }
}

/// How a hinge is bent in all frames: times [s], curvatures [1/m] and moments per length [N]. Of these there are none where
/// the edge is a border, or where the fabric is not known. The run is taken frame by frame: other pages go on.
pub fn whole_loop(run: &Mutex<Run>, ends: [u32; 2]) -> Result<Value, String> {
    let (model, frames, rate, why, remembers) = {
        let run = taken(run);
        let cast = run.recording.cast();
        let Some((model, _)) = &run.measured else { return Ok(json!({ "note": NO_PATTERN })) };
        (model.clone(), cast.frames, cast.frames_per_second, run.unbent(ends[0]), run.remembers(ends[0]))
    };
    if let Some(why) = why {
        return Ok(json!({ "note": why }));
    }
    if remembers {
        return recorded_loop(run, &model, ends);
    }
    let most = MOST_POINTS.min(MOST_WORK / (2 * model.mesh.triangles.len().max(1))).max(2);
    let stride = frames.div_ceil(most).max(1);
    let probe = CurvatureProbe::new(&model);
    let (mut now, mut before): (Vec<DVec3>, Vec<DVec3>) = (Vec::new(), Vec::new());
    let (mut times, mut curvatures, mut moments) = (Vec::new(), Vec::new(), Vec::new());
    for frame in (0..=frames).step_by(stride) {
        {
            let mut run = taken(run);
            run.read(frame.saturating_sub(1))?;
            probe.measure(&run.positions, &mut before);
            run.read(frame)?;
            probe.measure(&run.positions, &mut now);
        }
        before.iter_mut().zip(&now).for_each(|(then, now)| *then = (*now - *then) * rate);
        let Some(bent) = bending(&model, ends, &now, &before) else { return Ok(json!({})) };
        times.push(frame as f64 / rate);
        curvatures.push(bent.curvature);
        moments.push(bent.moment);
    }
    Ok(json!({ "time": times, "curvature": curvatures, "moment": moments }))
}

/// The loop of a hinge that remembers, as the run wrote it.
fn recorded_loop(run: &Mutex<Run>, model: &Model, ends: [u32; 2]) -> Result<Value, String> {
    let topology = &model.topology;
    let edge = topology.edges.iter().position(|e| *e == ends || *e == [ends[1], ends[0]]);
    let Some(edge) = edge.filter(|edge| !topology.edge_triangles[*edge].contains(&NONE)) else { return Ok(json!({})) };
    let face = topology.edge_triangles[edge][0] as usize;
    let side = topology.triangle_edges[face].iter().position(|e| *e as usize == edge).unwrap_or(0);
    let (frames, rate) = {
        let run = taken(run);
        (run.recording.cast().frames, run.recording.cast().frames_per_second)
    };
    // Two arrays of three numbers per triangle are read of each frame, with all others of its file.
    let most = MOST_POINTS.min(MOST_WORK / (20 * model.mesh.triangles.len().max(1))).max(2);
    let (mut times, mut curvatures, mut moments) = (Vec::new(), Vec::new(), Vec::new());
    for frame in (0..=frames).step_by(frames.div_ceil(most).max(1)) {
        let run = taken(run);
        let bent = run.told.as_ref().map(|told| told.hinge(frame, face, side)).transpose();
        let Some([curvature, moment]) = bent.map_err(|error| error.to_string())?.flatten() else {
            return Ok(json!({}));
        };
        times.push(frame as f64 / rate);
        curvatures.push(curvature);
        moments.push(moment);
    }
    Ok(json!({ "time": times, "curvature": curvatures, "moment": moments }))
}
