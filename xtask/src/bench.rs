//! `cargo xtask bench`: runs the benchmarks, which renew their results in `bench/`.
//!
//! A benchmark is an example of a crate whose name begins with `bench_`. It measures against a twin or a known
//! rate in the same run and writes its own tables.

use crate::{page, process};
use serde_json::Value;

/// How the name of a benchmark begins.
const PREFIX: &str = "bench_";

/// The benchmark of the page.
const PAGE: &str = "page";

/// Runs all benchmarks, or those whose names are given without the prefix.
pub fn run(chosen: &[&str]) -> Result<(), String> {
    let benches = benches()?;
    // The page is measured in a browser and is no example of a crate.
    if chosen == [PAGE] {
        return page::rates();
    }
    let names: Vec<&str> = benches.iter().map(|(_, example)| &example[PREFIX.len()..]).collect();
    if let Some(unknown) = chosen.iter().find(|name| !names.contains(name)) {
        return Err(format!("there is no benchmark `{unknown}`; there are: {}", names.join(", ")));
    }
    for ((package, example), name) in benches.iter().zip(&names) {
        if chosen.is_empty() || chosen.contains(name) {
            println!("== {name}");
            let mut command =
                process::cargo(&["run", "--quiet", "--release", "--package", package, "--example", example]);
            if !process::succeeds(&mut command)? {
                return Err(format!("`{}` failed", process::line(&command)));
            }
        }
    }
    Ok(())
}

/// Package and name of every benchmark.
fn benches() -> Result<Vec<(String, String)>, String> {
    let mut command = process::cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let output = command.output().map_err(|error| format!("`{}`: {error}", process::line(&command)))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut benches = benches_of(&metadata);
    benches.sort();
    Ok(benches)
}

fn benches_of(metadata: &Value) -> Vec<(String, String)> {
    let mut benches = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for target in package["targets"].as_array().into_iter().flatten() {
            if target["kind"][0] == "example"
                && let (Some(package), Some(name)) = (package["name"].as_str(), target["name"].as_str())
                && name.starts_with(PREFIX)
            {
                benches.push((package.to_owned(), name.to_owned()));
            }
        }
    }
    benches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_the_examples_that_are_called_so() {
        let target = |kind: &str, name: &str| serde_json::json!({ "kind": [kind], "name": name });
        let targets = [target("example", "bench_linear"), target("example", "hang"), target("lib", "bench_lib")];
        let metadata = serde_json::json!({ "packages": [{ "name": "muslin_x", "targets": targets }] });
        assert_eq!(benches_of(&metadata), [("muslin_x".to_owned(), "bench_linear".to_owned())]);
    }
}
