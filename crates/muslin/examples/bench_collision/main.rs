//! Measures detection and writes `bench/collision.md`: against IPC Toolkit in the same run, on one and two
//! threads, and over the size of the mesh.
//!
//! `cargo xtask bench collision`. The public scenes lie in `../shared/data/ccd-scalable`; without them that part
//! is left out, loudly. The rival comes from the Python package `ipctk` in `target/venv-rivals`; without it the
//! ratios are left out. Each figure is the median of five runs from a fresh detector (one run for exact folds): order,
//! tree, search, filter and all times of impact.

mod rival;
mod scenes;

use muslin::collision::{DetectSettings, Detection, Detector, Sweep};
use muslin::model::parallel::with_threads;
use muslin::sim::report::cpu_seconds;
use scenes::{Step, Tile};
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

fn measure(step: &Step, threads: usize, count: usize) -> Measured {
    let sweep = Sweep::new(&step.surface, &step.start, &step.end).unwrap_or_else(|error| panic!("{error}"));
    let mut runs: Vec<Measured> = with_threads(threads, || {
        (0..count)
            .map(|_| {
                let (wall, cpu) = (Instant::now(), cpu_seconds());
                let found = Detector::default().detect(&step.surface, &sweep, &DetectSettings::default());
                let (wall, cpu) = (1e3 * wall.elapsed().as_secs_f64(), 1e3 * (cpu_seconds() - cpu));
                let cost = found.cost;
                Measured {
                    wall,
                    cpu,
                    broad: 1e3 * cost.broad.as_secs_f64(),
                    narrow: 1e3 * cost.narrow.as_secs_f64(),
                    found,
                }
            })
            .collect()
    });
    runs.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    runs.swap_remove(count / 2)
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = root.join("../shared/data/ccd-scalable");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut page = format!(
        "# Collision detection\n\n`cargo xtask bench collision`: two frames in, all impacts with their own times out, \
         nothing kept but edges and adjacency. Medians of {RUNS} runs from a fresh detector (exact folds: one run); load of the machine at the \
         start: {}.\n\n",
        load.split(' ').next().unwrap_or("unknown")
    );
    page += "| scene | triangles | threads | box pairs | refined | impacts | broad ms | narrow ms | total ms | CPU ms | bytes per triangle |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    let scenes = [
        ("cloth-ball 92 to 93", "cloth-ball/cloth_ball92.ply.xz", "cloth-ball/cloth_ball93.ply.xz"),
        ("n-body 18 to 19", "n-body-simulation/balls16_18.ply.xz", "n-body-simulation/balls16_19.ply.xz"),
    ];
    let mut rivals = String::new();
    for (name, start, end) in scenes {
        let Some(step) = scenes::public(&data, name, start, end) else {
            println!("left out: {name}, as {} is not here", data.display());
            continue;
        };
        let one = measure(&step, 1, RUNS);
        let two = measure(&step, 2, RUNS);
        for (threads, measured) in [(1, &one), (2, &two)] {
            row(&mut page, &step, threads, measured);
        }
        let _ = writeln!(rivals, "- {name}: two threads are {:.2} times as fast as one.", one.wall / two.wall);
        // One scene is enough for the ratio; the rival needs minutes for n-body's 32 million pairs.
        if !rivals.contains("IPC Toolkit") {
            compare(&root, &step, 1, &one, &mut rivals);
            compare(&root, &step, 2, &two, &mut rivals);
        }
    }
    for (tile, runs) in [(Tile::Natural, RUNS), (Tile::Exact, 1)] {
        let mut per_triangle = Vec::new();
        for tiles in [1, 3, 10] {
            let step = scenes::tiled(tile, tiles);
            let measured = measure(&step, 1, runs);
            row(&mut page, &step, 1, &measured);
            per_triangle.push(1e6 * measured.cpu / step.surface.triangles().len() as f64);
        }
        let [first, middle, last] = per_triangle[..] else { unreachable!("three sizes") };
        let _ = writeln!(
            rivals,
            "- {}: from 10 thousand to a million triangles the CPU time per triangle goes from {first:.0} ns over {middle:.0} ns \
             to {last:.0} ns: {:.2} times.",
            tile.name(),
            last / first
        );
    }
    let _ = write!(page, "\n{rivals}");
    print!("{page}");
    let file = root.join("bench/collision.md");
    std::fs::write(&file, page).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Adds the rival's figures on a step.
fn compare(root: &Path, step: &Step, threads: usize, ours: &Measured, page: &mut String) {
    match rival::measure(root, step, threads) {
        Ok(rival) => rival.describe(page, &step.name, threads, [ours.wall, ours.cpu]),
        Err(reason) => println!("left out: the rival on {}: {reason}", step.name),
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
