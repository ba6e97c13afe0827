//! How long a large OBJ file takes to read, and how much memory beyond the mesh itself.
//!
//! `cargo xtask bench read_obj` writes `bench/read-obj.md`. The twin is reading the same bytes and doing nothing.

use muslin_io::{input::Input, meshes};
use std::{fmt::Write as _, io::Write, path::Path, time::Instant};

/// Vertices along a side: 2 · 707² is a million triangles.
const SIDE: usize = 708;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("sheet.obj");
    write(&path)?;
    let before = peak_memory();
    let start = Instant::now();
    let mesh = meshes::read(&path)?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_memory() - before;
    let size = 24 * mesh.positions.len() + 12 * mesh.triangles.len();
    let start = Instant::now();
    let (mut input, mut line, mut lines) = (Input::open(&path)?, Vec::new(), 0u64);
    while input.next_line(&mut line)? {
        lines += 1;
    }
    let bytes_alone = start.elapsed().as_secs_f64();
    let mut text =
        String::from("# Reading a large OBJ file\n\nPrinted by `cargo xtask bench read_obj`.\n\n| | |\n|---|---|\n");
    let rows = [
        ("triangles", format!("{}", mesh.triangles.len())),
        ("vertices", format!("{}", mesh.positions.len())),
        ("file", format!("{:.1} MB, {lines} lines", std::fs::metadata(&path)?.len() as f64 / 1e6)),
        ("read", format!("{seconds:.2} s (its lines alone: {bytes_alone:.2} s); wanted: below 2 s")),
        ("mesh in memory", format!("{:.1} MB", size as f64 / 1e6)),
        (
            "peak memory while reading",
            format!("{:.1} MB, {:.2} times the mesh; wanted: below 3", peak as f64 / 1e6, peak as f64 / size as f64),
        ),
    ];
    for (name, value) in rows {
        writeln!(text, "| {name} | {value} |")?;
    }
    print!("{text}");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/read-obj.md");
    std::fs::write(target, text)?;
    Ok(())
}

fn write(path: &Path) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for i in 0..SIDE {
        for j in 0..SIDE {
            let (x, y) = (i as f64 / SIDE as f64, j as f64 / SIDE as f64);
            writeln!(out, "v {x:.6} {y:.6} {:.6}", 0.1 * (9.0 * x).sin() * (7.0 * y).cos())?;
        }
    }
    for i in 0..SIDE - 1 {
        for j in 0..SIDE - 1 {
            let a = i * SIDE + j + 1;
            writeln!(out, "f {a} {} {}\nf {a} {} {}", a + SIDE, a + SIDE + 1, a + SIDE + 1, a + 1)?;
        }
    }
    out.flush()
}

/// Most memory that the process ever held [bytes]; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
