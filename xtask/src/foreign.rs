//! Files of a run, opened by readers that are not ours (`foreign/open_results.py`).

use crate::{muslin, prepare, process, tally::Tally, workspace};

/// Vertices along a side and frames: enough to see an order of axes or a lost frame.
const RESOLUTION: &str = "12";
const FRAMES: &str = "15";

/// Runs a small scene and reads its files with Python's readers.
pub fn run() -> Result<Tally, String> {
    muslin::build()?;
    let folder = workspace::fresh_folder("foreign")?;
    let out = folder.join("hang");
    let resolution = format!("resolution={RESOLUTION}");
    let mut play = muslin::command(&["run", "hang", "--frames", FRAMES, "--set", &resolution, "--format", "npz,ply"]);
    play.arg("--out").arg(&out).current_dir(&folder);
    if !process::succeeds(&mut play)? {
        return Err(format!("`{}` failed", process::line(&play)));
    }
    let script = workspace::root().join("xtask/foreign/open_results.py");
    let mut python = process::program(prepare::python(), &[]);
    python.arg(script).arg(&out).args([RESOLUTION, FRAMES]);
    let mut tally = Tally::default();
    let succeeded = process::lines(&mut python, |line| {
        println!("{line}");
        tally.passed += usize::from(line.starts_with("ok: "));
        tally.failed += usize::from(line.starts_with("FAILED: "));
    })?;
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}
