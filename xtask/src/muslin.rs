//! The `muslin` command, built and started.

use crate::{process, workspace};
use std::process::Command;

/// Builds the command.
pub fn build() -> Result<(), String> {
    let mut build = process::cargo(&["build", "--quiet", "--release", "--package", "muslin_cli"]);
    if process::succeeds(&mut build)? { Ok(()) } else { Err("the `muslin` command does not build".into()) }
}

/// The built command with arguments.
pub fn command(arguments: &[&str]) -> Command {
    let name = format!("muslin{}", std::env::consts::EXE_SUFFIX);
    process::program(workspace::target().join("release").join(name), arguments)
}
