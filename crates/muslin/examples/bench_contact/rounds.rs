//! I fig. 9: what is searched in each round of the step with the most.

use crate::scene;
use muslin::{contact::Round, sim::Simulation};
use std::{error::Error, fmt::Write};

/// Frames that are run.
const FRAMES: usize = 60;

pub fn table() -> Result<String, Box<dyn Error>> {
    let settings = ["resolution=16", "settings.contact.method=i-cloth", "settings.collision.broad_phase=spatial-hash"];
    let mut simulation = Simulation::new(&scene("sphere", &settings)?)?;
    let mut longest: (usize, Vec<Round>) = (0, Vec::new());
    for frame in 1..=FRAMES {
        simulation.next_frame()?;
        let rounds = simulation.response_rounds();
        if rounds.len() > longest.1.len() {
            longest = (frame, rounds.to_vec());
        }
    }
    let (frame, rounds) = longest;
    let mut table = format!(
        "`sphere` with three sheets of 16 × 16, preset `i-cloth`, broad phase `spatial-hash`: the last step before frame {frame}, which has the most \
         rounds. A search of all pairs would take the box tests of the first row in every round; one more such search accepts the end.\n\n\
         | round | contacts | violations left | box tests | pairs tested | box tests over the first |\n|---|---|---|---|---|---|\n"
    );
    let first = rounds.first().map_or(1, |round| round.tests).max(1);
    for (k, round) in rounds.iter().enumerate() {
        writeln!(
            table,
            "| {k} | {} | {} | {} | {} | {:.2} |",
            round.contacts,
            round.violations,
            round.tests,
            round.candidates,
            round.tests as f64 / first as f64
        )?;
    }
    let later: u64 = rounds.iter().skip(1).map(|round| round.tests).sum();
    let all = first * rounds.len() as u64;
    writeln!(
        table,
        "\nIn all {} box tests, instead of {all} with full searches: {:.2} times fewer.",
        first + later,
        all as f64 / (first + later) as f64
    )?;
    Ok(table)
}
