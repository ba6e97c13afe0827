//! A bit that flips in any file of a stopped run is told, or is in bytes that going on writes anew; it is never kept.

use crate::{
    files::{After, assert_same, contents, go, options, resume},
    simulation::scene,
};
use muslin::{CheckpointPolicy, Error, Existing, Format, RunOptions, Scene, run};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The next of a row of numbers without pattern.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

fn all_files(directory: &Path) -> Vec<PathBuf> {
    contents(directory).into_keys().map(|name| directory.join(name)).collect()
}

pub fn copy(from: &Path, to: &Path) {
    for file in all_files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}

fn flip(file: &Path, at: usize, bit: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1 << bit;
    fs::write(file, bytes).unwrap();
}

/// A scene that is simulated in no time: it runs once for each damage.
fn small() -> Scene {
    scene("hang", &["resolution=4"])
}

fn few(directory: &Path, existing: Existing) -> RunOptions {
    let checkpoints = CheckpointPolicy { frames: 1, ..Default::default() };
    RunOptions { frames: Some(6), checkpoints, existing, ..options(directory) }
}

/// A scene, and the directories of a whole run of it and of one that was stopped.
fn whole_and_stopped(place: &Path) -> (Scene, PathBuf, PathBuf) {
    let (whole, stopped) = (place.join("whole"), place.join("stopped"));
    let scene = small();
    go(&scene, &few(&whole, Existing::Refuse), &mut ());
    go(&scene, &few(&stopped, Existing::Refuse), &mut After::questions(4));
    (scene, whole, stopped)
}

#[test]
fn a_flipped_bit_in_any_file_of_a_stopped_run_is_told_or_written_anew() {
    let place = tempfile::tempdir().unwrap();
    let (scene, whole, stopped) = whole_and_stopped(place.path());
    let (mut seed, mut told) = (7, BTreeMap::new());
    let files = all_files(&stopped);
    for (k, file) in files.iter().enumerate().filter(|(_, file)| fs::metadata(file).unwrap().len() > 0) {
        let name = file.strip_prefix(&stopped).unwrap();
        let length = fs::metadata(file).unwrap().len() as usize;
        for (turn, at) in [next(&mut seed) % length, length / 2].into_iter().enumerate() {
            let directory = place.path().join(format!("flipped-{k}-{turn}"));
            copy(&stopped, &directory);
            flip(&directory.join(name), at, next(&mut seed) % 8);
            let before = contents(&directory);
            match run(&scene, &few(&directory, Existing::Resume), &mut ()) {
                Ok(_) => assert_same(&directory, &whole),
                Err(error @ Error::Output(_)) => {
                    let text = error.to_string();
                    assert!(text.contains("put the whole file back") && text.contains("--overwrite"), "{text}");
                    assert!(contents(&directory) == before, "{}: a refusal changes nothing", name.display());
                    *told.entry(name.to_path_buf()).or_insert(0) += 1;
                }
                Err(other) => panic!("{} at {at}: {other}", name.display()),
            }
            fs::remove_dir_all(directory).unwrap();
        }
    }
    // Each format has files in whose middle nothing may change.
    for file in [
        "frames.npz",
        "ply/cloth_0002.ply",
        "obj/cloth_0000.obj",
        "vtk/cloth_0001.vtp",
        "pc2/sheet.pc2",
        "mdd/sheet.mdd.partial",
        "frames.usda.samples.partial/0.points",
        "frames.glb.samples.partial",
        "totals.csv",
    ] {
        assert!(told.contains_key(Path::new(file)), "{file} was damaged and nobody says so: {told:?}");
    }
}

#[test]
fn a_run_resumed_from_an_older_checkpoint_judges_the_files_by_that_one() {
    let place = tempfile::tempdir().unwrap();
    let (scene, whole, stopped) = whole_and_stopped(place.path());
    let mut checkpoints: Vec<PathBuf> =
        all_files(&stopped).into_iter().filter(|f| f.extension().is_some_and(|e| e == "checkpoint")).collect();
    checkpoints.sort();
    flip(&checkpoints[1], 100, 3);
    let result = go(&scene, &few(&stopped, Existing::Resume), &mut ());
    assert_eq!(result.resumption.unwrap().damaged.len(), 1);
    assert_same(&stopped, &whole);
}

#[test]
fn a_finished_archive_with_a_flipped_bit_is_told_by_resume_and_by_check() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let scene = scene("hang", &["resolution=5"]);
    let npz = |options: RunOptions| RunOptions { formats: vec![Format::Npz], ..options };
    go(&scene, &npz(options(&directory)), &mut ());
    // The archive alone, without the list of checksums beside it.
    fs::remove_file(directory.join("checksums.sfv")).unwrap();
    let judge = || muslin::check(&directory.display().to_string(), Default::default()).faults;
    assert!(judge().is_empty());
    let file = directory.join("frames.npz");
    let length = fs::metadata(&file).unwrap().len() as usize;
    // Many vertices at one place: what crosses there is not worth a word.
    let whole = fs::read(&file).unwrap();
    let mut bytes = whole.clone();
    bytes[length / 2..length / 2 + 700].fill(0x41);
    fs::write(&file, bytes).unwrap();
    let faults = judge();
    assert!(faults.len() == 1 && faults[0].message.contains("checksum"), "{faults:?}");
    fs::write(&file, &whole).unwrap();
    // In the rows, and in the directory behind them, which NumPy goes by.
    for (at, seen) in [(length / 2, true), (length - 40, false)] {
        flip(&file, at, 2);
        let error = run(&scene, &npz(resume(&directory)), &mut ()).unwrap_err();
        assert!(matches!(&error, Error::FinishedAndLost { .. }), "{error}");
        assert!(error.to_string().contains("frames.npz") && error.to_string().contains("checksum"), "{error}");
        assert_eq!(judge().iter().any(|fault| fault.message.contains("checksum")), seen);
        flip(&file, at, 2);
    }
}
