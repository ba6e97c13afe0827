//! Links between documents: every file and every heading that a document points to exists.

use crate::tree::{self, SourceFile};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Targets of a document's links and pictures, without those that leave the project.
fn links(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        let mut rest = line.as_str();
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split(' ').next().unwrap_or_default();
            if !target.contains("://") && !target.starts_with("mailto:") {
                targets.push(target.to_owned());
            }
            rest = &rest[end..];
        }
    }
    targets
}

/// Lines outside of code: fenced blocks left out, code spans blanked.
fn prose(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let outside = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
            lines.push(outside);
        }
    }
    lines
}

/// The anchors that a renderer makes of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut anchors: Vec<String> = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase();
        let anchor: String = kept
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        anchors.push(anchor);
    }
    anchors
}

/// `base` joined with `target`, without `.` and `..`.
fn resolve(base: &str, target: &str) -> String {
    let mut path = PathBuf::from(base);
    path.pop();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path.to_string_lossy().replace('\\', "/")
}

fn faults(documents: &[SourceFile], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let headings: BTreeMap<&str, Vec<String>> =
        documents.iter().map(|file| (file.path.as_str(), anchors(&file.text))).collect();
    let mut faults = Vec::new();
    for file in documents {
        for link in links(&file.text) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = if target.is_empty() { file.path.clone() } else { resolve(&file.path, target) };
            if !exists(&path) {
                faults.push(format!("{}: the link `{link}` leads nowhere", file.path));
            } else if !anchor.is_empty()
                && !headings.get(path.as_str()).is_some_and(|all| all.iter().any(|a| a == anchor))
            {
                faults.push(format!("{}: `{path}` has no heading `#{anchor}`", file.path));
            }
        }
    }
    faults
}

fn documents() -> Vec<SourceFile> {
    tree::text_files().into_iter().filter(|file| file.extension() == "md").collect()
}

#[test]
fn every_link_between_documents_resolves() {
    let root = tree::root();
    tree::assert_none(faults(&documents(), |path| root.join(path).exists()));
}

#[test]
fn every_chapter_of_the_book_is_in_its_summary() {
    let documents = documents();
    let summary = documents.iter().find(|file| file.path == "docs/SUMMARY.md").expect("the book has a summary");
    let listed: Vec<String> = links(&summary.text).iter().map(|link| resolve(&summary.path, link)).collect();
    let chapters = documents.iter().filter(|file| file.path.starts_with("docs/") && file.path != summary.path);
    let missing = chapters.filter(|file| !listed.contains(&file.path));
    tree::assert_none(missing.map(|file| format!("{} is not in docs/SUMMARY.md", file.path)).collect());
}

#[test]
fn no_link_of_the_book_leaves_it() {
    // The built book is the folder alone, and its pages are no longer called `.md`.
    let chapters = documents().into_iter().filter(|file| file.path.starts_with("docs/"));
    let leaving = chapters.flat_map(|file| {
        let out = links(&file.text).into_iter().filter(|link| !resolve(&file.path, link).starts_with("docs/"));
        out.filter(|link| !link.starts_with('#')).map(|link| format!("{}: `{link}`", file.path)).collect::<Vec<_>>()
    });
    tree::assert_none(leaving.collect());
}

#[test]
fn broken_links_are_found() {
    let file = |text: &str| [SourceFile { path: "docs/a.md".into(), text: text.into() }];
    let check = |text: &str| faults(&file(text), |path| path == "docs/a.md" || path == "README.md").len();
    assert_eq!(check("# One two\n[x](a.md) [y](../README.md) [z](#one-two) [w](https://example.org)"), 0);
    assert_eq!(check("[x](b.md)"), 1);
    assert_eq!(check("[x](b.md) and ![y](c.png)"), 2);
    assert_eq!(check("# One\n[x](a.md#two)"), 1);
    assert_eq!(check("`[x](b.md)`\n```\n[x](b.md)\n```"), 0);
}
