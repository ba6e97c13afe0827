//! Fuzzing of the loaders, ten million cases each; the result is kept in `bench/fuzz.md`.
//!
//! The tests of `crates/muslin_io/tests/fuzz` do the work; here they get their number of cases. A loader with a
//! result in that file is not fuzzed again; remove its line to fuzz it anew.

use crate::{process, workspace};
use std::fs;
use std::time::{Duration, Instant};

/// Cases per loader.
const CASES: u64 = 10_000_000;

/// Tests that fuzz a loader.
const TARGETS: [&str; 8] = [
    "damaged_obj_files_never_panic",
    "damaged_ply_files_never_panic",
    "damaged_stl_files_never_panic",
    "damaged_gltf_files_never_panic",
    "damaged_usda_files_never_panic",
    "damaged_packed_files_never_panic",
    "damaged_caches_never_panic",
    "damaged_scenes_never_panic",
];

const HEAD: &str = "# Fuzzing of the loaders\n\nWritten by `cargo xtask soak`. A case is a file of the corpus \
(`crates/muslin_io/tests/fuzz/corpus`) with up to nine changes; it must be read or refused, without a panic, an endless loop or \
memory out of proportion.\n\n| loader | cases | seconds | result |\n|---|---|---|---|\n";

/// Fuzzes every loader that has no result yet, until the time is over.
pub fn run(limit: Duration) -> Result<(), String> {
    let path = workspace::root().join("bench/fuzz.md");
    let mut text = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.into());
    let start = Instant::now();
    for target in TARGETS {
        if text.contains(&format!("| `{target}` | {CASES} |")) || start.elapsed() >= limit {
            continue;
        }
        let mut command = process::cargo(&["test", "--quiet", "--release", "--package", "muslin_io", "--test", "fuzz"]);
        command.args(["--", "--exact", target]).env("MUSLIN_FUZZ", CASES.to_string());
        let began = Instant::now();
        let held = process::succeeds(&mut command)?;
        let result = if held { "nothing found" } else { "FAILED" };
        text.push_str(&format!("| `{target}` | {CASES} | {} | {result} |\n", began.elapsed().as_secs()));
        fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        if !held {
            return Err(format!("`{target}` found a case: keep it in the corpus"));
        }
    }
    Ok(())
}
