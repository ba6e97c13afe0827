//! Draws the plots of the chapter on friction: W fig. 7.2 (the laws), 7.5 b (stick and slip), 7.7 (cards on an incline), and the
//! slider on a spring.
//!
//! `cargo run --release --package muslin --example friction_plots -- docs/pictures`. With `table` in place of a folder it prints how far
//! the cards are off the analytic solution after a second, for each way to handle friction.

#[path = "../validation_plots/svg.rs"]
mod svg;
mod table;

use muslin::{
    Error, Simulation,
    card::{CARDS, CardPoint, exact, play},
    model::{FrictionLaw, Stribeck, Viscous},
    slider,
};
use std::path::PathBuf;
use svg::{Mark, Plot};

/// Colours as in W's figures: green, red, blue and yellow.
const COLOURS: [&str; 4] = ["#2e8b57", "#c0392b", "#1f6fb4", "#c9a227"];
const FORM: &str = "#555555";
const NAMES: [&str; 4] = ["C", "CS", "CSS", "CSSV"];
/// Mass of one of a card's vertices [kg].
const VERTEX: f64 = 0.25 * 0.1 * 0.07 / 48.0;

fn laws() -> [FrictionLaw; 4] {
    let stiction = FrictionLaw { kinetic: 0.1, sticking: 0.2, stribeck: None, viscous: None };
    let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }), ..stiction };
    let viscous = Some(Viscous { coefficient: 0.0, force: 6e-5, exponent: 1.0 });
    [FrictionLaw::coulomb(0.1), stiction, stribeck, FrictionLaw { viscous, ..stribeck }]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/pictures".into()));
    if folder.as_os_str() == "table" {
        return table::print();
    }
    std::fs::create_dir_all(&folder)?;
    let courses = play(&["step=1/240"])?;
    type Read = fn(&CardPoint) -> f64;
    let of_card = |name: (&str, [f64; 2]), read: Read| cards(&courses, name, read);
    let plots = [
        ("laws", curves()),
        ("card-displacement", of_card(("displacement [m]", [0.0, 1.0]), |point| point.displacement)),
        ("card-velocity", of_card(("velocity [m/s]", [0.0, 2.0]), |point| point.velocity)),
        ("card-friction", of_card(("friction over normal force [-]", [0.0, 0.3]), |point| point.friction)),
        ("stick-slip", stick_slip()?),
        ("slider", on_a_spring()?),
    ];
    for (name, plot) in plots {
        let path = folder.join(format!("w-7-{name}.svg"));
        std::fs::write(&path, plot.finish())?;
        println!("{}", path.display());
    }
    Ok(())
}

/// W fig. 7.2: friction over the speed.
fn curves() -> Plot {
    let mut plot = Plot::new(("speed [m/s]", [0.0, 2.0]), ("friction over normal force [-]", [0.0, 0.5]));
    let load = VERTEX * 9.81;
    for (k, law) in laws().iter().enumerate() {
        let mut points = vec![[0.0, law.sticking]];
        points.extend((0..=400).map(|n| 1e-4 + 0.005 * f64::from(n)).map(|v| [v, law.at(v, load)]));
        plot.add(Mark::Curve, COLOURS[k], NAMES[k], &points);
    }
    plot
}

/// W fig. 7.7: a quantity of the four cards over time, dots for the closed form.
fn cards(courses: &[Vec<CardPoint>; 4], name: (&str, [f64; 2]), read: fn(&CardPoint) -> f64) -> Plot {
    let mut plot = Plot::new(("time [s]", [0.0, 1.0]), name);
    for (k, law) in laws().iter().enumerate() {
        let points: Vec<[f64; 2]> = courses[k].iter().skip(1).map(|point| [point.time, read(point)]).collect();
        plot.add(Mark::Curve, COLOURS[k], &format!("{} ({})", NAMES[k], CARDS[k]), &points);
        let times: Vec<f64> = (1..=10).map(|n| 0.1 * f64::from(n)).collect();
        let form = exact(law, 0.3, VERTEX, &times);
        let form: Vec<[f64; 2]> = form.iter().map(|point| [point.time, read(point)]).collect();
        plot.add(Mark::Dots, COLOURS[k], if k == 3 { "dots: analytic" } else { "" }, &form);
    }
    plot
}

/// W fig. 7.5 b: mean displacement of the part of the sheet that lies on the ground.
fn stick_slip() -> Result<Plot, Error> {
    let mut plot = Plot::new(("time [s]", [0.0, 8.0]), ("mean displacement of the lower half [m]", [0.0, 0.6]));
    for (law, colour, name) in [("coulomb", COLOURS[2], "C"), ("stribeck", COLOURS[1], "CSS")] {
        let mut simulation = Simulation::from_scene_with("w-7-stick-slip", &[&format!("law={law}")])?;
        let cloth = simulation.model().cloth_vertices();
        let start = simulation.state().positions.clone();
        // Columns ascend along the sheet: the first half is the lower one.
        let lower = cloth.start..cloth.start + cloth.len() / 2;
        let mut points = vec![[0.0, 0.0]];
        while simulation.frame() < simulation.frames() {
            let frame = simulation.next_frame()?;
            let mean = lower.clone().map(|v| frame[v].x - start[v].x).sum::<f64>() / lower.len() as f64;
            points.push([simulation.state().time, mean]);
        }
        plot.add(Mark::Curve, colour, name, &points);
    }
    Ok(plot)
}

/// The slider on a spring: its place, and when the closed form has it let go.
fn on_a_spring() -> Result<Plot, Error> {
    let mut plot = Plot::new(("time [s]", [0.0, 8.0]), ("displacement [m]", [0.0, 0.8]));
    let mut simulation = slider::slider(&[])?;
    let start = simulation.state().positions[0].x;
    let mut points = vec![[0.0, 0.0]];
    while simulation.frame() < simulation.frames() {
        let frame = simulation.next_frame()?;
        points.push([simulation.state().time, frame[0].x - start]);
    }
    plot.add(Mark::Curve, COLOURS[1], "card on a spring, CS", &points);
    let (first, period) = (slider::first_slip(0.4, 0.1), slider::period(0.3, 0.1));
    // Each slip goes on by twice what static friction holds beyond kinetic, and the spring's end meanwhile.
    let mut way = 0.0;
    for n in 0..3 {
        plot.add(
            Mark::Dots,
            FORM,
            if n == 0 { "analytic: it lets go" } else { "" },
            &[[first + period * f64::from(n), way]],
        );
        way += 0.1 * period;
    }
    Ok(plot)
}
