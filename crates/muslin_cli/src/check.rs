//! `muslin check`: judges files without running anything.

use crate::exit::{self, say};
use clap::Args;
use muslin::{MeshUse, Verdict, check};
use std::{fmt::Write, process::ExitCode};

/// Judges scenes, meshes, frames and caches without running: all faults, and triangles that cross.
#[derive(Args)]
pub struct CheckArguments {
    /// Scene files, names of built-in scenes, mesh files (OBJ, PLY, STL, glTF, USDA), or frames: a run's directory, an
    /// NPZ or PVD file, a PC2 or MDD cache, a directory of mesh files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Judge mesh files as obstacles: they may be open, in pieces, not manifold, and cross themselves.
    #[arg(long)]
    obstacle: bool,
    /// Print JSON with every fault.
    #[arg(long)]
    json: bool,
}

/// Faults of one file that are shown; JSON has all.
const SHOWN: usize = 20;

pub fn main(arguments: CheckArguments) -> ExitCode {
    let mesh_use = if arguments.obstacle { MeshUse::Obstacle } else { MeshUse::Cloth };
    let verdicts: Vec<Verdict> = arguments.files.iter().map(|file| check(file, mesh_use)).collect();
    let text = if arguments.json {
        serde_json::to_string_pretty(&verdicts).unwrap_or_default() + "\n"
    } else {
        verdicts.iter().map(show).collect()
    };
    let said = say(&text);
    if verdicts.iter().any(|v| !v.faults.is_empty()) { ExitCode::from(exit::REFUSED) } else { said }
}

fn show(verdict: &Verdict) -> String {
    let count = match verdict.faults.len() {
        0 => "no faults".to_string(),
        1 => "1 fault".to_string(),
        n => format!("{n} faults"),
    };
    let holds = if verdict.holds.is_empty() { String::new() } else { format!(" ({})", verdict.holds) };
    let mut text = format!("{}: {}{holds}: {count}\n", verdict.file, verdict.kind);
    for fault in verdict.faults.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", fault.message.replace('\n', "\n  "));
    }
    if verdict.faults.len() > SHOWN {
        let _ = writeln!(text, "  and {} more; `--json` lists them", verdict.faults.len() - SHOWN);
    }
    for warning in &verdict.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
    text
}
