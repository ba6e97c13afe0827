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
    tally += blender("open_blender.py", &formats, &[])?;
    tally += converted(&folder, &formats)?;
    let long = "npz,vtk,pc2,mdd,usd,gltf,csv";
    let drift = play(&folder, "drift", &[&scene("drift.toml"), "--format", long])?;
    tally += open("open_drift.py", &drift, &[])?;
    tally += figures(&folder)?;
    tally += textures(&folder, &scene("textures.toml"))?;
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

/// Converts frames into formats.
fn convert(from: &Path, to: &Path, formats: &str) -> Result<(), String> {
    let mut command = muslin::command(&["convert"]);
    command.arg(from).arg(to).args(["--format", formats, "--fps", "24"]);
    if process::succeeds(&mut command)? { Ok(()) } else { Err(format!("`{}` failed", process::line(&command))) }
}

/// Converts a run from each of its formats into archives and compares those with its own.
fn converted(folder: &Path, run: &Path) -> Result<Tally, String> {
    let out = folder.join("converted");
    for (name, place) in CONVERSIONS {
        convert(&run.join(place), &out.join(name), "npz")?;
    }
    open("open_converted.py", &out, &[&run.to_string_lossy()])
}

/// The public data beside the project.
fn data() -> PathBuf {
    workspace::root().join("../shared/data")
}

/// Says which of some files is absent, if one is.
fn absent(files: &[PathBuf]) -> Option<Tally> {
    let absent = files.iter().find(|path| !path.exists())?;
    println!("skipped: {} is absent", absent.display());
    Some(Tally { skipped: 1, ..Tally::default() })
}

/// Garments and a figure with texture coordinates, for `textures.toml`.
const TEXTURED: [&str; 3] =
    ["garments/makehuman/tshirt_female.obj", "garments/garmentcode/shirt.obj", "bodies/gltf/CesiumMan.glb"];

/// Formats that carry texture coordinates.
const WITH_TEXTURES: &str = "npz,ply,obj,vtk,pc2,mdd,usd,gltf";

/// Runs a scene of textured meshes and converts from each format into all; every reader must show the sources' coordinates.
fn textures(folder: &Path, scene: &str) -> Result<Tally, String> {
    let sources = TEXTURED.map(|name| data().join(name));
    if let Some(skipped) = absent(&sources) {
        return Ok(skipped);
    }
    let out = folder.join("textures");
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let run = play(&out, "run", &[scene, "--format", WITH_TEXTURES])?;
    for (name, place) in CONVERSIONS {
        convert(&run.join(place), &out.join(format!("from-{name}")), WITH_TEXTURES)?;
    }
    convert(&sources[0], &out.join("tshirt"), WITH_TEXTURES)?;
    convert(&sources[2], &out.join("man"), WITH_TEXTURES)?;
    let data = data().to_string_lossy().into_owned();
    let mut tally = open("open_textures.py", &out, &[&data])?;
    tally += blender("open_blender_textures.py", &out, &[&data])?;
    Ok(tally)
}

/// Skinned figures of the public data beside the project.
const FIGURES: [&str; 2] = ["gltf/CesiumMan.glb", "gltf/RiggedFigure.glb"];

/// Converts figures that move and compares every vertex with the equations of the specification.
fn figures(folder: &Path) -> Result<Tally, String> {
    let data = data().join("bodies");
    let figures: Vec<PathBuf> = FIGURES.iter().map(|name| data.join(name)).collect();
    if let Some(skipped) = absent(&figures) {
        return Ok(skipped);
    }
    let out = folder.join("figures");
    for figure in &figures {
        convert(figure, &out.join(figure.file_stem().unwrap_or_default()), "npz")?;
    }
    let figures: Vec<String> = figures.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    open("open_figures.py", &out, &figures.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Blender's module exists for one version of Python; elsewhere its checks are skipped, and that is said.
fn blender(script: &str, run: &Path, arguments: &[&str]) -> Result<Tally, String> {
    let mut ask = process::program(prepare::python(), &["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    let mut version = String::new();
    process::lines(&mut ask, |line| version = line.to_string())?;
    if version != BLENDER_PYTHON {
        println!("skipped: Blender's module needs Python {BLENDER_PYTHON}, and this is {version}");
        return Ok(Tally { skipped: 1, ..Tally::default() });
    }
    open(script, run, arguments)
}

/// Runs a script of checks; prints those that fail and the number of those that hold.
fn open(script: &str, run: &Path, arguments: &[&str]) -> Result<Tally, String> {
    let mut python = process::program(prepare::python(), &[]);
    python.arg(workspace::root().join("xtask/foreign").join(script)).arg(run).args(arguments);
    let tally = Tally::of_verdicts(&mut python)?;
    println!("{script}: {tally}");
    Ok(tally)
}
