//! Contact at length: generated scenes, and every scene of contact at three steps, with three starts, on one and two threads.
//!
//! The test `generated` of `crates/muslin` does the work and judges every frame with the project's judge and the foreign
//! checker; here it gets its seeds and its variants. What the runs say of themselves becomes `bench/contact-soak.md`.

use super::jobs::{COPY, End, Job, Verdict, within};
use crate::{process, workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Generated scenes.
const SEEDS: u64 = 200;
/// Scenes of the matrix with their resolutions, at most 50.
pub const SCENES: [(&str, usize); 16] = [
    ("drape", 20),
    ("cube", 16),
    ("torus", 16),
    ("sphere", 10),
    ("sphere-one", 16),
    ("stack", 5),
    ("rotating-ball", 14),
    ("funnel", 14),
    ("fold-flat", 14),
    ("body-drape", 16),
    ("pinch", 14),
    ("pinch-impossible", 10),
    ("crumple", 12),
    ("ribbon-knot", 50),
    ("scarf", 26),
    ("twist", 20),
];
/// Steps [s], the cheapest first.
const STEPS: [&str; 3] = ["1/20", "1/60", "1/200"];
/// Starts: three kinds of noise.
const STARTS: [usize; 3] = [1, 2, 3];
/// Numbers of threads.
const THREADS: [usize; 2] = [1, 2];
/// Larger ones, once.
const LARGE: [&str; 4] = ["cube:50:1/60:1:2", "torus:50:1/60:1:2", "drape:50:1/60:1:2", "drape:200:1/60:1:2"];

/// A run of the test: which, and what it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactJob {
    test: &'static str,
    variable: &'static str,
    value: String,
}

/// One job per generated scene.
pub fn generated() -> Vec<Job> {
    let job = |seed| ContactJob {
        test: "generated_scenes_end_without_a_crossing",
        variable: "MUSLIN_GENERATED",
        value: format!("{seed}:1"),
    };
    (0..SEEDS).map(|seed| Job::Contact(job(seed))).collect()
}

/// One job per variant of a scene. All scenes at one step first: a soak that is stopped has seen each of them.
pub fn matrix() -> Vec<Job> {
    let mut values = Vec::new();
    for step in STEPS {
        for start in STARTS {
            for (scene, resolution) in SCENES {
                values.extend(THREADS.map(|threads| format!("{scene}:{resolution}:{step}:{start}:{threads}")));
            }
        }
    }
    values.extend(LARGE.map(String::from));
    let job = |value| ContactJob { test: "built_in_scenes_are_clean_at_every_step", variable: "MUSLIN_MATRIX", value };
    values.into_iter().map(|value| Job::Contact(job(value))).collect()
}

impl std::fmt::Display for ContactJob {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}={}", self.variable, self.value)
    }
}

impl ContactJob {
    /// Does it in a folder of its own.
    pub fn run(&self, folder: &Path) -> Result<Verdict, String> {
        let mut command = process::program(folder.join(COPY), &[self.test, "--nocapture"]);
        command.env(self.variable, &self.value);
        Ok(match within(&mut command, folder)? {
            End::Exit(0, output, _) => {
                let said = output.split_once(" holds: ").and_then(|(_, rest)| rest.lines().next());
                let said: Option<Value> = said.and_then(|line| serde_json::from_str(line).ok());
                match said.as_ref().and_then(|said| said["state"].as_str()) {
                    // The last number is that of threads; runs that differ in it alone end in the same state.
                    Some(hash) => {
                        let key = self.value.rsplit_once(':').map_or(self.value.as_str(), |(key, _)| key);
                        let (key, hash) = (format!("{} {key}", self.variable), hash.into());
                        Verdict::State { key, hash, note: said.map(|said| said.to_string()) }
                    }
                    None => Verdict::Broken(output),
                }
            }
            End::Exit(_, output, message) => Verdict::Broken(format!("{output}\n{message}")),
            End::Hung => Verdict::Broken("no end".into()),
        })
    }
}

/// What the runs of a line of the table were.
#[derive(Default)]
struct Line {
    runs: usize,
    pinches: u64,
    halvings: u64,
    smallest_gap: f64,
    largest_strain: f64,
    cpu_seconds: f64,
}

/// Writes what the runs of a family said of themselves, line by line of the table, into `bench/contact-soak.md`; the part of
/// the other family stays.
pub fn publish(
    family: &str,
    notes: &BTreeMap<String, String>,
    [done, jobs]: [usize; 2],
    failures: &[String],
) -> Result<(), String> {
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for (job, note) in notes {
        let Ok(said) = serde_json::from_str::<Value>(note) else { continue };
        let words: Vec<&str> = job.rsplit('=').next().unwrap_or(job).split(':').collect();
        let name = match words[..] {
            [scene, resolution, step, ..] => format!("{scene} | {resolution} | {step}"),
            _ => "made at random | 5 to 9 | 1/200 to 1/20".into(),
        };
        let first = Line { smallest_gap: f64::INFINITY, ..Line::default() };
        let line = lines.entry(name).or_insert(first);
        line.runs += 1;
        line.pinches += said["pinches"].as_u64().unwrap_or(0);
        line.halvings += said["step_halvings"].as_u64().unwrap_or(0);
        line.smallest_gap = line.smallest_gap.min(said["gap_over_thickness"].as_f64().unwrap_or(f64::INFINITY));
        line.largest_strain = line.largest_strain.max(said["max_strain"].as_f64().unwrap_or(0.0));
        line.cpu_seconds += said["cpu_seconds"].as_f64().unwrap_or(0.0);
    }
    let mut text = format!(
        "{done} of {jobs} runs done, {} failed.\n\n| scene | vertices along a side | step [s] | runs | pinches | steps halved for contact | smallest gap over the \
         thickness | largest strain | CPU s per run |\n|---|---|---|---|---|---|---|---|---|\n",
        failures.len()
    );
    for (name, line) in &lines {
        let mean = line.cpu_seconds / line.runs as f64;
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {:.3} | {:.2} % | {mean:.1} |",
            line.runs,
            line.pinches,
            line.halvings,
            line.smallest_gap,
            100.0 * line.largest_strain
        );
    }
    for failure in failures {
        let _ = writeln!(text, "\n- failed: {}", failure.lines().take(3).collect::<Vec<_>>().join(" "));
    }
    put(family, &text)
}

/// Replaces the part of a family in `bench/contact-soak.md`.
pub fn put(family: &str, text: &str) -> Result<(), String> {
    let path = workspace::root().join("bench/contact-soak.md");
    let before = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.into());
    let (begin, end) = (format!("<!-- begin: {family} -->\n"), format!("<!-- end: {family} -->"));
    let (Some(from), Some(to)) = (before.find(&begin), before.find(&end)) else {
        return Err(format!("{} has no place for {family}", path.display()));
    };
    let after = format!("{}{text}{}", &before[..from + begin.len()], &before[to..]);
    fs::write(&path, after).map_err(|error| format!("{}: {error}", path.display()))
}

/// The page around the tables.
const HEAD: &str = "\
# Contact at length

`cargo xtask soak generated matrix` plays these runs and rewrites the tables; stopped, it goes on where it was. Every frame of every run is judged by the exact
judge, once more from the files, and by an independent checker, cloth against cloth and against obstacles, which also asks whether a vertex came into a
closed obstacle or out of it. A run fails that has a crossing, a pinch (but for `pinch-impossible`, which must have one, and no cloth through cloth), motion
scaled back, a gap below a tenth of the thickness, or other bits on two threads than on one.

## Scenes made at random

<!-- begin: generated -->
<!-- end: generated -->

## Built-in scenes, three starts with noise, on one and two threads

<!-- begin: matrix -->
<!-- end: matrix -->

## The independent checker itself

`cargo xtask soak peers` gives the frames of every scene to `check.py` of `../shared/peers`, twice: in single precision, as the archives of other simulators are, and as our archive is, in double precision. It judges cloth
against cloth, and in `drape` the depth in the true ball and in the ground (below zero: above it). The tables above use its triangle test through a binding of their own (`crates/muslin/tests/generated/judge.py`), which differs in three ways: obstacles stand
in the same mesh as the cloth, so that cloth through an obstacle is found too; large faces of obstacles are cut in four, because the checker sorts boxes into cells of the mean size and refuses meshes of very different faces; and it gets
single precision only. What the checker names in double precision is asked again with fractions: its 113 bits are exact for single precision only, and of nearly flat cloth it may name pairs that do not cross.

<!-- begin: peers -->
<!-- end: peers -->
";
