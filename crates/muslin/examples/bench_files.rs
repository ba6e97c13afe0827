//! What reading and writing cost next to simulating: `bench/files.md`.
//!
//! A hanging sheet of 100,000 vertices is read from an OBJ file and simulated for a few frames; the same frames are then
//! written in each format, with fields and totals where a format has them. Processor time is compared, because it hardly
//! depends on what else the machine does. What is done once is shared out over the frames of the scene.

use glam::DVec3;
use muslin::{
    Format, Simulation,
    fields::{Fields, totals},
    io::output::{Cast, Ending, Measured, Outputs, remove_leftovers},
    load,
    sim::{Scene, report::cpu_seconds},
};
use std::{error::Error, fmt::Write, fs, path::Path};

/// Vertices along a side: 316² is near 100,000.
const RESOLUTION: usize = 316;
const FRAMES: usize = 4;
/// Frames that are written, the simulated ones again and again: the first one makes room in memory that later ones have.
const WRITTEN: usize = 6;
/// Times that they are written. The least counts: memory for files that a virtual machine has not used before costs up to
/// eight times the writing, and whatever else the machine does only adds.
const PASSES: usize = 5;
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
    let with_contact = step_with_contact()?;
    let run = scene.frames() as f64;
    let share_of = |step: f64, once: f64, each: f64| (once + run * each) / (once + run * (each + step));
    let share = |once: f64, each: f64| share_of(step, once, each);
    let mut table = format!(
        "# Reading and writing\n\n`cargo xtask bench files`: `hang` at {RESOLUTION} × {RESOLUTION} vertices, {FRAMES} frames of 1/60 s. \
         Simulating a frame takes {step:.2} s of processor time, and {with_contact:.2} s with the default settings, which handle contact. What reading the cloth from an OBJ file and writing each \
         format add to a run of {run} frames (wanted: below {:.0} %):\n\n\
         | | ms once | ms per frame | share of the run | share with contact | MB per frame |\n|---|---|---|---|---|---|\n\
         | reading | {:.0} | 0 | {:.2} % | {:.2} % | |\n",
        1e2 * MOST,
        1e3 * reading,
        1e2 * share(reading, 0.0),
        1e2 * share_of(with_contact, reading, 0.0)
    );
    let (mut shares, mut beyond) = (Vec::new(), Vec::new());
    let several = [
        vec![Format::Npz, Format::Vtk, Format::Csv],
        vec![Format::Usd, Format::Gltf, Format::Pc2],
        Format::ALL.to_vec(),
    ];
    for formats in Format::ALL.iter().map(|format| vec![*format]).chain(several) {
        let [mut once, mut each, mut size] = [f64::INFINITY; 3];
        for _ in 0..PASSES {
            let found = writing(&scene, &simulation, &frames, &formats, place)?;
            (once, each, size) = (once.min(found[0]), each.min(found[1]), found[2]);
        }
        let part = share(reading + once, each);
        shares.push(part);
        let title = match formats.as_slice() {
            [Format::Npz] => "`npz`, the default".into(),
            [one] => format!("`{}`", one.name()),
            some if some.len() < Format::ALL.len() => {
                some.iter().map(|f| format!("`{}`", f.name())).collect::<Vec<_>>().join(", ")
            }
            all => format!("all {} at once", all.len()),
        };
        if part >= MOST {
            beyond.push(format!("{title} ({:.1} %)", 1e2 * part));
        }
        let row = [1e3 * once, 1e3 * each, 1e2 * part, 1e2 * share_of(with_contact, reading + once, each), size / 1e6];
        writeln!(
            table,
            "| {title} | {:.0} | {:.0} | {:.1} % | {:.1} % | {:.1} |",
            row[0], row[1], row[2], row[3], row[4]
        )?;
    }
    let judged = |part: f64| match part < MOST {
        true => format!("{:.1} %, within the limit", 1e2 * part),
        false => format!("{:.1} %, **beyond the limit**", 1e2 * part),
    };
    let largest = shares[..Format::ALL.len()].iter().fold(0.0, |a: f64, &b| a.max(b));
    let beyond = if beyond.is_empty() { "nothing".into() } else { beyond.join(", ") };
    writeln!(
        table,
        "\nEach share has the reading in it. Everything is written {PASSES} times, and the least counts: on a virtual machine a page of memory that \
         is used for the first time costs up to eight times the writing of it, so that a run that fills fresh memory with files may cost more. The largest share of one format is {}. Beyond {:.0} % are: {beyond}. The simulated scene is the \
         cheapest of this size, a flat sheet that hangs, without contact: where cloth touches anything a frame takes longer to simulate and \
         as long to write, so all shares are smaller.",
        judged(largest),
        1e2 * MOST,
    )?;
    let [reading, building, stepping] = large_obstacle(place)?;
    writeln!(
        table,
        "\n## A large obstacle\n\nThe start of a run, with contact, over a ground of {} triangles from an OBJ file: reading the scene takes \
         {reading:.1} s of processor time, building the simulation {building:.1} s, the first step {stepping:.1} s.",
        2 * (SIDE - 1) * (SIDE - 1)
    )?;
    fs::remove_dir_all(place)?;
    fs::write("bench/files.md", &table)?;
    print!("{table}");
    Ok(())
}

/// Processor time of a frame of the same sheet with the settings of a scene that says nothing: contact is handled [s].
fn step_with_contact() -> Result<f64, Box<dyn Error>> {
    let settings = [format!("resolution={RESOLUTION}"), "settings.contact.method=implicit".into()];
    let mut simulation = Simulation::new(&load("hang", &settings)?.scene)?;
    let before = cpu_seconds();
    for _ in 0..FRAMES {
        simulation.next_frame()?;
    }
    Ok((cpu_seconds() - before) / FRAMES as f64)
}

/// Processor times of writing frames in some formats, once and for each frame [s], and the bytes of a frame.
fn writing(
    scene: &Scene,
    simulation: &Simulation,
    frames: &[Vec<DVec3>],
    formats: &[Format],
    place: &Path,
) -> Result<[f64; 3], Box<dyn Error>> {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place)?;
    let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, WRITTEN - 1);
    let before = cpu_seconds();
    let mut outputs = Outputs::begin(place, formats, cast)?;
    let mut fields = outputs.needs().fields.then(|| Fields::new(simulation.model()));
    let begun = cpu_seconds();
    for (k, positions) in frames.iter().cycle().take(WRITTEN).enumerate() {
        fields.iter_mut().for_each(|fields| fields.measure(simulation, positions));
        let needs = outputs.needs().totals;
        // The totals are of the simulation's state, whatever frame is written.
        let totals =
            if needs { totals(simulation, fields.as_ref(), &simulation.state().positions) } else { Vec::new() };
        let fields = fields.as_ref().map_or(&[][..], Fields::arrays);
        outputs.add(k, positions, Measured { fields, totals: &totals })?;
    }
    outputs.finish(Ending::Complete)?;
    remove_leftovers(place, formats)?;
    let each = (cpu_seconds() - begun) / WRITTEN as f64;
    Ok([begun - before, each, size_of(place)? as f64 / WRITTEN as f64])
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

/// Vertices along a side of the ground: a million triangles.
const SIDE: usize = 708;

/// Processor times of reading a scene with a large obstacle, of building its simulation and of its first step [s].
fn large_obstacle(place: &Path) -> Result<[f64; 3], Box<dyn Error>> {
    let mut text = String::new();
    for (i, j) in (0..SIDE * SIDE).map(|v| (v / SIDE, v % SIDE)) {
        let [x, y] = [i, j].map(|k| 4.0 * k as f64 / (SIDE - 1) as f64 - 2.0);
        writeln!(text, "v {x:.6} {y:.6} {:.6}", 0.05 * (3.0 * x).sin() * (2.0 * y).cos() - 0.5)?;
    }
    for a in (0..SIDE * (SIDE - 1)).filter(|a| a % SIDE + 1 < SIDE).map(|a| a + 1) {
        let b = a + SIDE;
        writeln!(text, "f {a} {b} {}\nf {a} {} {}", b + 1, b + 1, a + 1)?;
    }
    fs::write(place.join("ground.obj"), text)?;
    let path = place.join("ground.toml");
    let settings = "step = \"1/60\"\nintegrator = \"linear-backward-euler\"\ncontact = { method = \"implicit\" }";
    let cloth = "shape = { kind = \"grid\", size = [1, 1], vertices = [50, 50] }";
    let obstacle = "shape = { kind = \"file\", path = \"ground.obj\" }";
    let scene = format!("duration = 1\n[settings]\n{settings}\n[[cloth]]\n{cloth}\n[[obstacle]]\n{obstacle}\n");
    fs::write(&path, scene)?;
    let start = cpu_seconds();
    let scene = load(&path.to_string_lossy(), &[])?.scene;
    let read = cpu_seconds();
    let mut simulation = Simulation::new(&scene)?;
    let built = cpu_seconds();
    simulation.next_frame()?;
    Ok([read - start, built - read, cpu_seconds() - built])
}

/// Bytes of all files beneath a directory.
fn size_of(directory: &Path) -> std::io::Result<u64> {
    fs::read_dir(directory)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        Ok(sum + if entry.path().is_dir() { size_of(&entry.path())? } else { entry.metadata()?.len() })
    })
}
