//! What the report of a run says that its frames do not.

use serde_json::Value;
use std::{fs, path::Path};

/// A run as its `report.json` has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunReport {
    /// Frames per second [1/s].
    pub frames_per_second: f64,
    /// Frames that it wrote, without the start.
    pub frames: usize,
}

/// Folders of frames within the directory of a run.
const FOLDERS: [&str; 5] = ["ply", "obj", "vtk", "pc2", "mdd"];

impl RunReport {
    /// The report of the run that a directory or file of frames belongs to; `None` if there is none that is whole.
    pub fn around(path: &Path) -> Option<Self> {
        let in_run = |folder: &Path| folder.file_name().is_some_and(|name| FOLDERS.iter().any(|f| name == *f));
        let folder = path.ancestors().take(2).find(|folder| in_run(folder))?;
        RunReport::read(&folder.parent()?.join("report.json"))
    }

    fn read(path: &Path) -> Option<Self> {
        let report: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        let rate: f64 = report["identity"]["frames_per_second"].as_str()?.parse().ok()?;
        let frames = usize::try_from(report["frames"].as_u64()?).ok()?;
        (rate.is_finite() && rate > 0.0).then_some(RunReport { frames_per_second: rate, frames })
    }
}
