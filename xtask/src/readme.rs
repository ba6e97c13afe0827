//! The README's own commands, run as a newcomer would: in a folder of their own, with the scene files that
//! the README tells to write.

use crate::{muslin, process, tally::Tally, workspace};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

/// How the README starts the program; what follows are its arguments.
const START: &str = "cargo run --release -- ";

/// How it starts an example of the library.
const EXAMPLE: &str = "cargo run --release --package muslin --example ";

/// Runs every command of the README.
pub fn run() -> Result<Tally, String> {
    muslin::build()?;
    let path = workspace::root().join("README.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder = workspace::fresh_folder("readme")?;
    for (name, contents) in files(&text) {
        fs::write(folder.join(name), contents).map_err(|error| format!("{name}: {error}"))?;
    }
    let mut tally = Tally::default();
    for command in commands(&text) {
        let held = run_one(command, &folder)?;
        println!("{}: {command}", if held { "ok" } else { "FAILED" });
        tally += Tally::one(held);
    }
    if tally == Tally::default() { Err("the README has no commands".into()) } else { Ok(tally) }
}

fn run_one(command: &str, folder: &Path) -> Result<bool, String> {
    if let Some(arguments) = command.strip_prefix(START) {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        if arguments.first() == Some(&"view") {
            return view(&arguments, folder);
        }
        return process::succeeds(muslin::command(&arguments).current_dir(folder));
    }
    if let Some(example) = command.strip_prefix(EXAMPLE) {
        let mut build = process::cargo(&["build", "--quiet", "--release", "--package", "muslin", "--example", example]);
        let program = workspace::target().join("release/examples").join(example);
        return Ok(
            process::succeeds(&mut build)? && process::succeeds(process::program(program, &[]).current_dir(folder))?
        );
    }
    // `cargo xtask test` is running right now; the other chores must at least exist.
    let known = command.strip_prefix("cargo xtask ").is_some_and(|chore| crate::CHORES.contains(&chore));
    if !known {
        println!("nobody knows how to check `{command}`");
    }
    Ok(known)
}

/// A page does not end by itself: it is asked for once, without a browser.
fn view(arguments: &[&str], folder: &Path) -> Result<bool, String> {
    let mut server = muslin::command(arguments);
    server.arg("--no-open").current_dir(folder).stdout(Stdio::piped());
    let mut server = server.spawn().map_err(|error| format!("cannot start the page: {error}"))?;
    let mut url = String::new();
    if let Some(output) = server.stdout.take() {
        let _ = BufReader::new(output).read_line(&mut url);
    }
    let served = get(url.trim()).is_some_and(|answer| answer.starts_with("HTTP/1.1 200") && answer.contains("<html"));
    let _ = server.kill();
    let _ = server.wait();
    Ok(served)
}

/// What a server answers.
fn get(url: &str) -> Option<String> {
    let (host, path) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(host).ok()?;
    stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Blocks of code in one language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<(&'a str, &'a str)> {
    let fence = format!("```{language}\n");
    let mut blocks = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(&fence).map(|at| from + at) {
        let body = start + fence.len();
        let end = text[body..].find("```").map_or(text.len(), |at| body + at);
        blocks.push((&text[..start], &text[body..end]));
        from = end;
    }
    blocks
}

/// Every line of the shell blocks, without its comment.
fn commands(text: &str) -> Vec<&str> {
    let lines = blocks(text, "sh").into_iter().flat_map(|(_, body)| body.lines());
    lines.map(|line| line.split(" #").next().unwrap_or_default().trim()).filter(|line| !line.is_empty()).collect()
}

/// Every scene file: a block of TOML, and its name from the last backticks before it.
fn files(text: &str) -> Vec<(&str, &str)> {
    let named = |(before, body)| str::rsplit(before, '`').nth(1).map(|name| (name, body));
    blocks(text, "toml").into_iter().filter_map(named).filter(|(name, _)| name.ends_with(".toml")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_files_are_read_from_blocks() {
        let text = "Run `a b`:\n```sh\ncargo run --release -- run x # a picture\n\ncargo xtask test\n```\n\
                    Save as `one.toml`:\n```toml\nname = 1\n```\n```rust\nlet x = 1;\n```\n";
        assert_eq!(commands(text), ["cargo run --release -- run x", "cargo xtask test"]);
        assert_eq!(files(text), [("one.toml", "name = 1\n")]);
    }

    #[test]
    fn an_unknown_command_fails() {
        assert_eq!(run_one("make install", Path::new(".")), Ok(false));
        assert_eq!(run_one("cargo xtask knit", Path::new(".")), Ok(false));
        assert_eq!(run_one("cargo xtask test", Path::new(".")), Ok(true));
    }
}
