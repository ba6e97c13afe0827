//! Sizes and names of sources, and what libraries may not do.

use crate::tree::{self, SourceFile};

/// Lines that a source may have: what one can read in one go.
const MOST_LINES: usize = 400;

/// Kinds of files that the limit holds for; documents and data are read differently.
const SOURCES: [&str; 6] = ["rs", "py", "js", "wgsl", "sh", "toml"];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 4] = ["utils", "util", "helpers", "misc"];

/// Programs, which may print. All else is a library.
const PROGRAMS: [&str; 2] = ["crates/muslin_cli/", "xtask/"];

fn is_source(file: &SourceFile) -> bool {
    SOURCES.contains(&file.extension())
}

fn too_long(file: &SourceFile) -> Option<String> {
    let lines = file.text.lines().count();
    (is_source(file) && lines > MOST_LINES)
        .then(|| format!("{}: {lines} lines, at most {MOST_LINES}; split it by concept", file.path))
}

fn emptily_named(file: &SourceFile) -> Option<String> {
    let mut parts = file.path.split(['/', '.']);
    let found = parts.find(|part| EMPTY_NAMES.contains(part))?;
    is_source(file).then(|| format!("{}: `{found}` names no concept", file.path))
}

/// Lines of a library that print, outside of its tests and examples.
fn printing(file: &SourceFile) -> Vec<String> {
    let library = file.path.contains("/src/") && !PROGRAMS.iter().any(|program| file.path.starts_with(program));
    if !library || file.extension() != "rs" {
        return Vec::new();
    }
    // Tests stand at the end of a file.
    let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .filter(|(_, line)| ["println!(", "print!("].iter().any(|call| line.contains(call)))
        .map(|(k, _)| format!("{}:{}: a library does not print", file.path, k + 1))
        .collect()
}

#[test]
fn no_source_is_longer_than_one_can_read() {
    tree::assert_none(tree::text_files().iter().filter_map(too_long).collect());
}

#[test]
fn every_source_is_named_by_its_concept() {
    tree::assert_none(tree::text_files().iter().filter_map(emptily_named).collect());
}

#[test]
fn libraries_do_not_print() {
    tree::assert_none(tree::text_files().iter().flat_map(printing).collect());
}

#[test]
fn bad_sources_are_found() {
    let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
    assert!(too_long(&file("crates/a/src/b.rs", &"\n".repeat(MOST_LINES + 1))).is_some());
    assert!(too_long(&file("crates/a/src/b.rs", &"\n".repeat(MOST_LINES))).is_none());
    assert!(too_long(&file("docs/b.md", &"\n".repeat(MOST_LINES + 1))).is_none());
    assert!(emptily_named(&file("crates/a/src/utils.rs", "")).is_some());
    assert!(emptily_named(&file("crates/a/src/misc/b.rs", "")).is_some());
    assert!(emptily_named(&file("crates/a/src/mesh.rs", "")).is_none());
    assert_eq!(printing(&file("crates/a/src/b.rs", "fn f() {\n    eprintln!(\"x\");\n}\n")).len(), 1);
    assert!(printing(&file("crates/a/src/b.rs", "#[cfg(test)]\nmod tests { println!() }")).is_empty());
    assert!(printing(&file("crates/muslin_cli/src/b.rs", "println!()")).is_empty());
}
