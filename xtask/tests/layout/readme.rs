//! The README's example is a real one.

use crate::tree;

/// The example of the library, compiled and run with the other tests.
const EXAMPLE: &str = "crates/muslin/examples/soft_cotton.rs";

/// Lines of code that the example may have.
const MOST_LINES: usize = 15;

/// The first block of Rust in a document.
fn rust_block(text: &str) -> Option<&str> {
    let body = text.split_once("```rust\n")?.1;
    body.split_once("```").map(|(block, _)| block)
}

/// A program without the comment at its head.
fn code(source: &str) -> String {
    let lines = source.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_example_of_the_readme_is_the_one_that_is_tested() {
    let read = |path: &str| std::fs::read_to_string(tree::root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (readme, example) = (read("README.md"), read(EXAMPLE));
    assert_eq!(rust_block(&readme).expect("the README has an example"), code(&example));
    assert!(code(&example).lines().count() <= MOST_LINES, "the example has more than {MOST_LINES} lines");
}
