//! `cargo xtask test`: every check there is, each under its heading, with real counts.

use crate::{
    documentation, foreign, page, prepare, process, readme,
    tally::{HarnessReader, Tally},
};
use std::time::Instant;

/// A group of checks and its name.
type Stage = (&'static str, fn() -> Result<Tally, String>);

/// In the order of their cost: what fails fast comes first. `foreign` opens our files with readers that are
/// not ours; `page` uses the page in a browser; `readme` runs the commands of the README.
const STAGES: [Stage; 9] = [
    ("formatting", formatting),
    ("clippy", clippy),
    ("documentation", documentation::run),
    ("layout", layout),
    ("tests", tests),
    ("doctests", documentation_tests),
    ("foreign", foreign::run),
    ("page", page::run),
    ("readme", readme::run),
];

/// Installs what is needed, runs all stages or those that are named, prints the totals. A stage that fails
/// does not keep the others from running.
pub fn run(chosen: &[&str]) -> Result<(), String> {
    if let Some(unknown) = chosen.iter().find(|name| !STAGES.iter().any(|(stage, _)| stage == *name)) {
        let names = STAGES.map(|(name, _)| name).join(", ");
        return Err(format!("there is no stage `{unknown}`; there are: {names}"));
    }
    heading("prepare");
    prepare::run()?;
    let mut total = Tally::default();
    for (name, stage) in STAGES.into_iter().filter(|(name, _)| chosen.is_empty() || chosen.contains(name)) {
        heading(name);
        let start = Instant::now();
        let tally = stage().unwrap_or_else(|message| {
            println!("{message}");
            Tally::one(false)
        });
        println!("-- {name}: {tally} ({:.0} s)", start.elapsed().as_secs_f64());
        total += tally;
    }
    println!("\n{total}");
    if total.failed > 0 { Err("some checks failed; see above".into()) } else { Ok(()) }
}

fn heading(name: &str) {
    println!("\n== {name}");
}

fn formatting() -> Result<Tally, String> {
    Ok(Tally::one(process::succeeds(&mut process::cargo(&["fmt", "--all", "--check"]))?))
}

fn clippy() -> Result<Tally, String> {
    let mut clippy = process::cargo(&["clippy", "--quiet", "--release", "--workspace", "--all-targets"]);
    Ok(Tally::one(process::succeeds(clippy.args(["--", "-D", "warnings"]))?))
}

fn layout() -> Result<Tally, String> {
    harness(&["--package", "xtask"])
}

fn tests() -> Result<Tally, String> {
    harness(&["--workspace", "--exclude", "xtask", "--lib", "--bins", "--tests", "--examples"])
}

fn documentation_tests() -> Result<Tally, String> {
    harness(&["--workspace", "--doc"])
}

/// Runs Rust's test harness and reads its counts.
fn harness(selection: &[&str]) -> Result<Tally, String> {
    let mut command = process::cargo(&["test", "--release", "--no-fail-fast"]);
    command.args(selection).args(["--", "--show-output"]);
    let mut reader = HarnessReader::default();
    let succeeded = process::lines(&mut command, |line| {
        if reader.read(line) {
            println!("{line}");
        }
    })?;
    let mut tally = reader.tally;
    // Something that did not compile, or crashed, has no count of its own.
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}
