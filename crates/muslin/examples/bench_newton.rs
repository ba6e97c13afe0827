//! How much work the non-linear solve of a step takes in cloth that hangs, swings, flaps, buckles and is wrung.
//!
//! Runs built-in scenes on one thread and rewrites the table of `bench/newton.md`, between its two marks; the text
//! around it is kept.

use muslin::{RunOptions, load, run};
use std::{error::Error, fmt::Write, fs, path::Path};

/// Scene, settings, frames.
const RUNS: [(&str, &[&str], usize); 6] = [
    ("hang", &["resolution=100"], 120),
    ("swing", &["settings.contact.method=none"], 180),
    ("flag", &["settings.contact.method=none"], 180),
    ("curtain", &["settings.contact.method=none"], 240),
    ("laundry", &["settings.contact.method=none"], 180),
    ("twist", &["resolution=50", "settings.integrator=backward-euler", "settings.contact.method=none"], 120),
];
/// The lines between which the table stands.
const BEGIN: &str = "<!-- begin: cargo xtask bench newton -->\n";
const END: &str = "<!-- end -->";

fn main() -> Result<(), Box<dyn Error>> {
    let mut table = String::from(
        "| scene | vertices | steps | rejected | Newton iterations | most in a step | CG iterations | evaluations | worst \
         residual | CPU s per s |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, settings, frames) in RUNS {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        let scene = load(name, &settings)?.scene;
        let directory = tempfile::tempdir()?;
        let out = Some(directory.path().join(name));
        let options =
            RunOptions { out, frames: Some(frames), threads: Some(1), formats: Vec::new(), ..Default::default() };
        let result = run(&scene, &options, &mut ())?;
        if let Some(failure) = result.failure {
            return Err(format!("{name}: {failure}").into());
        }
        let r = result.report;
        let row = format!(
            "| {name} {} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {:.2} |",
            settings.join(" "),
            r.cloth_vertices,
            r.steps,
            r.rejected_steps,
            r.newton_iterations,
            r.most_newton_iterations,
            r.pcg_iterations,
            r.force_evaluations,
            r.worst_residual,
            r.cpu_seconds / r.simulated_seconds,
        );
        println!("{row}");
        writeln!(table, "{row}")?;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/newton.md");
    let page = fs::read_to_string(&path)?;
    let (head, rest) = page.split_once(BEGIN).ok_or("bench/newton.md has lost the mark before its table")?;
    let (_, tail) = rest.split_once(END).ok_or("bench/newton.md has lost the mark after its table")?;
    fs::write(&path, format!("{head}{BEGIN}{table}{END}{tail}"))?;
    Ok(())
}
