//! The contact experiments of I-Cloth: penetrations in three modes (fig. 13), three zone solvers on the same motions (4.3, fig.
//! 5–6), work per round (fig. 9), large steps (fig. 7, 11).
//!
//! Writes `bench/contact.md` between its two marks; the text around the tables is kept. A name after `--` runs only that
//! experiment and prints it: `modes`, `zones`, `rounds` or `steps`.

mod modes;
mod rounds;
mod steps;
mod zones;

use muslin::{Scene, load};
use std::{error::Error, fs, path::Path};

/// An experiment: its name, its heading, and what runs it.
type Experiment = (&'static str, &'static str, fn() -> Result<String, Box<dyn Error>>);

const EXPERIMENTS: [Experiment; 4] = [
    ("modes", "Penetrations with nothing, with proximity only, and with both (I fig. 13)", modes::table),
    ("zones", "Rigid, linear and non-linear zones on the same motions (I 4.3, fig. 5–6)", zones::table),
    ("rounds", "Work per round (I fig. 9)", rounds::table),
    ("steps", "Large steps (I fig. 7, 11)", steps::table),
];

/// The lines between which the tables stand.
const BEGIN: &str = "<!-- begin: cargo xtask bench contact -->\n";
const END: &str = "<!-- end -->";

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(name) = std::env::args().nth(1) {
        let chosen = EXPERIMENTS.iter().find(|(known, ..)| *known == name);
        let (_, heading, run) = chosen.ok_or("give `modes`, `zones`, `rounds` or `steps`, or nothing for all")?;
        println!("{heading}\n\n{}", run()?);
        return Ok(());
    }
    let mut tables = String::new();
    for (_, heading, run) in EXPERIMENTS {
        let part = format!("## {heading}\n\n{}\n", run()?);
        println!("{part}");
        tables += &part;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/contact.md");
    let page = fs::read_to_string(&path)?;
    let (head, rest) = page.split_once(BEGIN).ok_or("bench/contact.md has lost the mark before its tables")?;
    let (_, tail) = rest.split_once(END).ok_or("bench/contact.md has lost the mark after its tables")?;
    fs::write(&path, format!("{head}{BEGIN}{tables}{END}{tail}"))?;
    Ok(())
}

/// A built-in scene with settings of its own.
fn scene(name: &str, settings: &[&str]) -> Result<Scene, Box<dyn Error>> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    Ok(load(name, &settings)?.scene)
}
