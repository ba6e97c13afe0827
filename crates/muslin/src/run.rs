//! A run from a scene to a directory of results.

use crate::{
    directory,
    error::Error,
    observer::{Observer, Progress},
    options::RunOptions,
    report::{Circumstances, Outcome, Report},
};
use muslin_io::output::{Cast, Ending, Measured, Outputs, write_whole};
use muslin_model::parallel;
use muslin_render::{Camera, ContactSheet, SheetSettings, Subject, save_png};
use muslin_sim::{Scene, SimError, Simulation, report::cpu_seconds};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// What a run leaves.
#[derive(Debug)]
pub struct RunResult {
    /// Where everything is.
    pub directory: PathBuf,
    /// The picture; `None` if it could not be drawn, which is then a warning of the report.
    pub preview: Option<PathBuf>,
    /// The certificate, also in `report.json`.
    pub report: Report,
    /// Why the run stopped early, if a step failed. Everything before is in the directory.
    pub failure: Option<SimError>,
}

/// Simulates a scene into a directory: frames in the formats asked for, `report.json` and `preview.png`.
///
/// A step that fails and a run that is stopped still leave their frames, picture and report; only what keeps
/// a run from beginning or a file from being written is an error.
pub fn run(scene: &Scene, options: &RunOptions, observer: &mut dyn Observer) -> Result<RunResult, Error> {
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    parallel::with_threads(threads, || run_here(scene, options, threads, observer))
}

fn run_here(
    scene: &Scene,
    options: &RunOptions,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<RunResult, Error> {
    let begin = Instant::now();
    let mut simulation = Simulation::new(scene)?;
    let frames = options.frames.map_or(simulation.frames(), |most| most.min(simulation.frames()));
    if frames == 0 {
        return Err(Error::NoFrames);
    }
    // Made only now: a scene that cannot be built leaves no directory.
    let directory = match &options.out {
        Some(out) => directory::given(out)?,
        None => directory::next_free(&scene.name)?,
    };
    observer.begins(&directory, frames);
    let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, frames);
    let mut outputs = Outputs::begin(&directory, &options.formats, cast)?;
    let camera = scene.camera.map(|c| Camera::new(c.position, c.target, c.field_of_view));
    let mut sheet = ContactSheet::new(frames + 1, SheetSettings { camera, ..Default::default() });
    let stepping = match step_through(&mut simulation, frames, &mut outputs, &mut sheet, observer) {
        Ok(stepping) => stepping,
        Err(error) => {
            // A frame could not be written. Those before it are worth keeping; the first error is worth telling.
            let _ = outputs.finish(Ending::Early);
            return Err(error);
        }
    };
    let ending = if stepping.outcome == Outcome::Completed { Ending::Complete } else { Ending::Early };
    let mut files = outputs.finish(ending)?;
    observer.draws();
    let mut warnings = options.warnings.clone();
    warnings.extend(warnings_of(scene));
    warnings.extend(simulation.warnings());
    let preview = draw(&sheet, &simulation, &directory, &mut warnings);
    files.extend(preview.as_ref().map(|_| "preview.png".to_string()));
    files.push("report.json".into());
    let circumstances = Circumstances {
        outcome: stepping.outcome,
        error: stepping.failure.as_ref().map(|e| e.to_string()),
        threads,
        frames_planned: frames,
        wall_seconds: stepping.wall_seconds,
        cpu_seconds: stepping.cpu_seconds,
        warnings,
    };
    let mut report = Report::new(scene, &simulation, circumstances);
    report.files = files;
    report.total_wall_seconds = begin.elapsed().as_secs_f64();
    let path = directory.join("report.json");
    write_whole(&path, report.to_json().as_bytes()).map_err(|source| Error::Write { path, source })?;
    Ok(RunResult { directory, preview, report, failure: stepping.failure })
}

struct Stepping {
    outcome: Outcome,
    failure: Option<SimError>,
    wall_seconds: f64,
    cpu_seconds: f64,
}

fn step_through(
    simulation: &mut Simulation,
    frames: usize,
    outputs: &mut Outputs,
    sheet: &mut ContactSheet,
    observer: &mut dyn Observer,
) -> Result<Stepping, Error> {
    let mut result = Stepping { outcome: Outcome::Completed, failure: None, wall_seconds: 0.0, cpu_seconds: 0.0 };
    let start = simulation.state().positions.clone();
    outputs.add(0, &start, Measured::default())?;
    sheet.add(0, 0.0, &start);
    for frame in 1..=frames {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let step = simulation.next_frame_unless(&|| observer.stop());
        result.wall_seconds += wall.elapsed().as_secs_f64();
        result.cpu_seconds += cpu_seconds() - cpu;
        match step {
            Ok(Some(positions)) => {
                outputs.add(frame, &positions, Measured::default())?;
                sheet.add(frame, simulation.frame_time(frame), &positions);
            }
            Ok(None) => {
                result.outcome = Outcome::Interrupted;
                break;
            }
            Err(failure) => {
                (result.outcome, result.failure) = (Outcome::Failed, Some(failure));
                break;
            }
        }
        let (time, steps) = (simulation.state().time, simulation.state().steps);
        observer.frame_done(&Progress { frame, frames, time, steps, tally: simulation.tally() });
    }
    Ok(result)
}

/// Draws the picture. A run does not fail for it: its numbers are whole without.
fn draw(
    sheet: &ContactSheet,
    simulation: &Simulation,
    directory: &Path,
    warnings: &mut Vec<String>,
) -> Option<PathBuf> {
    let path = directory.join("preview.png");
    match sheet.draw(&Subject::of(simulation.model())).and_then(|image| save_png(&image, &path)) {
        Ok(()) => Some(path),
        Err(error) => {
            warnings.push(format!("the preview could not be drawn: {error}"));
            None
        }
    }
}

fn warnings_of(scene: &Scene) -> Vec<String> {
    match scene.obstacles.is_empty() {
        true => Vec::new(),
        false => vec!["obstacles do not stop the cloth yet: it passes through them and through itself".into()],
    }
}
