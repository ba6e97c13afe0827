//! The tables of the book: cards after a second and sheets on sheets after 0.7 s beside the analytic solution.

use crate::{VERTEX, laws};
use muslin::{
    card::{CardPoint, exact, play},
    model::{FrictionLaw, Stribeck, Viscous},
    slide,
};

/// The ways: how the book calls them, and their settings.
const WAYS: [(&str, &[&str]); 6] = [
    ("implicit, `linear-backward-euler`, 1/60 s", &["integrator=linear-backward-euler", "step=1/60"]),
    ("implicit, `linear-backward-euler`, 1/240 s", &["integrator=linear-backward-euler", "step=1/240"]),
    ("implicit, `backward-euler`, 1/60 s", &["integrator=backward-euler", "step=1/60"]),
    ("filter, `bridson`, 1/240 s", &["method=bridson", "step=1/240"]),
    ("`constraints`, 1/60 s", &["method=constraints", "integrator=baraff-witkin", "step=1/60"]),
    ("`constraints`, 1/240 s", &["method=constraints", "integrator=baraff-witkin", "step=1/240"]),
];

/// The ways to handle a sheet on a sheet, and their settings.
const SLIDES: [(&str, &[&str]); 6] = [
    ("implicit, `linear-backward-euler`", &["integrator=linear-backward-euler"]),
    ("implicit, `backward-euler`", &["integrator=backward-euler"]),
    ("filter, `bridson`", &["method=bridson"]),
    ("filter, `provot`", &["method=provot"]),
    ("`constraints` (between cloths the filter of `provot`)", &["method=constraints", "integrator=baraff-witkin"]),
    ("`i-cloth`", &["method=i-cloth"]),
];

/// Prints how far way and speed of each card are off after a second, and those of a sheet on a sheet after 0.7 s.
pub fn print() -> Result<(), Box<dyn std::error::Error>> {
    println!("| way to handle it | C | CS | CSS | CSSV |\n|---|---|---|---|---|");
    for (name, settings) in WAYS {
        let courses = play(settings)?;
        let cells: Vec<_> = courses.iter().zip(laws()).map(|(course, law)| off(course, &law, VERTEX)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!(
        "\n| way to handle it | C, 1/60 s | no friction, 1/60 s | C, 1/240 s | CS | CSS | CSSV |\n|---|---|---|---|---|---|---|"
    );
    let coulomb = FrictionLaw::coulomb(0.2);
    let stiction = FrictionLaw { sticking: 0.25, ..coulomb };
    let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 1.0 }), ..stiction };
    let viscous = Some(Viscous { coefficient: 0.05, force: 0.0, exponent: 1.0 });
    let columns = [
        (["step=1/60", "law=coulomb", "kinetic=0.2"], coulomb),
        (["step=1/60", "law=coulomb", "kinetic=0"], FrictionLaw::coulomb(0.0)),
        (["step=1/240", "law=coulomb", "kinetic=0.2"], coulomb),
        (["step=1/240", "law=stiction", "kinetic=0.2"], stiction),
        (["step=1/240", "law=stribeck", "kinetic=0.2"], stribeck),
        (["step=1/240", "law=viscous", "kinetic=0.2"], FrictionLaw { viscous, ..stribeck }),
    ];
    for (name, way) in SLIDES {
        let cells = columns.iter().map(|(settings, law)| {
            let mesh: &[&str] = &["resolution=12", "lower=31", "duration=0.8"];
            Ok::<_, muslin::Error>(off(&slide::play(&[way, settings, mesh].concat())?.course, law, 1.0))
        });
        println!("| {name} | {} |", cells.collect::<Result<Vec<_>, _>>()?.join(" | "));
    }
    Ok(())
}

/// How far the last point of a course is off, way and speed.
fn off(course: &[CardPoint], law: &FrictionLaw, mass: f64) -> String {
    let times: Vec<f64> = course.iter().map(|point| point.time).collect();
    let exact = exact(law, 0.3, mass, &times);
    let (last, end) = (course[course.len() - 1], exact[exact.len() - 1]);
    let off = |found: f64, exact: f64| format!("{:+.1} %", 100.0 * (found / exact - 1.0)).replace('-', "−");
    format!("{}, {}", off(last.displacement, end.displacement), off(last.velocity, end.velocity))
}
