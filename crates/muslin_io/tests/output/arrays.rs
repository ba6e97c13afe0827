//! NumPy archives, read by the crate npyz.

use super::motion::{add, cast, positions, write};
use muslin_io::output::{Ending, Format, Outputs};
use npyz::npz::NpzArchive;
use std::path::Path;

fn read(path: &Path, name: &str) -> (Vec<u64>, Vec<f64>) {
    let mut archive = NpzArchive::open(path).unwrap();
    let array = archive.by_name(name).unwrap().unwrap();
    (array.shape().to_vec(), array.into_vec::<f64>().unwrap())
}

#[test]
fn an_archive_holds_exactly_the_frames_that_were_added() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    let path = directory.path().join("frames.npz");
    let mut outputs = Outputs::begin(directory.path(), &[Format::Npz], cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..7);
    assert!(!path.exists(), "an unfinished file must not have its name");
    assert_eq!(outputs.finish(Ending::Complete).unwrap().files, ["frames.npz", "obstacles.npz"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    for (file, vertices) in [("frames.npz", 0..10), ("obstacles.npz", 10..14)] {
        let frames = (0..7).flat_map(|k| positions(&cast, k)[vertices.clone()].to_vec());
        let expected: Vec<f64> = frames.flat_map(|p| p.to_array()).collect();
        assert_eq!(read(&directory.path().join(file), "X"), (vec![7, vertices.len() as u64, 3], expected));
        let rest: Vec<f64> = cast.mesh.positions[vertices.clone()].iter().flat_map(|p| p.to_array()).collect();
        assert_eq!(read(&directory.path().join(file), "V0"), (vec![vertices.len() as u64, 3], rest));
        assert_eq!(read(&directory.path().join(file), "fps"), (vec![], vec![24.0]));
    }
    let mut archive = NpzArchive::open(&path).unwrap();
    let triangles = archive.by_name("F").unwrap().unwrap().into_vec::<i32>().unwrap();
    assert_eq!(triangles[..9], [0, 1, 2, 0, 2, 3, 4, 5, 8]);
    let starts = archive.by_name("body_starts").unwrap().unwrap().into_vec::<i32>().unwrap();
    assert_eq!(starts, [0, 0, 4, 2]);
    let (shape, uv) = read(&path, "UV");
    assert_eq!((shape, &uv[6..12]), (vec![8, 3, 2], &[0.0, 0.0, 1.0, 1.0, 0.0, 1.0][..]));
}

#[test]
fn a_cast_without_obstacles_has_an_empty_archive_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let mut cast = cast(false);
    cast.bodies.pop();
    cast.moving.pop();
    cast.moving.push(false);
    cast.moving.push(false);
    cast.mesh.positions.truncate(10);
    cast.mesh.triangles.truncate(8);
    write(directory.path(), &[Format::Npz], &cast, 2);
    assert_eq!(read(&directory.path().join("obstacles.npz"), "X"), (vec![2, 0, 3], vec![]));
}
