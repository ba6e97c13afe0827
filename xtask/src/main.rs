//! Muslin's own chores, run as `cargo xtask CHORE`.
//!
//! Everything is built in the release profile: the tests solve real problems, and one profile is compiled
//! once.

mod bench;
mod documentation;
mod foreign;
mod muslin;
mod page;
mod pictures;
mod prepare;
mod process;
mod readme;
mod soak;
mod tally;
mod test;
mod workspace;

use std::process::ExitCode;

/// What can be asked for.
const CHORES: [&str; 4] = ["test", "pictures", "bench", "soak"];

const USAGE: &str = "\
usage: cargo xtask CHORE

chores
  test      install what the tests need, then run every check there is; what CI runs
  pictures  play the scenes of the documents and renew docs/pictures
  bench     run the benchmarks (or those named) and renew the results in bench/
  soak      the large numbers (kills, scenes, damaged, queries, generated, matrix, peers, fuzz, or those named), for some minutes or to the end; resumable";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["test", ref chosen @ ..] => test::run(chosen),
        ["pictures"] => pictures::run(),
        ["bench", ref chosen @ ..] => bench::run(chosen),
        ["soak", ref words @ ..] => soak::run(words),
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
