//! A process that is killed when all frames are simulated: between the last file and the report, and after the report.

use crate::{
    files::{After, assert_same, contents, go, options, resume},
    flipped::copy,
    simulation::scene,
};
use muslin::{CheckpointPolicy, Error, Observer, RunOptions, run};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Keeps the directory of a run as a kill would leave it when all files of frames are finished and the report is not
/// yet written.
struct AtTheEnd {
    directory: PathBuf,
    kept: PathBuf,
}

impl Observer for AtTheEnd {
    fn draws(&mut self) {
        copy(&self.directory, &self.kept);
    }
}

/// A whole run of `hang` with checkpoints, or without any, and what a kill before its report leaves.
fn killed_before_the_report(place: &Path, every: usize) -> (PathBuf, PathBuf) {
    let (directory, kept) = (place.join("whole"), place.join("killed"));
    let checkpoints = CheckpointPolicy { frames: every, ..Default::default() };
    let options = RunOptions { checkpoints, ..options(&directory) };
    go(&scene("hang", &["resolution=5"]), &options, &mut AtTheEnd { directory: directory.clone(), kept: kept.clone() });
    (directory, kept)
}

#[test]
fn a_run_killed_between_its_last_file_and_its_report_goes_on_with_the_same_bytes() {
    for every in [1, 5, 50] {
        let place = tempfile::tempdir().unwrap();
        let (whole, killed) = killed_before_the_report(place.path(), every);
        assert!(killed.join("frames.usda").exists() && !killed.join("report.json").exists());
        let result = go(&scene("hang", &["resolution=5"]), &resume(&killed), &mut ());
        assert_eq!(result.resumption.unwrap().frame.is_some(), every < 50);
        assert_same(&killed, &whole);
    }
}

#[test]
fn a_run_whose_report_cannot_be_written_goes_on_when_it_can() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let (whole, directory) = (place.path().join("whole"), place.path().join("run"));
    go(&scene, &options(&whole), &mut ());
    let checkpoints = CheckpointPolicy { frames: 5, ..Default::default() };
    /// Puts a directory where the report should be.
    struct InTheWay(PathBuf);
    impl Observer for InTheWay {
        fn draws(&mut self) {
            fs::create_dir_all(self.0.join("report.json/x")).unwrap();
        }
    }
    let options = RunOptions { checkpoints, ..options(&directory) };
    let error = run(&scene, &options, &mut InTheWay(directory.clone())).unwrap_err();
    assert!(matches!(&error, Error::Write { path, .. } if path.ends_with("report.json")), "{error}");
    fs::remove_dir_all(directory.join("report.json")).unwrap();
    go(&scene, &resume(&directory), &mut ());
    assert_same(&directory, &whole);
}

#[test]
fn a_run_killed_after_its_report_is_finished_and_what_it_left_is_removed() {
    let place = tempfile::tempdir().unwrap();
    let (whole, killed) = killed_before_the_report(place.path(), 5);
    for file in ["report.json", "preview.png", "checksums.sfv"] {
        fs::copy(whole.join(file), killed.join(file)).unwrap();
    }
    assert!(killed.join("frames.usda.samples.partial").exists() && killed.join("checkpoints").exists());
    let error = run(&scene("hang", &["resolution=5"]), &resume(&killed), &mut ()).unwrap_err();
    assert!(matches!(&error, Error::AlreadyFinished { mended, .. } if mended.is_empty()), "{error}");
    assert_same(&killed, &whole);
}

#[test]
fn the_checksums_of_a_run_are_those_of_its_files() {
    let place = tempfile::tempdir().unwrap();
    let whole = place.path().join("whole");
    let scene = scene("drape", &["resolution=6"]);
    go(&scene, &options(&whole), &mut ());
    // One that was stopped lists what is there by then, as is.
    let stopped = place.path().join("stopped");
    go(&scene, &options(&stopped), &mut After::questions(3));
    for directory in [&whole, &stopped] {
        let list = fs::read_to_string(directory.join("checksums.sfv")).unwrap();
        let told: Vec<(&str, &str)> =
            list.lines().filter(|line| !line.starts_with(';')).map(|line| line.rsplit_once(' ').unwrap()).collect();
        let files = contents(directory);
        for (name, crc) in &told {
            let bytes = fs::read(directory.join(name)).unwrap();
            assert_eq!(*crc, format!("{:08X}", crc32(&bytes)), "{name}");
        }
        let unlisted = |name: &&String| {
            let alone = ["report.json", "checksums.sfv"].contains(&name.as_str());
            !alone && !name.contains(".partial") && !name.starts_with("checkpoints")
        };
        let mut listed: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(listed, files.keys().filter(unlisted).map(String::as_str).collect::<Vec<_>>());
    }
}

/// CRC-32 by its definition, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[test]
fn a_finished_run_of_any_format_with_a_flipped_bit_is_told_by_resume_and_by_check() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let scene = scene("hang", &["resolution=5"]);
    go(&scene, &options(&directory), &mut ());
    let judge = || muslin::check(&directory.display().to_string(), Default::default());
    assert!(judge().faults.is_empty(), "{:?}", judge().faults);
    let files = [
        "frames.npz",
        "ply/cloth_0007.ply",
        "obj/cloth_0011.obj",
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
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        bytes[whole.len() / 2] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let before = contents(&directory);
        let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
        assert!(matches!(&error, Error::FinishedAndLost { .. }), "{file}: {error}");
        assert!(error.to_string().contains(file) && error.to_string().contains("checksum"), "{error}");
        assert!(contents(&directory) == before, "{file}: a refusal changes nothing");
        // The damage first, and nothing else: what crosses in damaged frames tells nobody anything.
        let faults = judge().faults;
        assert_eq!(faults.len(), 1, "{file}: {faults:?}");
        assert!(faults[0].kind == "damaged-file" && faults[0].message.contains(file), "{faults:?}");
        fs::write(&path, &whole).unwrap();
    }
    // A list that is damaged itself accuses nobody.
    let list = directory.join("checksums.sfv");
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, text.replacen('A', "B", 1)).unwrap();
    let faults = judge().faults;
    assert!(faults.len() == 1 && faults[0].message.contains("checksums.sfv` is damaged"), "{faults:?}");
    fs::remove_file(&list).unwrap();
    let verdict = judge();
    assert!(verdict.faults.is_empty() && verdict.warnings[0].contains("no `checksums.sfv`"), "{verdict:?}");
}
