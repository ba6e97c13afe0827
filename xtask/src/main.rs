//! Muslin's own chores, run as `cargo xtask CHORE`.
//!
//! Everything is built in the release profile: the tests solve real problems, and one profile is compiled
//! once.

mod documentation;
mod prepare;
mod process;
mod tally;
mod test;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE

chores
  test      install what the tests need, then run every check there is; what CI runs";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["test"] => test::run(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("unknown chore: {}\n\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
