//! `muslin collide`: all collisions between two frames of a mesh, and what finding them takes.

mod frames;
mod measure;
mod truth;

use crate::exit::{self, say};
use clap::Args;
use frames::Frames;
use measure::{Measured, measure};
use muslin::collision::broad_phase::BroadPhaseKind;
use std::{path::PathBuf, process::ExitCode};
use truth::Truth;

/// Finds all collisions between two frames of a mesh.
///
/// Each vertex moves on a straight line from START to END. Reads OBJ and PLY, also packed as .xz or .gz. Times are the
/// median of several runs, each from nothing but the mesh's edges.
#[derive(Args)]
pub struct CollideArguments {
    /// The mesh at the start of the step.
    start: PathBuf,
    /// The same mesh at its end.
    end: PathBuf,
    /// Tables of pairs with known answers (`vertex,face,collides` and `ea0,ea1,eb0,eb1,collides`), also packed.
    #[arg(long, num_args = 2, value_names = ["VF", "EE"])]
    truth: Vec<PathBuf>,
    /// Tables of their times of impact (`index,…,toi,…`), by the rows of --truth.
    #[arg(long, num_args = 2, value_names = ["VF", "EE"], requires = "truth")]
    toi: Vec<PathBuf>,
    /// The broad phase, or `all`.
    #[arg(long, value_name = "NAME", default_value = "tree", value_parser = methods)]
    broad_phase: Methods,
    /// Numbers of threads to run with, such as `1,2`; the machine's if not given.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Print JSON: an array with an object per broad phase and number of threads.
    #[arg(long)]
    json: bool,
}

/// The broad phases to run.
#[derive(Clone)]
struct Methods(Vec<BroadPhaseKind>);

fn methods(name: &str) -> Result<Methods, String> {
    if name == "all" {
        return Ok(Methods(BroadPhaseKind::ALL.to_vec()));
    }
    let kind = name.parse::<BroadPhaseKind>().map_err(|error| format!("{error}, all"))?;
    Ok(Methods(vec![kind]))
}

pub fn main(arguments: CollideArguments) -> ExitCode {
    let refuse = |message: String| {
        exit::complain(&format!("error: {message}"));
        ExitCode::from(exit::REFUSED)
    };
    let frames = match Frames::read(&arguments.start, &arguments.end) {
        Ok(frames) => frames,
        Err(message) => return refuse(message),
    };
    let truth = match arguments.truth.is_empty() {
        true => None,
        false => match Truth::read(&frames.surface, &arguments.truth, &arguments.toi) {
            Ok(truth) => Some(truth),
            Err(message) => return refuse(message),
        },
    };
    match truth.as_ref().map_or(0, Truth::without_time) {
        0 => {}
        count => exit::complain(&format!(
            "warning: {count} pairs that collide have no time in the tables of --toi; whether they are found late is not known"
        )),
    }
    let machine = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads: Vec<usize> = match arguments.threads.is_empty() {
        true => vec![machine],
        false => arguments.threads.iter().map(|&n| usize::from(n)).collect(),
    };
    let mut rows = Vec::new();
    let mut failed = false;
    for &kind in &arguments.broad_phase.0 {
        for &threads in &threads {
            match measure(&frames, kind, threads, truth.as_ref()) {
                Ok(measured) => rows.push(measured),
                Err(message) => {
                    exit::complain(&format!("error: broad phase `{kind}`: {message}"));
                    failed = true;
                    break;
                }
            }
        }
    }
    let said = if arguments.json {
        say(&format!("{:#}\n", serde_json::Value::from_iter(rows.iter().map(Measured::json))))
    } else {
        say(&text(&frames, &rows))
    };
    let wrong = rows.iter().any(|row| row.missed.is_some_and(|n| n > 0) || row.late.is_some_and(|n| n > 0));
    match (failed, wrong) {
        (true, _) => ExitCode::from(exit::FAILED),
        (false, true) => ExitCode::from(exit::CLAIM_BROKEN),
        (false, false) => said,
    }
}

fn text(frames: &Frames, rows: &[Measured]) -> String {
    let surface = &frames.surface;
    let mut text = format!(
        "{} vertices, {} edges, {} triangles\n",
        surface.vertex_count(),
        surface.edges().len(),
        surface.triangles().len()
    );
    text.push_str(&measure::table(rows));
    text
}
