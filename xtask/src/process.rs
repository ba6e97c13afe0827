//! Starting other programs.

use crate::workspace;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Cargo, as the one that started this program.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root()).stdin(Stdio::null());
    command
}

/// Another program, started in the workspace's root.
pub fn program(path: impl Into<PathBuf>, arguments: &[&str]) -> Command {
    let mut command = Command::new(path.into());
    command.args(arguments).current_dir(workspace::root()).stdin(Stdio::null());
    command
}

/// The command as a line that could be typed.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs a command with its output shown; whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool, String> {
    let status = command.status().map_err(|error| format!("cannot start `{}`: {error}", line(command)))?;
    Ok(status.success())
}

/// Runs a command, hands each line of its standard output to `each`; whether it succeeded.
pub fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool, String> {
    let name = line(command);
    let failed = |error: std::io::Error| format!("`{name}`: {error}");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let output = child.stdout.take().expect("standard output was piped");
    let messages = child.stderr.take().expect("standard error was piped");
    // Passed on line by line, so that the two streams do not mix within a line.
    let passing_on = std::thread::spawn(move || {
        for bytes in BufReader::new(messages).split(b'\n').map_while(Result::ok) {
            eprint!("{}", String::from_utf8_lossy(&bytes).into_owned() + "\n");
        }
    });
    for bytes in BufReader::new(output).split(b'\n') {
        each(String::from_utf8_lossy(&bytes.map_err(failed)?).trim_end());
    }
    passing_on.join().expect("passing on lines does not panic");
    Ok(child.wait().map_err(failed)?.success())
}
