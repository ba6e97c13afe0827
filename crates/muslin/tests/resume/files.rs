//! The files of a run that was stopped and resumed are those of a run that was not, byte for byte.

use crate::simulation::scene;
use muslin::{CheckpointPolicy, Error, Existing, Format, Observer, Outcome, RunOptions, RunResult, Scene, run};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Stops a run when it has been asked so often.
pub struct After(AtomicUsize);

impl After {
    pub fn questions(count: usize) -> Self {
        After(AtomicUsize::new(count))
    }
}

impl Observer for After {
    fn stop(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}

pub fn options(directory: &Path) -> RunOptions {
    RunOptions {
        out: Some(directory.into()),
        frames: Some(12),
        threads: Some(2),
        formats: Format::ALL.to_vec(),
        ..Default::default()
    }
}

pub fn resume(directory: &Path) -> RunOptions {
    RunOptions { existing: Existing::Resume, threads: Some(3), ..options(directory) }
}

pub fn go(scene: &Scene, options: &RunOptions, observer: &mut dyn Observer) -> RunResult {
    run(scene, options, observer).unwrap_or_else(|e| panic!("{e}"))
}

/// All files below a directory; of the report, what does not depend on time and machine.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            let bytes = std::fs::read(&path).unwrap();
            all.insert(name.clone(), if name == "report.json" { timeless(&bytes) } else { bytes });
        }
    }
    all
}

fn timeless(report: &[u8]) -> Vec<u8> {
    // One that a test has damaged is compared as it is.
    let Ok(mut report) = serde_json::from_slice::<Value>(report) else { return report.to_vec() };
    let fields = report.as_object_mut().unwrap();
    for key in ["threads", "wall_seconds", "cpu_seconds", "total_wall_seconds", "peak_memory_bytes", "stages"] {
        assert!(fields.remove(key).is_some(), "{key}");
    }
    report.to_string().into_bytes()
}

pub fn assert_same(stopped: &Path, whole: &Path) {
    let (stopped, whole) = (contents(stopped), contents(whole));
    assert_eq!(stopped.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(stopped[name] == *bytes, "{name} differs");
    }
}

#[test]
fn a_run_stopped_twice_and_resumed_leaves_the_same_files() {
    let place = tempfile::tempdir().unwrap();
    for (name, settings) in [
        ("drape", &["resolution=8"][..]),
        ("flag", &["resolution=8", "step=0.004"]),
        ("hang", &["resolution=6", "step=0.05"]),
    ] {
        let scene = scene(name, settings);
        let (whole, stopped) = (place.path().join(format!("{name}-whole")), place.path().join(name));
        go(&scene, &options(&whole), &mut ());
        let first = go(&scene, &options(&stopped), &mut After::questions(2));
        assert_eq!((first.report.outcome, first.resumption), (Outcome::Interrupted, None));
        assert!(stopped.join("checkpoints").is_dir() && !whole.join("checkpoints").exists());
        let second = go(&scene, &resume(&stopped), &mut After::questions(1));
        assert_eq!(second.report.outcome, Outcome::Interrupted);
        let third = go(&scene, &resume(&stopped), &mut ());
        assert_eq!(third.report.outcome, Outcome::Completed);
        let resumption = third.resumption.unwrap();
        assert_eq!((resumption.frame, resumption.damaged.len()), (Some(second.report.frames), 0));
        assert_same(&stopped, &whole);
        // Costs add up over all parts.
        assert!(third.report.wall_seconds > second.report.wall_seconds);
        assert!(second.report.wall_seconds > first.report.wall_seconds);
    }
}

#[test]
fn how_often_checkpoints_are_written_changes_no_byte() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("swing", &["resolution=9", "step=0.008"]);
    let often = CheckpointPolicy { seconds: 0.0, frames: 1 };
    go(&scene, &options(&place.path().join("seldom")), &mut ());
    go(&scene, &RunOptions { checkpoints: often, ..options(&place.path().join("often")) }, &mut ());
    assert_same(&place.path().join("often"), &place.path().join("seldom"));
}

#[test]
fn checkpoints_come_after_so_many_frames_and_two_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let directory = place.path().join("run");
    struct Watch(std::path::PathBuf, Vec<usize>);
    impl Observer for Watch {
        fn frame_done(&mut self, _: &muslin::Progress<'_>) {
            let files = std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().path());
            self.1.push(files.filter(|f| f.extension().is_some_and(|e| e == "checkpoint")).count());
        }
    }
    let mut watch = Watch(directory.join("checkpoints"), Vec::new());
    let checkpoints = CheckpointPolicy { frames: 3, ..Default::default() };
    go(&scene, &RunOptions { checkpoints, ..options(&directory) }, &mut watch);
    assert_eq!(watch.1, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    assert_eq!(CheckpointPolicy::default(), CheckpointPolicy { seconds: 30.0, frames: 50 });
}

#[test]
fn without_a_checkpoint_a_resumed_run_starts_at_the_beginning() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let result = go(&scene, &resume(&place.path().join("new")), &mut ());
    assert_eq!((result.report.frames, result.resumption.unwrap().frame), (12, None));
    go(&scene, &options(&place.path().join("whole")), &mut ());
    assert_same(&place.path().join("new"), &place.path().join("whole"));
}

#[test]
fn a_finished_run_is_left_alone_and_says_so() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let first = scene("hang", &["resolution=5"]);
    go(&first, &options(&directory), &mut ());
    let before = contents(&directory);
    let error = run(&first, &resume(&directory), &mut ()).unwrap_err();
    assert!(matches!(&error, Error::AlreadyFinished { frames: 12, .. }), "{error}");
    // Another scene is told by the keys that differ, as for a checkpoint.
    let text =
        run(&scene("hang", &["resolution=5", "step=0.01"]), &resume(&directory), &mut ()).unwrap_err().to_string();
    assert!(text.contains("settings.step: 0.016666666666666666 there, 0.01 now"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    let other = RunOptions { formats: vec![Format::Npz], frames: Some(9), ..resume(&directory) };
    let text = run(&first, &other, &mut ()).unwrap_err().to_string();
    assert!(text.contains("frames to simulate: 12 there, 9 now") && text.contains("formats: npz,ply"), "{text}");
    let error = run(&first, &options(&directory), &mut ()).unwrap_err();
    assert!(matches!(error, Error::DirectoryHoldsRun { .. }), "{error}");
    assert_eq!(contents(&directory), before);
}

#[test]
fn a_finished_run_that_lost_a_file_says_which() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    for lost in ["frames.npz", "ply/cloth_0007.ply", "vtk/frames.pvd", "mdd/sheet.mdd", "frames.glb", "totals.csv"] {
        let directory = place.path().join(lost.replace('/', "-"));
        go(&scene, &options(&directory), &mut ());
        std::fs::remove_file(directory.join(lost)).unwrap();
        let before = contents(&directory);
        let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
        assert!(matches!(&error, Error::FinishedAndLost { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(lost) && text.contains("missing") && text.contains("--overwrite"), "{text}");
        assert_eq!(contents(&directory), before);
    }
}

#[test]
fn a_finished_run_with_a_file_that_was_cut_off_says_that_it_is_damaged() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let directory = place.path().join("run");
    go(&scene, &options(&directory), &mut ());
    let files = [
        "frames.npz",
        "obstacles.npz",
        "ply/cloth_0007.ply",
        "obj/cloth_0000.obj",
        "vtk/cloth_0012.vtp",
        "vtk/frames.pvd",
        "pc2/sheet.pc2",
        "mdd/sheet.mdd",
        "frames.usda",
        "frames.glb",
        "totals.csv",
    ];
    for file in files {
        let path = directory.join(file);
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 10, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let before = contents(&directory);
            let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
            assert!(matches!(&error, Error::FinishedAndLost { .. }), "{file} of {length} bytes: {error}");
            let text = error.to_string();
            assert!(text.contains(file) && text.contains("put the whole file back"), "{length} bytes: {text}");
            assert!(text.contains("is damaged") || text.contains("whole frames of 13"), "{length} bytes: {text}");
            assert!(contents(&directory) == before, "{file}");
        }
        std::fs::write(&path, &whole).unwrap();
    }
    let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
    assert!(matches!(&error, Error::AlreadyFinished { .. }), "{error}");
}

#[test]
fn a_refused_resume_leaves_everything_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let scene = scene("hang", &["resolution=5"]);
    go(&scene, &options(&directory), &mut After::questions(7));
    std::fs::remove_file(directory.join("ply/cloth_0002.ply")).unwrap();
    let before = contents(&directory);
    let text = run(&scene, &resume(&directory), &mut ()).unwrap_err().to_string();
    assert!(text.contains("ply/cloth_0002.ply") && text.contains("--overwrite"), "{text}");
    assert_eq!(contents(&directory), before);
}

#[test]
fn overwriting_removes_the_old_run_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let scene = scene("hang", &["resolution=5"]);
    go(&scene, &options(&directory), &mut After::questions(3));
    std::fs::write(directory.join("notes.txt"), "mine").unwrap();
    let overwrite = RunOptions { existing: Existing::Overwrite, formats: vec![Format::Npz], ..options(&directory) };
    go(&scene, &overwrite, &mut ());
    let names: Vec<String> = contents(&directory).into_keys().collect();
    assert_eq!(names, ["checksums.sfv", "frames.npz", "notes.txt", "obstacles.npz", "preview.png", "report.json"]);
}

/// Asks after some frames, and has only the inside of steps look at it.
struct WithinAStep(muslin::Interrupt);

impl Observer for WithinAStep {
    fn frame_done(&mut self, progress: &muslin::Progress<'_>) {
        if progress.frame == 3 {
            self.0.ask();
        }
    }

    fn stop(&self) -> bool {
        false
    }

    fn interrupt(&self) -> muslin::Interrupt {
        self.0.clone()
    }
}

#[test]
fn a_run_stopped_in_the_middle_of_a_step_goes_on_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let (whole, stopped) = (place.path().join("whole"), place.path().join("stopped"));
    // Solved to the tolerance it takes long enough to be stopped.
    let scene = scene("flag", &["resolution=20", "duration=4", "settings.contact.method=none"]);
    let options = |directory: &Path| RunOptions { frames: Some(200), formats: vec![Format::Npz], ..options(directory) };
    go(&scene, &options(&whole), &mut ());
    // Half a second later the step under way is given up, wherever it is.
    let mut middle = WithinAStep(Default::default());
    let result = go(&scene, &options(&stopped), &mut middle);
    assert_eq!(result.report.outcome, Outcome::Interrupted);
    let result = go(&scene, &RunOptions { existing: Existing::Resume, ..options(&stopped) }, &mut ());
    assert!(result.resumption.unwrap().frame >= Some(3));
    assert_same(&stopped, &whole);
}
