//! What writing costs next to simulating: `bench/files.md`.
//!
//! A hanging sheet of 100,000 vertices is simulated for a few frames; the same frames are then written in each format,
//! with fields and totals where a format has them. Processor time is compared, because it hardly depends on what
//! else the machine does.

use muslin::{
    Format, Simulation,
    fields::{Fields, totals},
    io::output::{Cast, Ending, Measured, Outputs},
    load,
    sim::report::cpu_seconds,
};
use std::{error::Error, fmt::Write, fs, path::Path};

/// Vertices along a side: 316² is near 100,000.
const RESOLUTION: usize = 316;
const FRAMES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let scene = load("hang", &[format!("resolution={RESOLUTION}")])?.scene;
    let mut simulation = Simulation::new(&scene)?;
    let mut frames = vec![simulation.state().positions.clone()];
    let before = cpu_seconds();
    for _ in 0..FRAMES {
        frames.push(simulation.next_frame()?);
    }
    let step = (cpu_seconds() - before) / FRAMES as f64;
    let mut table = format!(
        "# Writing frames\n\n`cargo xtask bench files`: `hang` at {RESOLUTION} × {RESOLUTION} vertices, {FRAMES} frames of 1/60 s. Simulating a frame takes \
         {step:.2} s of processor time; what each format adds to it, finishing the files included:\n\n\
         | format | ms per frame | share of the run | MB per frame |\n|---|---|---|---|\n"
    );
    let place = Path::new("target/bench_files");
    for format in Format::ALL {
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place)?;
        let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, FRAMES);
        let before = cpu_seconds();
        let mut outputs = Outputs::begin(place, &[format], cast)?;
        let mut fields = outputs.needs().fields.then(|| Fields::new(simulation.model()));
        for (k, positions) in frames.iter().enumerate() {
            let totals = if outputs.needs().totals { totals(&simulation) } else { Vec::new() };
            let fields = fields.as_mut().map_or(&[][..], |fields| fields.measure(&simulation, positions));
            outputs.add(k, positions, Measured { fields, totals: &totals })?;
        }
        outputs.finish(Ending::Complete)?;
        let cost = (cpu_seconds() - before) / frames.len() as f64;
        let size = size_of(place)? as f64 / frames.len() as f64;
        let share = cost / (cost + step);
        writeln!(table, "| `{}` | {:.0} | {:.1} % | {:.1} |", format.name(), 1e3 * cost, 1e2 * share, size / 1e6)?;
    }
    fs::remove_dir_all(place)?;
    fs::write("bench/files.md", &table)?;
    print!("{table}");
    Ok(())
}

/// Bytes of all files beneath a directory.
fn size_of(directory: &Path) -> std::io::Result<u64> {
    fs::read_dir(directory)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        Ok(sum + if entry.path().is_dir() { size_of(&entry.path())? } else { entry.metadata()?.len() })
    })
}
