//! Every command of `docs/papers.md`, typed as it stands there.
//!
//! Those of `muslin` are run, scenes for a few frames only. The others build and measure for minutes; what they name must
//! exist.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Frames of each run, unless the command says how many.
const FRAMES: &str = "2";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of the table's last column; `&&` joins several.
fn commands() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let cells =
        page.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.trim_matches('|').rsplit('|').next());
    let typed = cells.filter_map(|cell| cell.split('`').nth(1));
    typed.flat_map(|command| command.split("&&").map(|part| part.trim().to_owned()).collect::<Vec<_>>()).collect()
}

/// Splits a line as a shell does: at spaces that are not between single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    assert!(!quoted, "a quote stays open in `{line}`");
    words.retain(|word| !word.is_empty());
    words
}

/// Runs `muslin` in a folder; what went wrong.
fn played(folder: &Path, words: &[String]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muslin"));
    command.args(words).current_dir(folder);
    if words[0] == "run" && !words.iter().any(|word| word == "--frames") {
        command.args(["--frames", FRAMES]);
    }
    let output = command.output().expect("the command can be started");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Whether a target of a crate exists as a file or as a folder.
fn exists(package: &str, kind: &str, name: &str) -> bool {
    let folder = root().join("crates").join(package).join(kind);
    folder.join(format!("{name}.rs")).is_file() || folder.join(name).join("main.rs").is_file()
}

fn fault(folder: &Path, command: &str) -> Result<(), String> {
    let words = words(command);
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = |held: bool| if held { Ok(()) } else { Err("what it names does not exist".into()) };
    match plain[..] {
        ["cargo", "run", "--release", "--", ..] => played(folder, &words[4..]),
        ["cargo", "run", "--release", "-p", package, "--example", example] => {
            found(exists(package, "examples", example))
        }
        ["cargo", "test", "--release", "-p", package, "--test", test, ..] => found(exists(package, "tests", test)),
        ["cargo", "xtask", "bench", name] => {
            let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
            let bench = format!("bench_{name}");
            found(crates.into_iter().any(|package| exists(&package.to_string_lossy(), "examples", &bench)))
        }
        _ => Err("no form of command that this test knows".into()),
    }
}

#[test]
fn every_command_of_the_table_of_systems_can_be_typed_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    // Commands are typed in the root of the repository; what they write belongs elsewhere.
    for kind in ["vertex-face", "edge-edge"] {
        let queries = Path::new("docs/queries").join(kind);
        fs::create_dir_all(folder.path().join(&queries)).unwrap();
        for file in fs::read_dir(root().join(&queries)).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), folder.path().join(&queries).join(file.file_name())).unwrap();
        }
    }
    let commands = commands();
    assert!(commands.len() >= 25, "{} commands", commands.len());
    let failed =
        commands.iter().filter_map(|command| Some(format!("`{command}`: {}", fault(folder.path(), command).err()?)));
    let faults: Vec<String> = failed.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn commands_that_cannot_be_typed_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "cargo run --release -- ccd QUERIES",
        "cargo run --release -- run hung",
        "cargo run --release -- run hang --set resolution=1",
        "cargo run --release -- collide start.ply end.ply",
        "cargo run --release -p muslin_collision --example three_frames",
        "cargo xtask bench nothing",
        "make",
    ] {
        assert!(fault(folder.path(), command).is_err(), "{command}");
    }
    assert_eq!(words("run hang --set 'a={b = 1}'"), ["run", "hang", "--set", "a={b = 1}"]);
}
