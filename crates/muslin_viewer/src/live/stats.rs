//! The numbers of the plots.

use muslin::sim::{Simulation, Stage, Tally, report::largest_strain};
use serde_json::{Value, json};

/// Names, groups and units of what [`of`] gives.
pub fn names() -> Value {
    let mut names = vec![
        json!({ "name": "kinetic", "group": "Energy", "unit": "J" }),
        json!({ "name": "elastic", "group": "Energy", "unit": "J" }),
        json!({ "name": "gravity", "group": "Energy", "unit": "J" }),
    ];
    names.extend(Stage::ALL.iter().map(|s| json!({ "name": s.name(), "group": "Stage cost", "unit": "ms" })));
    names.push(json!({ "name": "residual", "group": "Residual", "unit": "vertex weights" }));
    names.push(json!({ "name": "Newton", "group": "Iterations", "unit": "per step" }));
    names.push(json!({ "name": "strain", "group": "Largest strain", "unit": "%" }));
    names.push(json!({ "name": "near", "group": "Contacts", "unit": "-" }));
    names.push(json!({ "name": "pressing", "group": "Contacts", "unit": "-" }));
    names.push(json!({ "name": "solves", "group": "Contact rounds", "unit": "per frame" }));
    names.push(json!({ "name": "responses", "group": "Contact rounds", "unit": "per frame" }));
    names.push(json!({ "name": "crossings", "group": "Crossings so far", "unit": "-" }));
    names.into()
}

/// The numbers of a frame; `costs` are the seconds that its stages took, `before` what had been counted before it.
pub fn of(simulation: &Simulation, costs: &[f64], before: &Tally) -> Vec<f32> {
    let (energy, start) = (simulation.energy(), simulation.start_energy());
    // Gravity has no zero of its own; the start is as good as any, and keeps the curve in the picture.
    let mut stats = vec![energy.kinetic, energy.elastic, energy.gravity - start.gravity];
    stats.extend(costs.iter().map(|seconds| 1e3 * seconds));
    let last = simulation.last_outcome();
    stats.push(last.map_or(0.0, |outcome| outcome.worst_residual));
    stats.push(last.map_or(0.0, |outcome| outcome.newton_iterations as f64));
    stats.push(100.0 * largest_strain(simulation.model(), simulation.state()).stretch);
    let tally = simulation.tally();
    stats.push(simulation.near_pairs() as f64);
    stats.push(simulation.pressing_contacts().count() as f64);
    stats.push((tally.rounds - before.rounds) as f64);
    stats.push((tally.response_rounds - before.response_rounds) as f64);
    stats.push(tally.crossings as f64);
    stats.into_iter().map(|s| s as f32).collect()
}
