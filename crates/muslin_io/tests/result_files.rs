//! Result files, read back by other code than wrote them.

use glam::DVec3;
use muslin_io::output::{NpzWriter, write_ply, write_whole};
use npyz::npz::NpzArchive;

fn frame(k: usize) -> Vec<DVec3> {
    (0..5).map(|v| DVec3::new(k as f64 + 0.1, v as f64 / 3.0, -1e-300 * (k * v) as f64)).collect()
}

fn read(path: &std::path::Path, name: &str) -> (Vec<u64>, Vec<f64>) {
    let mut archive = NpzArchive::open(path).unwrap();
    let array = archive.by_name(name).unwrap().unwrap();
    (array.shape().to_vec(), array.into_vec::<f64>().unwrap())
}

#[test]
fn an_archive_holds_exactly_the_frames_that_were_added() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("frames.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    writer.points("V0", &frame(0)).unwrap();
    writer.triangles("F", &[[0, 1, 2], [2, 1, 4]]).unwrap();
    writer.begin_frames("X", 5).unwrap();
    (0..7).for_each(|k| writer.add_frame(&frame(k)).unwrap());
    assert!(!path.exists(), "an unfinished file must not have its name");
    writer.finish().unwrap();
    let (shape, values) = read(&path, "X");
    assert_eq!(shape, [7, 5, 3]);
    let expected: Vec<f64> = (0..7).flat_map(frame).flat_map(|p| p.to_array()).collect();
    assert_eq!(values, expected);
    assert_eq!(read(&path, "V0").1, expected[..15]);
    let mut archive = NpzArchive::open(&path).unwrap();
    let triangles = archive.by_name("F").unwrap().unwrap().into_vec::<i32>().unwrap();
    assert_eq!(triangles, [0, 1, 2, 2, 1, 4]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn an_archive_without_points_or_frames_is_valid_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("obstacles.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    writer.triangles("F", &[]).unwrap();
    writer.begin_frames("X", 0).unwrap();
    writer.add_frame(&[]).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&path, "X"), (vec![1, 0, 3], vec![]));
}

#[test]
fn a_frame_of_the_wrong_size_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = NpzWriter::create(&directory.path().join("frames.npz")).unwrap();
    assert!(writer.add_frame(&frame(0)).is_err());
    writer.begin_frames("X", 5).unwrap();
    assert!(writer.add_frame(&frame(0)[..4]).is_err());
}

#[test]
fn an_abandoned_file_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = NpzWriter::create(&directory.path().join("frames.npz")).unwrap();
    writer.begin_frames("X", 5).unwrap();
    writer.add_frame(&frame(0)).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_ply_has_a_header_and_packed_little_endian_data() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cloth.ply");
    let positions = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-0.5, 0.25, 8.0), DVec3::ZERO];
    write_ply(&path, &positions, &[[10, 12, 11]], 10).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let end = b"end_header\n";
    let body = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..body]).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    assert!(header.contains("element vertex 3\n") && header.contains("element face 1\n"));
    let data = &bytes[body..];
    assert_eq!(data.len(), 3 * 12 + 13);
    let float = |k: usize| f32::from_le_bytes(data[4 * k..4 * k + 4].try_into().unwrap());
    assert_eq!([float(0), float(1), float(2), float(3), float(4), float(5)], [1.0, 2.0, 3.0, -0.5, 0.25, 8.0]);
    let index = |k: usize| u32::from_le_bytes(data[37 + 4 * k..41 + 4 * k].try_into().unwrap());
    assert_eq!((data[36], [index(0), index(1), index(2)]), (3, [0, 2, 1]));
}

#[test]
fn writing_into_a_missing_directory_fails_and_names_no_file() {
    let directory = tempfile::tempdir().unwrap();
    assert!(write_whole(&directory.path().join("absent/report.json"), b"{}").is_err());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
