//! Files of runs, opened by readers that are not ours (the scripts of `xtask/foreign`).

use crate::{muslin, prepare, process, tally::Tally, workspace};
use std::path::{Path, PathBuf};

/// Vertices along a side and frames of the hanging sheet: enough to see an order of axes or a lost frame.
const RESOLUTION: &str = "12";
const FRAMES: &str = "15";

/// Python that Blender's module is made for.
const BLENDER_PYTHON: &str = "3.11";

/// Runs small scenes and reads their files with Python's readers.
pub fn run() -> Result<Tally, String> {
    muslin::build()?;
    let folder = workspace::fresh_folder("foreign")?;
    let resolution = format!("resolution={RESOLUTION}");
    let mut tally = Tally::default();
    let hang = play(&folder, "hang", &["hang", "--frames", FRAMES, "--set", &resolution, "--format", "npz,ply"])?;
    tally += open("open_results.py", &hang, &[RESOLUTION, FRAMES])?;
    let scene = |name: &str| workspace::root().join("xtask/foreign").join(name).to_string_lossy().into_owned();
    let every = "npz,ply,obj,vtk,pc2,mdd,usd,gltf,csv";
    let formats = play(&folder, "formats", &[&scene("formats.toml"), "--format", every])?;
    tally += open("open_formats.py", &formats, &[])?;
    tally += blender(&formats)?;
    tally += converted(&folder, &formats)?;
    let long = "npz,vtk,pc2,mdd,usd,gltf,csv";
    let drift = play(&folder, "drift", &[&scene("drift.toml"), "--format", long])?;
    tally += open("open_drift.py", &drift, &[])?;
    tally += figures(&folder)?;
    Ok(tally)
}

/// Runs a scene into a directory of the folder.
fn play(folder: &Path, name: &str, arguments: &[&str]) -> Result<PathBuf, String> {
    let out = folder.join(name);
    let mut command = muslin::command(&["run"]);
    command.args(arguments).arg("--out").arg(&out).current_dir(folder);
    match process::succeeds(&mut command)? {
        true => Ok(out),
        false => Err(format!("`{}` failed", process::line(&command))),
    }
}

/// What `muslin convert` reads; each must give the archive that the run wrote itself.
const CONVERSIONS: [(&str, &str); 8] = [
    ("npz", ""),
    ("vtk", "vtk/frames.pvd"),
    ("ply", "ply"),
    ("obj", "obj"),
    ("pc2", "pc2"),
    ("mdd", "mdd"),
    ("usd", "frames.usda"),
    ("gltf", "frames.glb"),
];

/// Converts a run from each of its formats into archives and compares those with its own.
fn converted(folder: &Path, run: &Path) -> Result<Tally, String> {
    let out = folder.join("converted");
    for (name, place) in CONVERSIONS {
        let mut command = muslin::command(&["convert"]);
        command.arg(run.join(place)).arg(out.join(name)).args(["--format", "npz", "--fps", "24"]);
        if !process::succeeds(&mut command)? {
            return Err(format!("`{}` failed", process::line(&command)));
        }
    }
    open("open_converted.py", &out, &[&run.to_string_lossy()])
}

/// Skinned figures of the public data beside the project.
const FIGURES: [&str; 2] = ["gltf/CesiumMan.glb", "gltf/RiggedFigure.glb"];

/// Converts figures that move and compares every vertex with the equations of the specification.
fn figures(folder: &Path) -> Result<Tally, String> {
    let data = workspace::root().join("../shared/data/bodies");
    let figures: Vec<PathBuf> = FIGURES.iter().map(|name| data.join(name)).collect();
    if let Some(absent) = figures.iter().find(|path| !path.exists()) {
        println!("skipped: {} is absent", absent.display());
        return Ok(Tally { skipped: 1, ..Tally::default() });
    }
    let out = folder.join("figures");
    for figure in &figures {
        let mut command = muslin::command(&["convert"]);
        command
            .arg(figure)
            .arg(out.join(figure.file_stem().unwrap_or_default()))
            .args(["--format", "npz", "--fps", "24"]);
        if !process::succeeds(&mut command)? {
            return Err(format!("`{}` failed", process::line(&command)));
        }
    }
    let figures: Vec<String> = figures.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    open("open_figures.py", &out, &figures.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Blender's module exists for one version of Python; elsewhere its checks are skipped, and that is said.
fn blender(run: &Path) -> Result<Tally, String> {
    let mut ask = process::program(prepare::python(), &["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    let mut version = String::new();
    process::lines(&mut ask, |line| version = line.to_string())?;
    if version != BLENDER_PYTHON {
        println!("skipped: Blender's module needs Python {BLENDER_PYTHON}, and this is {version}");
        return Ok(Tally { skipped: 1, ..Tally::default() });
    }
    open("open_blender.py", run, &[])
}

/// Runs a script of checks; prints those that fail and the number of those that hold.
fn open(script: &str, run: &Path, arguments: &[&str]) -> Result<Tally, String> {
    let mut python = process::program(prepare::python(), &[]);
    python.arg(workspace::root().join("xtask/foreign").join(script)).arg(run).args(arguments);
    let tally = Tally::of_verdicts(&mut python)?;
    println!("{script}: {tally}");
    Ok(tally)
}
