//! Measures how the cost of detection per triangle grows with the mesh, and writes `bench/collision-size.md`.
//!
//! `cargo xtask bench collision_size`. One thread. Each figure is the median of some runs: order, tree, search, filter and
//! all times of impact. A detector that has been used before, as in a simulation, has its memory but keeps nothing that is
//! in it. A fresh one gets its memory anew: on large meshes from the system, on small ones from what the program gave back
//! before. The first of a process gets all from the system, whatever the size of the mesh, and is measured in processes of
//! its own.

mod tiles;

use muslin::collision::{DetectSettings, Detection, Detector, Sweep};
use muslin::model::parallel::with_threads;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tiles::{Step, Tile};

/// Runs on the largest scene of which the median is taken.
const RUNS: usize = 5;
/// Runs on smaller scenes, at most.
const MOST_RUNS: usize = 30;
/// Triangles of the largest scene, about.
const LARGEST: usize = 1_010_000;
/// Tiles along a side of each scene: 10,082, 90,738 and 1,008,200 triangles.
const SIZES: [u32; 3] = [1, 3, 10];

/// Growth of the time per triangle from the smallest to the largest scene at which the benchmark fails [-].
const MOST_GROWTH: f64 = 1.15;

/// What a run finds of the runs before.
#[derive(Clone, Copy, PartialEq)]
enum Memory {
    Kept,
    Fresh,
    First,
}

impl Memory {
    fn name(self) -> &'static str {
        match self {
            Memory::Kept => "kept",
            Memory::Fresh => "fresh",
            Memory::First => "first of a process",
        }
    }
}

/// What this program is called with to detect once, followed by the number of tiles along a side.
const ONCE: &str = "once";

/// Detects once in a process of its own; total, broad and narrow time [ms].
fn once(size: u32) -> [f64; 3] {
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let output = Command::new(program).args([ONCE, &size.to_string()]).output();
    let said = String::from_utf8(output.unwrap_or_else(|error| panic!("{error}")).stdout).unwrap_or_default();
    let mut times = said.split_whitespace().map(|time| time.parse().unwrap_or(f64::NAN));
    std::array::from_fn(|_| times.next().unwrap_or(f64::NAN))
}

/// The median of some runs that together see so many triangles: time [ms] and what was found.
fn measure(step: &Step, size: u32, memory: Memory, triangles: usize) -> (f64, Detection) {
    let sweep = Sweep::new(&step.surface, &step.start, &step.end).unwrap_or_else(|error| panic!("{error}"));
    let mut detector = Detector::default();
    if memory == Memory::Kept {
        detector.detect(&step.surface, &sweep, &DetectSettings::default());
    }
    let count = (triangles / step.surface.triangles().len()).clamp(1, MOST_RUNS);
    if memory == Memory::First {
        let mut runs: Vec<[f64; 3]> = (0..count).map(|_| once(size)).collect();
        runs.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let [total, broad, narrow] = runs[count / 2];
        let mut found = detector.detect(&step.surface, &sweep, &DetectSettings::default());
        [found.cost.broad, found.cost.narrow] = [broad, narrow].map(|ms| Duration::from_secs_f64(1e-3 * ms));
        return (total, found);
    }
    let runs = (0..count).map(|_| {
        if memory == Memory::Fresh {
            detector = Detector::default();
        }
        let begin = Instant::now();
        let found = detector.detect(&step.surface, &sweep, &DetectSettings::default());
        (1e3 * begin.elapsed().as_secs_f64(), found)
    });
    let mut runs: Vec<(f64, Detection)> = runs.collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs.swap_remove(count / 2)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [ONCE, size] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let size = size.parse().unwrap_or_else(|error| panic!("{size}: {error}"));
        let step = tiles::tiled(Tile::Natural, size);
        let (total, found) = with_threads(1, || measure(&step, size, Memory::Fresh, 1));
        let [broad, narrow] = [found.cost.broad, found.cost.narrow].map(|cost| 1e3 * cost.as_secs_f64());
        println!("{total} {broad} {narrow}");
        return;
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut page = format!(
        "# Detection over the size of the mesh\n\n`cargo xtask bench collision_size`: sheets folded into three layers, side by side. \
         Two frames in, all impacts with their own times out, nothing kept but edges and adjacency. One thread; medians of {RUNS} to \
         {MOST_RUNS} runs (exact folds: from one). With *memory kept* the detector has been used before: it has its memory but \
         keeps nothing that is in it. With *fresh memory* small arrays come back from what the program gave back before, large ones from the system. The \
         *first of a process* has all its memory from the system; each was measured in a process of its own. Load of the machine at the start: {}.\n\n\
         | scene | memory | triangles | box pairs | box tests per triangle | refined | impacts | broad ms | narrow ms | total ms | ns per triangle | bytes per triangle |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        load.split(' ').next().unwrap_or("unknown")
    );
    let mut growth = String::new();
    let mut missed = Vec::new();
    for (tile, memory, triangles) in [
        (Tile::Natural, Memory::Kept, RUNS * LARGEST),
        (Tile::Natural, Memory::Fresh, RUNS * LARGEST),
        (Tile::Natural, Memory::First, RUNS * LARGEST),
        (Tile::Exact, Memory::Kept, LARGEST),
    ] {
        let name = memory.name();
        let per_triangle = SIZES.map(|size| {
            let step = tiles::tiled(tile, size);
            let (total, found) = with_threads(1, || measure(&step, size, memory, triangles));
            let count = step.surface.triangles().len() as f64;
            let [broad, narrow] = [found.cost.broad, found.cost.narrow].map(|cost| 1e3 * cost.as_secs_f64());
            let counts = &found.counts;
            let _ = writeln!(
                page,
                "| {} | {name} | {count} | {} | {:.0} | {} | {} | {broad:.1} | {narrow:.1} | {total:.1} | {:.0} | {:.0} |",
                step.name,
                counts.vertex_face_candidates + counts.edge_edge_candidates,
                counts.broad_phase.tests as f64 / count,
                counts.refined,
                found.vertex_face.len() + found.edge_edge.len(),
                1e6 * total / count,
                found.cost.bytes as f64 / count
            );
            1e6 * total / count
        });
        let [first, middle, last] = per_triangle;
        // What a simulation has from its second step on, and what a program has that asks once.
        if matches!(memory, Memory::Kept | Memory::First) && last / first >= MOST_GROWTH {
            missed.push(format!("{}, memory {name}: {:.2} times", tile.name(), last / first));
        }
        let _ = writeln!(
            growth,
            "- {}, memory {name}: from 10 thousand to a million triangles the time per triangle goes from {first:.0} ns over \
             {middle:.0} ns to {last:.0} ns: **{:.2} times**.",
            tile.name(),
            last / first
        );
    }
    let _ = write!(page, "\n{growth}");
    print!("{page}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/collision-size.md");
    std::fs::write(&file, page).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert!(missed.is_empty(), "growth of {MOST_GROWTH} times or more: {missed:?}");
}
