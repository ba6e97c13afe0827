//! `docs/papers.md`: one row per system, and nothing in it that is not in the tree.
//!
//! A row is `| id | system | state | file | test | command |`. The state is `works` or `not yet`. Files, tests and commands stand in backticks.

use crate::tree::{self, SourceFile};

/// The systems, from which no row may be missing: D1–D15 with D5b, C1–C11, R1–R8, M1–M2.
fn systems() -> Vec<String> {
    let numbered = |letter: &'static str, last: usize| (1..=last).map(move |k| format!("{letter}{k}"));
    let mut ids: Vec<String> = numbered("D", 15).chain(numbered("C", 11)).collect();
    ids.extend(numbered("R", 8).chain(numbered("M", 2)).chain(["D5b".to_owned()]));
    ids
}

/// What the tree holds that a row may name.
struct Tree {
    paths: Vec<String>,
    functions: Vec<String>,
    scenes: Vec<String>,
}

impl Tree {
    fn read(files: &[SourceFile]) -> Self {
        let rust = files.iter().filter(|file| file.extension() == "rs");
        let functions = rust
            .flat_map(|file| file.text.split("fn ").skip(1))
            .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned());
        let scene = |file: &&SourceFile| file.path.starts_with("scenes/") && file.extension() == "toml";
        let stem = |path: &str| path.rsplit('/').next().unwrap_or_default().trim_end_matches(".toml").to_owned();
        Tree {
            paths: files.iter().map(|file| file.path.clone()).collect(),
            functions: functions.collect(),
            scenes: files.iter().filter(scene).map(|file| stem(&file.path)).collect(),
        }
    }
}

/// Everything in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The scene that a `cargo run --release -- run NAME …` command plays: what follows the last `run`.
fn scene_of(command: &str) -> Option<&str> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let at = words.iter().rposition(|word| *word == "run")?;
    words.get(at + 1).copied().filter(|name| !name.starts_with('-'))
}

fn faults(table: &str, tree: &Tree) -> Vec<String> {
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .filter(|cells: &Vec<&str>| cells.len() == 6 && cells[0] != "id")
        .collect();
    let mut faults = Vec::new();
    for id in systems() {
        let count = rows.iter().filter(|cells| cells[0] == id).count();
        if count != 1 {
            faults.push(format!("{id} has {count} rows"));
        }
    }
    for cells in rows {
        let [id, _, state, file, test, command] = cells[..] else { continue };
        if !["works", "not yet"].contains(&state) {
            faults.push(format!("{id}: `{state}` is no state"));
        }
        if state == "works" && [file, test, command].iter().any(|cell| quoted(cell).is_empty()) {
            faults.push(format!("{id}: what works names its file, its test and its command"));
        }
        let unknown_path = |path: &&str| !tree.paths.iter().any(|known| known == path);
        faults.extend(quoted(file).iter().filter(|p| unknown_path(p)).map(|p| format!("{id}: there is no file {p}")));
        let unknown_test = |name: &&str| !tree.functions.iter().any(|known| known == name);
        faults.extend(quoted(test).iter().filter(|t| unknown_test(t)).map(|t| format!("{id}: there is no test {t}")));
        let scenes = quoted(command).into_iter().filter_map(scene_of);
        let unknown = scenes.filter(|name| !tree.scenes.iter().any(|known| known == name));
        faults.extend(unknown.map(|name| format!("{id}: there is no scene {name}")));
    }
    faults
}

#[test]
fn the_table_of_systems_is_complete_and_names_only_what_exists() {
    let files = tree::text_files();
    let table = files.iter().find(|file| file.path == "docs/papers.md").expect("docs/papers.md exists");
    tree::assert_none(faults(&table.text, &Tree::read(&files)));
}

#[test]
fn a_table_that_promises_too_much_is_found() {
    let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
    let tree = Tree::read(&[
        file("crates/a/src/b.rs", "#[test]\nfn a_claim_that_holds() {}"),
        file("scenes/hello/hang.toml", ""),
    ]);
    let row = |cells: &str| {
        let others =
            systems().into_iter().filter(|id| id != "D1").map(|id| format!("| {id} | x | not yet | – | – | – |"));
        let table = others.chain([format!("| D1 | springs | {cells} |")]).collect::<Vec<_>>().join("\n");
        faults(&table, &tree)
    };
    let good = "works | `crates/a/src/b.rs` | `a_claim_that_holds` | `cargo run --release -- run hang --frames 3`";
    assert_eq!(row(good), Vec::<String>::new());
    assert_eq!(row("not yet | – | – | –"), Vec::<String>::new());
    assert_eq!(row("works | – | – | –").len(), 1);
    assert_eq!(row("perhaps | – | – | –").len(), 1);
    assert_eq!(row(&good.replace("b.rs", "c.rs")).len(), 1);
    assert_eq!(row(&good.replace("holds", "fails")).len(), 1);
    assert_eq!(row(&good.replace("run hang", "run hung")).len(), 1);
    assert!(faults("", &tree).len() == systems().len());
}
