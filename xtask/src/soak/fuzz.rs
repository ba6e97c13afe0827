//! Fuzzing of the loaders, ten million cases or ten minutes each; the result is kept in `bench/fuzz.md`.
//!
//! The tests of `crates/muslin_io/tests/fuzz` do the work; here they get their number of cases. A loader with a
//! result in that file is not fuzzed again; remove its line to fuzz it anew.

use crate::{process, workspace};
use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Cases per loader.
const CASES: u64 = 10_000_000;
/// The time after which fewer are enough [s].
const SECONDS: u64 = 600;

/// Tests that fuzz a loader end so.
const ENDING: &str = "_never_panic";

const HEAD: &str = "# Fuzzing of the loaders\n\nWritten by `cargo xtask soak fuzz`. A case is a file of the corpus \
(`crates/muslin_io/tests/fuzz/corpus`) with up to nine changes; it must be read or refused, without a panic, an endless \
loop or memory out of proportion to its size. A loader is \
fuzzed for ten minutes or ten million cases. Memory is the most that any case had on the heap.\n\n\
| loader | cases | seconds | result | memory [bytes] |\n|---|---|---|---|---|\n";

/// Loaders that are fuzzed side by side.
const ABREAST: usize = 2;

/// Fuzzes every loader that has no result yet, until the time is over.
pub fn run(limit: Duration) -> Result<(), String> {
    let path = workspace::root().join("bench/fuzz.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.into());
    let mut left: Vec<String> = targets()?.into_iter().filter(|t| !text.contains(&format!("| `{t}` |"))).collect();
    left.reverse();
    let (start, left, text) = (Instant::now(), Mutex::new(left), Mutex::new(text));
    let work = || -> Result<(), String> {
        while start.elapsed() < limit {
            let Some(target) = left.lock().map_err(|error| error.to_string())?.pop() else { break };
            let row = fuzz(&target)?;
            let mut text = text.lock().map_err(|error| error.to_string())?;
            text.push_str(&row);
            fs::write(&path, &*text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..ABREAST).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err("a worker panicked".into())));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Fuzzes one loader; its row of the table.
fn fuzz(target: &str) -> Result<String, String> {
    let mut command = fuzz_tests();
    command.args(["--nocapture", "--exact", target]).env("MUSLIN_FUZZ", CASES.to_string());
    command.env("MUSLIN_FUZZ_SECONDS", SECONDS.to_string());
    let (began, mut told) = (Instant::now(), None);
    // The test says how many cases it had; a number that was only wished for is no record.
    let held = process::lines(&mut command, |line| {
        if let Some(rest) = line.split_once("fuzz: ").and_then(|(_, rest)| rest.split_once(" cases of ")) {
            let memory = rest.1.split_whitespace().rev().nth(5).and_then(|word| word.parse::<u64>().ok());
            told = rest.0.parse::<u64>().ok().zip(memory);
        }
    })?;
    let Some((cases, memory)) = told.filter(|_| held) else {
        return Err(format!("`{target}` found a case: keep it in the corpus and mend the loader"));
    };
    println!("{target}: {cases} cases, nothing found");
    Ok(format!("| `{target}` | {cases} | {} | nothing found | {memory} |\n", began.elapsed().as_secs()))
}

fn fuzz_tests() -> std::process::Command {
    process::cargo(&["test", "--quiet", "--release", "--package", "muslin_io", "--test", "fuzz", "--"])
}

/// The tests that fuzz a loader.
fn targets() -> Result<Vec<String>, String> {
    let (mut names, mut command) = (Vec::new(), fuzz_tests());
    let listed = process::lines(command.arg("--list"), |line| {
        names.extend(line.strip_suffix(": test").filter(|name| name.ends_with(ENDING)).map(str::to_string));
    })?;
    if listed && !names.is_empty() { Ok(names) } else { Err("the tests of the loaders cannot be listed".into()) }
}
