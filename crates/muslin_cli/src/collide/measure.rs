//! One broad phase on one number of threads: what it finds, and what that takes.

use super::{frames::Frames, truth::Truth};
use muslin::collision::Detection;
use muslin::collision::broad_phase::BroadPhaseKind;
use muslin::collision::detect::{DetectSettings, detect_with};
use muslin::memory::{forget_peak, peak_memory_bytes};
use muslin::model::parallel::with_threads;
use std::time::{Duration, Instant};

/// Runs of which the median is reported [-].
const RUNS: usize = 5;
/// No further run begins after this [s]: the slow methods are run once.
const LONGEST: Duration = Duration::from_secs(3);

/// What one broad phase gave.
pub struct Measured {
    kind: BroadPhaseKind,
    threads: usize,
    found: Detection,
    /// The whole detection [s].
    total: Duration,
    /// Peak of the process's resident memory, the mesh included [bytes].
    memory: Option<u64>,
    /// Pairs of the truth that collide and were not found [-].
    pub missed: Option<u64>,
    /// Pairs found later than the truth says [-].
    pub late: Option<u64>,
}

/// Runs a broad phase and the narrow phase, each time from a fresh object.
pub fn measure(
    frames: &Frames,
    kind: BroadPhaseKind,
    threads: usize,
    truth: Option<&Truth>,
) -> Result<Measured, String> {
    let sweep = frames.sweep().map_err(|error| error.to_string())?;
    let (mut runs, memory) = with_threads(threads, || {
        let tells = forget_peak();
        let mut memory = None;
        let begin = Instant::now();
        let mut runs = Vec::new();
        while runs.is_empty() || (runs.len() < RUNS && begin.elapsed() < LONGEST) {
            let begin = Instant::now();
            let found = detect_with(kind, &frames.surface, &sweep, &DetectSettings::default());
            let total = begin.elapsed();
            // The first run alone: later ones stand beside its result.
            memory = memory.or_else(|| peak_memory_bytes().filter(|_| tells));
            runs.push((total, found.map_err(|error| error.to_string())?));
        }
        Ok::<_, String>((runs, memory))
    })?;
    runs.sort_by_key(|(total, _)| *total);
    let (total, found) = runs.swap_remove(runs.len() / 2);
    let missed = truth.map(|truth| truth.missed(&found));
    let late = truth.and_then(|truth| truth.late(&found));
    Ok(Measured { kind, threads, found, total, memory, missed, late })
}

fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are as much as a clock under load tells.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

impl Measured {
    /// The object for `--json`.
    pub fn json(&self) -> serde_json::Value {
        let (counts, cost) = (&self.found.counts, &self.found.cost);
        serde_json::json!({
            "broad_phase": self.kind.name(),
            "threads": self.threads,
            "vf_candidates": counts.vertex_face_candidates,
            "ee_candidates": counts.edge_edge_candidates,
            "tests": counts.broad_phase.tests,
            "broad_ms": milliseconds(cost.broad),
            "narrow_ms": milliseconds(cost.narrow),
            "total_ms": milliseconds(self.total),
            "vf_contacts": self.found.vertex_face.len(),
            "ee_contacts": self.found.edge_edge.len(),
            "missed": self.missed,
            "late": self.late,
        })
    }

    fn cells(&self) -> [String; 12] {
        let (counts, cost) = (&self.found.counts, &self.found.cost);
        let known = |n: Option<u64>| n.map_or("–".into(), |n| n.to_string());
        let time = |duration: Duration| format!("{:.1}", milliseconds(duration));
        [
            self.kind.name().into(),
            self.threads.to_string(),
            counts.vertex_face_candidates.to_string(),
            counts.edge_edge_candidates.to_string(),
            counts.broad_phase.tests.to_string(),
            time(cost.broad),
            time(cost.narrow),
            time(self.total),
            self.memory.map_or("–".into(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
            format!("{} + {}", self.found.vertex_face.len(), self.found.edge_edge.len()),
            known(self.missed),
            known(self.late),
        ]
    }
}

const HEADINGS: [&str; 12] = [
    "broad phase",
    "threads",
    "vf pairs",
    "ee pairs",
    "tests",
    "broad ms",
    "narrow ms",
    "total ms",
    "memory MB",
    "contacts vf + ee",
    "missed",
    "late",
];

/// A table with a line per measurement.
pub fn table(rows: &[Measured]) -> String {
    let lines: Vec<[String; 12]> =
        std::iter::once(HEADINGS.map(String::from)).chain(rows.iter().map(Measured::cells)).collect();
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let padded = |line: &[String; 12]| {
        let cells = line.iter().enumerate().map(|(k, cell)| {
            // Names to the left, numbers to the right.
            if k == 0 { format!("{cell:<0$}", widths[k]) } else { format!("{cell:>0$}", widths[k]) }
        });
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    lines.iter().map(padded).collect()
}
