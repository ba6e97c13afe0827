//! What tests of the command share.

use std::{
    path::Path,
    process::{Command, Output},
};

/// Runs the command in a directory.
pub fn muslin(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_muslin"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("the command can be started")
}
