//! Installing what the tests need: Python's own readers of our files, in `target/venv`, and ffmpeg, which makes and judges films.
//!
//! Nothing is installed outside `target/` but Python and ffmpeg from Debian, and that only as root. Where something
//! is missing that cannot be installed from here, the message is the command to type.

use crate::{process, workspace};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

/// What the environment must hold, one requirement per line.
const REQUIREMENTS: &str = include_str!("../foreign/requirements.txt");

/// How Debian and Ubuntu get Python. Their images come without lists of packages, so these are fetched first.
const APT: [&str; 2] = ["apt-get update --quiet", "apt-get install --yes --no-install-recommends python3 python3-venv"];

/// Python with the foreign readers.
pub fn python() -> PathBuf {
    environment().join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

fn environment() -> PathBuf {
    workspace::target().join("venv")
}

/// How they get ffmpeg.
const FFMPEG: &str = "apt-get install --yes --no-install-recommends ffmpeg";

/// Films need ffmpeg; without it their test is skipped, and both say so.
fn films() {
    let found = || process::program("ffmpeg", &["-version"]).stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if found() || (is_root() && APT.first().is_some_and(|lists| apt(lists) | apt(FFMPEG)) && found()) {
        return;
    }
    println!("skipped: films as mp4 are checked by ffmpeg, which is not there; `sudo {FFMPEG}`");
}

/// Installs what is missing.
pub fn run() -> Result<(), String> {
    readers()?;
    films();
    Ok(())
}

/// Makes the environment unless it is there and holds what is required.
fn readers() -> Result<(), String> {
    let stamp = environment().join("muslin-requirements.txt");
    if python().exists() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == REQUIREMENTS) {
        println!("{} is up to date", environment().display());
        return Ok(());
    }
    create_environment()?;
    let requirements = workspace::root().join("xtask/foreign/requirements.txt");
    let mut install = process::program(
        python(),
        &["-m", "pip", "install", "--quiet", "--requirement", &requirements.to_string_lossy()],
    );
    if !process::succeeds(&mut install)? {
        return Err(missing("the Python packages could not be installed (no network?)", &process::line(&install)));
    }
    fs::write(&stamp, REQUIREMENTS).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn create_environment() -> Result<(), String> {
    let path = environment().to_string_lossy().into_owned();
    let attempt = || {
        let mut create = process::program("python3", &["-m", "venv", "--clear", &path]);
        // The first failure is expected on a bare Debian; what to do about it is said below.
        create.stdout(Stdio::null()).stderr(Stdio::null());
        process::succeeds(&mut create).unwrap_or(false)
    };
    if attempt() {
        return Ok(());
    }
    if !is_root() {
        let commands = APT.map(|command| format!("sudo {command}")).join(" && ");
        return Err(missing("Python 3 with its module venv is needed", &commands));
    }
    // Lists that could not be renewed may still know the packages.
    let installed = APT.map(apt)[1];
    if installed && attempt() {
        return Ok(());
    }
    Err(missing("Python 3 with its module venv is needed and could not be installed", &APT.join(" && ")))
}

/// Runs one of the package manager's commands; whether it succeeded.
fn apt(command: &str) -> bool {
    let words: Vec<&str> = command.split(' ').collect();
    let mut apt = process::program(words[0], &words[1..]);
    process::succeeds(apt.env("DEBIAN_FRONTEND", "noninteractive")).unwrap_or(false)
}

/// Whether packages may be installed.
pub fn is_root() -> bool {
    let output = process::program("id", &["-u"]).output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn missing(what: &str, command: &str) -> String {
    format!("{what}. Run\n\n    {command}\n\nand start again.")
}
