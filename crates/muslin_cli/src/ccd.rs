//! `muslin ccd`: single continuous queries with exact answers.

use crate::exit::{self, complain, say};
use clap::{Args, ValueEnum};
use muslin::collision::{PairKind, narrow_phase::CcdMethod};
use muslin::io::ccd_queries::{self, Answer, Queries};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// Runs single continuous collision queries with exact answers, and counts the wrong ones.
///
/// A file holds eight lines per query: the four points at the start, then at the end; each line three
/// coordinates as numerator and denominator, and the answer, 0 or 1. Vertex–face queries give the vertex first.
///
/// Ends with code 3 if the certified method misses a contact; the others are known to miss some.
#[derive(Args)]
pub struct CcdArguments {
    /// Query files (.csv, also .csv.xz), or directories to search for them.
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// The kind of all queries; otherwise a folder `vertex-face` or `edge-edge` in the path tells it.
    #[arg(long)]
    kind: Option<Kind>,
    /// The continuous test: certified, cubic or bisection.
    #[arg(long, value_name = "NAME", default_value = "certified", value_parser = method)]
    method: CcdMethod,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The kinds of pairs.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Vertex against face.
    Vf,
    /// Edge against edge.
    Ee,
}

fn method(name: &str) -> Result<CcdMethod, String> {
    CcdMethod::from_name(name).ok_or_else(|| {
        let names = CcdMethod::ALL.map(CcdMethod::name).join(", ");
        format!("there is no such method; there are: {names}")
    })
}

/// Passes over the queries; the fastest is reported, because the others also measure what else the machine did.
const PASSES: usize = 3;

/// What the queries of a file showed.
#[derive(Default)]
struct Outcome {
    queries: usize,
    false_negatives: usize,
    false_positives: usize,
    nanoseconds: f64,
}

pub fn main(arguments: CcdArguments) -> ExitCode {
    match run(&arguments) {
        Ok(Report { text, broken }) => match (broken, say(&text)) {
            (true, _) => ExitCode::from(exit::CLAIM_BROKEN),
            (false, said) => said,
        },
        Err(message) => {
            complain(&format!("error: {message}"));
            ExitCode::from(exit::REFUSED)
        }
    }
}

/// What is printed, and whether a promise is broken: the certified method misses nothing.
struct Report {
    text: String,
    broken: bool,
}

fn run(arguments: &CcdArguments) -> Result<Report, String> {
    let mut files = Vec::new();
    for path in &arguments.paths {
        collect(path, &mut files)?;
    }
    let mut total = Outcome::default();
    let mut each = Vec::new();
    for file in &files {
        let kind = kind_of(file, arguments.kind)?;
        let queries = ccd_queries::read(file).map_err(|error| error.to_string())?;
        if queries.rounded > 0 {
            let rounded = queries.rounded;
            complain(&format!(
                "warning: {}: {rounded} coordinates are no doubles and were rounded; answers may differ",
                file.display()
            ));
        }
        let outcome = ask(arguments.method, kind, &queries);
        total.queries += outcome.queries;
        total.false_negatives += outcome.false_negatives;
        total.false_positives += outcome.false_positives;
        total.nanoseconds += outcome.nanoseconds;
        each.push((file, outcome));
    }
    let broken = arguments.method == CcdMethod::Certified && total.false_negatives > 0;
    if arguments.json {
        let mut object = total.to_json();
        object["method"] = arguments.method.name().into();
        object["files"] = each
            .iter()
            .map(|(file, outcome)| {
                let mut object = outcome.to_json();
                object["file"] = file.display().to_string().into();
                object
            })
            .collect();
        return Ok(Report { text: format!("{object:#}\n"), broken });
    }
    let mut text = format!("{:>8} {:>8} {:>8} {:>10}  file\n", "queries", "missed", "false", "ns/query");
    for (file, outcome) in &each {
        text.push_str(&outcome.row(&file.display().to_string()));
    }
    text.push_str(&total.row(&format!("all, {}", arguments.method.name())));
    Ok(Report { text, broken })
}

/// Adds a file, or all query files in a directory and its folders, in the order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let unread = |error: std::io::Error| format!("{}: {error}", path.display());
    if !path.metadata().map_err(unread)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let before = files.len();
    search(path, files).map_err(unread)?;
    if files.len() == before {
        return Err(format!("{}: there is no .csv file in it; unpack archives first", path.display()));
    }
    Ok(())
}

fn search(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_lowercase());
        // A link to a folder is not followed: it may lead back.
        if entry.file_type()?.is_dir() {
            search(&path, files)?;
        } else if name.ends_with(".csv") || name.ends_with(".csv.xz") {
            files.push(path);
        }
    }
    Ok(())
}

fn kind_of(path: &Path, given: Option<Kind>) -> Result<PairKind, String> {
    let told = given.or_else(|| {
        path.components().rev().find_map(|part| match part.as_os_str().to_str() {
            Some("vertex-face") => Some(Kind::Vf),
            Some("edge-edge") => Some(Kind::Ee),
            _ => None,
        })
    });
    match told {
        Some(Kind::Vf) => Ok(PairKind::VertexFace),
        Some(Kind::Ee) => Ok(PairKind::EdgeEdge),
        None => Err(format!(
            "{}: no folder `vertex-face` or `edge-edge` in the path tells the kind; give --kind vf or --kind ee",
            path.display()
        )),
    }
}

fn ask(method: CcdMethod, kind: PairKind, file: &Queries) -> Outcome {
    let mut outcome = Outcome { queries: file.queries.len(), nanoseconds: f64::INFINITY, ..Default::default() };
    let mut touching = Vec::with_capacity(file.queries.len());
    for _ in 0..PASSES {
        touching.clear();
        let start = Instant::now();
        touching.extend(file.queries.iter().map(|(query, _)| method.time_of_impact(kind, query, 0.0).is_some()));
        outcome.nanoseconds = outcome.nanoseconds.min(start.elapsed().as_nanos() as f64);
    }
    for ((_, answer), touches) in file.queries.iter().zip(touching) {
        match (answer, touches) {
            (Answer::Touches, false) => outcome.false_negatives += 1,
            (Answer::Apart, true) => outcome.false_positives += 1,
            _ => {}
        }
    }
    outcome
}

impl Outcome {
    /// Nanoseconds per query; a file without queries is refused before.
    fn pace(&self) -> f64 {
        self.nanoseconds / self.queries.max(1) as f64
    }

    fn to_json(&self) -> Value {
        json!({
            "queries": self.queries,
            "false_negatives": self.false_negatives,
            "false_positives": self.false_positives,
            "ns_per_query": self.pace(),
        })
    }

    fn row(&self, name: &str) -> String {
        let (missed, wrong) = (self.false_negatives, self.false_positives);
        format!("{:>8} {missed:>8} {wrong:>8} {:>10.0}  {name}\n", self.queries, self.pace())
    }
}
