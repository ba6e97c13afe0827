//! Measures detection and writes `bench/collision.md`: against IPC Toolkit in the same run, on one and two
//! threads.
//!
//! `cargo xtask bench collision`. The public scenes lie in `../shared/data/ccd-scalable`; without them that part
//! is left out, loudly. The rival comes from the Python package `ipctk` in `target/venv-rivals`; without it the
//! ratios are left out. Each figure is the median of some runs with a fresh detector: order, tree, search, filter and all
//! times of impact.

mod rival;
mod scenes;

use muslin::collision::{DetectSettings, Detection, Detector, Sweep};
use muslin::model::parallel::with_threads;
use muslin::sim::report::cpu_seconds;
use scenes::Step;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// Runs of which the median is taken.
const RUNS: usize = 5;

/// Medians over the runs [ms].
struct Measured {
    wall: f64,
    cpu: f64,
    broad: f64,
    narrow: f64,
    found: Detection,
}

/// One run.
fn run(step: &Step, threads: usize, detector: &mut Detector) -> Measured {
    let sweep = Sweep::new(&step.surface, &step.start, &step.end).unwrap_or_else(|error| panic!("{error}"));
    with_threads(threads, || {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let found = detector.detect(&step.surface, &sweep, &DetectSettings::default());
        let (wall, cpu) = (1e3 * wall.elapsed().as_secs_f64(), 1e3 * (cpu_seconds() - cpu));
        let [broad, narrow] = [found.cost.broad, found.cost.narrow].map(|cost| 1e3 * cost.as_secs_f64());
        Measured { wall, cpu, broad, narrow, found }
    })
}

fn median(mut runs: Vec<Measured>) -> Measured {
    runs.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    let middle = runs.len() / 2;
    runs.swap_remove(middle)
}

/// Limits on cloth-ball, on a machine without other work: time on one thread [ms], gain of a second one [-], and how many times as
/// fast as the rival's best it is [-].
const MOST_MILLISECONDS: f64 = 390.0;
const LEAST_GAIN: f64 = 1.8;
const LEAST_RATIO: f64 = 8.0;

/// A figure that has to reach a limit.
struct Limit {
    what: &'static str,
    found: f64,
    least: f64,
}

/// Medians on one and on two threads, in turns, so that both see the same machine.
fn on_one_and_two(step: &Step) -> [Measured; 2] {
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        one.push(run(step, 1, &mut Detector::default()));
        two.push(run(step, 2, &mut Detector::default()));
    }
    [median(one), median(two)]
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = root.join("../shared/data/ccd-scalable");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut page = format!(
        "# Collision detection\n\n`cargo xtask bench collision`: two frames in, all impacts with their own times out, \
         nothing kept but edges and adjacency. Medians of {RUNS} runs, each with a fresh detector. Load of the machine at the start: \
         {}.\n\n",
        load.split(' ').next().unwrap_or("unknown")
    );
    page += "| scene | triangles | threads | box pairs | refined | impacts | broad ms | narrow ms | total ms | CPU ms | bytes per triangle |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    let scenes = [
        ("cloth-ball 92 to 93", "cloth-ball/cloth_ball92.ply.xz", "cloth-ball/cloth_ball93.ply.xz"),
        ("n-body 18 to 19", "n-body-simulation/balls16_18.ply.xz", "n-body-simulation/balls16_19.ply.xz"),
    ];
    let (mut rivals, mut limits) = (String::new(), Vec::new());
    for (name, start, end) in scenes {
        let Some(step) = scenes::public(&data, name, start, end) else {
            println!("left out: {name}, as {} is not here", data.display());
            continue;
        };
        let [one, two] = on_one_and_two(&step);
        for (threads, measured) in [(1, &one), (2, &two)] {
            row(&mut page, &step, threads, measured);
        }
        let _ = writeln!(rivals, "- {name}: two threads are {:.2} times as fast as one.", one.wall / two.wall);
        // The limits are those of cloth-ball, the first scene.
        if limits.is_empty() {
            limits.push(Limit { what: "parts of the time allowed", found: MOST_MILLISECONDS / one.wall, least: 1.0 });
            limits.push(Limit { what: "two threads over one", found: one.wall / two.wall, least: LEAST_GAIN });
        }
        // One scene is enough for the ratio; the rival needs minutes for n-body's 32 million pairs.
        if !rivals.contains("IPC Toolkit") {
            let ratio = compare(&root, &step, 1, &one, &mut rivals);
            limits.extend(ratio.map(|found| Limit { what: "times as fast as the rival", found, least: LEAST_RATIO }));
            compare(&root, &step, 2, &two, &mut rivals);
        }
    }
    let _ = write!(page, "\n{rivals}");
    print!("{page}");
    let file = root.join("bench/collision.md");
    std::fs::write(&file, page).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    for Limit { what, found, least } in limits {
        assert!(found >= least, "{what}: {found:.2}, at least {least} is asked for");
    }
}

/// Adds the rival's figures on a step; returns by how much it is slower by the clock, if it is here [-].
fn compare(root: &Path, step: &Step, threads: usize, ours: &Measured, page: &mut String) -> Option<f64> {
    match rival::measure(root, step, threads) {
        Ok(rival) => Some(rival.describe(page, &step.name, threads, [ours.wall, ours.cpu])),
        Err(reason) => {
            println!("left out: the rival on {}: {reason}", step.name);
            None
        }
    }
}

fn row(page: &mut String, step: &Step, threads: usize, m: &Measured) {
    let (counts, triangles) = (&m.found.counts, step.surface.triangles().len());
    let _ = writeln!(
        page,
        "| {} | {triangles} | {threads} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
        step.name,
        counts.vertex_face_candidates + counts.edge_edge_candidates,
        counts.refined,
        m.found.vertex_face.len() + m.found.edge_edge.len(),
        m.broad,
        m.narrow,
        m.wall,
        m.cpu,
        m.found.cost.bytes / triangles
    );
}
