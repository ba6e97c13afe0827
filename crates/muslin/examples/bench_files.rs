//! What reading and writing cost next to simulating: `bench/files.md`.
//!
//! A hanging sheet of 100,000 vertices is read from an OBJ file and simulated for a few frames; the same frames are then
//! written in each format, with fields and totals where a format has them. Processor time is compared, because it hardly
//! depends on what else the machine does. What is done once is shared out over the frames of the scene.

use muslin::{
    Format, Simulation,
    fields::{Fields, totals},
    io::output::{Cast, Ending, Measured, Outputs},
    load,
    sim::{Scene, report::cpu_seconds},
};
use std::{error::Error, fmt::Write, fs, path::Path};

/// Vertices along a side: 316² is near 100,000.
const RESOLUTION: usize = 316;
const FRAMES: usize = 4;
/// What reading and writing may take of a run [-].
const MOST: f64 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let scene = load("hang", &[format!("resolution={RESOLUTION}")])?.scene;
    let mut simulation = Simulation::new(&scene)?;
    let place = Path::new("target/bench_files");
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place)?;
    let reading = reading(&scene, &simulation, place)?;
    let mut frames = vec![simulation.state().positions.clone()];
    let before = cpu_seconds();
    for _ in 0..FRAMES {
        frames.push(simulation.next_frame()?);
    }
    let step = (cpu_seconds() - before) / FRAMES as f64;
    let run = scene.frames() as f64;
    let share = |once: f64, each: f64| (once + run * each) / (once + run * (each + step));
    let mut table = format!(
        "# Reading and writing\n\n`cargo xtask bench files`: `hang` at {RESOLUTION} × {RESOLUTION} vertices, {FRAMES} frames of 1/60 s. \
         Simulating a frame takes {step:.2} s of processor time. What reading the cloth from an OBJ file and writing each \
         format add to a run of {run} frames (wanted: below {:.0} %):\n\n\
         | | ms once | ms per frame | share of the run | MB per frame |\n|---|---|---|---|---|\n\
         | reading | {:.0} | 0 | {:.2} % | |\n",
        1e2 * MOST,
        1e3 * reading,
        1e2 * share(reading, 0.0)
    );
    let mut worst: f64 = 0.0;
    for format in Format::ALL {
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place)?;
        let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, FRAMES);
        let before = cpu_seconds();
        let mut outputs = Outputs::begin(place, &[format], cast)?;
        let mut fields = outputs.needs().fields.then(|| Fields::new(simulation.model()));
        let begun = cpu_seconds();
        for (k, positions) in frames.iter().enumerate() {
            let totals = if outputs.needs().totals { totals(&simulation) } else { Vec::new() };
            let fields = fields.as_mut().map_or(&[][..], |fields| fields.measure(&simulation, positions));
            outputs.add(k, positions, Measured { fields, totals: &totals })?;
        }
        outputs.finish(Ending::Complete)?;
        let (once, each) = (begun - before, (cpu_seconds() - begun) / frames.len() as f64);
        let size = size_of(place)? as f64 / frames.len() as f64;
        let part = share(reading + once, each);
        worst = worst.max(part);
        let row = [1e3 * once, 1e3 * each, 1e2 * part, size / 1e6];
        writeln!(table, "| `{}` | {:.0} | {:.0} | {:.1} % | {:.1} |", format.name(), row[0], row[1], row[2], row[3])?;
    }
    fs::remove_dir_all(place)?;
    writeln!(table, "\nThe share of a format has the reading in it. The largest is {:.1} %.", 1e2 * worst)?;
    fs::write("bench/files.md", &table)?;
    print!("{table}");
    Ok(())
}

/// Processor time of reading the same sheet from an OBJ file with a pattern [s].
fn reading(scene: &Scene, simulation: &Simulation, place: &Path) -> Result<f64, Box<dyn Error>> {
    let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, 1);
    let mut outputs = Outputs::begin(place, &[Format::Obj], cast)?;
    outputs.add(0, &simulation.state().positions, Measured::default())?;
    outputs.finish(Ending::Early)?;
    let file = fs::read_dir(place.join("obj"))?.next().ok_or("no file was written")??.file_name();
    let path = place.join("read.toml");
    let shape = format!("{{ kind = \"file\", path = \"obj/{}\" }}", file.to_string_lossy());
    fs::write(&path, format!("duration = 1\n[[cloth]]\nshape = {shape}\n"))?;
    let before = cpu_seconds();
    let read = load(&path.to_string_lossy(), &[])?.scene;
    let cost = cpu_seconds() - before;
    assert_eq!(muslin::sim::Simulation::new(&read)?.model().mesh.positions.len(), RESOLUTION * RESOLUTION);
    Ok(cost)
}

/// Bytes of all files beneath a directory.
fn size_of(directory: &Path) -> std::io::Result<u64> {
    fs::read_dir(directory)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        Ok(sum + if entry.path().is_dir() { size_of(&entry.path())? } else { entry.metadata()?.len() })
    })
}
