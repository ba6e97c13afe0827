//! `cargo xtask soak peers`: the independent checker itself, `../shared/peers/check.py`, over every scene of contact.
//!
//! The soaks `generated` and `matrix` use the checker's triangle test through a binding of their own, because `check.py` sees the
//! cloth alone (and the ball and the ground of `drape`): there obstacles stand beside it in one mesh. Here nothing of ours is between
//! the files of a run and the verdict but `xtask/foreign/judge_peers.py`, which copies them as the checker's README says.

use super::contact;
use crate::{muslin, prepare, process, workspace};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Steps [s], and whether the first cloth's start has noise.
const VARIANTS: [(&str, bool); 4] = [("1/60", false), ("1/60", true), ("1/20", false), ("1/200", false)];
/// The noise [m], a fifth of cotton's thickness.
const NOISE: &str = "cloth.0.perturbation=1e-4";

/// Judges every scene, or as many as there is time for.
pub fn run(limit: Duration) -> Result<(), String> {
    let Some((python, peers)) = checker()? else { return Ok(()) };
    muslin::build()?;
    let begun = Instant::now();
    let folder = workspace::fresh_folder("soak-peers")?;
    let (mut rows, mut failures, mut runs) = (String::new(), Vec::new(), 0);
    for (step, noise) in VARIANTS {
        for (scene, resolution) in contact::SCENES {
            if begun.elapsed() >= limit {
                continue;
            }
            let start = if noise { "noise" } else { "even" };
            runs += 1;
            let said = match judge(&python, &peers, &folder, &Variant { scene, resolution, step, noise }) {
                Ok(said) => said,
                Err(error) => {
                    failures.push(format!("{scene} {resolution} {step} {start}: {error}"));
                    continue;
                }
            };
            let number = |key: &str| said[key].as_f64().map_or("–".into(), |value| format!("{value:.2}"));
            let row = format!(
                "| {scene} | {resolution} | {step} | {start} | {} | {} | {} | {} | {} |",
                said["frames"],
                said["single"],
                said["double"],
                said["crossing"],
                number("deepest")
            );
            println!("{row}");
            if !holds(&said) {
                failures.push(format!("{scene} {resolution} {step} {start}: {said}"));
            }
            let _ = writeln!(rows, "{row}");
        }
    }
    let all = VARIANTS.len() * contact::SCENES.len();
    let text = format!(
        "{runs} of {all} runs done, {} failed.\n\n| scene | vertices along a side | step [s] | start | frames | crossings, single precision | named in double \
         precision | of them crossing by fractions | deepest in ball or ground [mm] |\n|---|---|---|---|---|---|---|---|---|\n{rows}",
        failures.len()
    );
    contact::put("peers", &text)?;
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// A run to judge.
struct Variant {
    scene: &'static str,
    resolution: usize,
    step: &'static str,
    noise: bool,
}

/// Nothing crosses, and nothing is inside the true ball or the ground.
fn holds(said: &Value) -> bool {
    let none = |key: &str| said[key].as_i64() == Some(0);
    said["finite"] == true && none("single") && none("crossing") && said["deepest"].as_f64().is_none_or(|d| d <= 0.0)
}

/// Python with NumPy, and a copy of the checker's folder that has shown that it finds a crossing; none, with a word why, where there is none.
fn checker() -> Result<Option<(PathBuf, PathBuf)>, String> {
    let source = workspace::root().join("../shared/peers");
    if !source.join("check.py").exists() {
        println!("skipped: the independent checker ../shared/peers is absent");
        return Ok(None);
    }
    let has_numpy = |python: &PathBuf| {
        process::program(python, &["-c", "import numpy"]).output().is_ok_and(|run| run.status.success())
    };
    let Some(python) = [prepare::python(), "python3".into()].into_iter().find(has_numpy) else {
        println!("skipped: the independent checker needs NumPy, which `cargo xtask test` installs");
        return Ok(None);
    };
    let peers = workspace::fresh_folder("peers")?;
    for name in ["check.py", "common.py", "checker.cpp"] {
        let copied = fs::read(source.join(name)).and_then(|bytes| fs::write(peers.join(name), bytes));
        copied.map_err(|error| format!("{name} of ../shared/peers: {error}"))?;
    }
    let mut said = String::new();
    process::lines(&mut script(&python, &peers), |line| said = line.into())?;
    match said.as_str() {
        "ok" => Ok(Some((python, peers))),
        "" => {
            println!("skipped: the independent checker does not start (it needs g++)");
            Ok(None)
        }
        _ => Err(said),
    }
}

fn script(python: &Path, peers: &Path) -> std::process::Command {
    let script = workspace::root().join("xtask/foreign/judge_peers.py");
    let mut command = process::program(python, &[]);
    command.arg(script).arg(peers);
    command
}

/// Plays a variant and lets the checker judge it.
fn judge(python: &Path, peers: &Path, folder: &Path, variant: &Variant) -> Result<Value, String> {
    let Variant { scene, resolution, step, noise } = variant;
    let out = folder.join("run");
    let sets = [format!("resolution={resolution}"), format!("step={step}")];
    let mut command = muslin::command(&["run", scene, "--json", "--overwrite", "--format", "npz"]);
    command.args(["--set", &sets[0], "--set", &sets[1]]).arg("--out").arg(&out);
    if *noise {
        command.args(["--set", NOISE, "--set", "cloth.0.perturbation_seed=1"]);
    }
    let run = command.output().map_err(|error| format!("`{}`: {error}", process::line(&command)))?;
    if !run.status.success() {
        return Err(format!("`{}`: {}", process::line(&command), String::from_utf8_lossy(&run.stderr)));
    }
    let mut said = Value::Null;
    let mut command = script(python, peers);
    command.arg(&out).args([scene, resolution.to_string().as_str()]);
    process::lines(&mut command, |line| said = serde_json::from_str(line).unwrap_or_default())?;
    if said.is_null() { Err(format!("`{}` said nothing", process::line(&command))) } else { Ok(said) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_crossing_a_lost_number_or_a_depth_does_not_hold() {
        let good = json!({ "finite": true, "single": 0, "double": 3, "crossing": 0, "deepest": -0.1 });
        assert!(holds(&good));
        for (key, bad) in
            [("finite", json!(false)), ("single", json!(1)), ("crossing", json!(2)), ("deepest", json!(0.1))]
        {
            let mut said = good.clone();
            said[key] = bad;
            assert!(!holds(&said), "{key}");
        }
        assert!(!holds(&json!({})));
    }
}
