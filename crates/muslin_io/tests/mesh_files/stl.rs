//! STL, text and binary.

use crate::{fault, mesh};
use glam::DVec3;
use muslin_io::meshes::FaultKind;

const TEXT: &str = "solid left half\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\nendloop\nendfacet\n\
facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex -0 1 0.5\nendloop\nendfacet\nendsolid left half\n";

#[test]
fn corners_at_one_place_are_one_vertex() {
    let m = mesh("a.stl", TEXT.as_bytes());
    assert_eq!(m.positions, [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 0.5), DVec3::new(1.0, 1.0, 0.0)]);
    assert_eq!(m.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(m.parts[0].name, "left half");
}

fn binary() -> Vec<u8> {
    // A header that begins like text is common.
    let mut bytes = b"solid made by a scanner".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2u32.to_le_bytes());
    for corners in [[[0f32, 0., 0.], [1., 0., 0.], [0., 1., 0.5]], [[1., 0., 0.], [1., 1., 0.], [0., 1., 0.5]]] {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn binary_and_text_are_the_same_mesh() {
    let (text, binary) = (mesh("a.stl", TEXT.as_bytes()), mesh("a.stl", &binary()));
    assert_eq!((text.positions, text.triangles), (binary.positions, binary.triangles));
}

#[test]
fn broken_files_are_refused() {
    let mut claims = binary();
    claims[80..84].copy_from_slice(&40_000_000u32.to_le_bytes());
    assert!(fault("a.stl", &claims).to_string().starts_with("a.stl: the header claims 40000000 triangles"));
    assert_eq!(fault("a.stl", &binary()[..150]).kind, FaultKind::Truncated);
    let cases = [
        ("vertex 1 0 0", "vertex 1 0", "a.stl:5: a vertex needs three numbers"),
        ("vertex 1 0 0", "vertex 1 0 zero", "a.stl:5: `zero` is no number"),
        ("vertex 1 0 0\n", "", "a.stl:7: this facet has fewer than three vertices"),
        ("endloop", "vertex 0 0 0", "a.stl:7: this facet has more than three vertices"),
        ("endloop", "endlop", "a.stl:7: `endlop` is no keyword of STL"),
    ];
    for (from, to, message) in cases {
        let found = fault("a.stl", TEXT.replacen(from, to, 1).as_bytes()).to_string();
        assert!(found.starts_with(message), "{found}");
    }
}
