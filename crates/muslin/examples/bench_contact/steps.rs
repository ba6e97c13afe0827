//! I fig. 7 and 11: the same scenes at steps from 1/200 s to 1/20 s.

use crate::scene;
use muslin::{
    collision::{Surface, intersections_of},
    sim::Simulation,
};
use std::{error::Error, fmt::Write};

/// Scenes with their settings and frames.
const RUNS: [(&str, &[&str], usize); 2] = [("drape", &["resolution=20"], 60), ("twist", &["resolution=20"], 60)];

const METHODS: [&str; 2] = ["i-cloth", "implicit"];

pub fn table() -> Result<String, Box<dyn Error>> {
    let mut table = String::from(
        "| scene | method | step | crossings | steps taken | thrown away | response rounds | smallest gap over the thickness | lowest point | linear solves | CPU s |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, settings, frames) in RUNS {
        for method in METHODS {
            for step in ["1/200", "1/100", "1/50", "1/20"] {
                let [method_key, step_key] = [format!("settings.contact.method={method}"), format!("step={step}")];
                let settings = [settings, &[method_key.as_str(), step_key.as_str()]].concat();
                let mut simulation = Simulation::new(&scene(name, &settings)?)?;
                let mut crossings = 0;
                let mut failure = None;
                for _ in 0..frames {
                    let frame = match simulation.next_frame() {
                        Ok(frame) => frame,
                        Err(error) => {
                            failure = Some(error);
                            break;
                        }
                    };
                    let model = simulation.model();
                    let surface = Surface::new(frame.len(), &model.mesh.triangles)?;
                    let cloth = |t: u32| model.cloth_triangles().contains(&(t as usize));
                    crossings += intersections_of(&surface, &frame, cloth)?.len();
                }
                let (state, tally) = (simulation.state(), simulation.tally());
                let cloth = &state.positions[simulation.model().cloth_vertices()];
                let lowest = cloth.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
                writeln!(
                    table,
                    "| {name} | {method} | {step} | {crossings} | {} | {} | {} | {:.2} | {lowest:.4} | {} | {:.1}{} |",
                    state.steps,
                    tally.rejected_steps,
                    tally.response_rounds,
                    tally.min_gap / simulation.contact_range(),
                    tally.newton_iterations,
                    tally.stages.iter().map(|cost| cost.cpu_seconds).sum::<f64>(),
                    failure.map_or(String::new(), |error| format!("; ended at {:.3} s: {error}", state.time)),
                )?;
            }
        }
    }
    Ok(table)
}
