//! The papers' comparisons of broad phases, on the UNC scenes and on generated meshes. Renews `bench/broad-phases.md`.
//!
//! Counts are exact and the same everywhere; they are what the papers compare. W's broad-phase tests are all pairs of
//! triangles met in cells: our box tests and the duplicates that were avoided. Times are processor times of one thread, the
//! better of two, and depend on the machine; the ratio is to the default tree in the same run.
//!
//! `cargo xtask bench broad_phases`, or `cargo run --release -p muslin --example bench_broad_phases [SCENE…]`. With names of
//! scenes only their rows are renewed; other rows and all text of the page stay (`page.rs`).

mod incremental;
mod methods;
mod page;
mod scenes;
mod thesis;

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Names of scenes, or none for all.
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let mut scenes = scenes::all(&root);
    scenes.retain(|scene| chosen.is_empty() || chosen.iter().any(|name| name == scene.name));
    let mut page = String::from(
        "# Broad phases\n\nWritten by `cargo xtask bench broad_phases`; the program's head says what is measured. Counts are exact. Thickness 0.\n",
    );
    let mut add = |title: &str, table: String| {
        println!("== {title}\n{table}");
        write!(page, "\n## {title}\n\n{table}").expect("writing to memory");
    };
    add("All methods", methods::table(&scenes));
    add("The cell width of virtual subdivision (W fig. 5.12)", thesis::cell_width(&scenes));
    add("Virtual subdivision against the uniform grid (W fig. 5.13, 5.14)", thesis::subdivision(&scenes));
    add("Octree grids against virtual subdivision (W fig. 6.10)", thesis::octrees(&scenes));
    add("Registrations per level of the two-stage octree (W table 6.1)", thesis::levels(&scenes));
    add("Searching again after a response (I fig. 9)", incremental::table(&scenes));
    let file = root.join("bench/broad-phases.md");
    let names: Vec<&str> = scenes.iter().map(|scene| scene.name).collect();
    let page = std::fs::read_to_string(&file).map_or(page.clone(), |old| page::renewed(&old, &page, &names));
    if let Err(error) = std::fs::write(file, page) {
        eprintln!("bench/broad-phases.md: {error}");
        std::process::exit(1);
    }
}

/// A row of a Markdown table.
fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The head of a Markdown table.
fn head(columns: &[&str]) -> String {
    format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()))
}
