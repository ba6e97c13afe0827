//! PLY, text and binary.

use crate::{fault, mesh};
use glam::{DVec2, DVec3};
use muslin_io::meshes::{Corners, FaultKind, Place};

/// A triangle and a quadrilateral with every kind of property that is known.
const RICH: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty double x\nproperty double y\n\
property double z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n\
property uchar blue\nproperty uchar alpha\nproperty float s\nproperty float t\nproperty float stiff\nelement face 2\n\
property list uchar int vertex_indices\nproperty int panel\nelement edge 1\nproperty int v1\nend_header\n\
0 0 0 0 0 1 255 0 51 255 0 0 7\n1 0 0 0 0 1 0 255 0 0 1 0 8\n1 1 0 0 0 1 0 0 0 0 1 1 9\n0 1 0 0 0 1 0 0 0 0 0 1 10\n\
3 0 1 2 5\n4 0 1 2 3 6\n1\n";

#[test]
fn every_known_property_finds_its_place() {
    let m = mesh("a.ply", RICH.as_bytes());
    assert_eq!(m.positions, [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]);
    assert_eq!(m.triangles, [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    assert_eq!(m.faces, [0, 1, 1]);
    assert_eq!(m.normals.as_ref().and_then(|n| n.of(0)), Some([DVec3::Z; 3]));
    assert_eq!(m.uv.as_ref().and_then(|uv| uv.of(2)), Some([DVec2::ZERO, DVec2::ONE, DVec2::Y]));
    let colour = m.vertex_attribute("color").expect("colours");
    assert_eq!((colour.components, &colour.values[..8]), (4, &[1., 0., 0.2, 1., 0., 1., 0., 0.][..]));
    assert_eq!(m.vertex_attribute("stiff").expect("attribute").values, [7., 8., 9., 10.]);
    assert_eq!(m.face_attribute("panel").expect("attribute").values, [5., 6.]);
    assert_eq!(m.ignored, ["1 `edge` elements"]);
}

/// One triangle in every binary type; bytes are laid out by hand.
fn binary(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n\
         property ushort a\nproperty char b\nproperty uint c\nelement face 1\nproperty list ushort uint vertex_index\n\
         property list uchar float texcoord\nproperty list uchar short unknown\nend_header\n"
    )
    .into_bytes();
    macro_rules! put {
        ($value:expr) => {
            bytes.extend(if big { $value.to_be_bytes().to_vec() } else { $value.to_le_bytes().to_vec() })
        };
    }
    for k in 0..3 {
        put!(0.1f32);
        put!((0.1f64 * f64::from(k)));
        put!(-7i16);
        put!(65535u16);
        put!((-1i8));
        put!(4294967295u32);
    }
    put!(3u16);
    (0..3u32).for_each(|k| put!(k));
    bytes.push(6);
    (0..6u8).for_each(|k| put!(f32::from(k)));
    bytes.push(2);
    put!(1i16);
    put!(2i16);
    bytes
}

#[test]
fn both_byte_orders_give_the_same_exact_numbers() {
    let (little, big) = (mesh("a.ply", &binary(false)), mesh("a.ply", &binary(true)));
    assert_eq!(little, big);
    assert_eq!(little.positions[2], DVec3::new(f64::from(0.1f32), 0.2, -7.0));
    assert_eq!(little.vertex_attribute("a").expect("a").values[0], 65535.0);
    assert_eq!(little.vertex_attribute("b").expect("b").values[0], -1.0);
    assert_eq!(little.vertex_attribute("c").expect("c").values[0], 4294967295.0);
    let uv = little.uv.expect("texcoord").of(0);
    assert_eq!(uv, Some([DVec2::new(0.0, 1.0), DVec2::new(2.0, 3.0), DVec2::new(4.0, 5.0)]));
    assert_eq!(little.ignored, ["the list `unknown` of each face"]);
}

#[test]
fn a_face_without_texcoord_among_others_has_no_coordinates() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 3\n\
                property list uchar float texcoord\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n\
                0 3 0 1 2\n6 0 0 1 0 0 1 3 0 1 2\n0 3 0 1 2\n";
    let uv = mesh("a.ply", text.as_bytes()).uv.expect("texcoord");
    assert_eq!((uv.of(0), uv.of(2)), (None, None));
    assert_eq!(uv.triangles[0], [Corners::<DVec2>::NONE; 3]);
    assert_eq!(uv.of(1), Some([DVec2::ZERO, DVec2::X, DVec2::Y]));
}

#[test]
fn every_truncation_of_a_binary_file_is_refused_at_its_element() {
    let whole = binary(true);
    for end in 0..whole.len() {
        let fault = fault("a.ply", &whole[..end]);
        assert!(matches!(fault.kind, FaultKind::Truncated | FaultKind::Syntax), "{end}: {fault}");
    }
    let fault = fault("a.ply", &whole[..whole.len() - 1]);
    let Place::Element { name, index, byte } = &fault.place else { panic!("{fault}") };
    assert_eq!((name.as_str(), *index, *byte), ("face", 0, whole.len() as u64 - 2 - 12 - 1 - 24 - 1 - 4));
}

#[test]
fn a_claim_of_gigabytes_in_a_small_header_is_refused_at_once() {
    for (format, count) in [("ascii", 200_000_000u64), ("binary_little_endian", 178_956_971), ("ascii", u64::MAX)] {
        let text = format!(
            "ply\nformat {format} 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"
        );
        let fault = fault("a.ply", text.as_bytes());
        assert_eq!(fault.kind, FaultKind::Truncated);
        assert!(
            fault.to_string().starts_with(&format!("a.ply: the header claims {count} `vertex` elements")),
            "{fault}"
        );
    }
    // Rows without columns take no bytes, and no time.
    let text = "ply\nformat ascii 1.0\nelement nothing 4000000000\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n";
    assert_eq!(mesh("a.ply", text.as_bytes()).positions.len(), 1);
}

#[test]
fn faults_name_line_and_remedy() {
    let edit = |from: &str, to: &str| fault("a.ply", RICH.replacen(from, to, 1).as_bytes()).to_string();
    let cases = [
        (edit("ply\n", "plx\n"), "a.ply:1: a PLY file begins with the line `ply`"),
        (edit("format ascii", "format morse"), "a.ply:2: the format `morse` is unknown; write `ascii`"),
        (edit("format ascii 1.0\n", ""), "a.ply:22: the header names no format"),
        (edit("element vertex 4", "element vertex -4"), "a.ply:4: `-4` is no number of elements"),
        (edit("property double y", "property quad y"), "a.ply:6: `property quad y` declares no property; write"),
        (edit("property double y", "property double x"), "a.ply:6: the property `x` is declared twice"),
        (edit("property double y", "property double w"), "a.ply: the `vertex` element has no plain properties"),
        (edit("element edge 1", "element face 1"), "a.ply:21: the element `face` is declared twice"),
        (edit("end_header", "end_headr"), "a.ply:23: `end_headr` is no line of a PLY header"),
        (edit("vertex_indices", "tristrips"), "a.ply: the `face` element has 0 lists of vertices"),
        (edit("1 0 0 0 0 1 0 255", "1 0 0 0 0 1 0 q"), "a.ply:25: `q` is no number"),
        (edit(" 0 0 7\n", " 0 0\n"), "a.ply:24: this `vertex` line has fewer numbers than the header declares"),
        (edit(" 0 0 7\n", " 0 0 7 8\n"), "a.ply:24: this `vertex` line has more numbers than the header declares: `8`"),
        (edit("3 0 1 2 5", "3 0 1 4 5"), "a.ply: face 0 names vertex 4, but the file has only 4 (from 0)"),
        (edit("3 0 1 2 5", "3 0 1 -1 5"), "a.ply:28: this face names vertex -1; count vertices from 0"),
        (edit("3 0 1 2 5", "2 0 1 5"), "a.ply:28: this face has 2 corners; give every face 3 to 1000"),
        (edit("3 0 1 2 5", "-3 0 1 2 5"), "a.ply:28: a list cannot have -3 values"),
        (edit("3 0 1 2 5\n", ""), "a.ply:29: this face has 1 corners"),
    ];
    for (found, wanted) in cases {
        assert!(found.starts_with(wanted), "wanted {wanted}\nfound  {found}");
    }
}
