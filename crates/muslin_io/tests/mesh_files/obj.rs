//! OBJ text.

use crate::{fault, mesh};
use glam::{DVec2, DVec3};
use muslin_io::meshes::{Corners, FaultKind, Part, Place};

const CUBE_SIDE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn numbers_are_exact() {
    let text = "v 0.1 1e-300 -123456789.123456789\nv +1. .5 -0\nv 1 2 3\nf 1 2 3\n";
    let m = mesh("a.obj", text.as_bytes());
    assert_eq!(m.positions[0], DVec3::new(0.1, 1e-300, "-123456789.123456789".parse().unwrap()));
    assert_eq!(m.positions[1], DVec3::new(1.0, 0.5, 0.0));
    assert!(m.positions[1].z.is_sign_negative());
}

#[test]
fn corners_keep_their_own_coordinates_and_normals() {
    let text = format!("{CUBE_SIDE}vt 0 0\nvt 2 0\nvt 2 2\nvn 0 0 1\nf 1/1/1 2/2/1 3/3/1\nf 1//-1 3/-1 4\n");
    let m = mesh("a.obj", text.as_bytes());
    assert_eq!(m.triangles, [[0, 1, 2], [0, 2, 3]]);
    let uv = m.uv.expect("there are vt");
    assert_eq!(uv.of(0), Some([DVec2::ZERO, DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0)]));
    assert_eq!(uv.triangles[1], [Corners::<DVec2>::NONE, 2, Corners::<DVec2>::NONE]);
    assert_eq!(uv.of(1), None);
    assert_eq!(m.normals.expect("there are vn").of(0), Some([DVec3::Z; 3]));
}

#[test]
fn polygons_are_cut_and_remember_their_face() {
    let m = mesh("a.obj", format!("{CUBE_SIDE}f 1 2 3 4\nf -4 -2 -1\n").as_bytes());
    assert_eq!(m.triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 3]]);
    assert_eq!(m.faces, [0, 0, 1]);
}

#[test]
fn objects_are_parts_and_groups_are_where_there_are_no_objects() {
    let part = |name: &str, triangles| Part { name: name.into(), triangles, kind: None };
    let text = format!("g early\n{CUBE_SIDE}o left sleeve\ng x\nf 1 2 3 4\no empty\no right\nf 1 2 3\n");
    assert_eq!(mesh("a.obj", text.as_bytes()).parts, [part("left sleeve", 0..2), part("right", 2..3)]);
    let text = format!("{CUBE_SIDE}f 1 2 3\ng collar\nf 1 3 4\n");
    assert_eq!(mesh("a.obj", text.as_bytes()).parts, [part("", 0..1), part("collar", 1..2)]);
    assert_eq!(mesh("a.obj", format!("{CUBE_SIDE}f 1 2 3\n").as_bytes()).parts, []);
}

#[test]
fn vertex_colours_stand_beside_the_position_or_after_a_weight() {
    let m = mesh("a.obj", b"v 0 0 0\nv 1 0 0 0.5 0.25 0\nv 0 1 0 1.0 0 0.5 1\nf 1 2 3\n");
    let colour = m.vertex_attribute("color").expect("colours");
    assert_eq!((colour.components, &colour.values[..]), (3, &[1., 1., 1., 0.5, 0.25, 0., 0., 0.5, 1.][..]));
}

#[test]
fn windows_line_ends_comments_and_continued_lines_are_read() {
    let m = mesh("a.obj", b"# c\r\nv 0 0 0 # origin\r\nv 1 0 \\\r\n 0\r\nv 0 1 0\r\n\r\nf 1 2 \\\n3");
    assert_eq!((m.positions.len(), m.triangles.len()), (3, 1));
}

#[test]
fn what_is_not_read_is_said() {
    let m = mesh("a.obj", format!("mtllib a.mtl\n{CUBE_SIDE}usemtl x\nusemtl y\nf 1 2 3\nl 1 2\n").as_bytes());
    assert_eq!(m.ignored, ["1 `mtllib` lines", "2 `usemtl` lines", "1 `l` lines"]);
}

#[test]
fn an_obj_without_its_ending_is_told_by_its_content() {
    assert_eq!(
        mesh("upload", format!("# x\n{CUBE_SIDE}f 1 2 3\n").trim_start_matches("# x\n").as_bytes()).triangles.len(),
        1
    );
    assert_eq!(fault("upload", b"PNG").kind, FaultKind::Unsupported);
}

#[test]
fn faults_name_line_and_remedy() {
    let cases: [(&str, FaultKind, &str); 14] = [
        ("v 1 2\n", FaultKind::Syntax, "a.obj:1: `v` needs 3 numbers, found 2; complete the line"),
        ("v 1 2 x\n", FaultKind::Value, "a.obj:1: `x` is no number; correct it"),
        ("\nv 1,5 2 3\n", FaultKind::Value, "a.obj:2: `1,5` is no number; write numbers with a decimal point"),
        ("v 1 2 3 4 5 6 7 8\n", FaultKind::Syntax, "a.obj:1: `v` takes at most 7 numbers; remove the others"),
        ("v 0 0 0\nf 1 2\n", FaultKind::Syntax, "a.obj:2: a face needs three corners, this one has 2"),
        ("v 0 0 0\nf 0 1 1\n", FaultKind::Index, "a.obj:2: a face names `v` 0, but OBJ counts from 1"),
        ("v 0 0 0\nf -2 1 1\n", FaultKind::Index, "a.obj:2: a face names `v` -2, but only 1 stand before it"),
        ("v 0 0 0\nf 1 1 9\nf 1 1 1\n", FaultKind::Index, "a.obj:2: a face names `v` 9, but the file has only 1"),
        ("v 0 0 0\nvt 0 0\nf 1/1 1/2 1/1\n", FaultKind::Index, "a.obj:3: a face names `vt` 2, but the file has only 1"),
        ("v 0 0 0\nf 1/x 1 1\n", FaultKind::Index, "a.obj:2: `x` is no index of `vt`; correct the index"),
        ("v 0 0 0\nf / 1 1\n", FaultKind::Syntax, "a.obj:2: a face's corner names no vertex; write `f 1 2 3`"),
        (
            "v 0 0 0\nf 1 1 99999999999\n",
            FaultKind::Index,
            "a.obj:2: a face names `v` 99999999999; no file has so many",
        ),
        ("v 0 0 0\nvertex 1\n", FaultKind::Syntax, "a.obj:2: `vertex` is no keyword of OBJ; check that the file is an"),
        ("# nothing\n", FaultKind::Syntax, "a.obj: the file holds no vertex; check that the file is an OBJ file"),
    ];
    for (text, kind, message) in cases {
        let fault = fault("a.obj", text.as_bytes());
        assert!(fault.to_string().starts_with(message), "{fault}");
        assert_eq!(fault.kind, kind, "{fault}");
    }
    let polygon = format!("v 0 0 0\nf{}\n", " 1".repeat(1001));
    assert_eq!(fault("a.obj", polygon.as_bytes()).place, Place::Line(2));
}
