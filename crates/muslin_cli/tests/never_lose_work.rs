//! The real command, stopped, killed and out of room: nothing that was done is lost.
#![cfg(unix)]

#[path = "common/results.rs"]
mod results;

use results::assert_same;
use serde_json::Value;
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

/// Enough frames that a run can be met while it goes on.
const FRAMES: &str = "90";
/// A run that lasts longer than all kills together, which come early in what is left of it.
const LONG: &[&str] = &["--frames", "300", "--set", "duration=5", "--format", "npz,ply,obj,vtk,pc2,mdd,usd,gltf,csv"];
/// Kills of a run; `cargo xtask soak` makes more.
const KILLS: usize = 5;
/// How often a run is begun anew that has ended before it was met: a busy machine lets a test sleep for longer than a
/// run takes.
const ATTEMPTS: usize = 20;
/// A run that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(240);

/// The command in a directory, on a small scene that begins in `out`.
fn command(directory: &Path, out: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muslin"));
    command.args(["run", "flag", "--json", "--set", "resolution=14"]);
    if !more.contains(&"--format") {
        command.args(["--format", "npz,ply"]);
    }
    if !more.contains(&"--frames") {
        command.args(["--frames", FRAMES]);
    }
    command.args(["--out", out]).args(more).current_dir(directory);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn finish(directory: &Path, out: &str, more: &[&str]) -> Output {
    let output = command(directory, out, more).output().expect("the command can be started");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    output
}

fn start(directory: &Path, out: &str, more: &[&str]) -> Child {
    command(directory, out, more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started")
}

/// Waits until a condition holds while a run goes on.
fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < LONGEST, "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Begins a run in `out`, waits until a moment of it has come and does something to it; what it said when that had
/// ended it.
fn meet(place: &Path, out: &str, more: &[&str], moment: impl Fn() -> bool, act: impl Fn(&mut Child)) -> Output {
    for _ in 0..ATTEMPTS {
        let _ = fs::remove_dir_all(place.join(out));
        let mut child = start(place, out, more);
        wait_for("the moment", || moment() || child.try_wait().unwrap().is_some());
        act(&mut child);
        let output = child.wait_with_output().unwrap();
        if !output.status.success() {
            return output;
        }
    }
    panic!("{ATTEMPTS} runs ended before they were met")
}

fn checkpoints(run: &Path) -> usize {
    let files = fs::read_dir(run.join("checkpoints")).into_iter().flatten().flatten();
    files.filter(|f| f.path().extension().is_some_and(|e| e == "checkpoint")).count()
}

#[test]
fn a_run_killed_at_random_moments_ends_with_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let begin = Instant::now();
    finish(place, "whole", &[LONG, &["--threads", "2"]].concat());
    // Together the kills take half of the time that the whole run took. Where the machine was busy with other things
    // then, and is not now, the run may end before: then it begins anew, and is killed earlier.
    let mut most = (begin.elapsed().as_millis() as u64 / (2 * KILLS as u64)).max(1);
    let mut moment = 7_u64;
    let (mut kills, mut resumed) = (0, 0);
    for kill in 0..ATTEMPTS * KILLS {
        if kills >= KILLS && resumed > 0 {
            break;
        }
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let threads = (1 + kill % 3).to_string();
        let mut child =
            start(place, "run", &[LONG, &["--resume", "--checkpoint", "0.02", "--threads", &threads]].concat());
        std::thread::sleep(Duration::from_millis((moment >> 33) % most));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            assert_same(&place.join("run"), &place.join("whole"));
            fs::remove_dir_all(place.join("run")).unwrap();
            (most, kills, resumed) = ((most / 2).max(1), 0, 0);
            continue;
        }
        assert_eq!(output.status.signal(), Some(9), "{}", text(&output.stderr));
        kills += 1;
        resumed += usize::from(text(&output.stderr).contains("going on after frame"));
    }
    let end = finish(place, "run", &[LONG, &["--resume", "--threads", "1"]].concat());
    resumed += usize::from(text(&end.stderr).contains("going on after frame"));
    println!("{kills} kills hit the run, {resumed} times it went on from a checkpoint");
    assert!(kills >= KILLS && resumed > 0, "{kills} kills, {resumed} of which left a checkpoint");
    assert_same(&place.join("run"), &place.join("whole"));
    assert_eq!(serde_json::from_slice::<Value>(&end.stdout).unwrap()["outcome"], "completed");
    // Once more: there is nothing left to do.
    let again = finish(place, "run", &[LONG, &["--resume"]].concat());
    assert!(text(&again.stderr).contains("is finished: all 300 frames are there"), "{}", text(&again.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap()["frames"], 300);
}

#[test]
fn ctrl_c_keeps_a_checkpoint_and_the_run_goes_on_from_it() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let two_frames = || place.join("run/ply/cloth_0002.ply").exists();
    let output = meet(place, "run", &["--threads", "1"], two_frames, |child| {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    });
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(checkpoints(&place.join("run")), 1);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let frames = report["frames"].as_u64().unwrap();
    assert!((2..90).contains(&frames), "{frames}");
    // Without a word about it the directory is refused.
    let refused = command(place, "run", &[]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--resume") && text(&refused.stderr).contains("--overwrite"));
    let resumed = finish(place, "run", &["--resume", "--threads", "2"]);
    assert!(text(&resumed.stderr).contains(&format!("going on after frame {frames}")), "{}", text(&resumed.stderr));
    finish(place, "whole", &["--threads", "1"]);
    assert_same(&place.join("run"), &place.join("whole"));
}

#[test]
fn a_damaged_checkpoint_is_told_and_the_one_before_serves() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let two_checkpoints = || checkpoints(&place.join("run")) == 2;
    meet(place, "run", &["--checkpoint", "0"], two_checkpoints, |child| child.kill().unwrap());
    let mut files: Vec<_> = fs::read_dir(place.join("run/checkpoints")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "checkpoint"));
    files.sort();
    let newest = files.pop().unwrap();
    let bytes = fs::read(&newest).unwrap();
    fs::write(&newest, &bytes[..bytes.len() - 100]).unwrap();
    let output = finish(place, "run", &["--resume"]);
    let told = text(&output.stderr);
    assert!(told.contains("warning: damaged checkpoint") && told.contains("going on after frame"), "{told}");
    finish(place, "whole", &[]);
    assert_same(&place.join("run"), &place.join("whole"));
}

/// Runs through a shell that sets a limit first.
fn limited(directory: &Path, limit: &str, more: &[&str]) -> Output {
    let inner = command(directory, "run", more);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit}; exec \"$0\" \"$@\"")).arg(inner.get_program()).args(inner.get_args());
    shell.current_dir(directory).output().expect("a shell")
}

#[test]
fn a_full_disk_is_an_error_and_the_run_goes_on_when_there_is_room() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    // No file beyond 100 KiB: a file that grows fails as on a full disk. The signal is ignored, the write refused.
    let output = limited(place, "trap '' XFSZ; ulimit -f 200", &["--checkpoint", "0.05"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stderr);
    assert!(told.contains("error: cannot write") && told.contains("room"), "{told}");
    finish(place, "run", &["--resume"]);
    finish(place, "whole", &[]);
    assert_same(&place.join("run"), &place.join("whole"));
}

#[test]
fn a_directory_that_vanishes_is_an_error_and_one_that_comes_back_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let two_frames = || place.join("run/ply/cloth_0002.ply").exists();
    let output = meet(place, "run", &["--checkpoint", "0.1"], two_frames, |_| {
        let _ = fs::remove_dir_all(place.join("moved"));
        fs::rename(place.join("run"), place.join("moved")).unwrap();
    });
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("error: `run` is not there any more: it was moved or removed"), "{told}");
    fs::rename(place.join("moved"), place.join("run")).unwrap();
    finish(place, "run", &["--resume"]);
    finish(place, "whole", &[]);
    assert_same(&place.join("run"), &place.join("whole"));
    // A folder of it that was removed is told as that too.
    let two_frames = || place.join("part/ply/cloth_0002.ply").exists();
    let output = meet(place, "part", &[], two_frames, |_| {
        let _ = fs::remove_dir_all(place.join("ply"));
        fs::rename(place.join("part/ply"), place.join("ply")).unwrap();
    });
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("error: cannot write `part/ply/cloth_") && told.contains("folder was moved or removed"),
        "{told}"
    );
}

#[test]
fn a_place_that_cannot_be_written_is_refused_at_once() {
    let place = tempfile::tempdir().unwrap();
    // Nobody may write there, root included.
    let output = command(place.path(), "/proc/run", &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("error: cannot write `/proc/run`"), "{}", text(&output.stderr));
}

#[test]
fn a_closed_pipe_is_an_error_that_says_where_the_report_is() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let mut child = start(place, "run", &["--frames", "3"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("the report is in `run/report.json`"), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&fs::read(place.join("run/report.json")).unwrap()).unwrap();
    assert_eq!(report["outcome"], "completed");
    // Nobody listens to messages either: the run does not care.
    let mut child = start(place, "other", &["--frames", "3"]);
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.is_empty());
}

#[test]
fn a_file_that_may_not_grow_further_is_named_and_the_run_can_go_on() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    finish(place, "whole", &[]);
    // No file may have more than 200 blocks of 512 bytes; the archives need more.
    let limited = "trap '' HUP; ulimit -f 200; exec \"$0\" \"$@\"";
    let whole = command(place, "run", &[]);
    let mut limit = Command::new("sh");
    limit.args(["-c", limited]).arg(whole.get_program()).args(whole.get_args()).current_dir(place);
    let output = limit.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{:?} {}", output.status, text(&output.stderr));
    let told = text(&output.stderr);
    assert!(told.contains("error: cannot write `run/") && told.contains("File too large"), "{told}");
    finish(place, "run", &["--resume"]);
    assert_same(&place.join("run"), &place.join("whole"));
}
