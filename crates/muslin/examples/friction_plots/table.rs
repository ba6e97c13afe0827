//! The table of the book: cards after a second beside the analytic solution.

use crate::{VERTEX, laws};
use muslin::card::{exact, play};

/// The ways: how the book calls them, and their settings.
const WAYS: [(&str, &[&str]); 6] = [
    ("implicit, `linear-backward-euler`, 1/60 s", &["integrator=linear-backward-euler", "step=1/60"]),
    ("implicit, `linear-backward-euler`, 1/240 s", &["integrator=linear-backward-euler", "step=1/240"]),
    ("implicit, `backward-euler`, 1/60 s", &["integrator=backward-euler", "step=1/60"]),
    ("filter, `bridson`, 1/240 s", &["method=bridson", "step=1/240"]),
    ("`constraints`, 1/60 s", &["method=constraints", "integrator=baraff-witkin", "step=1/60"]),
    ("`constraints`, 1/240 s", &["method=constraints", "integrator=baraff-witkin", "step=1/240"]),
];

/// Prints how far way and speed of each card are off after a second.
pub fn print() -> Result<(), Box<dyn std::error::Error>> {
    println!("| way to handle it | C | CS | CSS | CSSV |\n|---|---|---|---|---|");
    for (name, settings) in WAYS {
        let courses = play(settings)?;
        let mut row = format!("| {name} |");
        for (course, law) in courses.iter().zip(laws()) {
            let times: Vec<f64> = course.iter().map(|point| point.time).collect();
            let exact = exact(&law, 0.3, VERTEX, &times);
            let (last, end) = (course[course.len() - 1], exact[exact.len() - 1]);
            let off = |found: f64, exact: f64| format!("{:+.1} %", 100.0 * (found / exact - 1.0)).replace('-', "−");
            row += &format!(" {}, {} |", off(last.displacement, end.displacement), off(last.velocity, end.velocity));
        }
        println!("{row}");
    }
    Ok(())
}
