//! `cargo xtask test` on machines without Python, played with commands that only write down that they were called.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

/// A machine whose only commands are ours. Its `python3` can make environments once the file `venv` exists.
struct Machine {
    folder: TempDir,
}

/// What `apt-get install` does on a machine.
#[derive(Clone, Copy, PartialEq)]
enum Apt {
    Works,
    Fails,
    /// Succeeds, but `python3 -m venv` goes on failing.
    ChangesNothing,
}

impl Machine {
    fn new(user: u32, apt: Apt) -> Self {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        let log = machine.path().join("log").display().to_string();
        let venv = machine.path().join("venv").display().to_string();
        let installed = match apt {
            Apt::Works => format!("echo > '{venv}'"),
            Apt::Fails => "exit 100".into(),
            Apt::ChangesNothing => "true".into(),
        };
        machine.command("id", &format!("echo {user}"));
        machine.command(
            "apt-get",
            &format!("echo \"$DEBIAN_FRONTEND apt-get $*\" >> '{log}'; case $1 in install) {installed};; esac"),
        );
        // Called as `python3 -m venv --clear PATH`; the environment's own python takes any arguments.
        let inside = format!("#!/bin/sh\necho pip >> '{log}'\n");
        machine.command(
            "python3",
            &format!(
                "test -e '{venv}' || exit 1; PATH=/usr/bin:/bin; mkdir -p \"$4/bin\"; \
                 printf '%s' \"{inside}\" > \"$4/bin/python\"; chmod +x \"$4/bin/python\""
            ),
        );
        machine.command("cargo", "true");
        machine.command("ffmpeg", "true");
        machine
    }

    /// The same machine without a command.
    fn without(self, name: &str) -> Self {
        fs::remove_file(self.path().join(name)).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, name: &str, script: &str) {
        let path = self.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// `cargo xtask test formatting`, where cargo finds nothing to complain of.
    fn test(&self) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["test", "formatting"])
            .env("PATH", self.path())
            .env("CARGO", self.path().join("cargo"))
            .env("CARGO_TARGET_DIR", self.path().join("target"))
            .output()
            .unwrap()
    }

    /// The calls of commands that change the machine.
    fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path().join("log")).unwrap_or_default();
        log.lines().map(str::to_string).collect()
    }
}

const UPDATE: &str = "noninteractive apt-get update --quiet";
const INSTALL: &str = "noninteractive apt-get install --yes --no-install-recommends python3 python3-venv";

const FFMPEG: &str = "noninteractive apt-get install --yes --no-install-recommends ffmpeg";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_machine_with_python_installs_packages_into_target_only_and_only_once() {
    let machine = Machine::new(0, Apt::Fails);
    fs::write(machine.path().join("venv"), "").unwrap();
    for _ in 0..2 {
        let output = machine.test();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("-- formatting"), "{}", text(&output.stdout));
        assert_eq!(machine.calls(), ["pip"]);
    }
}

#[test]
fn without_root_the_command_is_printed_and_nothing_is_run() {
    let machine = Machine::new(1000, Apt::Works);
    let output = machine.test();
    assert!(!output.status.success());
    let message = text(&output.stderr);
    let command = "    sudo apt-get update --quiet && \
                   sudo apt-get install --yes --no-install-recommends python3 python3-venv\n";
    assert!(message.contains(command), "{message}");
    assert!(!text(&output.stdout).contains("formatting"), "no stage begins: {}", text(&output.stdout));
    assert!(machine.calls().is_empty());
}

#[test]
fn root_gets_python_with_fresh_lists_and_goes_on() {
    let machine = Machine::new(0, Apt::Works);
    let output = machine.test();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("-- formatting"), "{}", text(&output.stdout));
    assert_eq!(machine.calls(), [UPDATE, INSTALL, "pip"]);
}

#[test]
fn root_is_told_what_to_type_when_installing_fails_or_does_not_help() {
    for apt in [Apt::Fails, Apt::ChangesNothing] {
        let machine = Machine::new(0, apt);
        let output = machine.test();
        assert!(!output.status.success());
        let message = text(&output.stderr);
        assert!(message.contains("could not be installed") && message.contains("    apt-get update"), "{message}");
        assert_eq!(machine.calls(), [UPDATE, INSTALL]);
    }
}

#[test]
fn a_machine_without_ffmpeg_is_asked_for_it_and_goes_on_without() {
    let machine = Machine::new(0, Apt::ChangesNothing).without("ffmpeg");
    fs::write(machine.path().join("venv"), "").unwrap();
    let output = machine.test();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(machine.calls(), ["pip", UPDATE, FFMPEG]);
    let told = text(&output.stdout);
    assert!(told.contains("skipped: films") && told.contains("-- formatting"), "{told}");
    let visitor = Machine::new(1000, Apt::Works).without("ffmpeg");
    fs::write(visitor.path().join("venv"), "").unwrap();
    assert!(text(&visitor.test().stdout).contains("skipped: films"));
    assert_eq!(visitor.calls(), ["pip"]);
}
