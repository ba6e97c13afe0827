//! Runs that are killed at a random moment and resumed: their files are those of a run that was not.

use super::{
    jobs::{End, Verdict, within},
    mutation::Random,
};
use crate::muslin;
use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Kills in a whole soak.
pub const KILLS: u64 = 50;
/// Frames of a run that is killed.
const FRAMES: &str = "60";
/// All of them.
const FORMATS: &str = "npz,ply,obj,vtk,pc2,mdd,usd,gltf,csv";
/// Seconds between checkpoints: often, so that many kills fall into the writing of one.
const CHECKPOINT: &str = "0.02";

/// Kills a run of a scene and resumes it.
pub fn run(scene: &str, seed: u64, folder: &Path) -> Result<Verdict, String> {
    let (whole, out) = (folder.join("whole"), folder.join("out"));
    let start = Instant::now();
    match within(&mut command(scene, &whole, "2", "--overwrite"), folder)? {
        End::Exit(0, ..) => {}
        End::Exit(_, _, message) => return Ok(Verdict::Broken(message)),
        End::Hung => return Ok(Verdict::Broken("the run hangs".into())),
    }
    let mut random = Random(seed);
    let moment = Duration::from_micros(random.below(start.elapsed().as_micros() as usize + 1) as u64);
    let mut killed = command(scene, &out, "1", "--resume");
    let failed = |error: io::Error| format!("`{scene}` cannot be killed: {error}");
    let mut child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed)?;
    thread::sleep(moment);
    child.kill().and_then(|()| child.wait()).map_err(failed)?;
    let threads = (1 + random.below(3)).to_string();
    match within(&mut command(scene, &out, &threads, "--resume"), folder)? {
        End::Exit(0, ..) => {}
        End::Exit(_, _, message) => return Ok(Verdict::Broken(message)),
        End::Hung => return Ok(Verdict::Broken("the resumed run hangs".into())),
    }
    let unreadable = |error: io::Error| format!("results of `{scene}`: {error}");
    let (stopped, whole) = (files(&out).map_err(unreadable)?, files(&whole).map_err(unreadable)?);
    let differs = |(name, bytes): &(&String, &Vec<u8>)| stopped.get(*name) != Some(*bytes);
    if stopped.len() != whole.len() {
        return Ok(Verdict::Broken(format!("{} files instead of {}", stopped.len(), whole.len())));
    }
    Ok(match whole.iter().find(differs) {
        Some((name, _)) => Verdict::Broken(format!("{name} differs after a kill at {moment:?}")),
        None => Verdict::Held,
    })
}

fn command(scene: &str, out: &Path, threads: &str, existing: &str) -> Command {
    let mut command = muslin::command(&["run", scene, "--frames", FRAMES, "--set", "resolution=14"]);
    command.args(["--format", FORMATS, "--checkpoint", CHECKPOINT, "--threads", threads, existing]);
    command.arg("--out").arg(out);
    command
}

/// All files below a directory, the report without what depends on time and machine.
fn files(directory: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path)?;
            if path.ends_with("report.json") {
                let mut report: serde_json::Value = serde_json::from_slice(&bytes)?;
                for key in
                    ["threads", "wall_seconds", "cpu_seconds", "total_wall_seconds", "peak_memory_bytes", "stages"]
                {
                    report.as_object_mut().and_then(|fields| fields.remove(key));
                }
                bytes = report.to_string().into_bytes();
            }
            all.insert(path.strip_prefix(directory).unwrap_or(&path).display().to_string(), bytes);
        }
    }
    Ok(all)
}
