//! Contact at length: generated scenes, and every scene of contact at three steps, with three starts, on one and two threads.
//!
//! The test `generated` of `crates/muslin` does the work and judges every frame with the project's judge and the foreign
//! checker; here it gets its seeds and its variants.

use super::jobs::{COPY, End, Job, Verdict, within};
use crate::process;
use std::path::Path;

/// Generated scenes.
const SEEDS: u64 = 200;
/// Scenes of the matrix with their resolutions, at most 50.
const SCENES: [(&str, usize); 12] = [
    ("drape", 24),
    ("cube", 20),
    ("torus", 20),
    ("sphere", 12),
    ("stack", 5),
    ("rotating-ball", 16),
    ("funnel", 16),
    ("fold-flat", 16),
    ("body-drape", 20),
    ("pinch", 16),
    ("crumple", 16),
    ("scarf", 30),
];
/// Steps [s], the cheapest first.
const STEPS: [&str; 3] = ["1/20", "1/60", "1/200"];
/// Starts: without noise and with two kinds of it.
const STARTS: [usize; 3] = [0, 1, 2];
/// Numbers of threads.
const THREADS: [usize; 2] = [1, 2];
/// The largest, once.
const LARGEST: &str = "drape:200:1/60:0:2";

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
    values.push(LARGEST.into());
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
                match output.split_once(", state ").and_then(|(_, rest)| rest.split_whitespace().next()) {
                    // The last number is that of threads; runs that differ in it alone end in the same state.
                    Some(hash) => {
                        let key = self.value.rsplit_once(':').map_or(self.value.as_str(), |(key, _)| key);
                        Verdict::State { key: format!("{} {key}", self.variable), hash: hash.into() }
                    }
                    None => Verdict::Broken(output),
                }
            }
            End::Exit(_, output, message) => Verdict::Broken(format!("{output}\n{message}")),
            End::Hung => Verdict::Broken("no end".into()),
        })
    }
}
