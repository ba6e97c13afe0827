//! Whole runs into directories.

use muslin::{Error, Format, Observer, Outcome, Progress, Report, RunOptions, RunResult, Scene, load, run};
use npyz::npz::NpzArchive;
use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};
use tempfile::TempDir;

fn scene(name: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    load(name, &settings).unwrap_or_else(|e| panic!("{e}")).scene
}

fn run_into(directory: &TempDir, scene: &Scene, options: RunOptions) -> RunResult {
    let options = RunOptions { out: Some(directory.path().join("run")), ..options };
    run(scene, &options, &mut ()).unwrap_or_else(|e| panic!("{e}"))
}

fn array(path: &Path, name: &str) -> (Vec<u64>, Vec<f64>) {
    let mut archive = NpzArchive::open(path).unwrap();
    let array = archive.by_name(name).unwrap().unwrap();
    (array.shape().to_vec(), array.into_vec::<f64>().unwrap())
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_writes_frames_picture_and_report_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let formats = vec![Format::Npz, Format::Ply];
    let scene = scene("drape", &["resolution=5", "settings.integrator=backward-euler"]);
    let result = run_into(&directory, &scene, RunOptions { frames: Some(3), formats, ..Default::default() });
    let out = result.directory.clone();
    assert_eq!(names(&out), ["checksums.sfv", "frames.npz", "obstacles.npz", "ply", "preview.png", "report.json"]);
    let mut files = result.report.files.clone();
    files.sort();
    assert_eq!(files, names(&out));
    let frames = ["cloth_0000.ply", "cloth_0001.ply", "cloth_0002.ply", "cloth_0003.ply", "obstacles.ply"];
    assert_eq!(names(&out.join("ply")), frames);
    let (shape, x) = array(&out.join("frames.npz"), "X");
    assert_eq!(shape, [4, 25, 3]);
    assert_eq!(x[..75], array(&out.join("frames.npz"), "V0").1);
    // Free fall by backward Euler: −g h² n (n + 1) / 2 after n steps.
    let fallen = 9.81 / 3600.0 * 6.0;
    assert!((x[2] - x[3 * 75 + 2] - fallen).abs() < 1e-9, "{} and {fallen}", x[2] - x[3 * 75 + 2]);
    let obstacles = result.report.obstacle_vertices as u64;
    assert_eq!(array(&out.join("obstacles.npz"), "X").0, [4, obstacles, 3]);
    let png = std::fs::read(result.preview.unwrap()).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 2000);
}

#[test]
fn the_report_on_disk_has_every_promised_key() {
    let directory = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=6"]);
    let result = run_into(&directory, &scene, RunOptions { frames: Some(6), threads: Some(1), ..Default::default() });
    let text = std::fs::read_to_string(result.directory.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "version",
        "scene_hash",
        "threads",
        "stages",
        "newton_iterations",
        "pcg_iterations",
        "energy",
        "max_strain",
        "warnings",
        "simulated_seconds",
        "wall_seconds",
        "cpu_seconds",
        "peak_memory_bytes",
        "steps",
        "frames",
        "worst_residual",
        "state_hash",
        "claims",
        "outcome",
    ] {
        assert!(!report[key].is_null(), "{key} is missing in {text}");
    }
    assert_eq!((&report["frames"], &report["steps"], &report["threads"]), (&6.into(), &6.into(), &1.into()));
    assert!((report["simulated_seconds"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    assert!(report["cpu_seconds"].as_f64().unwrap() > 0.0);
    assert!(report["max_strain"].as_f64().unwrap() > 1e-4);
    assert!(report["worst_residual"].as_f64().unwrap() < 0.01);
    for stage in ["drive", "integrate", "commit"] {
        assert!(report["stages"][stage]["wall_seconds"].is_f64() && report["stages"][stage]["cpu_seconds"].is_f64());
    }
}

#[test]
fn the_hash_tells_scenes_apart_and_the_result_has_the_same_bits_for_any_number_of_threads() {
    let directories = [(); 2].map(|()| tempfile::tempdir().unwrap());
    // 40 000 vertices: enough for every parallel loop and for tasks in each of many domains.
    let one = scene("hang", &["resolution=200"]);
    let reports: Vec<Report> = [1, 2]
        .iter()
        .zip(&directories)
        .map(|(&threads, directory)| {
            let options = RunOptions { frames: Some(2), threads: Some(threads), ..Default::default() };
            run_into(directory, &one, options).report
        })
        .collect();
    assert_eq!(reports[0].state_hash, reports[1].state_hash);
    assert_eq!(reports[0].scene_hash, reports[1].scene_hash);
    let read = |d: &TempDir| std::fs::read(d.path().join("run/frames.npz")).unwrap();
    assert_eq!(read(&directories[0]), read(&directories[1]), "archives must not depend on threads or the clock");
    assert_ne!(one.hash(), scene("hang", &["resolution=200", "settings.newton.residual=0.02"]).hash());
}

#[test]
fn a_frame_is_cut_into_equal_steps_no_longer_than_step() {
    // 1/60 s at most: 1; 0.01 s: 2 of 1/120 s; 1/180 s: 3; 0.005 s: 4 of 1/240 s.
    for (step, per_frame) in [("1/60", 1), ("0.01", 2), ("1/180", 3), ("0.005", 4)] {
        let directory = tempfile::tempdir().unwrap();
        let scene = scene("drape", &["resolution=3", &format!("step={step}")]);
        let options = RunOptions { frames: Some(2), formats: Vec::new(), ..Default::default() };
        let report = run_into(&directory, &scene, options).report;
        assert_eq!(report.steps, 2 * per_frame, "step = {step}");
        assert!((report.simulated_seconds - 2.0 / 60.0).abs() < 1e-12);
    }
}

#[test]
fn a_long_step_really_is_long_and_frames_between_lie_on_its_straight_motion() {
    let directory = tempfile::tempdir().unwrap();
    // Without contact it falls past the ball.
    let scene = scene(
        "drape",
        &["resolution=3", "step=1/20", "settings.contact.method=none", "settings.integrator=backward-euler"],
    );
    let result = run_into(&directory, &scene, RunOptions { frames: Some(6), ..Default::default() });
    assert_eq!(result.report.steps, 2);
    let (shape, x) = array(&result.directory.join("frames.npz"), "X");
    assert_eq!(shape, [7, 9, 3]);
    let z = |frame: usize| x[frame * 27 + 2];
    // Backward Euler with h = 1/20 s: −g h² after one step, −3 g h² after two; straight lines between.
    let drop = 9.81 / 400.0;
    for (frame, expected) in [(1, drop / 3.0), (2, drop * 2.0 / 3.0), (3, drop), (4, drop * 5.0 / 3.0), (6, drop * 3.0)]
    {
        assert!((z(0) - z(frame) - expected).abs() < 1e-9, "frame {frame}: {}", z(0) - z(frame));
    }
}

/// Stops when it has been asked so many times.
struct StopAfter(AtomicUsize, usize);

impl Observer for StopAfter {
    fn frame_done(&mut self, progress: &Progress<'_>) {
        assert!(progress.frame <= progress.frames && progress.time > 0.0);
    }

    fn stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= self.1
    }
}

#[test]
fn a_stopped_run_ends_within_a_step_and_keeps_the_frames_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let options = RunOptions { out: Some(directory.path().join("run")), ..Default::default() };
    // Four steps per frame; stopped after ten steps, in the middle of the third frame.
    let scene = scene("hang", &["resolution=5", "step=1/240"]);
    let result = run(&scene, &options, &mut StopAfter(AtomicUsize::new(0), 10)).unwrap();
    assert_eq!(result.report.outcome, Outcome::Interrupted);
    assert_eq!((result.report.steps, result.report.frames, result.report.frames_planned), (10, 2, 120));
    assert_eq!(array(&result.directory.join("frames.npz"), "X").0, [3, 25, 3]);
    assert_eq!(
        names(&result.directory),
        ["checkpoints", "checksums.sfv", "frames.npz", "obstacles.npz", "preview.png", "report.json"]
    );
}

#[test]
fn a_failed_step_is_reported_and_keeps_the_frames_before_it() {
    let directory = tempfile::tempdir().unwrap();
    // Far beyond the stable step of an explicit scheme.
    let scene = scene("hang", &["resolution=12", "settings.integrator=explicit-euler"]);
    let result = run_into(&directory, &scene, RunOptions { frames: Some(60), ..Default::default() });
    assert_eq!(result.report.outcome, Outcome::Failed);
    let message = result.failure.expect("a failed run says why").to_string();
    assert!(message.contains("vertex") && message.contains("step"), "{message}");
    assert_eq!(result.report.error.as_deref(), Some(message.as_str()));
    let frames = result.report.frames as u64;
    assert!(frames < 60);
    assert_eq!(array(&result.directory.join("frames.npz"), "X").0, [frames + 1, 144, 3]);
}

#[test]
fn a_broken_claim_is_found_and_a_kept_one_too() {
    let mut scene = scene("hang", &["resolution=6"]);
    let claim = |scene: &Scene| {
        let directory = tempfile::tempdir().unwrap();
        let options = RunOptions { frames: Some(4), formats: Vec::new(), ..Default::default() };
        run_into(&directory, scene, options).report
    };
    scene.claims.max_strain_below = Some(1e-9);
    let report = claim(&scene);
    assert_eq!(report.broken_claims().len(), 1);
    assert!(report.broken_claims()[0].found > 1e-9);
    scene.claims.max_strain_below = Some(0.5);
    // The end is not reached, so nothing is said about it.
    scene.claims.final_speed_below = Some(1e-9);
    assert!(claim(&scene).broken_claims().is_empty());
}

#[test]
fn a_directory_that_holds_a_run_is_refused_and_one_with_other_files_is_not() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    let scene = scene("hang", &["resolution=3"]);
    let options = RunOptions { out: Some(directory.path().into()), frames: Some(1), ..Default::default() };
    run(&scene, &options, &mut ()).unwrap();
    let before = std::fs::read(directory.path().join("report.json")).unwrap();
    match run(&scene, &options, &mut ()) {
        Err(error @ Error::DirectoryHoldsRun { .. }) => assert!(error.to_string().contains("report.json")),
        other => panic!("{:?}", other.map(|r| r.directory)),
    }
    assert_eq!(std::fs::read(directory.path().join("report.json")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(directory.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn the_table_of_totals_does_not_depend_on_what_else_is_written() {
    // With fields the elastic energy comes from them; the second scene has frames within its steps.
    for (name, settings) in [
        ("drape", &["resolution=8"][..]),
        ("flag", &["resolution=8", "step=1/25", "frames_per_second=60"]),
        ("w-4-ball", &["resolution=8"]),
    ] {
        let scene = scene(name, settings);
        let table = |formats: Vec<Format>| {
            let directory = tempfile::tempdir().unwrap();
            let result = run_into(&directory, &scene, RunOptions { frames: Some(6), formats, ..Default::default() });
            std::fs::read_to_string(result.directory.join("totals.csv")).unwrap()
        };
        let alone = table(vec![Format::Csv]);
        let column = alone.lines().next().unwrap().split(',').position(|word| word == "elastic_energy_J").unwrap();
        let last = alone.lines().last().unwrap().split(',').nth(column).unwrap();
        assert!(last.parse::<f64>().unwrap() > 0.0, "{name}: {last}");
        assert_eq!(table(vec![Format::Vtk, Format::Csv]), alone, "{name}");
    }
}
