//! Draws the plots of the chapter on validation: plays the scenes of `scenes/validate` and sets their results
//! beside the closed forms; and W's figures of bending hysteresis.
//!
//! `cargo run --release --package muslin --example validation_plots -- docs/pictures`

mod hysteresis;
mod motion;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/validate/reference.rs"]
mod reference;
mod svg;

use muslin::{Error, Simulation};
use std::path::PathBuf;
use svg::{Mark, Plot};

/// A position [m].
type Point = [f64; 3];

/// Colours of the closed form and of up to three kinds of results.
const FORM: &str = "#555555";
const COLOURS: [&str; 3] = ["#1f6fb4", "#d1661f", "#2e8b57"];

const TRIANGULATIONS: [&str; 3] = ["right-diagonal", "alternating", "irregular"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/pictures".into()));
    std::fs::create_dir_all(&folder)?;
    type Draw = fn() -> Result<Plot, Error>;
    let plots: [(&str, Draw); 12] = [
        ("free-fall", motion::free_fall),
        ("spring", motion::spring),
        ("pendulum", motion::pendulum),
        ("chain", motion::chain),
        ("cantilever", cantilever),
        ("catenary", catenary),
        ("buckling", buckling),
        ("mesh", mesh),
        ("mesh-springs", mesh_of_springs),
        ("hysteresis-loop", hysteresis::full),
        ("hysteresis-partial", hysteresis::partial),
        ("hysteresis-cycles", hysteresis::cycles),
    ];
    for (name, draw) in plots {
        let path = folder.join(format!("validate-{name}.svg"));
        std::fs::write(&path, draw()?.finish())?;
        println!("{}", path.display());
    }
    Ok(())
}

/// What a scene has shown.
struct Played {
    /// Positions at the start [m].
    start: Vec<Point>,
    /// Positions at the end [m].
    end: Vec<Point>,
    /// Masses [kg].
    masses: Vec<f64>,
}

/// Plays a scene to its end.
fn play(scene: &str, settings: &[String]) -> Result<Played, Error> {
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut simulation = Simulation::from_scene_with(scene, &settings)?;
    let masses = simulation.model().masses.clone();
    let now = |simulation: &Simulation| simulation.state().positions.iter().map(|p| p.to_array()).collect();
    let start = now(&simulation);
    while simulation.frame() < simulation.frames() {
        simulation.next_frame()?;
    }
    Ok(Played { start, end: now(&simulation), masses })
}

/// Mean of a column of a grid of `columns` columns [m].
fn column(x: &[Point], columns: usize, column: usize) -> Point {
    let rows = x.len() / columns;
    let part = &x[column * rows..(column + 1) * rows];
    std::array::from_fn(|k| part.iter().map(|p| p[k]).sum::<f64>() / rows as f64)
}

fn cantilever() -> Result<Plot, Error> {
    let mut plot = Plot::new(("Γ = σ g L³ / B", [0.0, 50.0]), ("drop and reach of the tip / L", [0.0, 1.25]));
    let form: Vec<(f64, (f64, f64))> =
        (0..=100).map(|i| 0.01 + 0.5 * i as f64).map(|g| (g, reference::cantilever(g))).collect();
    plot.add(Mark::Curve, FORM, "heavy elastica", &form.iter().map(|(g, tip)| [*g, tip.1]).collect::<Vec<_>>());
    plot.add(Mark::Curve, FORM, "", &form.iter().map(|(g, tip)| [*g, tip.0]).collect::<Vec<_>>());
    let (mut drop, mut reach) = (Vec::new(), Vec::new());
    for gamma in [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 40.0, 48.0] {
        let rigidity = 0.2 * 9.81 * 0.1f64.powi(3) / gamma;
        let x = play("cantilever", &[format!("rigidity={rigidity}")])?.end;
        let tip = column(&x, 27, 26);
        drop.push([gamma, -tip[2] / 0.1]);
        reach.push([gamma, tip[0] / 0.1]);
    }
    plot.add(Mark::Dots, COLOURS[0], "drop, 24 cells", &drop);
    plot.add(Mark::Dots, COLOURS[1], "reach, 24 cells", &reach);
    Ok(plot)
}

fn catenary() -> Result<Plot, Error> {
    let mut plot = Plot::new(("x [m]", [-0.5, 0.5]), ("z [m]", [-0.5, 0.25]));
    for (span, colour) in [0.4f64, 0.6, 0.8].into_iter().zip(COLOURS) {
        let a = reference::catenary(span);
        let height = |x: f64| a * ((x / a).cosh() - (0.5 * span / a).cosh());
        let form: Vec<[f64; 2]> = (0..=100).map(|i| span * (0.01 * i as f64 - 0.5)).map(|x| [x, height(x)]).collect();
        plot.add(Mark::Curve, FORM, "", &form);
        let x = play("catenary", &[format!("span={span}")])?.end;
        let dots: Vec<[f64; 2]> = (0..49).step_by(3).map(|i| column(&x, 49, i)).map(|p| [p[0], p[2]]).collect();
        plot.add(Mark::Dots, colour, &format!("span {span} m"), &dots);
    }
    Ok(plot)
}

fn buckling() -> Result<Plot, Error> {
    let mut plot = Plot::new(("distance of the ends / L", [0.3, 1.0]), ("height of the middle / L", [0.0, 0.5]));
    let form: Vec<[f64; 2]> =
        (0..70).map(|i| 0.3 + 0.01 * i as f64).map(|c| [c, reference::buckled_height(c)]).collect();
    plot.add(Mark::Curve, FORM, "elastica", &form);
    let mut dots = Vec::new();
    for chord in [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
        let x = play("buckling", &[format!("chord={chord}")])?.end;
        dots.push([chord, column(&x, 33, 16)[2].abs() / 0.2]);
    }
    plot.add(Mark::Dots, COLOURS[0], "32 cells", &dots);
    Ok(plot)
}

/// What the centre of mass of the hanging sheet sinks, over the resolution [mm].
fn sinking(settings: &[&str], triangulation: &str, resolutions: &[usize]) -> Result<Vec<[f64; 2]>, Error> {
    let mut points = Vec::new();
    for n in resolutions {
        let mut all = vec![format!("resolution={n}"), format!("triangulation={triangulation}")];
        all.extend(settings.iter().map(|s| s.to_string()));
        let Played { start, end, masses } = play("sheet", &all)?;
        let sunk: f64 = start.iter().zip(&end).zip(&masses).map(|((a, b), m)| (a[2] - b[2]) * m).sum();
        let sunk = 1e3 * sunk / masses.iter().sum::<f64>();
        println!("{settings:?} {triangulation} {n}: {sunk:.4} mm");
        points.push([*n as f64, sunk]);
    }
    Ok(points)
}

fn mesh() -> Result<Plot, Error> {
    let mut plot =
        Plot::new(("vertices along a side", [0.0, 70.0]), ("sinking, held along both sides [mm]", [1.0, 2.0]));
    for (triangulation, colour) in TRIANGULATIONS.into_iter().zip(COLOURS) {
        let points = sinking(&["places=[\"left\", \"right\"]"], triangulation, &[9, 17, 25, 33, 49, 65])?;
        plot.add(Mark::Curve, colour, &format!("membrane, {triangulation}"), &points);
        plot.add(Mark::Dots, colour, "", &points);
    }
    Ok(plot)
}

fn mesh_of_springs() -> Result<Plot, Error> {
    let mut plot = Plot::new(("vertices along a side", [0.0, 40.0]), ("sinking, held along the top [mm]", [0.0, 0.6]));
    for (stretch, mark) in [("membrane", Mark::Curve), ("edge-springs", Mark::Dots)] {
        for (triangulation, colour) in TRIANGULATIONS.into_iter().zip(COLOURS) {
            let points = sinking(&[&format!("stretch={stretch}")], triangulation, &[9, 17, 25, 33])?;
            plot.add(mark, colour, &format!("{stretch}, {triangulation}"), &points);
        }
    }
    Ok(plot)
}
