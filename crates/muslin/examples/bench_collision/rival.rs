//! IPC Toolkit on the same step, in the same run.

use crate::scenes::Step;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The version that is measured.
const PACKAGE: &str = "ipctk==1.6.1";

/// What the rival reports.
pub struct Rival(Value);

/// Installs the rival if need be and runs it.
pub fn measure(root: &Path, step: &Step, threads: usize) -> Result<Rival, String> {
    let venv = root.join("target/venv-rivals");
    let python = venv.join("bin/python");
    let run = |command: &mut Command| {
        let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(said).ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    if run(Command::new(&python).args(["-c", "import ipctk, numpy"])).is_err() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE, "numpy"]))?;
    }
    let file = root.join("target/rival-step.bin");
    let mut bytes = Vec::new();
    for points in [&step.start, &step.end] {
        bytes.extend(points.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes));
    }
    bytes.extend(step.surface.triangles().iter().flatten().flat_map(|v| v.to_le_bytes()));
    std::fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    let script = root.join("crates/muslin/examples/bench_collision/rival.py");
    let count = step.start.len().to_string();
    let said = run(Command::new(&python).arg(script).arg(&file).args([count, threads.to_string()]))?;
    serde_json::from_str(&said).map(Rival).map_err(|error| format!("{error}: {said}"))
}

impl Rival {
    fn best(&self, phase: &str, unit: &str) -> (String, f64) {
        let methods = self.0[phase].as_object().into_iter().flatten();
        let costs = methods.filter_map(|(name, cost)| Some((name.clone(), cost[unit].as_f64()?)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((String::new(), f64::NAN))
    }

    /// Lines for the page. Returns how many times as fast as the rival the detection is by the clock [-].
    pub fn describe(&self, page: &mut String, scene: &str, threads: usize, [wall, cpu]: [f64; 2]) -> f64 {
        let ((broad, b), (narrow, n)) = (self.best("broad", "wall_ms"), self.best("narrow", "wall_ms"));
        let ((_, bc), (_, nc)) = (self.best("broad", "cpu_ms"), self.best("narrow", "cpu_ms"));
        let pairs = &self.0["broad"][&broad];
        let _ = writeln!(
            page,
            "- {scene}, {threads} thread{}, IPC Toolkit {} in the same run: broad phase {b:.0} ms ({broad}, its fastest; {} \
             vertex-face and {} edge-edge pairs), narrow phase {n:.0} ms ({narrow}, the best of two; the earliest impact \
             only). This detection, with all impacts: **{:.1} times as fast** by the clock, {:.1} times in CPU time.",
            if threads == 1 { "" } else { "s" },
            self.0["version"].as_str().unwrap_or("?"),
            pairs["vf"],
            pairs["ee"],
            (b + n) / wall,
            (bc + nc) / cpu
        );
        (b + n) / wall
    }
}
