//! `muslin run`: simulates a scene into a directory.

use crate::{
    exit::{self, complain, deliver, say},
    progress::Bar,
};
use clap::Args;
use muslin::{CheckpointPolicy, Error, Existing, Format, Interrupt, Outcome, RunOptions, RunResult};
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

/// Simulates a scene into a directory.
#[derive(Args)]
pub struct RunArguments {
    /// A scene file (TOML), or the name of a built-in scene; `muslin scenes` lists those.
    scene: String,
    /// Directory of the results [default: runs/SCENE-NNN, the next free number].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Simulate at most this many frames.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Threads [default: all processors]. The result is the same for any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Set a parameter, or any key by its path: `resolution=80`, `cloth.0.material.shear=200`.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Formats of the frames, separated by commas: npz, ply, obj, vtk, pc2, mdd, usd, gltf, csv, or none
    /// [default: what the scene says, else npz].
    #[arg(long, value_name = "LIST")]
    format: Option<String>,
    /// Go on from the newest checkpoint in DIR, bit for bit as if the run had never stopped; at the beginning if
    /// there is none. Needs the same scene, settings, frames and formats; threads may differ. Without --out, the
    /// last runs/SCENE-NNN.
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Replace the run that DIR holds. Other files there are left alone.
    #[arg(long)]
    overwrite: bool,
    /// Seconds between checkpoints; there is one every 50 frames and at Ctrl-C anyway. 0 writes one after every step.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    checkpoint: f64,
    /// Print the report on standard output, and nothing else there.
    #[arg(long)]
    json: bool,
}

pub fn main(arguments: RunArguments) -> ExitCode {
    let asked = match arguments.format.as_deref().map(formats).transpose() {
        Ok(asked) => asked,
        Err(message) => {
            complain(&format!("error: --format: {message}"));
            return ExitCode::from(exit::REFUSED);
        }
    };
    let loaded = match muslin::load(&arguments.scene, &arguments.set) {
        Ok(loaded) => loaded,
        Err(error) => return exit::show(&Error::from(error)),
    };
    let options = RunOptions {
        out: arguments.out,
        frames: arguments.frames.map(|n| n as usize),
        threads: arguments.threads.map(usize::from),
        formats: asked.or(loaded.formats).unwrap_or_else(|| vec![Format::Npz]),
        existing: match (arguments.resume, arguments.overwrite) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Overwrite,
            _ => Existing::Refuse,
        },
        checkpoints: CheckpointPolicy { seconds: arguments.checkpoint, ..Default::default() },
        warnings: loaded.warnings,
    };
    let told = if arguments.json { Told::Report } else { Told::Summary };
    let mut bar = Bar::new(stop_on_ctrl_c());
    let result = muslin::run(&loaded.scene, &options, &mut bar);
    bar.clear();
    match result {
        Ok(result) => conclude(&result, told),
        Err(error @ Error::AlreadyFinished { .. }) => finished(&error, told),
        Err(error) => exit::show(&error),
    }
}

/// What a run prints on standard output when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// A few lines to read.
    Summary,
    /// The report as JSON, and nothing else.
    Report,
}

/// A run that is finished needs nothing more: that is success.
fn finished(error: &Error, told: Told) -> ExitCode {
    if let Error::AlreadyFinished { mended: files, .. } = error {
        files.iter().for_each(|file| complain(&mended(file)));
    }
    match error {
        Error::AlreadyFinished { report, .. } if told == Told::Report => {
            complain(&error.to_string());
            say(report)
        }
        _ => say(&format!("{error}\n")),
    }
}

/// What is said of a file beside the frames that was written anew.
pub fn mended(file: &str) -> String {
    format!("warning: `{file}` was not as this run wrote it, and was written again")
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        _ => Err("a number of seconds, 0 or more".into()),
    }
}

/// Formats by their names, separated by commas; `none` is no format.
pub fn formats(list: &str) -> Result<Vec<Format>, String> {
    if list.trim() == "none" {
        return Ok(Vec::new());
    }
    list.split(',').map(|name| name.trim().parse()).collect()
}

/// A second signal within this time is the same wish: `timeout` and some terminals send it to the command and
/// to its group.
const SAME_WISH: Duration = Duration::from_millis(500);

/// The first Ctrl-C asks the run to stop after its step, or within it if that takes long; the second ends the
/// command at once.
fn stop_on_ctrl_c() -> Interrupt {
    let interrupt = Interrupt::default();
    let asked = interrupt.clone();
    let mut first: Option<Instant> = None;
    let handler = ctrlc::set_handler(move || match first {
        None => {
            first = Some(Instant::now());
            asked.ask();
            complain("\nstopping; press Ctrl-C again to stop at once");
        }
        Some(first) if first.elapsed() < SAME_WISH => {}
        Some(_) => std::process::exit(exit::INTERRUPTED.into()),
    });
    if handler.is_err() {
        complain("warning: Ctrl-C will end the run without keeping its results");
    }
    interrupt
}

fn conclude(result: &RunResult, told: Told) -> ExitCode {
    let report = &result.report;
    report.warnings.iter().for_each(|w| complain(&format!("warning: {w}")));
    if let Some(failure) = &result.failure {
        complain(&format!("error: {failure}"));
    }
    for broken in report.broken_claims() {
        let found = short(broken.found, 4);
        complain(&format!("error: the scene claims {} {}, found {found}", broken.claim, broken.limit));
    }
    let kept = result.directory.join("report.json");
    let text = match told {
        Told::Report => report.to_json(),
        Told::Summary => summary(result),
    };
    let written = deliver(&text, &kept);
    match (report.outcome, report.broken_claims().is_empty()) {
        (Outcome::Failed, _) => ExitCode::from(exit::FAILED),
        (Outcome::Interrupted, _) => ExitCode::from(exit::INTERRUPTED),
        (Outcome::Completed, false) => ExitCode::from(exit::CLAIM_BROKEN),
        (Outcome::Completed, true) => written,
    }
}

fn summary(result: &RunResult) -> String {
    let report = &result.report;
    let ended = match report.outcome {
        Outcome::Completed => String::new(),
        Outcome::Interrupted => {
            format!(", stopped at frame {} of {}; go on with --resume", report.frames, report.frames_planned)
        }
        Outcome::Failed => format!(", failed after frame {} of {}", report.frames, report.frames_planned),
    };
    let cost = match report.simulated_seconds {
        0.0 => String::new(),
        simulated => format!(" ({:.2} CPU seconds per second)", report.cpu_seconds / simulated),
    };
    let mut text = format!(
        "{}: {:.3} s of cloth in {:.2} s{cost}, {} steps, largest strain {} %{ended}\n",
        report.scene,
        report.simulated_seconds,
        report.wall_seconds,
        report.steps,
        short(100.0 * report.max_strain, 2),
    );
    text.push_str(&format!("  result   {}\n", result.directory.display()));
    if let Some(preview) = &result.preview {
        text.push_str(&format!("  picture  {}\n", preview.display()));
    }
    text.push_str(&format!("  report   {}\n", result.directory.join("report.json").display()));
    text
}

/// From here on a number is told by its power of ten: a cloth that has blown up has strains of a hundred digits.
const LONG_NUMBER: f64 = 1e6;

/// A number with so many decimals, or by its power of ten where that would be nothing but zeros or a row of digits.
fn short(value: f64, decimals: usize) -> String {
    let least = 0.1_f64.powi(decimals as i32);
    match value.abs() {
        0.0 => format!("{value:.decimals$}"),
        size if size >= least && size < LONG_NUMBER => format!("{value:.decimals$}"),
        _ => format!("{value:.decimals$e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_of_any_size_are_told_in_few_characters() {
        assert_eq!(short(2.1349, 2), "2.13");
        assert_eq!(short(0.0, 2), "0.00");
        assert_eq!(short(3.456e-7, 2), "3.46e-7");
        assert_eq!(short(-1.25e100, 2), "-1.25e100");
        assert_eq!(short(f64::INFINITY, 2), "inf");
        assert_eq!(short(f64::NAN, 4), "NaN");
        for exponent in -308..=308 {
            assert!(short(-1.234567 * 10_f64.powi(exponent), 4).len() <= 12, "{exponent}");
        }
    }
}
