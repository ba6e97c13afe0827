//! The real command on small scenes.

mod common;

use common::muslin;
use serde_json::Value;
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is text")
}

#[test]
fn results_are_numbered_and_the_end_says_where_they_are() {
    let directory = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        let output = muslin(directory.path(), &["run", "hang", "--frames", "1", "--set", "resolution=4"]);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{err}");
        for part in [format!("runs/hang-00{number}\n"), format!("runs/hang-00{number}/preview.png")] {
            assert!(out.contains(&part), "{out}");
        }
        for file in ["frames.npz", "obstacles.npz", "preview.png", "report.json"] {
            assert!(directory.path().join(format!("runs/hang-00{number}/{file}")).is_file(), "{file}");
        }
    }
    // A gap is not filled: results keep their order.
    std::fs::remove_dir_all(directory.path().join("runs/hang-001")).unwrap();
    muslin(directory.path(), &["run", "hang", "--frames", "1", "--set", "resolution=4", "--format", "none"]);
    assert!(directory.path().join("runs/hang-003/report.json").is_file());
    assert!(!directory.path().join("runs/hang-003/frames.npz").exists());
}

#[test]
fn json_prints_the_report_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    // Obstacles without contact are warned about.
    let arguments =
        "run drape --json --frames 2 --threads 1 --set resolution=4 --set settings.contact.method=none --out here";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let output = muslin(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed: Value = serde_json::from_slice(&output.stdout).expect("standard output is one JSON document");
    let written: Value =
        serde_json::from_slice(&std::fs::read(directory.path().join("here/report.json")).unwrap()).unwrap();
    assert_eq!(printed, written);
    assert_eq!((&printed["scene"], &printed["frames"], &printed["threads"]), (&"drape".into(), &2.into(), &1.into()));
    assert!(text(&output.stderr).contains("warning: "), "warnings go to standard error");
    // The same directory again is refused, and the first result stays.
    let again = muslin(directory.path(), &arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("`here` already holds a run (report.json)"));
}

#[test]
fn a_scene_file_runs_like_a_built_in_scene() {
    let directory = tempfile::tempdir().unwrap();
    let scene = muslin(directory.path(), &["scenes", "hang", "--toml"]);
    std::fs::write(directory.path().join("mine.toml"), &scene.stdout).unwrap();
    let run = |scene: &str, out: &str| -> Value {
        let output = muslin(
            directory.path(),
            &["run", scene, "--json", "--frames", "2", "--set", "resolution=5", "--out", out, "--format", "ply,npz"],
        );
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)))
    };
    let (file, built_in) = (run("mine.toml", "a"), run("hang", "b"));
    assert_eq!(file["state_hash"], built_in["state_hash"]);
    assert_eq!(file["scene_hash"], built_in["scene_hash"]);
    assert!(directory.path().join("a/ply/cloth_0002.ply").is_file());
}

#[test]
fn scenes_lists_one_line_each_and_json_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let list = text(&muslin(directory.path(), &["scenes"]).stdout);
    let json: Value = serde_json::from_slice(&muslin(directory.path(), &["scenes", "--json"]).stdout).unwrap();
    let entries = json.as_array().unwrap();
    assert_eq!(list.lines().count(), entries.len());
    for (line, entry) in list.lines().zip(entries) {
        let (name, description) = (entry["name"].as_str().unwrap(), entry["description"].as_str().unwrap());
        assert!(line.starts_with(name) && line.ends_with(description), "{line}");
        assert!(entry["parameters"].as_array().unwrap().iter().any(|p| p["name"] == "resolution"));
    }
    for name in ["drape", "hang", "twist", "flag", "curtain"] {
        assert!(entries.iter().any(|e| e["name"] == name), "{name}");
    }
    let parameters = text(&muslin(directory.path(), &["scenes", "twist"]).stdout);
    assert!(parameters.contains("--set resolution") && parameters.contains("degrees_per_second"), "{parameters}");
    let reference = muslin(directory.path(), &["scenes", "--reference"]).stdout;
    assert!(text(&reference).starts_with("# Scene files\n"));
}

#[test]
fn a_broken_claim_ends_with_code_3() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "hang", "--frames", "2", "--set", "resolution=4", "--set", "claims.max_strain_below=1e-9"];
    let output = muslin(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("claims max_strain_below 0.000000001, found"), "{}", text(&output.stderr));
}

#[test]
fn a_step_that_fails_ends_with_code_1_and_says_when_where_and_what_to_change() {
    let directory = tempfile::tempdir().unwrap();
    let arguments =
        ["run", "hang", "--set", "resolution=12", "--set", "settings.integrator=explicit-euler", "--out", "x"];
    let output = muslin(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let message = text(&output.stderr);
    for part in ["error: at ", " s", "vertex ", "`sheet`", "step"] {
        assert!(message.contains(part), "`{part}` is not in {message}");
    }
    let report: Value =
        serde_json::from_slice(&std::fs::read(directory.path().join("x/report.json")).unwrap()).unwrap();
    assert_eq!(report["outcome"], "failed");
    // The cloth has blown up by then; its summary stays one that fits a line.
    assert!(report["max_strain"].as_f64().unwrap() > 1e6, "{}", report["max_strain"]);
    let summary = text(&output.stdout);
    let strain = summary.split("largest strain ").nth(1).unwrap().split(" %").next().unwrap();
    assert!(strain.len() <= 12 && strain.parse::<f64>().unwrap() > 1e8, "{summary}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_after_the_step_with_code_130_and_valid_files() {
    let directory = tempfile::tempdir().unwrap();
    // Long enough that it cannot end by itself while the test waits.
    let child = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .args(["run", "hang", "--json", "--set", "resolution=12", "--set", "duration=10000", "--out", "x"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let partial = directory.path().join("x/frames.npz.partial");
    let begin = Instant::now();
    // Until frames have reached the disk: triangles, start and names come before them and take less than this.
    let several_frames = 20 * 144 * 24;
    while !std::fs::metadata(&partial).is_ok_and(|m| m.len() > several_frames) {
        assert!(begin.elapsed() < Duration::from_secs(120), "the run does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["outcome"], "interrupted");
    let frames = report["frames"].as_u64().unwrap();
    assert!(frames > 0 && frames < 600_000);
    // The archive holds the start and every frame that the report counts.
    let bytes = std::fs::read(directory.path().join("x/frames.npz")).unwrap();
    let shape = format!("'shape': ({}, 144, 3)", frames + 1);
    assert!(bytes.windows(shape.len()).any(|w| w == shape.as_bytes()), "{shape}");
    assert!(bytes.len() as u64 > (frames + 1) * 144 * 24);
    assert!(!partial.exists() && directory.path().join("x/preview.png").is_file());
}
