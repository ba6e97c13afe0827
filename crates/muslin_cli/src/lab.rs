//! `muslin lab`: the virtual textile laboratory.

use crate::{
    exit::{self, say},
    fabrics::find,
};
use clap::{ArgGroup, Args};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use muslin::{
    io::fabrics::{Fabric, all},
    lab::{self, Bench, Detail, LabReport},
    model::parallel,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

/// Tests a fabric of the library as a textile laboratory does: tension, shear, bending, cantilever, drape, slip.
#[derive(Args)]
#[command(group = ArgGroup::new("what").required(true).args(["fabric", "drapes"]))]
pub struct LabArguments {
    /// The fabric.
    fabric: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write report.html, report.json and drape.png into this directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Drape every fabric of the library, in its order, into one picture that names them.
    #[arg(long, value_name = "PNG", conflicts_with = "out")]
    drapes: Option<PathBuf>,
    /// Threads [default: all processors]. The result is the same for any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Redraws of the progress line per second.
const REDRAWS: u8 = 4;

pub fn main(arguments: LabArguments) -> ExitCode {
    match arguments.threads {
        Some(threads) => parallel::with_threads(threads.into(), || examine(&arguments)),
        None => examine(&arguments),
    }
}

fn examine(arguments: &LabArguments) -> ExitCode {
    match (&arguments.fabric, &arguments.drapes) {
        (_, Some(path)) => drapes(path, arguments.json),
        (Some(name), None) => match find(name) {
            Ok(fabric) => one(fabric, arguments),
            Err(code) => code,
        },
        (None, None) => ExitCode::from(exit::REFUSED),
    }
}

fn line() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REDRAWS));
    bar.set_style(
        ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// Makes a directory before minutes of work are done for it.
fn room(directory: &Path) -> Result<(), ExitCode> {
    fs::create_dir_all(directory).map_err(|error| {
        exit::complain(&format!("error: cannot write into `{}`: {error}", directory.display()));
        ExitCode::from(exit::FAILED)
    })
}

fn one(fabric: &Fabric, arguments: &LabArguments) -> ExitCode {
    if let Some(Err(code)) = arguments.out.as_deref().map(room) {
        return code;
    }
    let bar = line();
    let mut say_test = |test: &str| bar.set_message(format!("{}: {test}", fabric.name));
    let report = lab::examine(&mut Bench { fabric, say: &mut say_test }, Detail::Full);
    bar.finish_and_clear();
    let report = match report {
        Ok(report) => report,
        Err(error) => return exit::show(&error),
    };
    let json = match serde_json::to_value(&report) {
        Ok(json) => format!("{json:#}\n"),
        Err(error) => {
            exit::complain(&format!("error: {error}"));
            return ExitCode::from(exit::FAILED);
        }
    };
    if let Some(directory) = &arguments.out {
        let written = fs::write(directory.join("report.html"), lab::page(fabric, &report))
            .and_then(|()| fs::write(directory.join("report.json"), &json));
        if let Err(error) = written {
            exit::complain(&format!("error: cannot write into `{}`: {error}", directory.display()));
            return ExitCode::from(exit::FAILED);
        }
        if let Err(error) = lab::picture::save(&report.drape, &directory.join("drape.png")) {
            return exit::show(&error);
        }
    }
    if arguments.json { say(&json) } else { say(&text(&report)) }
}

fn text(r: &LabReport) -> String {
    let mut text = format!("{}\n", r.fabric);
    let mut line = |name: &str, value: String| text.push_str(&format!("  {name:22} {value}\n"));
    for t in &r.tension {
        let law = 100.0 * t.worst_deviation;
        line(
            &format!("stretch at {}°", t.direction_degrees),
            format!("{:.1} N/m (law within {law:.2} %)", t.stiffness),
        );
    }
    line(
        "shear",
        format!("{:.2} N/m per rad (law {:.2}), 2HG {:.1e} N/m", r.shear_stiffness, r.shear.law, r.hysteresis_2hg),
    );
    line("bending", format!("{:.3e} N·m, 2HB {:.2e} N", r.bending_rigidity, r.hysteresis_2hb));
    if let Some(measured) = r.measured_2hb {
        line("", format!("measured 2HB {measured:.3e} N"));
    }
    for c in &r.cantilever {
        let law = 1e3 * c.law;
        line(
            &format!("cantilever at {}°", c.direction_degrees),
            format!("{:.2} mm (linear law {law:.2} mm)", 1e3 * c.length),
        );
    }
    let rests = if r.drape.speed > lab::drape::RESTING { "still moving" } else { "at rest" };
    line(
        "drape",
        format!("{:.1} %, {} folds, {rests} after {:.1} s", r.drape_coefficient, r.drape_folds, r.drape.time),
    );
    if let Some(band) = &r.drape_band {
        let side = if band.within { "within" } else { "outside of" };
        line("", format!("{side} {} to {} % of {}", band.range[0], band.range[1], band.class));
        if let Some(reason) = &band.reason {
            line("", reason.clone());
        }
    }
    line("slips at", format!("{:.2}° (law {:.2}°)", r.slip_angle, r.slip.law_degrees));
    r.notes.iter().for_each(|note| line("note", note.clone()));
    text
}

fn drapes(path: &Path, json: bool) -> ExitCode {
    if let Some(Err(code)) = path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(room) {
        return code;
    }
    let bar = line();
    let mut drapes = Vec::new();
    let mut rows = Vec::new();
    let mut text = String::new();
    for (k, fabric) in all().iter().enumerate() {
        let mut say_test = |test: &str| bar.set_message(format!("{}: {test}", fabric.name));
        let drape = match lab::drape::measure(&mut Bench { fabric, say: &mut say_test }, Detail::Full) {
            Ok(drape) => drape,
            Err(error) => {
                bar.finish_and_clear();
                return exit::show(&error);
            }
        };
        let band = lab::band(fabric, drape.coefficient);
        let verdict = match &band {
            Some(b) if b.within => format!("within {} to {} %", b.range[0], b.range[1]),
            Some(b) => format!("outside of {} to {} %: {}", b.range[0], b.range[1], b.reason.as_deref().unwrap_or("")),
            None => String::new(),
        };
        let rest = if drape.speed > lab::drape::RESTING { ", still moving" } else { "" };
        text += &format!(
            "{:2} {:20} {:5.1} %  {} folds  {} crossings{rest}  {verdict}\n",
            k + 1,
            fabric.name,
            drape.coefficient,
            drape.folds,
            drape.crossings
        );
        rows.push(serde_json::json!({
            "number": k + 1, "fabric": fabric.name, "drape_coefficient": drape.coefficient, "drape_folds": drape.folds,
            "crossings": drape.crossings, "speed": drape.speed, "drape_band": band,
        }));
        drapes.push((fabric, drape));
    }
    bar.finish_and_clear();
    // The numbers first: a picture that cannot be written does not lose them.
    let said = if json { say(&format!("{:#}\n", serde_json::Value::from(rows))) } else { say(&text) };
    match lab::picture::save_sheet(&drapes, path) {
        Ok(()) => said,
        Err(error) => exit::show(&error),
    }
}
