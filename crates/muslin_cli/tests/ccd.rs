//! `muslin ccd` as users call it: the public queries, the JSON, and what it says to faulty files.

use muslin::io::input::Input;
use serde_json::Value;
use std::{
    io::Read,
    path::Path,
    process::{Command, Output},
};

fn ccd(directory: &Path, arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_muslin")).arg("ccd").args(arguments).current_dir(directory).output();
    command.expect("the command can be started")
}

fn json(directory: &Path, arguments: &[&str]) -> Value {
    let output = ccd(directory, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Writes the text files of a tar archive; true if there is one.
fn unpack(archive: &Path, folder: &Path) -> bool {
    let mut bytes = Vec::new();
    if Input::open(archive).and_then(|mut input| input.read_to_end(&mut bytes)).is_err() {
        return false;
    }
    let mut rest = &bytes[..];
    while rest.len() > 512 && rest[0] != 0 {
        let text = |range: std::ops::Range<usize>| {
            String::from_utf8_lossy(&rest[range]).trim_matches(|c| c == '\0' || c == ' ').to_owned()
        };
        let (name, size) = (text(0..100), usize::from_str_radix(&text(124..136), 8).expect("a size"));
        if name.ends_with(".csv") {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).unwrap();
            std::fs::write(path, &rest[512..512 + size]).unwrap();
        }
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    true
}

#[test]
fn every_public_query_has_its_exact_answer_and_the_papers_methods_miss_some() {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-queries/queries.tar.xz");
    let directory = tempfile::tempdir().unwrap();
    if !unpack(&archive, directory.path()) {
        println!("skipped: no ../shared/data/ccd-queries/queries.tar.xz");
        return;
    }
    let result = json(directory.path(), &["."]);
    assert_eq!(result["queries"], 2679);
    assert_eq!(result["false_negatives"], 0);
    assert_eq!(result["false_positives"], 0);
    assert!(result["ns_per_query"].as_f64().unwrap() > 0.0);
    let files = result["files"].as_array().unwrap();
    assert_eq!(files.len(), 22);
    assert_eq!(files.iter().map(|file| file["queries"].as_u64().unwrap()).sum::<u64>(), 2679);
    for method in ["cubic", "bisection"] {
        let result = json(directory.path(), &[".", "--method", method]);
        let [missed, wrong] = ["false_negatives", "false_positives"].map(|key| result[key].as_u64().unwrap());
        println!("{method}: {missed} of 198 contacts missed, {wrong} false");
        assert!(missed > 0, "{method} is known to miss contacts");
    }
}

/// A vertex that falls through a face, and the answer that the file gives.
fn falling(answer: u8) -> String {
    let face = ["-3,1,-3,1,0,1", "3,1,-3,1,0,1", "0,1,6,2,0,1"];
    let points = ["0,1,0,1,1,2"].into_iter().chain(face).chain(["0,1,0,1,-3,2"]).chain(face);
    points.map(|point| format!("{point},{answer}\n")).collect()
}

#[test]
fn wrong_answers_are_counted_by_their_kind_and_folders_tell_the_kind_of_pair() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("scene/vertex-face");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("right.csv"), falling(1).repeat(3)).unwrap();
    std::fs::write(folder.join("wrong.csv"), falling(0)).unwrap();
    std::fs::write(folder.join("notes.txt"), "no queries").unwrap();
    let result = json(directory.path(), &["scene"]);
    assert_eq!([&result["queries"], &result["false_negatives"], &result["false_positives"]], [4, 0, 1]);
    assert!(result["files"][1]["file"].as_str().unwrap().ends_with("wrong.csv"));
    assert_eq!(result["files"][1]["false_positives"], 1);
    // As edges, the first two points pass the last two without touching.
    let missed = ccd(directory.path(), &["scene", "--kind", "ee", "--json"]);
    let result: Value = serde_json::from_slice(&missed.stdout).expect("JSON");
    assert_eq!([&result["false_negatives"], &result["false_positives"]], [3, 0]);
    let table = ccd(directory.path(), &["scene"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("all, certified"));
}

#[test]
fn a_miss_of_the_certified_method_ends_with_code_3_and_one_of_the_others_does_not() {
    let directory = tempfile::tempdir().unwrap();
    // Asked as edges, the file's answer is wrong: every method seems to miss.
    std::fs::write(directory.path().join("a.csv"), falling(1)).unwrap();
    let code = |more: &[&str]| ccd(directory.path(), &[&["a.csv"], more].concat()).status.code();
    assert_eq!(code(&["--kind", "ee"]), Some(3));
    assert_eq!(code(&["--kind", "ee", "--json"]), Some(3));
    assert_eq!(code(&["--kind", "vf"]), Some(0));
    for method in ["cubic", "bisection"] {
        assert_eq!(code(&["--kind", "ee", "--method", method]), Some(0), "{method}");
    }
    // A false alarm is counted, but breaks no promise.
    std::fs::write(directory.path().join("a.csv"), falling(0)).unwrap();
    assert_eq!(code(&["--kind", "vf"]), Some(0));
}

#[test]
fn faulty_files_are_refused_with_their_line() {
    let directory = tempfile::tempdir().unwrap();
    let good = falling(1);
    let cut = good.lines().take(7).map(|line| format!("{line}\n")).collect::<String>();
    for (text, parts) in [
        (cut.as_str(), ["a.csv:7", "7 of the 8 lines"]),
        ("", ["a.csv:1", "no query"]),
        (&good.replacen("6,2", "6,0", 1), ["a.csv:4", "denominator"]),
        (&good.replacen("0,1,0,1,1,2,1", "0,1,0,1,1,2,0", 1), ["a.csv:2", "answer"]),
        (&good.replacen("-3,2", "nan,2", 1), ["a.csv:5", "`nan`"]),
    ] {
        std::fs::write(directory.path().join("a.csv"), text).unwrap();
        let output = ccd(directory.path(), &["a.csv", "--kind", "vf"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(output.stdout.is_empty() && parts.iter().all(|part| message.contains(part)), "{parts:?}: {message}");
    }
    std::fs::write(directory.path().join("a.csv"), &good).unwrap();
    for (arguments, part) in [
        (&["a.csv"][..], "--kind vf or --kind ee"),
        (&["absent"], "absent"),
        (&["a.csv", "--kind", "vf", "--method", "cubik"], "certified, cubic, bisection"),
        (&[], "<FILE|DIR>"),
    ] {
        let output = ccd(directory.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{part}: {message}");
    }
    std::fs::remove_file(directory.path().join("a.csv")).unwrap();
    let output = ccd(directory.path(), &["."]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no .csv file"));
}

#[test]
fn fractions_that_are_no_doubles_are_rounded_with_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.csv"), falling(1).replacen("1,2,1", "1,3,1", 1)).unwrap();
    let output = ccd(directory.path(), &["a.csv", "--kind", "vf", "--json"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 coordinates are no doubles"));
}
