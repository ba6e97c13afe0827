//! PLY files, byte by byte.

use super::motion::{cast, contents, positions, write};
use muslin_io::output::Format;

/// The header and what follows it.
fn split(bytes: &[u8]) -> (&str, &[u8]) {
    let end = b"end_header\n";
    let body = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    (std::str::from_utf8(&bytes[..body]).unwrap(), &bytes[body..])
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn a_ply_has_a_header_and_packed_little_endian_data() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Ply], &cast, 2);
    let files = contents(directory.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = ["cloth_0000", "cloth_0001", "obstacles_0000", "obstacles_0001"].map(|n| format!("ply/{n}.ply"));
    assert_eq!(names, expected);
    let (header, data) = split(&files["ply/obstacles_0001.ply"]);
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    assert!(header.contains("element vertex 4\n") && header.contains("element face 2\n"));
    assert_eq!(data.len(), 4 * 24 + 2 * 13);
    let vertex = floats(&data[24..48]);
    let expected = positions(&cast, 1)[11].as_vec3();
    assert_eq!(vertex, [expected.x, expected.y, expected.z, 0.0, 0.0, 1.0]);
    let face = &data[4 * 24 + 13..];
    let indices: Vec<u32> = face[1..].chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!((face[0], indices), (3, vec![0, 2, 3]));
}

#[test]
fn material_coordinates_are_on_vertices_and_at_a_seam_on_corners() {
    let directory = tempfile::tempdir().unwrap();
    let mut cast = cast(false);
    write(directory.path(), &[Format::Ply], &cast, 1);
    let files = contents(directory.path());
    let (header, data) = split(&files["ply/cloth_0000.ply"]);
    assert!(header.ends_with("property list uchar float texcoord\nproperty int body\nend_header\n"), "{header}");
    assert!(header.contains("comment body 0 is sheet\ncomment body 1 is tube\n"), "{header}");
    let last = &data[data.len() - 29..];
    assert_eq!((last[0], floats(&last[1..25])), (6, vec![2.0, 0.0, 3.0, 1.0, 2.0, 1.0]));
    assert_eq!(last[25..], 1i32.to_le_bytes());
    // The sheet alone has no seam.
    cast.bodies.truncate(1);
    cast.mesh.positions.truncate(4);
    cast.mesh.triangles.truncate(2);
    cast.mesh.uv.truncate(2);
    cast.moving = vec![true, true, true];
    write(directory.path(), &[Format::Ply], &cast, 1);
    let files = contents(directory.path());
    let (header, data) = split(&files["ply/cloth_0000.ply"]);
    assert!(
        header.contains("property float s\nproperty float t\nelement face 2\n") && !header.contains("body"),
        "{header}"
    );
    assert_eq!(floats(&data[2 * 32 + 24..3 * 32]), [1.0, 1.0]);
}
