//! A run from a scene to a directory of results.

use crate::{
    course::{Costs, Course},
    directory,
    error::Error,
    fields::Fields,
    keeper::{self, Keeper, Resumption},
    observer::Observer,
    options::{Existing, RunOptions},
    report::{Circumstances, Outcome, Report},
    start_picture::{picture_of_inside, with_picture},
};
use muslin_io::{
    checkpoint::{CheckpointFolder, Identity},
    output::{CHECKSUMS, Cast, Ending, Outputs, remove_leftovers, write_lasting, write_whole},
};
use muslin_model::parallel;
use muslin_render::{Camera, ContactSheet, SheetSettings, Subject, save_png};
use muslin_sim::{Scene, SimError, Simulation, settings::ContactMethod};
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
    /// How it was taken up again, if that was asked for.
    pub resumption: Option<Resumption>,
}

/// Simulates a scene into a directory: frames in the formats asked for, `report.json` and `preview.png`.
///
/// A step that fails and a run that is stopped still leave their frames, picture and report; only what keeps
/// a run from beginning or a file from being written is an error. While it goes on it writes checkpoints, from which a
/// run that was stopped or killed goes on bit for bit ([`RunOptions::existing`]); they are removed when it is complete.
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
    let (course, directory, resumption) = prepare(scene, options)?;
    let place = directory.clone();
    let ended = carry_out(scene, options, threads, (course, directory, resumption), observer);
    // The system only says that some file cannot be written.
    ended.map_err(|error| if place.is_dir() { error } else { Error::Vanished { directory: place } })
}

/// A run that is prepared: what goes on, where, and how it was taken up again.
type Prepared = (Course, PathBuf, Option<Resumption>);

fn carry_out(
    scene: &Scene,
    options: &RunOptions,
    threads: usize,
    (mut course, directory, resumption): Prepared,
    observer: &mut dyn Observer,
) -> Result<RunResult, Error> {
    observer.begins(&directory, course.frames);
    if let Some(resumption) = &resumption {
        observer.resumes(resumption);
    }
    let went = if resumption.as_ref().is_some_and(|r| r.frame.is_some()) { Ok(()) } else { course.start() };
    let ended = match went.and_then(|()| course.go(observer)) {
        Ok(ended) => ended,
        Err(error) => {
            // A file could not be written. Frames before it are worth keeping; the first error is worth telling.
            let _ = course.outputs.finish(Ending::Early);
            return Err(error);
        }
    };
    let costs = course.costs();
    let Course { simulation, mut outputs, sheet, keeper, began, before, frames, .. } = course;
    let completed = ended.outcome == Outcome::Completed;
    if let Some(error) = completed.then(|| outputs.sync().err()).flatten() {
        let _ = outputs.finish(Ending::Early);
        return Err(error.into());
    }
    let finished = outputs.finish(if completed { Ending::Complete } else { Ending::Early })?;
    observer.draws();
    let mut warnings = options.warnings.clone();
    warnings.extend(warnings_of(scene));
    warnings.extend(simulation.warnings());
    let preview = draw(&sheet, &simulation, &directory, &mut warnings);
    finished.write_checksums(&directory, preview.as_slice())?;
    if completed {
        // A report that outlasts a cut in the power says that these files do.
        finished.settle(&directory)?;
    }
    let mut files = finished.files;
    files.extend(preview.as_ref().map(|_| "preview.png".to_string()));
    files.extend([CHECKSUMS, "report.json"].map(String::from));
    let circumstances = Circumstances {
        outcome: ended.outcome,
        error: ended.failure.as_ref().map(|e| e.to_string()),
        threads,
        frames_planned: frames,
        wall_seconds: costs.wall_seconds,
        cpu_seconds: costs.cpu_seconds,
        warnings,
    };
    let mut report = Report::new(scene, &simulation, circumstances);
    report.files = files;
    if completed && simulation.has_contact() {
        report.judge_files(&directory, &options.formats);
    }
    report.identity = keeper.identity().keys.iter().cloned().collect();
    report.total_wall_seconds = before.total_wall_seconds + began.elapsed().as_secs_f64();
    let path = directory.join("report.json");
    let text = report.to_json();
    let written = if completed { write_lasting(&path, text.as_bytes()) } else { write_whole(&path, text.as_bytes()) };
    written.map_err(|source| Error::Write { path, source })?;
    if completed {
        // Only now: a process that is killed before the report goes on from these files.
        remove_leftovers(&directory, &options.formats)?;
        keeper.remove()?;
    }
    Ok(RunResult { directory, preview, report, failure: ended.failure, resumption })
}

/// Builds everything that a run needs, new or as an earlier run left it.
fn prepare(scene: &Scene, options: &RunOptions) -> Result<Prepared, Error> {
    let began = Instant::now();
    let mut simulation = Simulation::new(scene).map_err(|error| with_picture(scene, options, error))?;
    let frames = options.frames.map_or(simulation.frames(), |most| most.min(simulation.frames()));
    if frames == 0 {
        return Err(Error::NoFrames);
    }
    // Made only now: a scene that cannot be built leaves no directory.
    let directory = directory::choose(options, &scene.name)?;
    let resume = options.existing == Existing::Resume;
    let mut identity = Identity::new(env!("CARGO_PKG_VERSION"), scene);
    identity.add("build", env!("MUSLIN_BUILD"));
    identity.add("frames to simulate", &frames.to_string());
    let formats: Vec<&str> = options.formats.iter().map(|f| f.name()).collect();
    identity.add("formats", &formats.join(","));
    let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, frames);
    if resume {
        directory::refuse_finished(&directory, &identity, &options.formats, &cast)?;
        if !directory.join(CheckpointFolder::NAME).exists() {
            // Asked here too, before a folder is made: what is refused stays as it is.
            directory::refuse_strange(&directory, None, &identity, &[])?;
        }
    }
    let keeper = Keeper::open(&directory, identity, options.checkpoints)?;
    let mut resumption = Resumption::default();
    let point = match resume {
        true => keeper.newest(&directory, (&options.formats, &cast), &mut resumption)?,
        false => None,
    };
    let camera = scene.camera.map(|c| Camera::new(c.position, c.target, c.field_of_view));
    let mut sheet = ContactSheet::new(frames + 1, SheetSettings { camera, ..Default::default() });
    let mut before = Costs::default();
    let outputs = match point {
        None => {
            keeper.begin()?;
            directory::remove_checksums(&directory)?;
            picture_of_inside(scene, &simulation, &directory)?;
            Outputs::begin(&directory, &options.formats, cast)?
        }
        Some(point) => {
            before = keeper::restore(&point.archive, &mut simulation, &mut sheet)?;
            resumption.frame = Some(simulation.frame());
            keeper.take_up(point, &directory, &mut resumption)?
        }
    };
    let resumption = resume.then_some(resumption);
    let now = Costs::default();
    let fields = outputs.needs().fields.then(|| Fields::new(simulation.model()));
    Ok((Course { simulation, outputs, fields, sheet, keeper, before, now, began, frames }, directory, resumption))
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
    if scene.obstacles.is_empty() || scene.settings.contact.method != ContactMethod::None {
        return Vec::new();
    }
    let key = "settings.contact = { method = \"implicit\" }";
    vec![format!("obstacles do not stop the cloth: it passes through them and through itself; `{key}` handles contact")]
}
