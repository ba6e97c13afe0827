//! `cargo xtask bench`: runs every benchmark of the workspace and keeps what it prints in `bench/`.
//!
//! A benchmark is a `bench` target of a crate. It measures against a twin or a known rate in the same run and
//! prints its table; times depend on the machine, so the result opens with what it ran on.

use crate::{process, workspace};
use serde_json::Value;
use std::fs;

/// Runs all benchmarks, or those whose names are given.
pub fn run(chosen: &[&str]) -> Result<(), String> {
    let benches = benches()?;
    if let Some(unknown) = chosen.iter().find(|name| !benches.iter().any(|(_, bench)| bench == *name)) {
        let names: Vec<&str> = benches.iter().map(|(_, bench)| bench.as_str()).collect();
        return Err(format!("there is no benchmark `{unknown}`; there are: {}", names.join(", ")));
    }
    let folder = workspace::root().join("bench");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (package, bench) in benches {
        if !chosen.is_empty() && !chosen.contains(&bench.as_str()) {
            continue;
        }
        println!("== {bench}");
        let mut text = format!("{}\n\n", machine());
        let mut command = process::cargo(&["bench", "--quiet", "--package", &package, "--bench", &bench]);
        let succeeded = process::lines(&mut command, |line| {
            println!("{line}");
            text.push_str(line);
            text.push('\n');
        })?;
        if !succeeded {
            return Err(format!("`{}` failed; bench/{bench}.txt was left as it was", process::line(&command)));
        }
        let path = folder.join(format!("{bench}.txt"));
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Package and name of every bench target.
fn benches() -> Result<Vec<(String, String)>, String> {
    let mut command = process::cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let output = command.output().map_err(|error| format!("`{}`: {error}", process::line(&command)))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut benches = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for target in package["targets"].as_array().into_iter().flatten() {
            if target["kind"][0] == "bench"
                && let (Some(package), Some(name)) = (package["name"].as_str(), target["name"].as_str())
            {
                benches.push((package.to_owned(), name.to_owned()));
            }
        }
    }
    benches.sort();
    Ok(benches)
}

/// One line on the machine.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches(['\t', ':', ' ']));
    let (name, system) = (name.unwrap_or("unknown processor"), std::env::consts::OS);
    format!("{name}, {cores} threads, {system}; muslin {}", env!("CARGO_PKG_VERSION"))
}
