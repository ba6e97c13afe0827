//! What no file of the project may say: unfinished code, paths of one machine, hosts of package mirrors.
//!
//! The words are put together from halves here, so that this file does not contain what it forbids.

use crate::tree::{self, SourceFile};

/// Cargo's own registry, the only one that the lock file may name.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn unfinished() -> Vec<String> {
    [("todo", "!("), ("unimplemented", "!("), ("dbg", "!("), ("FIX", "ME"), ("#[ig", "nore")].map(joined).to_vec()
}

fn machine_paths() -> Vec<String> {
    [("/ho", "me/"), ("/ro", "ot/"), ("/Use", "rs/"), ("C:", "\\Users"), ("/tm", "p/")].map(joined).to_vec()
}

fn package_hosts() -> Vec<String> {
    let known = [("pypi", ".org"), ("pythonhosted", ".org"), ("npmjs", ".org"), ("deb.debian", ".org")];
    let cargo = [("static.crates", ".io"), ("index.crates", ".io"), ("extra-index", "-url"), ("--index", "-url")];
    known.into_iter().chain(cargo).map(joined).collect()
}

fn joined((a, b): (&str, &str)) -> String {
    [a, b].concat()
}

fn found(file: &SourceFile, words: &[String], what: &str) -> Vec<String> {
    words
        .iter()
        .filter_map(|word| {
            file.text.find(word.as_str()).map(|at| format!("{}:{}: `{word}`: {what}", file.path, file.line_of(at)))
        })
        .collect()
}

fn tree_faults(words: &[String], what: &str) -> Vec<String> {
    tree::text_files()
        .iter()
        .filter(|file| file.path != "Cargo.lock")
        .flat_map(|file| found(file, words, what))
        .collect()
}

#[test]
fn no_source_is_unfinished() {
    tree::assert_none(tree_faults(&unfinished(), "finish it"));
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let mut words = machine_paths();
    // Where this checkout and its neighbours lie. A checkout right under the root has no telling parent.
    let parent = tree::root().parent().map(|parent| parent.to_string_lossy().into_owned()).unwrap_or_default();
    if parent.len() > 1 {
        words.push(format!("{parent}/"));
    }
    tree::assert_none(tree_faults(&words, "a path of one machine"));
}

#[test]
fn no_file_names_a_package_host() {
    tree::assert_none(tree_faults(&package_hosts(), "where packages come from is the user's setting"));
    let lock = tree::text_files().into_iter().find(|file| file.path == "Cargo.lock").expect("Cargo.lock is committed");
    let sources: Vec<&str> = lock.text.lines().filter_map(|line| line.strip_prefix("source = ")).collect();
    assert!(!sources.is_empty());
    let strangers = sources.iter().filter(|source| source.trim_matches('"') != REGISTRY);
    tree::assert_none(strangers.map(|source| format!("Cargo.lock: {source}")).collect());
}

#[test]
fn bad_words_are_found() {
    for words in [unfinished(), machine_paths(), package_hosts()] {
        for word in &words {
            let file = SourceFile { path: "a.rs".into(), text: format!("fn f() {{\n    {word}\n}}\n") };
            assert_eq!(found(&file, &words, "bad").len(), 1, "{word}");
            assert!(found(&file, &words, "bad")[0].starts_with("a.rs:2: "));
        }
    }
}
