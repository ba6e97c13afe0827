//! What the report says of pinches.

use muslin_sim::Simulation;
use serde::Serialize;
use std::collections::BTreeMap;

/// A time during which obstacles or pins left cloth no room.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PinchReport {
    /// When it began [s].
    pub time: f64,
    /// When all its pairs were apart again [s]; null if they never were.
    pub end: Option<f64>,
    /// Vertices in its pairs, by cloth, in the cloth's own numbers.
    pub vertices: BTreeMap<String, Vec<usize>>,
    /// What moved: obstacles, and cloths by their pins.
    pub obstacles: Vec<String>,
}

/// The pinches of a run so far.
pub(crate) fn pinches(simulation: &Simulation) -> Vec<PinchReport> {
    let model = simulation.model();
    let report = |pinch: &muslin_sim::Pinch| {
        let mut vertices: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for &v in &pinch.vertices {
            let body = model.body_of_vertex(v as usize);
            vertices.entry(body.name.clone()).or_default().push(v as usize - body.vertices.start);
        }
        let obstacles = pinch.bodies.iter().map(|&b| model.bodies[b as usize].name.clone()).collect();
        PinchReport { time: pinch.time, end: Some(pinch.end).filter(|end| end.is_finite()), vertices, obstacles }
    };
    simulation.tally().pinches.iter().map(report).collect()
}
