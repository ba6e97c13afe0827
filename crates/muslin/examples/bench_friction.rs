//! What friction's laws cost: W table 7.2, for the three ways to handle them.
//!
//! Rewrites `bench/friction.md`. Times are CPU seconds on one thread, best of several rounds that take turns.

use muslin::{
    load,
    model::parallel,
    sim::{Simulation, Stage},
};
use std::{error::Error, fmt::Write, fs, path::Path};

/// The law with all terms may take this many times as long as Coulomb's [-].
const LIMIT: f64 = 1.5;
/// Rounds of which the best counts.
const ROUNDS: usize = 2;
/// No friction, and W's laws.
const LAWS: [&str; 5] = ["none", "coulomb", "stiction", "stribeck", "viscous"];
/// W's own seconds for the same.
const THESIS: [f64; 5] = [0.71, 0.86, 0.90, 1.16, 1.19];
/// The ways: their names, settings and which stages respond to contact.
const WAYS: [(&str, &[&str], &[Stage]); 3] = [
    ("`bridson` (Respond), 1/240 s", &["method=bridson", "step=1/240"], &[Stage::Respond]),
    (
        "`constraints` (Integrate and Respond), 1/240 s",
        &["method=constraints", "integrator=baraff-witkin", "step=1/240"],
        &[Stage::Integrate, Stage::Respond],
    ),
    ("`implicit` (Integrate and Respond), 1/60 s", &[], &[Stage::Integrate, Stage::Respond]),
];

/// CPU seconds that a sheet on the incline takes to respond [s], and the part of all its time that is [-].
fn measure(settings: &[&str], law: &str, stages: &[Stage]) -> Result<[f64; 2], String> {
    let mut all: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    all.extend(["resolution=20".into(), "duration=0.6".into()]);
    if law == "none" {
        all.extend(["settings.contact.friction_object=0".into(), "settings.contact.friction_cloth=0".into()]);
    } else {
        all.push(format!("law={law}"));
    }
    let scene = load("w-7-incline", &all).map_err(|error| error.to_string())?.scene;
    let mut simulation = Simulation::new(&scene).map_err(|error| error.to_string())?;
    while simulation.frame() < simulation.frames() {
        simulation.next_frame().map_err(|error| error.to_string())?;
    }
    let tally = simulation.tally();
    let time = stages.iter().map(|&stage| tally.stages[stage as usize].cpu_seconds).sum::<f64>();
    Ok([time, time / tally.stages.iter().map(|cost| cost.cpu_seconds).sum::<f64>()])
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut page = String::from(
        "# Friction\n\n`cargo xtask bench friction` renews this page.\n\n## W table 7.2\n\nSeconds of CPU time in which contact is responded to, \
         of `w-7-incline` (20 × 20 vertices, 0.6 s: the sheet falls onto the incline and folds), one thread, best of two rounds that take turns. Each \
         law has its own motion, so that some of a difference is that of other folds. W's times are for 5 s of the same scene at 1 ms and 8.1 thousand \
         triangles.\n\n| | no friction | C | CS | CSS | CSSV | CSSV over C | part of all time |\n|---|---|---|---|---|---|---|---|\n",
    );
    let thesis: Vec<String> = THESIS.iter().map(|time| format!("{time:.2}")).collect();
    writeln!(page, "| W | {} | {:.2} | below 0.08 |", thesis.join(" | "), THESIS[4] / THESIS[1])?;
    let mut worst = 0.0f64;
    for (name, settings, stages) in WAYS {
        let mut best = [[f64::INFINITY, 0.0]; 5];
        for _ in 0..ROUNDS {
            for (time, law) in best.iter_mut().zip(LAWS) {
                let found = parallel::with_threads(1, || measure(settings, law, stages))?;
                if found[0] < time[0] {
                    *time = found;
                }
            }
        }
        let ratio = best[4][0] / best[1][0];
        worst = worst.max(ratio);
        let times: Vec<String> = best.iter().map(|time| format!("{:.3}", time[0])).collect();
        let row = format!("| {name} | {} | {ratio:.2} | {:.2} |", times.join(" | "), best[4][1]);
        println!("{row}");
        writeln!(page, "{row}")?;
    }
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/friction.md"), page)?;
    if worst > LIMIT {
        return Err(format!("friction with all terms takes {worst:.2} times as long as Coulomb's").into());
    }
    Ok(())
}
