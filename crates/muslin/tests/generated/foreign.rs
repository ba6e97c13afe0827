//! The independent checker of `../shared/peers`, where there is one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The checker, compiled.
pub struct Foreign {
    library: PathBuf,
    python: PathBuf,
}

/// Checkers made so far.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// What the checker found in all frames of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Crossing pairs of two triangles of cloth.
    pub cloths: u64,
    /// Crossing pairs of cloth and an obstacle.
    pub obstacles: u64,
    /// Vertices of cloth that came into a closed obstacle or out of it.
    pub changed_sides: u64,
}

impl Foreign {
    /// Compiles it; none, with a word why, where it or a compiler is not there.
    pub fn build() -> Option<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers/checker.cpp");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let compiled = std::fs::read(&source).ok().and_then(|text| compiled(&source, &text, &folder));
        // The environment of `cargo xtask prepare` has NumPy; the system's Python may have.
        let pythons = [folder.join("../venv/bin/python"), PathBuf::from("python3")];
        let has_numpy = |python: &PathBuf| {
            Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|run| run.status.success())
        };
        match (compiled, pythons.into_iter().find(has_numpy)) {
            (Some(library), Some(python)) => Some(Foreign { library, python }),
            _ => {
                println!("skipped: no foreign checker (../shared/peers, g++ and NumPy)");
                None
            }
        }
    }

    /// Judges the archives in a directory.
    pub fn judge(&self, directory: &Path) -> Result<Found, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/judge.py");
        let run = Command::new(&self.python).arg(script).arg(&self.library).arg(directory).output();
        let run = run.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&run.stdout);
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [cloths, obstacles, changed_sides] => Ok(Found { cloths, obstacles, changed_sides }),
            _ => Err(format!("{said}{}", String::from_utf8_lossy(&run.stderr))),
        }
    }
}

/// The library of a source text, compiled unless an earlier run did so.
fn compiled(source: &Path, text: &[u8], folder: &Path) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let library = folder.join(format!("checker-{:016x}.so", hasher.finish()));
    if !library.exists() {
        // Several tests may compile at once: each a file of its own, put in its place whole.
        let own = folder.join(format!("checker-{}-{}.so", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed)));
        let mut command = Command::new("g++");
        let status = command.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&own).arg(source).status().ok()?;
        if !status.success() {
            return None;
        }
        std::fs::rename(&own, &library).ok()?;
    }
    Some(library)
}
