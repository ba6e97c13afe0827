//! Contact of cloth whose mesh is no plain pattern: from a file, sewn from pieces, or finer than its thickness.

use glam::DVec3;
use muslin::sim::{SimError, Simulation};
use muslin::{
    Scene,
    collision::{Surface, intersections},
    load,
};
use std::fmt::Write;

const HEAD: &str = "name = \"meshes\"\nduration = 1\n[settings]\nintegrator = \"linear-backward-euler\"\n\
                    adaptive = { most_stretch = 0.05 }\ncontact = { method = \"implicit\" }\n";
const GROUND: &str = "[[obstacle]]\nname = \"ground\"\nshape = { kind = \"plane\", size = 3 }\n";

/// A scene with a file of its own beside it.
fn scene(text: &str, obj: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("cloth.obj"), obj).unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

/// Square sheets of 6 × 6 vertices and 0.1 m, one above the other, as one object; with places in a pattern, the same for all
/// of them, or without.
fn sheets(heights: &[f64], pattern: bool) -> String {
    let mut text = String::new();
    for (k, z) in heights.iter().enumerate() {
        // Turned against each other, so that nothing lies exactly over its like.
        let (sin, cos) = (0.3 * k as f64).sin_cos();
        for (x, y) in (0..36).map(|v| (0.02 * f64::from(v % 6) - 0.05, 0.02 * f64::from(v / 6) - 0.05)) {
            writeln!(text, "v {} {} {z}", cos * x - sin * y, sin * x + cos * y).unwrap();
        }
    }
    (0..36)
        .filter(|_| pattern)
        .for_each(|v| writeln!(text, "vt {} {}", 0.02 * f64::from(v % 6), 0.02 * f64::from(v / 6)).unwrap());
    for k in 0..heights.len() {
        for cell in (0..25).map(|c| c / 5 * 6 + c % 5) {
            for corners in [[cell, cell + 1, cell + 7], [cell, cell + 7, cell + 6]] {
                let corner = |c: usize| {
                    if pattern { format!("{}/{}", 36 * k + c + 1, c + 1) } else { format!("{}", 36 * k + c + 1) }
                };
                writeln!(text, "f {}", corners.map(corner).join(" ")).unwrap();
            }
        }
    }
    text
}

fn crossings(simulation: &Simulation, frame: &[DVec3]) -> usize {
    let surface = Surface::new(frame.len(), &simulation.model().mesh.triangles).unwrap();
    intersections(&surface, frame).unwrap().len()
}

#[test]
fn layers_of_one_cloth_keep_their_thickness_whatever_its_pattern_says() {
    // Without a pattern every triangle is flattened by itself; with one, the sheets lie on each other in it.
    for rest in ["mesh", "pattern"] {
        let file = format!("shape = {{ kind = \"file\", path = \"cloth.obj\", rest = \"{rest}\" }}\n");
        let text = format!("{HEAD}[[cloth]]\nname = \"layers\"\n{file}{GROUND}");
        let scene = scene(&text, &sheets(&[0.001, 0.003, 0.005], rest == "pattern"));
        let mut simulation = Simulation::new(&scene).unwrap_or_else(|error| panic!("{rest}: {error}"));
        for number in 1..=60 {
            let frame = simulation.next_frame().unwrap_or_else(|error| panic!("{rest}, frame {number}: {error}"));
            assert_eq!(crossings(&simulation, &frame), 0, "{rest}, frame {number}");
        }
        let gap = simulation.tally().min_gap;
        assert!(gap > 0.1 * 0.5e-3, "{rest}: {gap} m");
        // They lie on each other, a part of the thickness apart, and not in each other.
        let mean = |sheet: usize| {
            let part = &simulation.state().positions[36 * sheet..36 * (sheet + 1)];
            part.iter().map(|p| p.z).sum::<f64>() / 36.0
        };
        for sheet in 0..2 {
            let apart = mean(sheet + 1) - mean(sheet);
            assert!(
                apart > 0.11 * 0.5e-3 && apart < 1e-3,
                "{rest}: sheets {sheet} and {} are {apart} m apart",
                sheet + 1
            );
        }
    }
}

#[test]
fn a_mesh_finer_than_its_thickness_does_not_repel_itself() {
    // Edges of a quarter of a millimetre, half of cotton's thickness.
    let grid = "[[cloth]]\nname = \"patch\"\nshape = { kind = \"grid\", size = [0.005, 0.005], vertices = [21, 21] }\ntranslation = [0, 0, 0.001]\n";
    let mut simulation = Simulation::new(&scene(&format!("{HEAD}{grid}{GROUND}"), "")).unwrap();
    (0..12).for_each(|_| _ = simulation.next_frame().unwrap());
    assert!(simulation.tally().max_strain < 0.01, "{}", simulation.tally().max_strain);
    let lowest = simulation.state().positions[..441].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0 && lowest < 0.5e-3, "{lowest} m");
}

#[test]
fn gaps_of_slivers_count_where_files_cannot_tell_them() {
    // A triangle of a micrometre's height: half of it is its range, and a ninth of that what is kept, less than four steps of
    // single precision at 3 m.
    let obj = "v 0 0 0\nv 0.01 0 0\nv 0.005 0.000001 0\nv 0.005 -0.01 0\nf 1 2 3\nf 2 1 4\n";
    let cloth =
        "[[cloth]]\nname = \"sliver\"\nshape = { kind = \"file\", path = \"cloth.obj\" }\ntranslation = [3, 0, 1]\n";
    let Err(error) = Simulation::new(&scene(&format!("{HEAD}{cloth}"), obj)) else { panic!("it was accepted") };
    assert!(matches!(error, SimError::TooFar { .. }), "{error}");
}

#[test]
fn a_sheet_falls_over_a_real_body_and_never_through_it() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/bodies/makehuman/makehuman_body_rest.obj");
    if !std::path::Path::new(file).exists() {
        println!("skipped: the bodies of ../shared/data are absent");
        return;
    }
    // A scene without settings: contact is handled unless it says otherwise.
    let text = format!(
        "name = \"real-body\"\nduration = 0.5\nframes_per_second = 30\n\
         [[cloth]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", size = [1.4, 1.4], vertices = [14, 14] }}\n\
         translation = [0.03, 0.02, 1.72]\n[[obstacle]]\nname = \"body\"\nshape = {{ kind = \"file\", path = \"{file}\", up = \"y\" }}\n"
    );
    let mut simulation = Simulation::new(&scene(&text, "")).unwrap();
    (0..15).for_each(|_| _ = simulation.next_frame().unwrap());
    let tally = simulation.tally();
    assert!(simulation.is_clean() && tally.contacts > 100 && tally.scaled_back == 0, "{} contacts", tally.contacts);
    assert!(tally.min_gap > 0.1 * 0.5e-3 && tally.max_strain < 0.05, "{} m, {}", tally.min_gap, tally.max_strain);
    // It hangs from the head, 1.67 m above the ground.
    let highest = simulation.state().positions[..196].iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest > 1.6 && highest < 1.7, "{highest} m");
}
