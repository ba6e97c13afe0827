//! USD text: closed forms of transforms, primvars and time samples.

use crate::{fault, mesh};
use glam::{DVec2, DVec3};
use muslin_io::meshes::{FaultKind, UpAxis};

const SHEET: &str = include_str!("../fuzz/corpus/cloth.usda");

#[test]
fn a_mesh_stands_where_its_transforms_put_it() {
    let m = mesh("a.usda", SHEET.as_bytes());
    assert_eq!((m.metres_per_unit, m.up), (Some(1.0), Some(UpAxis::Z)));
    assert_eq!((m.triangles.len(), &m.faces[..]), (3, &[0, 0, 1][..]));
    assert_eq!(m.parts[0].name, "sheet");
    // A quarter turn about z, then (1, 2, 3).
    assert!((m.positions[1] - DVec3::new(1.0, 3.0, 3.0)).length() < 1e-15, "{}", m.positions[1]);
    let uv = m.uv.as_ref().and_then(|uv| uv.of(2));
    assert_eq!(uv, Some([DVec2::ZERO, DVec2::X, DVec2::ONE]));
    assert_eq!(m.face_attribute("stiff").expect("a primvar").values, [1.0, 2.0]);
}

#[test]
fn points_over_time_are_a_clip_in_seconds() {
    let m = mesh("a.usda", SHEET.as_bytes());
    let clip = &m.clips[0].deformation;
    assert_eq!(clip.duration(), 0.5);
    let mut positions = vec![DVec3::ZERO; 4];
    clip.evaluate(0.1, &mut positions);
    assert!((positions[0] - DVec3::new(1.0, 2.0, 3.2)).length() < 1e-15, "{}", positions[0]);
}

#[test]
fn the_first_letter_of_a_rotation_turns_first() {
    let text = SHEET.replace("(0, 0, 90)", "(90, 0, 90)");
    // x stays on x, then turns to y; y turns to z and stays there.
    let m = mesh("a.usda", text.as_bytes());
    assert!((m.positions[3] - DVec3::new(1.0, 2.0, 4.0)).length() < 1e-15, "{}", m.positions[3]);
    let text = text.replace("rotateXYZ", "rotateZYX");
    // z first: y turns to −x, which x leaves alone.
    let m = mesh("a.usda", text.as_bytes());
    assert!((m.positions[3] - DVec3::new(0.0, 2.0, 3.0)).length() < 1e-15, "{}", m.positions[3]);
}

#[test]
fn silence_means_centimetres_and_y_as_usd_says() {
    let text = SHEET.replace("metersPerUnit = 1", "").replace("upAxis = \"Z\"", "");
    let m = mesh("a.usda", text.as_bytes());
    assert_eq!((m.metres_per_unit, m.up), (Some(0.01), Some(UpAxis::Y)));
}

#[test]
fn broken_layers_are_refused_at_their_place() {
    let edit = |from: &str, to: &str| fault("a.usda", SHEET.replacen(from, to, 1).as_bytes());
    let cases = [
        (edit("#usda", "#usd"), "a.usda:1: a USD text file begins with `#usda 1.0`"),
        (edit("[4, 3]", "[4, 4]"), "a.usda, /World/sheet: face 1 has 4 corners, 3 are left"),
        (edit("[4, 3]", "[4]"), "a.usda, /World/sheet: `faceVertexIndices` has 3 corners more"),
        (edit("[0, 1, 2, 3,", "[0, 1, 2, 9,"), "a.usda, /World/sheet: face 0 names point 9 of 4"),
        (edit("xformOp:translate\",", "xformOp:shear\","), "a.usda, /World: the transform `xformOp:shear` is not read"),
        (edit("def Mesh", "def Cube"), "a.usda: the file holds no mesh"),
    ];
    for (found, wanted) in cases {
        assert!(found.to_string().starts_with(wanted), "{found}");
    }
    for end in 0..SHEET.trim_end().len() - 1 {
        fault("a.usda", &SHEET.as_bytes()[..end]);
    }
    let deep = format!("#usda 1.0\n{}", "def \"a\" {".repeat(100_000));
    assert_eq!(fault("a.usda", deep.as_bytes()).kind, FaultKind::Syntax);
    assert_eq!(fault("a.usda", b"PXR-USDC\0\0").kind, FaultKind::Unsupported);
}

#[test]
fn samples_of_a_transform_overrule_its_value_and_the_first_one_places_the_mesh() {
    let op = "xformOp:translate = (1, 2, 3)";
    assert!(SHEET.contains(op));
    let samples = "xformOp:translate.timeSamples = { 0: (4, 2, 3), 24: (9, 2, 3), }";
    for text in [format!("{op}\n        double3 {samples}"), samples.to_string()] {
        let m = mesh("a.usda", SHEET.replacen(op, &text, 1).as_bytes());
        assert!((m.positions[1] - DVec3::new(4.0, 3.0, 3.0)).length() < 1e-15, "{}", m.positions[1]);
        assert_eq!(m.unmoved, ["`xformOp:translate` over time of /World"]);
    }
    assert!(mesh("a.usda", SHEET.as_bytes()).unmoved.is_empty());
}
