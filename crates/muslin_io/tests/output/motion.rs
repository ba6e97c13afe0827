//! A small cast with a motion that is known in closed form.

use glam::{DVec2, DVec3};
use muslin_io::output::{Cast, Ending, Format, Measured, Outputs, remove_leftovers};
use muslin_model::{Body, BodyKind, Mesh};
use std::{collections::BTreeMap, fs, path::Path};

/// A sheet of two triangles, a tube of one strip whose seam has two pairs of material coordinates, and an obstacle
/// that moves or not.
pub fn cast(obstacle_moves: bool) -> Cast {
    let square = |z: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, z));
    let prism = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
    let tube = [0.0, 1.0].into_iter().flat_map(|z| prism.map(|[x, y]| DVec3::new(x, y, z + 2.0)));
    let positions: Vec<DVec3> = square(0.0).into_iter().chain(tube).chain(square(-1.0)).collect();
    let corner = |x: f64, y: f64| DVec2::new(x, y);
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    let mut uv =
        vec![[corner(0., 0.), corner(1., 0.), corner(1., 1.)], [corner(0., 0.), corner(1., 1.), corner(0., 1.)]];
    for k in 0..3u32 {
        let (a, b) = (4 + k, 4 + (k + 1) % 3);
        let (u, w) = (f64::from(k), f64::from(k + 1));
        triangles.extend([[a, b, b + 3], [a, b + 3, a + 3]]);
        uv.extend([[corner(u, 0.), corner(w, 0.), corner(w, 1.)], [corner(u, 0.), corner(w, 1.), corner(u, 1.)]]);
    }
    triangles.extend([[10, 11, 12], [10, 12, 13]]);
    let body = |name: &str, kind, vertices, triangles| Body { name: name.into(), kind, vertices, triangles };
    Cast {
        name: "known".into(),
        frames_per_second: 24.0,
        frames: 9,
        mesh: Mesh { positions, triangles, uv, ..Mesh::default() },
        bodies: vec![
            body("sheet", BodyKind::Cloth, 0..4, 0..2),
            body("tube", BodyKind::Cloth, 4..10, 2..8),
            body("floor", BodyKind::Obstacle, 10..14, 8..10),
        ],
        moving: vec![true, true, obstacle_moves],
    }
}

/// Where everything is at a frame: cloth falls with 1 m/s² from rest, a moving obstacle rises by 1 mm per frame.
pub fn positions(cast: &Cast, frame: usize) -> Vec<DVec3> {
    let t = frame as f64 / cast.frames_per_second;
    let shift = |v: usize| match (v < 10, cast.moving[2]) {
        (true, _) => DVec3::new(0.1 * t, 0.0, -0.5 * t * t),
        (false, true) => DVec3::new(0.0, 0.0, 1e-3 * frame as f64),
        (false, false) => DVec3::ZERO,
    };
    cast.mesh.positions.iter().enumerate().map(|(v, &p)| p + shift(v)).collect()
}

/// Adds a range of frames.
pub fn add(outputs: &mut Outputs, cast: &Cast, frames: std::ops::Range<usize>) {
    for k in frames {
        let totals = [("kinetic_energy_J", k as f64)];
        outputs.add(k, &positions(cast, k), Measured { fields: &[], totals: &totals }).unwrap();
    }
}

/// Writes so many frames into a directory, without a stop.
pub fn write(directory: &Path, formats: &[Format], cast: &Cast, frames: usize) -> Vec<String> {
    let mut outputs = Outputs::begin(directory, formats, cast.clone()).unwrap();
    add(&mut outputs, cast, 0..frames);
    complete(outputs, directory, formats)
}

/// Ends a stream that has all its frames, and removes what only going on needs.
pub fn complete(outputs: Outputs, directory: &Path, formats: &[Format]) -> Vec<String> {
    let finished = outputs.finish(Ending::Complete).unwrap();
    remove_leftovers(directory, formats).unwrap();
    finished.files
}

/// All files beneath a directory with their bytes.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => files.extend(contents(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes))),
            false => drop(files.insert(name, fs::read(&path).unwrap())),
        }
    }
    files
}
