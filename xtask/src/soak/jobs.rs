//! What a soak does.

use super::{
    contact::{self, ContactJob},
    kills, mutation,
};
use crate::{muslin, process, workspace};
use serde_json::Value;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Vertices along the longer side.
const RESOLUTIONS: [usize; 5] = [8, 13, 20, 32, 50];
/// Steps [s]. The first is a frame and a half, the last a small part of one.
const STEPS: [&str; 4] = ["0.025", "0.0166666666666667", "0.01", "0.002"];
/// Numbers of threads.
const THREADS: [usize; 3] = [1, 2, 3];
/// Frames of each run: long enough for cloth to fall, swing and fold.
const FRAMES: usize = 30;
/// Damaged files per scene.
const DAMAGED: u64 = 40;
/// Frames of a damaged file that still is a scene.
const DAMAGED_FRAMES: usize = 1;
/// Residual that the default settings promise, in mean vertex weights [-].
const RESIDUAL: f64 = 0.01;
/// How a report calls the scheme that linearises the cloth once per step.
const ONE_SOLVE: &str = "LinearBackwardEuler";
/// Batches of continuous collision queries, ten million together, and the queries in each.
const BATCHES: u64 = 1000;
const BATCH: u64 = 10_000;
/// The public scenes, and every way to search them; trying all pairs takes minutes for each.
const PUBLIC: [&str; 4] = ["cloth-funnel", "rod-twist", "cloth-ball", "n-body-simulation"];
const METHODS: [&str; 8] = [
    "brute-force",
    "octree",
    "octree-two-stage",
    "spatial-hash",
    "incremental",
    "virtual-subdivision",
    "grid",
    "uv-tree",
];
/// What a Rust program exits with after a panic.
const PANIC: i32 = 101;
/// A job that takes longer hangs [s]. The largest needs a few seconds; at the lowest priority beside other work it gets
/// but a hundredth of a processor.
const LONGEST: u64 = 3600;

/// One thing to do.
pub enum Job {
    /// A scene with its parameters set.
    Play {
        /// Name of a built-in scene.
        scene: String,
        resolution: usize,
        step: &'static str,
        threads: usize,
    },
    /// A run that is killed at a random moment and resumed.
    Killed {
        /// Name of a built-in scene.
        scene: String,
        seed: u64,
    },
    /// A damaged scene file: refused or played, but never a crash.
    Damaged {
        /// The file that is damaged.
        path: PathBuf,
        seed: u64,
    },
    /// Adversarial continuous queries against whole-number arithmetic.
    Queries {
        /// Seed of the first.
        seed: u64,
    },
    /// A generated scene, or a variant of a scene of contact.
    Contact(ContactJob),
    /// One broad phase on one public scene, pair by pair.
    Frames {
        /// Folder of the scene.
        scene: &'static str,
        /// Name of the broad phase, or `incremental`.
        method: &'static str,
    },
}

/// How it went.
pub enum Verdict {
    /// As it should.
    Held,
    /// Not as it should.
    Broken(String),
    /// A run ended in this state; runs with the same key must end in the same.
    State { key: String, hash: String, note: Option<String> },
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Job::Play { scene, resolution, step, threads } => {
                write!(f, "{scene} resolution={resolution} step={step} threads={threads}")
            }
            Job::Queries { seed } => write!(f, "{BATCH} continuous queries from seed {seed}"),
            Job::Contact(job) => write!(f, "{job}"),
            Job::Frames { scene, method } => write!(f, "{method} on {scene}"),
            Job::Killed { scene, seed } => write!(f, "{scene} killed with seed {seed}"),
            Job::Damaged { path, seed } => {
                write!(f, "{} damaged with seed {seed}", path.file_name().unwrap_or_default().to_string_lossy())
            }
        }
    }
}

/// A kind of job; each is soaked, stopped and taken up again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Runs killed and resumed.
    Kills,
    /// Scenes in many variants.
    Scenes,
    /// Damaged scene files.
    Damaged,
    /// Continuous collision queries.
    Queries,
    /// Broad phases on the public frames.
    Frames,
    /// Generated scenes with contact.
    Generated,
    /// Scenes of contact at every step.
    Matrix,
}

impl Family {
    /// In the order of a whole soak: first the few, last the slow.
    pub const ALL: [Family; 7] = [
        Family::Kills,
        Family::Scenes,
        Family::Damaged,
        Family::Frames,
        Family::Generated,
        Family::Matrix,
        Family::Queries,
    ];

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Family::Kills => "kills",
            Family::Scenes => "scenes",
            Family::Damaged => "damaged",
            Family::Queries => "queries",
            Family::Frames => "frames",
            Family::Generated => "generated",
            Family::Matrix => "matrix",
        }
    }

    /// How many of its jobs run at a time. Queries use one thread each and measure no time, so there is one per processor,
    /// or as many as `MUSLIN_SOAK_JOBS` says.
    pub fn at_a_time(self) -> usize {
        match self {
            Family::Kills | Family::Scenes | Family::Damaged | Family::Frames => 1,
            Family::Generated | Family::Matrix => 1,
            Family::Queries => {
                let wanted = std::env::var("MUSLIN_SOAK_JOBS").ok().and_then(|jobs| jobs.parse().ok());
                let processors = || std::thread::available_parallelism().map_or(1, usize::from);
                wanted.filter(|&jobs| jobs > 0).unwrap_or_else(processors)
            }
        }
    }

    /// Its jobs, in a fixed order.
    pub fn jobs(self) -> Result<Vec<Job>, String> {
        let scenes = scenes(&workspace::root().join("scenes/hello"))?;
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // All scenes at the lowest resolution first: a soak that is stopped has seen each of them.
        let variants = || {
            let sizes = RESOLUTIONS.iter().flat_map(|&resolution| STEPS.map(|step| (resolution, step)));
            let played = sizes.flat_map(|(resolution, step)| scenes.iter().map(move |path| (path, resolution, step)));
            played.flat_map(|(path, resolution, step)| {
                THREADS.map(|threads| Job::Play { scene: name(path), resolution, step, threads })
            })
        };
        Ok(match self {
            Family::Kills => {
                let some = (0..kills::KILLS).zip(scenes.iter().cycle());
                some.map(|(seed, path)| Job::Killed { scene: name(path), seed }).collect()
            }
            Family::Scenes => variants().collect(),
            Family::Damaged => {
                let seeds = (0..DAMAGED).flat_map(|seed| scenes.iter().map(move |path| (seed, path)));
                seeds.map(|(seed, path)| Job::Damaged { path: path.clone(), seed }).collect()
            }
            Family::Frames => {
                let all = PUBLIC.iter().flat_map(|&scene| METHODS.map(|method| (scene, method)));
                all.map(|(scene, method)| Job::Frames { scene, method }).collect()
            }
            Family::Generated => contact::generated(),
            Family::Matrix => contact::matrix(),
            Family::Queries => (0..BATCHES).map(|batch| Job::Queries { seed: batch * BATCH }).collect(),
        })
    }

    /// Builds the program that does its jobs: the command, or a test.
    pub fn program(self) -> Result<PathBuf, String> {
        match self {
            Family::Queries => test_program("muslin_collision", "continuous"),
            Family::Frames => test_program("muslin", "broad_phases_on_scenes"),
            Family::Generated | Family::Matrix => test_program("muslin", "generated"),
            Family::Kills | Family::Scenes | Family::Damaged => {
                muslin::build()?;
                Ok(muslin::command(&[]).get_program().into())
            }
        }
    }
}

/// Builds a test of a package; where its program lies.
fn test_program(package: &str, test: &str) -> Result<PathBuf, String> {
    let mut build = process::cargo(&["test", "--quiet", "--release", "--no-run", "--message-format=json"]);
    build.args(["--package", package, "--test", test]);
    let mut found = None;
    let built = process::lines(&mut build, |line| {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let here = message["target"]["name"] == test && message["target"]["kind"][0] == "test";
        found = message["executable"].as_str().filter(|_| here).map(PathBuf::from).or(found.take());
    })?;
    found.filter(|_| built).ok_or_else(|| format!("the test `{test}` of {package} does not build"))
}

/// What the copy of a test's program is called in the folder of a soak.
pub const COPY: &str = "program";

fn scenes(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut scenes: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    scenes.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    scenes.sort();
    Ok(scenes)
}

impl Job {
    /// Does it in a folder of its own.
    pub fn run(&self, folder: &Path) -> Result<Verdict, String> {
        let out = folder.join("out");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        match self {
            Job::Play { scene, resolution, step, threads } => {
                let sets = [format!("resolution={resolution}"), format!("step={step}")];
                let (frames, threads) = (FRAMES.to_string(), threads.to_string());
                let mut command = muslin::command(&["run", scene, "--json", "--frames", &frames]);
                command.args(["--threads", &threads, "--set", &sets[0], "--set", &sets[1]]).arg("--out").arg(&out);
                Ok(match within(&mut command, folder)? {
                    End::Exit(0, output, _) => judge(&output, format!("{scene} {resolution} {step}")),
                    End::Exit(_, _, message) => Verdict::Broken(message),
                    End::Hung => Verdict::Broken(format!("no end after {LONGEST} s")),
                })
            }
            Job::Queries { seed } => {
                let mut command = process::program(folder.join(COPY), &["verdicts_are_exact_in_a_soak", "--nocapture"]);
                command.env("MUSLIN_CCD_SEED", seed.to_string()).env("MUSLIN_CCD_QUERIES", BATCH.to_string());
                let said = format!("{BATCH} queries from seed {seed} agree");
                Ok(match within(&mut command, folder)? {
                    End::Exit(0, output, _) if output.contains(&said) => Verdict::Held,
                    End::Exit(_, output, message) => Verdict::Broken(format!("{output}\n{message}")),
                    End::Hung => Verdict::Broken(format!("no end after {LONGEST} s")),
                })
            }
            Job::Frames { scene, method } => {
                let test = "a_method_finds_the_pairs_of_a_scene_in_a_soak";
                let mut command = process::program(folder.join(COPY), &[test, "--nocapture"]);
                command.env("MUSLIN_FRAMES", scene).env("MUSLIN_BROAD_PHASE", method);
                let said = format!("{method} on {scene}: every pair agrees");
                Ok(match within(&mut command, folder)? {
                    End::Exit(0, output, _) if output.contains(&said) && !output.contains("skipped") => Verdict::Held,
                    End::Exit(_, output, message) => Verdict::Broken(format!("{output}\n{message}")),
                    End::Hung => Verdict::Broken(format!("no end after {LONGEST} s")),
                })
            }
            Job::Contact(job) => job.run(folder),
            Job::Killed { scene, seed } => kills::run(scene, *seed, folder),
            Job::Damaged { path, seed } => {
                let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
                let file = folder.join("damaged.toml");
                let damaged = mutation::damaged(&text, *seed);
                fs::write(&file, damaged).map_err(|error| format!("{}: {error}", file.display()))?;
                let frames = DAMAGED_FRAMES.to_string();
                let mut command = muslin::command(&["run", "--json", "--frames", &frames]);
                command.arg(&file).arg("--out").arg(&out);
                Ok(match within(&mut command, folder)? {
                    End::Exit(0, ..) => Verdict::Held,
                    End::Exit(PANIC | SIGNAL, _, message) => Verdict::Broken(format!("crashed: {message}")),
                    End::Exit(_, _, message) if message.is_empty() => Verdict::Broken("refused without a word".into()),
                    End::Exit(..) => Verdict::Held,
                    End::Hung => Verdict::Broken(format!("no end after {LONGEST} s")),
                })
            }
        }
    }
}

/// Stands for the exit code of a program that a signal ended.
const SIGNAL: i32 = -1;

/// How a program ended.
pub enum End {
    /// By itself: exit code, standard output, standard error without warnings.
    Exit(i32, String, String),
    /// Not in time.
    Hung,
}

/// Runs a program with its output in files, and ends it after [`LONGEST`].
pub fn within(command: &mut Command, folder: &Path) -> Result<End, String> {
    let name = process::line(command);
    let failed = |error: std::io::Error| format!("`{name}`: {error}");
    let (output, errors) = (folder.join("stdout"), folder.join("stderr"));
    command.stdout(File::create(&output).map_err(failed)?).stderr(File::create(&errors).map_err(failed)?);
    let mut child = command.spawn().map_err(failed)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(LONGEST) {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Ok(End::Hung);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let message = read(&errors).map_err(failed)?;
    let told: Vec<&str> = message.lines().filter(|line| !line.starts_with("warning: ")).collect();
    Ok(End::Exit(status.code().unwrap_or(SIGNAL), read(&output).map_err(failed)?, told.join("\n")))
}

/// Reads the report of a run.
fn judge(report: &str, key: String) -> Verdict {
    let Ok(report) = serde_json::from_str::<Value>(report) else {
        return Verdict::Broken("standard output is no JSON".into());
    };
    let residual = report["worst_residual"].as_f64().unwrap_or(f64::NAN);
    // The scheme with one linear solve per step does not promise it; the scene's claims are judged by the exit code.
    let promised = report["identity"]["settings.integrator"] != ONE_SOLVE;
    if promised && !(residual <= RESIDUAL) {
        return Verdict::Broken(format!("worst_residual is {residual}"));
    }
    if report["frames"].as_u64() != Some(FRAMES as u64) {
        return Verdict::Broken(format!("frames is {}", report["frames"]));
    }
    match report["state_hash"].as_str() {
        Some(hash) => Verdict::State { key, hash: hash.to_owned(), note: None },
        None => Verdict::Broken("the report has no state_hash".into()),
    }
}
