//! Ten pages for five minutes, and damaged messages by the ten thousand, against the server of the page.
//!
//! The tests of `crates/muslin_viewer/tests` do the work; here they get their numbers. The result is kept in
//! `bench/page-soak.md`.

use crate::{process, workspace};
use std::fs;
use std::time::Instant;

/// How long the crowd watches [s].
const CROWD_SECONDS: &str = "300";
/// Rounds of damaged requests and messages.
const FUZZ_ROUNDS: &str = "30000";

const HEAD: &str = "# The server of the page, at length\n\nWritten by `cargo xtask soak page`.\n\n";

/// Runs both and writes what they say.
pub fn run() -> Result<(), String> {
    let mut text = String::from(HEAD);
    for (test, arguments, name, value) in
        [("crowd", "", "MUSLIN_CROWD_SECONDS", CROWD_SECONDS), ("server", "fuzz::", "MUSLIN_FUZZ_ROUNDS", FUZZ_ROUNDS)]
    {
        let mut command = process::cargo(&["test", "--release", "--package", "muslin_viewer", "--test", test, "--"]);
        command.args(["--nocapture", arguments]).env(name, value);
        let (began, mut said) = (Instant::now(), Vec::new());
        let held = process::lines(&mut command, |line| {
            if line.starts_with("frames per second") || line.starts_with("test result: ") {
                said.push(format!("- `{test}` with {name}={value}: {line}\n"));
            }
        })?;
        if !held {
            return Err(format!("`{}` failed", process::line(&command)));
        }
        println!("{test}: {} s", began.elapsed().as_secs());
        said.iter().for_each(|line| text.push_str(line));
    }
    let path = workspace::root().join("bench/page-soak.md");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
