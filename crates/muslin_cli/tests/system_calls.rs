//! The real command, killed at chosen system calls and with calls that fail: it goes on with the same bytes.
//!
//! Random moments rarely hit the few milliseconds in which a run ends; `strace` hits every one of them.
#![cfg(target_os = "linux")]

#[path = "common/results.rs"]
mod results;

use results::{assert_same, contents};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, Output},
};

const ALL: &str = "npz,ply,obj,vtk,pc2,mdd,usd,gltf,csv";
/// Calls that change files.
const CALLS: [&str; 8] = ["openat", "write", "rename", "unlink", "unlinkat", "fsync", "fdatasync", "ftruncate"];

/// The command on a small scene that begins in `out`, a checkpoint after every step.
fn arguments(out: &str, more: &[&str]) -> Vec<String> {
    let run = ["run", "hang", "--set", "resolution=5", "--frames", "6", "--checkpoint", "0", "--format", ALL];
    run.iter().chain(&["--out", out]).chain(more).map(|word| word.to_string()).collect()
}

fn run(place: &Path, out: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muslin"));
    command.args(arguments(out, more)).current_dir(place).output().expect("the command can be started")
}

/// The command under `strace`, which is told more; its lines are in `trace`.
fn traced(place: &Path, out: &str, tell: &[&str]) -> Output {
    let mut strace = Command::new("strace");
    // Directories of the test runner, in which the loader would look for libraries first: calls that are not the run's.
    strace.env_remove("LD_LIBRARY_PATH");
    strace.args(["-f", "-y", "-qq", "-o", "trace"]).args(tell).arg(env!("CARGO_BIN_EXE_muslin"));
    strace.args(arguments(out, &["--threads", "1"])).current_dir(place).output().expect("strace was there before")
}

/// Whether programs can be traced here; says so if not.
fn can_trace() -> bool {
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|s| s.success());
    if !works {
        println!("skipped: strace is not there, or nobody may trace programs here");
    }
    works
}

/// How often the busiest thread of a whole run makes each call: `strace` counts by threads.
fn counts(place: &Path) -> BTreeMap<&'static str, usize> {
    let output = traced(place, "whole", &["-e", &format!("trace={}", CALLS.join(","))]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let trace = fs::read_to_string(place.join("trace")).unwrap();
    let mut called: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in trace.lines() {
        // The thread's number, the call and its arguments.
        let Some((thread, (call, _))) =
            line.split_once(' ').map(|(t, rest)| (t, rest.split_once('(').unwrap_or_default()))
        else {
            continue;
        };
        *called.entry((call.trim(), thread)).or_default() += 1;
    }
    let most = |wanted: &str| called.iter().filter(|((call, _), _)| *call == wanted).map(|(_, n)| *n).max();
    CALLS.into_iter().map(|call| (call, most(call).unwrap_or(0))).collect()
}

/// Goes on with a run that was stopped at a call, and asserts that it ends like the whole one.
fn goes_on(place: &Path, at: &str) {
    let output = run(place, "run", &["--resume", "--threads", "2"]);
    assert_eq!(output.status.code(), Some(0), "{at}: {}", String::from_utf8_lossy(&output.stderr));
    assert_same(&place.join("run"), &place.join("whole"));
    fs::remove_dir_all(place.join("run")).unwrap();
}

#[test]
fn a_run_killed_at_any_call_of_its_end_goes_on_with_the_same_bytes() {
    if !can_trace() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    for (call, count) in counts(place) {
        // The last ones, and one from the middle.
        for number in
            [count, count.saturating_sub(1), count.saturating_sub(4), count / 2].into_iter().filter(|n| *n > 0)
        {
            let at = format!("inject={call}:signal=KILL:when={number}");
            let output = traced(place, "run", &["-e", &format!("trace={call}"), "-e", &at]);
            // The very last call may come after everything else, in a thread that is not waited for.
            assert!(output.status.signal() == Some(9) || output.status.success(), "{at}: {:?}", output.status);
            goes_on(place, &at);
        }
    }
}

#[test]
fn a_call_that_fails_is_an_error_and_the_run_goes_on_when_it_does_not() {
    if !can_trace() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let counts = counts(place);
    for (call, error, words) in [
        ("write", "ENOSPC", "No space left on device"),
        ("openat", "EACCES", "Permission denied"),
        ("rename", "EIO", "Input/output error"),
        ("fsync", "EIO", "Input/output error"),
        ("fdatasync", "ENOSPC", "No space left on device"),
    ] {
        for (number, ever) in [(counts[call] / 2, "+"), (counts[call] / 2, ""), (counts[call] * 4 / 5, "+")] {
            let at = format!("inject={call}:error={error}:when={number}{ever}");
            let output = traced(place, "run", &["-e", &format!("trace={call}"), "-e", &at]);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{at}: {told}");
            // A disk that refuses everything refuses the message too.
            assert!(told.contains(words) || (call == "write" && ever == "+"), "{at}: {told}");
            goes_on(place, &at);
        }
    }
}

#[test]
fn what_going_on_needs_is_removed_only_when_all_files_have_been_handed_to_the_disk() {
    if !can_trace() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let output = traced(place, "whole", &["-e", "trace=fsync,fdatasync,rename,unlink,unlinkat,rmdir"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let trace = fs::read_to_string(place.join("trace")).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let report = lines.iter().position(|line| line.contains(" rename(") && line.contains("/report.json\"")).unwrap();
    let removed = |line: &&str| line.contains(" unlink") && line.contains("samples.partial");
    let removed = lines.iter().position(removed).expect("samples are removed");
    let synced = |name: &str, before: usize| {
        // A call that another thread interrupts has its end on a line of its own.
        let end = format!("/{name}>");
        lines[..before].iter().any(|line| line.contains("sync(") && line.contains(&end))
    };
    for name in contents(&place.join("whole")).keys() {
        let before = if name == "report.json" { removed } else { report };
        // The picture is no work that can be lost.
        assert!(name == "preview.png" || synced(name, before), "{name} is not on the disk in time");
    }
    assert!(report < removed && synced("whole", removed), "the names are on the disk too");
}
