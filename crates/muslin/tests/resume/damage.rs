//! Checkpoints that are damaged, of another scene, of another version, or in use.

use crate::{
    files::{After, assert_same, contents, go, options, resume},
    flipped::copy,
    simulation::scene,
};
use muslin::{
    CheckpointPolicy, Error, RunOptions,
    io::checkpoint::{CheckpointFolder, FolderError, decode, encode},
    run,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A run of `hang` stopped after some frames, with a checkpoint for each.
fn stopped(directory: &Path) {
    let checkpoints = CheckpointPolicy { frames: 1, ..Default::default() };
    let options = RunOptions { checkpoints, ..options(directory) };
    go(&scene("hang", &["resolution=5"]), &options, &mut After::questions(7));
}

/// The run's checkpoints, oldest first.
fn checkpoints(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory.join("checkpoints")).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "checkpoint")).collect();
    files.sort();
    files
}

#[test]
fn a_damaged_checkpoint_is_noticed_and_the_one_before_serves() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let whole = place.path().join("whole");
    go(&scene, &options(&whole), &mut ());
    /// What is done to the bytes of a file.
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 7] = [
        ("of 20 bytes", |bytes| bytes.truncate(13)),
        ("bytes", |bytes| bytes.truncate(bytes.len() / 2)),
        ("bytes", |bytes| bytes.truncate(bytes.len() - 1)),
        ("bytes", |bytes| bytes.push(0)),
        ("checksum", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }),
        ("checksum", |bytes| *bytes.last_mut().unwrap() ^= 0x80),
        ("not a checkpoint", |bytes| bytes.iter_mut().for_each(|b| *b = 0)),
    ];
    for (k, (message, damage)) in damages.into_iter().enumerate() {
        let directory = place.path().join(format!("run-{k}"));
        stopped(&directory);
        let files = checkpoints(&directory);
        assert_eq!(files.len(), 2);
        let mut bytes = fs::read(&files[1]).unwrap();
        damage(&mut bytes);
        fs::write(&files[1], bytes).unwrap();
        let result = go(&scene, &resume(&directory), &mut ());
        let resumption = result.resumption.unwrap();
        // Frame 7 was never begun: its checkpoint and that of frame 7 hold the same frames.
        assert_eq!((resumption.frame, resumption.damaged.len()), (Some(7), 1));
        assert!(resumption.damaged[0].contains(message), "{:?}", resumption.damaged);
        assert_same(&directory, &whole);
    }
}

#[test]
fn if_all_checkpoints_are_damaged_the_run_starts_again_and_says_so() {
    let place = tempfile::tempdir().unwrap();
    let (directory, whole) = (place.path().join("run"), place.path().join("whole"));
    stopped(&directory);
    checkpoints(&directory).iter().for_each(|file| fs::write(file, b"MUSLINCP").unwrap());
    let scene = scene("hang", &["resolution=5"]);
    let resumption = go(&scene, &resume(&directory), &mut ()).resumption.unwrap();
    assert_eq!((resumption.frame, resumption.damaged.len()), (None, 2));
    go(&scene, &options(&whole), &mut ());
    assert_same(&directory, &whole);
}

/// Everything that tells which run a directory holds.
fn tellers(directory: &Path) -> Vec<PathBuf> {
    let mut files = checkpoints(directory);
    files.extend([directory.join("checkpoints/identity"), directory.join("report.json")]);
    files
}

#[test]
fn results_of_an_unknown_scene_are_refused_and_stay() {
    let place = tempfile::tempdir().unwrap();
    let same = scene("hang", &["resolution=5"]);
    let refused = |directory: &Path, told: &[&str]| {
        let before = contents(directory);
        let error = run(&same, &resume(directory), &mut ()).unwrap_err();
        assert!(matches!(&error, Error::UnknownRun { .. }), "{error}");
        let text = error.to_string();
        told.iter().chain(&["--overwrite"]).for_each(|part| assert!(text.contains(part), "{part} in {text}"));
        assert!(contents(directory) == before, "a refusal changes nothing");
    };
    let damaged = place.path().join("damaged");
    stopped(&damaged);
    tellers(&damaged).iter().for_each(|file| fs::write(file, b"MUSLIN").unwrap());
    refused(
        &damaged,
        &["(`totals.csv`)", ".checkpoint`: ", "checkpoints/identity`: ", "`report.json`: it is no whole"],
    );
    // A finished run has no checkpoints any more: only its report tells.
    let finished = place.path().join("finished");
    go(&same, &options(&finished), &mut ());
    fs::write(finished.join("report.json"), b"{\"outcome\": \"comp").unwrap();
    refused(&finished, &["`report.json`: it is no whole report"]);
    fs::remove_file(finished.join("report.json")).unwrap();
    refused(&finished, &["there is no report and no checkpoint"]);
    let overwrite = RunOptions { existing: muslin::Existing::Overwrite, ..options(&finished) };
    go(&same, &overwrite, &mut ());
}

#[test]
fn a_run_killed_before_its_first_checkpoint_is_known_by_what_it_wrote_at_the_start() {
    let place = tempfile::tempdir().unwrap();
    let (same, other) = (scene("hang", &["resolution=5"]), scene("hang", &["resolution=5", "step=0.01"]));
    let whole = place.path().join("whole");
    go(&same, &options(&whole), &mut ());
    // Each of the two files alone tells.
    for (name, lost) in [("begun", "report.json"), ("reported", "checkpoints/identity")] {
        let directory = place.path().join(name);
        stopped(&directory);
        checkpoints(&directory).iter().for_each(|file| fs::remove_file(file).unwrap());
        fs::remove_file(directory.join(lost)).unwrap();
        let before = contents(&directory);
        let text = run(&other, &resume(&directory), &mut ()).unwrap_err().to_string();
        assert!(text.contains("settings.step: 0.016666666666666666 there, 0.01 now"), "{text}");
        assert!(contents(&directory) == before, "a refusal changes nothing");
        let resumption = go(&same, &resume(&directory), &mut ()).resumption.unwrap();
        assert_eq!((resumption.frame, resumption.damaged.len()), (None, 0));
        assert_same(&directory, &whole);
    }
    // Killed before anything was written, or files that are no run's.
    let begun = place.path().join("nothing");
    drop(CheckpointFolder::open(&begun).unwrap());
    fs::write(begun.join("notes.txt"), "mine").unwrap();
    assert_eq!(go(&same, &resume(&begun), &mut ()).resumption.unwrap().frame, None);
}

#[test]
fn every_cut_and_every_flipped_byte_of_a_checkpoint_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    stopped(place.path().join("run").as_path());
    let good = fs::read(&checkpoints(&place.path().join("run"))[1]).unwrap();
    let checkpoint = decode(&good).expect("a whole checkpoint");
    let mut again = Vec::new();
    encode(&checkpoint, &mut again).unwrap();
    assert!(again == good, "reading and writing changes no byte");
    let stride = (good.len() / 400).max(1);
    for at in (0..good.len()).step_by(stride).chain(0..64) {
        assert!(decode(&good[..at]).is_err(), "cut at {at}");
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert!(decode(&bad).is_err(), "flipped at {at}");
    }
}

#[test]
fn a_checkpoint_of_another_scene_is_refused_with_the_keys_that_differ() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    stopped(&directory);
    let before = contents(&directory);
    let refused = |settings: &[&str], options: RunOptions| match run(&scene("hang", settings), &options, &mut ()) {
        Err(error @ Error::OtherRun { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let text = refused(&["resolution=5", "step=0.01", "cloth.0.velocity=[0, 0, 1]"], resume(&directory));
    for line in [
        "settings.step: 0.016666666666666666 there, 0.01 now",
        "cloth.0.velocity: [0.0, 0.0, 0.0] there, [0.0, 0.0, 1.0] now",
        "--overwrite",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert_eq!(text.lines().count(), 4, "{text}");
    let fewer = refused(&["resolution=5"], RunOptions { frames: Some(9), ..resume(&directory) });
    assert!(fewer.contains("frames to simulate: 12 there, 9 now"), "{fewer}");
    assert_eq!(contents(&directory), before);
}

#[test]
fn a_checkpoint_of_another_version_and_build_is_refused_with_both() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    stopped(&directory);
    let file = checkpoints(&directory).pop().unwrap();
    let mut checkpoint = decode(&fs::read(&file).unwrap()).unwrap();
    checkpoint.identity.keys[0].1 = "9.9.9".into();
    let build = checkpoint.identity.keys.iter_mut().find(|(key, _)| key == "build").unwrap();
    let this_build = std::mem::replace(&mut build.1, "0123456789abcdef".into());
    let mut bytes = Vec::new();
    encode(&checkpoint, &mut bytes).unwrap();
    fs::write(&file, &bytes).unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let before = contents(&directory);
    let text = run(&scene, &resume(&directory), &mut ()).unwrap_err().to_string();
    assert!(text.contains(&format!("build: 0123456789abcdef there, {this_build} now")), "{text}");
    assert_eq!((text.lines().count(), contents(&directory) == before), (4, true), "{text}");
    let expected = format!("Muslin's version: 9.9.9 there, {} now", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&expected), "{text}");
    // A layout that this Muslin does not know is no damage either: an older checkpoint must not serve.
    bytes[8] = 77;
    fs::write(&file, &bytes).unwrap();
    let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
    assert!(matches!(&error, Error::Checkpoint(FolderError::OtherLayout { .. })), "{error}");
    assert!(error.to_string().contains("version 77"), "{error}");
}

#[test]
fn a_directory_in_use_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    stopped(&directory);
    let scene = scene("hang", &["resolution=5"]);
    let lock = CheckpointFolder::open(&directory).unwrap();
    let error = run(&scene, &resume(&directory), &mut ()).unwrap_err();
    assert!(matches!(error, Error::Checkpoint(FolderError::Busy { .. })), "{error}");
    drop(lock);
    go(&scene, &resume(&directory), &mut ());
}

/// Keeps the directory of a run as a kill after a frame would leave it.
struct KilledAfter<'a> {
    frame: usize,
    directory: &'a Path,
    kept: &'a Path,
}

impl muslin::Observer for KilledAfter<'_> {
    fn frame_done(&mut self, progress: &muslin::Progress<'_>) {
        if progress.frame == self.frame {
            copy(self.directory, self.kept);
        }
    }
}

#[test]
fn frames_that_are_lost_or_damaged_since_the_older_checkpoint_are_done_again_from_it() {
    let place = tempfile::tempdir().unwrap();
    let scene = scene("hang", &["resolution=5"]);
    let (whole, killed) = (place.path().join("whole"), place.path().join("killed"));
    let checkpoints = CheckpointPolicy { frames: 3, ..Default::default() };
    let options = RunOptions { checkpoints, ..options(&whole) };
    // Checkpoints of frames 3 and 6; frames 0 to 8 are written.
    go(&scene, &options, &mut KilledAfter { frame: 8, directory: &whole, kept: &killed });
    // Where frame 4 or 5 is in each file that grows [-]; an archive begins with arrays of another kind.
    let growing = [
        ("frames.npz.partial", 0.77),
        ("pc2/sheet.pc2.partial", 0.6),
        ("mdd/sheet.mdd.partial", 0.6),
        ("frames.usda.samples.partial/0.points", 0.6),
        ("frames.glb.samples.partial", 0.6),
        ("totals.csv", 0.6),
    ];
    let sequences = ["ply/cloth_0005.ply", "obj/cloth_0005.obj", "vtk/cloth_0005.vtp"].map(|file| (file, 0.5));
    let place_in = |path: &Path, share: f64| (fs::metadata(path).unwrap().len() as f64 * share) as usize;
    let change = |path: &Path, share: f64| {
        let mut bytes = fs::read(path).unwrap();
        bytes[place_in(path, share)] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let cut = |path: &Path, share: f64| fs::write(path, &fs::read(path).unwrap()[..place_in(path, share)]).unwrap();
    let remove = |path: &Path, _: f64| fs::remove_file(path).unwrap();
    type Harm<'a> = &'a dyn Fn(&Path, f64);
    let harms: [Harm<'_>; 3] = [&change, &cut, &remove];
    let all = growing.iter().flat_map(|file| harms[..2].iter().map(move |harm| (file, harm)));
    let all = all.chain(sequences.iter().flat_map(|file| harms.iter().map(move |harm| (file, harm))));
    for (k, ((file, share), harm)) in all.enumerate() {
        let directory = place.path().join(format!("run-{k}"));
        copy(&killed, &directory);
        harm(&directory.join(file), *share);
        let resumption = go(&scene, &resume(&directory), &mut ()).resumption.unwrap();
        assert_eq!((resumption.frame, resumption.damaged.len()), (Some(3), 0), "{file}");
        let told = resumption.lost.len() == 1 && resumption.lost[0].contains(file.trim_end_matches(".partial"));
        assert!(told, "{file}: {resumption:?}");
        assert_same(&directory, &whole);
        fs::remove_dir_all(directory).unwrap();
    }
    // Damage that the older checkpoint relies on too is refused, and changes nothing.
    change(&killed.join("ply/cloth_0002.ply"), 0.5);
    let before = contents(&killed);
    let error = run(&scene, &resume(&killed), &mut ()).unwrap_err();
    assert!(error.to_string().contains("ply/cloth_0002.ply` is damaged"), "{error}");
    assert!(contents(&killed) == before);
}
