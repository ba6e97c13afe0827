//! `hang` at several resolutions, against its limits: `bench/hang.md` is written by this program, which fails where one is
//! missed.
//!
//! The first argument may name one resolution; then nothing is written.

use muslin::{Report, RunOptions, load, run};
use std::{error::Error, fmt::Write, fs, path::Path};

/// Vertices along a side and frames. The largest comes last, because the peak of the memory is that of the process.
const RUNS: [(usize, usize); 4] = [(50, 120), (100, 120), (200, 5), (500, 3)];
/// The size that strain and cost are judged at.
const JUDGED: usize = 100;
/// Largest stretch of warp and weft [-], CPU seconds per simulated second [-] and residual in vertex weights [-].
const MOST_STRAIN: f64 = 0.03;
const MOST_COST: f64 = 5.0;
const MOST_RESIDUAL: f64 = 0.01;
/// Where a second thread must not change a bit.
const SAME_BITS: usize = 200;
/// Memory of the largest run [B].
const MOST_MEMORY: u64 = 2_500_000_000;

const HEAD: &str = "\
# A hanging sheet

Written by `cargo xtask bench hang`, which fails where a limit is missed: 1 m² of woven cotton held at two corners, step
1/60 s, every step solved to a correction below 1e-4 edge lengths and a residual below 1 % of the mean weight of a vertex. One
thread; CPU seconds of stepping per simulated second. The limits: at 100 × 100 a strain below 3 % and at most 5 CPU s per s; at
200 × 200 the same bits on one and two threads; at 500 × 500 at most 2500 MB.

The sheet hangs in its plane, as in the rivals' scene, and nothing buckles; one that starts with waves of 0.1 mm (`perturbation`) costs
far more: 5 to 7 CPU s per s at 50 × 50, and over a thousand in the first frames at 100 × 100, where Newton's method needs tens of iterations
per step. With `settings.integrator = \"linear-backward-euler\"` the same sheet at 100 × 100 costs about 7.

| vertices | frames | CPU s per s | largest strain of warp and weft | worst residual | Newton iterations | CG iterations | peak MB |
|---|---|---|---|---|---|---|---|
";

fn hang(side: usize, frames: usize, threads: usize) -> Result<Report, Box<dyn Error>> {
    let scene = load("hang", &[format!("resolution={side}")])?.scene;
    let directory = tempfile::tempdir()?;
    let out = Some(directory.path().join("hang"));
    let options = RunOptions { out, frames: Some(frames), threads: Some(threads), ..Default::default() };
    let result = run(&scene, &options, &mut ())?;
    match result.failure {
        Some(failure) => Err(format!("{side}²: {failure}").into()),
        None => Ok(result.report),
    }
}

/// Largest memory of the process [B]; 0 where the system does not tell.
fn memory(r: &Report) -> u64 {
    r.peak_memory_bytes.unwrap_or(0)
}

/// What a run misses of the limits.
fn missed(side: usize, r: &Report) -> Vec<String> {
    let cost = r.cpu_seconds / r.simulated_seconds;
    let limits = [
        (side == JUDGED && !(r.max_strain < MOST_STRAIN), format!("the strain is {:.4}", r.max_strain)),
        (side == JUDGED && !(cost <= MOST_COST), format!("a second takes {cost:.2} CPU s")),
        (!(r.worst_residual <= MOST_RESIDUAL), format!("the residual is {:.4}", r.worst_residual)),
        (memory(r) > MOST_MEMORY, format!("the peak is {} bytes", memory(r))),
    ];
    limits.into_iter().filter(|(broken, _)| *broken).map(|(_, what)| format!("{side}²: {what}")).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let only: Option<usize> = std::env::args().nth(1).and_then(|side| side.parse().ok());
    let (mut table, mut faults) = (String::from(HEAD), Vec::new());
    for (side, frames) in RUNS.into_iter().filter(|(side, _)| only.is_none_or(|only| only == *side)) {
        let r = hang(side, frames, 1)?;
        let row = format!(
            "| {side} × {side} | {frames} | {:.2} | {:.2} % | {:.4} | {} | {} | {:.0} |",
            r.cpu_seconds / r.simulated_seconds,
            100.0 * r.max_strain,
            r.worst_residual,
            r.newton_iterations,
            r.pcg_iterations,
            memory(&r) as f64 / 1e6,
        );
        println!("{row}");
        writeln!(table, "{row}")?;
        faults.extend(missed(side, &r));
        if side == SAME_BITS && hang(side, frames, 2)?.state_hash != r.state_hash {
            faults.push(format!("{side}²: two threads give other bits"));
        }
    }
    if only.is_none() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/hang.md"), table)?;
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ").into()) }
}
