//! What whole runs with contact cost: CPU seconds per simulated second on one thread, and how much sooner two threads are done.
//!
//! Rewrites `bench/contact-cost.md`. A run is what `muslin run` does: simulating, writing frames, judging every frame and, from the
//! files, once more, and drawing the picture. Runs on one and on two threads take turns, and the best of each counts.

use muslin::{Outcome, RunOptions, load, run, sim::report::cpu_seconds};
use std::{error::Error, fmt::Write, fs, path::Path, time::Instant};

/// Scene, vertices along a side, what Blender 5.0.1 took on a machine of the same kind, the limit [CPU s per simulated s], and what
/// Blender left behind.
const RUNS: [(&str, usize, f64, f64, &str); 3] =
    [("drape", 50, 36.0, 3.6, "–"), ("drape", 100, 116.0, 11.6, "–"), ("twist", 100, 85.0, 8.5, "10,041 crossings")];

/// Times that each is run.
const ROUNDS: usize = 2;

/// The run on which two threads are to be so many times as fast as one [-].
const TWO_THREADS: (&str, usize, f64) = ("drape", 100, 1.6);

/// What a run took.
#[derive(Clone, Copy)]
struct Cost {
    /// Processor and wall-clock time per simulated second [-].
    cpu: f64,
    wall: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut page = String::from(
        "# What contact costs\n\n\
         `cargo xtask bench contact_cost` renews this page: whole runs (simulating, writing, judging every frame and once more from the files, the\n\
         picture), one and two threads in turn, the best of two. Blender's times are those of the rivals' measurements, on a machine of the same kind but on another\n\
         day; the machines differ by a third among themselves, so that the last columns are an order of magnitude and not a race. The two threads are measured in one run.\n\n\
         | scene | CPU s per simulated s | limit | Blender 5.0.1, cotton | Blender over this | left behind by Blender | crossings here | largest strain | wall s on one thread | on two | two threads are faster by |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut missed = Vec::new();
    for (scene, side, blender, limit, left) in RUNS {
        let mut best = [Cost { cpu: f64::INFINITY, wall: f64::INFINITY }; 2];
        let mut hashes = Vec::new();
        let (mut crossings, mut strain) = (0, 0.0);
        for _ in 0..ROUNDS {
            for (threads, best) in [1, 2].into_iter().zip(&mut best) {
                let loaded = load(scene, &[format!("resolution={side}")])?;
                let folder = std::env::temp_dir().join(format!("muslin-contact-cost-{}", std::process::id()));
                let options = RunOptions { out: Some(folder.clone()), threads: Some(threads), ..RunOptions::default() };
                let (wall, cpu) = (Instant::now(), cpu_seconds());
                let result = run(&loaded.scene, &options, &mut ());
                let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu_seconds() - cpu);
                let result = result.inspect_err(|_| _ = fs::remove_dir_all(&folder))?;
                fs::remove_dir_all(&folder)?;
                let report = &result.report;
                if report.outcome != Outcome::Completed || report.clean != Some(true) {
                    return Err(format!("{scene} at {side} is not clean or did not come to its end").into());
                }
                let seconds = report.simulated_seconds;
                best.cpu = best.cpu.min(cpu / seconds);
                best.wall = best.wall.min(wall / seconds);
                hashes.push(report.state_hash.clone());
                crossings += report.crossings.unwrap_or(0) + report.written_crossings.unwrap_or(0);
                strain = report.max_strain;
            }
        }
        if hashes.iter().any(|hash| *hash != hashes[0]) {
            return Err(format!("{scene} at {side} ends elsewhere on two threads than on one").into());
        }
        let ratio = best[0].wall / best[1].wall;
        writeln!(
            page,
            "| {scene} {side} | {:.2} | {limit} | {blender} | {:.0} | {left} | {crossings} | {:.1} % | {:.2} | {:.2} | {ratio:.2} |",
            best[0].cpu,
            blender / best[0].cpu,
            100.0 * strain,
            best[0].wall,
            best[1].wall,
        )?;
        println!("{scene} {side}: {:.2} CPU s per s, two threads {ratio:.2}", best[0].cpu);
        if best[0].cpu > limit {
            missed.push(format!("{scene} {side} takes {:.2} CPU s per simulated s, more than {limit}", best[0].cpu));
        }
        if (scene, side) == (TWO_THREADS.0, TWO_THREADS.1) && ratio < TWO_THREADS.2 {
            missed.push(format!(
                "two threads are {ratio:.2} times as fast on {scene} {side}, less than {}",
                TWO_THREADS.2
            ));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/contact-cost.md");
    fs::write(path, page)?;
    if missed.is_empty() { Ok(()) } else { Err(missed.join("; ").into()) }
}
