//! Every fault of a mesh is found with its element, and every repair removes its fault and nothing else.

use crate::mesh;
use glam::{DVec2, DVec3};
use muslin_io::meshes::{
    UpAxis,
    health::{FaultOf, Purpose, faults},
    pattern::{RestShape, purpose},
    repair::{plan, repair},
    surface::{Choice, Surface},
};

/// Two triangles of a unit square with a pattern, as OBJ lines.
const SQUARE: &str =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";

fn surface(text: &str) -> Surface {
    Choice::default().surface(&mesh("a.obj", text.as_bytes())).expect("no parts were asked for")
}

fn found(surface: &Surface, purpose: Purpose) -> Vec<(FaultOf, Vec<u32>)> {
    faults(surface, purpose).into_iter().map(|f| (f.kind, f.elements)).collect()
}

#[test]
fn a_healthy_mesh_has_no_fault() {
    for purpose in [Purpose::ClothByPattern, Purpose::ClothByShape, Purpose::Obstacle] {
        assert_eq!(found(&surface(SQUARE), purpose), []);
    }
}

#[test]
fn every_fault_names_its_elements() {
    use FaultOf::*;
    /// A fault and the elements it names.
    type Expected = (FaultOf, &'static [u32]);
    let cases: [(&str, &[Expected]); 14] = [
        ("v nan 0 0\nf 2 1 5\n", &[(NotFinite, &[4]), (UvMissing, &[2])]),
        // What has no area or was given before has no edges to be judged.
        ("f 1/1 1/1 2/2\n", &[(ZeroArea, &[2]), (UvZeroArea, &[2])]),
        ("f 2/2 3/3 1/1\n", &[(DuplicateTriangle, &[0, 2])]),
        ("f 1/1 3/3 2/2\n", &[(DuplicateTriangle, &[0, 2])]),
        ("v 5 5 5\n", &[(IsolatedVertex, &[4])]),
        ("v 1 1 0\nv 2 0 0\nf 2/2 6/3 5/4\n", &[(DuplicateVertex, &[2, 4])]),
        ("v 0 0 1\nv 0 0 -1\nf 3/1 1/2 5/3\nf 1/1 3/2 6/3\n", &[(NonManifoldEdge, &[0, 2])]),
        ("v 2 0 0\nf 2/2 3/3 5/4\n", &[(InconsistentWinding, &[0, 2])]),
        ("v 2 0 0\nf 3 2 5\n", &[(UvMissing, &[2])]),
        ("v 2 0 0\nf 3/1 2/1 5/2\n", &[(UvZeroArea, &[2])]),
        ("v 2 0 0\nf 3/1 2/3 5/2\n", &[(UvFolded, &[2])]),
        ("v 2 0 0\nvt .5 .2\nf 3/3 2/2 5/5\n", &[(UvFolded, &[2])]),
        ("vt 100 0\nvt 0 100\nv 2 0 0\nf 3/1 2/5 5/6\n", &[(UvScale, &[])]),
        ("v 2000 0 0\nvt 2000 0\nf 3/3 2/2 5/5\n", &[(Scale, &[])]),
    ];
    for (lines, expected) in cases {
        let result = found(&surface(&format!("{SQUARE}{lines}")), Purpose::ClothByPattern);
        let expected: Vec<(FaultOf, Vec<u32>)> = expected.iter().map(|(k, e)| (*k, e.to_vec())).collect();
        assert_eq!(result, expected, "{lines}");
    }
    let no_pattern = surface("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(found(&no_pattern, Purpose::ClothByPattern), [(UvMissing, vec![])]);
    assert_eq!(found(&no_pattern, Purpose::ClothByShape), []);
}

#[test]
fn a_message_names_element_place_and_remedy() {
    let all = faults(&surface(&format!("{SQUARE}v 5 5 5\n")), Purpose::ClothByPattern);
    assert_eq!(
        all[0].to_string(),
        "vertex 4 belongs to no triangle at (5.000000, 5.000000, 5.000000) m; remove it, or ask for `repair = [\"remove-isolated\"]`"
    );
}

#[test]
fn every_repair_removes_its_fault_and_keeps_the_surface() {
    let cases = [
        ("remove-degenerate", "f 1/1 1/1 2/2\n"),
        ("remove-duplicates", "f 2/2 3/3 1/1\n"),
        ("remove-isolated", "v 5 5 5\n"),
        ("merge-vertices", "v 1 1 0\nv 2 1 0\nf 2/2 6/3 5/4\n"),
        ("flip-winding", "v 2 0 0\nvt 2 0\nf 2/2 3/3 5/5\n"),
    ];
    for (name, lines) in cases {
        let mut surface = surface(&format!("{SQUARE}{lines}"));
        assert!(!found(&surface, Purpose::ClothByPattern).is_empty(), "{name}");
        assert_eq!(repair(&mut surface, &[name.to_string()]).len(), 1, "{name}");
        let left = found(&surface, Purpose::ClothByPattern);
        assert!(left.is_empty(), "{name}: {left:?}");
        let area: f64 = (0..2).map(|t| surface.mesh.rest_area(t)).sum();
        assert_eq!(area, 1.0, "{name}");
        assert_eq!(repair(&mut surface, &[name.to_string()]), Vec::<String>::new(), "{name} finds nothing more");
    }
    let mut mirrored = surface(&SQUARE.replace("vt 1", "vt -1"));
    assert_eq!(found(&mirrored, Purpose::ClothByPattern), [(FaultOf::UvFolded, vec![0, 1])]);
    repair(&mut mirrored, &["mirror-uv".to_string()]);
    assert_eq!(found(&mirrored, Purpose::ClothByPattern), []);
}

#[test]
fn all_repairs_that_a_mesh_needs_are_told_at_once() {
    let asked = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
    // A copy of a triangle is found only when its vertices are merged, a lonely vertex only when its triangle is gone.
    let cases: [(&str, &[&str], &[&str]); 3] = [
        ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 5/1 6/2 7/3\n", &[], &["merge-vertices", "remove-duplicates"]),
        ("v 5 5 5\nf 1/1 5/1 5/1\n", &[], &["remove-degenerate", "remove-isolated"]),
        ("v 5 5 5\nf 1/1 5/1 5/1\n", &["remove-degenerate"], &["remove-degenerate", "remove-isolated"]),
    ];
    for (lines, made, wanted) in cases {
        let mut surface = surface(&format!("{SQUARE}{lines}"));
        let plan = plan(&surface, Purpose::ClothByPattern, &asked(made)).unwrap();
        assert_eq!((&plan.repairs[..], plan.left), (wanted, 0), "{lines}");
        let list = wanted.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        assert_eq!(plan.to_string(), format!("`repair = [{list}]` puts right everything at once"));
        repair(&mut surface, &asked(wanted));
        assert_eq!(found(&surface, Purpose::ClothByPattern), [], "{lines}");
    }
    // A third triangle at an edge, with vertices of its own: merging them makes what no repair can part.
    let fin = surface(&format!("{SQUARE}v 0 0 0\nv 1 1 0\nv 0 0 1\nf 5/1 6/3 7/4\n"));
    let told = plan(&fin, Purpose::ClothByPattern, &[]).unwrap();
    assert_eq!(told.new.iter().map(|f| f.kind).collect::<Vec<_>>(), [FaultOf::NonManifoldEdge]);
    let text = told.to_string();
    assert!(text.contains("but then the edge between vertices 0 and 2 belongs to 3 triangles"), "{text}");
    // What a fault says itself is not said again.
    for lines in ["", "v 5 5 5\n", "v nan 0 0\nf 2/2 1/1 5/3\n"] {
        assert_eq!(plan(&surface(&format!("{SQUARE}{lines}")), Purpose::ClothByPattern, &[]), None, "{lines}");
    }
}

#[test]
fn a_fold_of_the_pattern_is_one_fault_that_its_repair_removes() {
    let pattern = |lines: &str| surface(&format!("{SQUARE}{lines}"));
    // Two triangles folded over the others along an edge that they share in the pattern; and a piece of its own that is
    // turned over, beside one that is not.
    let folded = "v 2 0 0\nv 2 1 0\nvt .5 0\nvt .5 1\nf 3/3 2/2 5/5\nf 3/3 5/5 6/6\n";
    let turned = "v 2 0 0\nvt 9 1\nvt 9 0\nvt 8 0\nf 3/5 2/6 5/7\n";
    for (lines, elements) in [(folded, vec![2, 3]), (turned, vec![2])] {
        let mut surface = pattern(lines);
        let all = faults(&surface, Purpose::ClothByPattern);
        assert_eq!(
            all.iter().map(|f| (f.kind, f.elements.clone())).collect::<Vec<_>>(),
            [(FaultOf::UvFolded, elements)]
        );
        assert!(all[0].to_string().contains("mirror-uv"), "{}", all[0]);
        let lengths = |surface: &Surface| -> Vec<f64> {
            let sides = |uv: &[DVec2; 3]| [0, 1, 2].map(|k| (uv[k] - uv[(k + 1) % 3]).length());
            surface.mesh.uv.iter().flat_map(sides).collect()
        };
        let before = lengths(&surface);
        repair(&mut surface, &["mirror-uv".into()]);
        assert_eq!(found(&surface, Purpose::ClothByPattern), []);
        assert_eq!(lengths(&surface), before, "no length changes");
        assert_eq!(surface.mesh.uv[0], pattern("").mesh.uv[0], "what is not turned stays");
    }
}

#[test]
fn faults_beside_a_duplicate_are_only_its_own() {
    // Two triangles that face opposite ways, and one of them twice: one winding fault, not three.
    let text = format!("{SQUARE}v 2 0 0\nvt 2 0\nf 2/2 3/3 5/5\nf 2/2 3/3 5/5\n");
    let found = found(&surface(&text), Purpose::ClothByShape);
    assert_eq!(found, [(FaultOf::DuplicateTriangle, vec![2, 3]), (FaultOf::InconsistentWinding, vec![0, 2])]);
}

#[test]
fn a_moebius_strip_cannot_be_turned_and_stays() {
    // Five vertices, every triangle joins three consecutive ones: the classical strip.
    let text: String = (0..5)
        .map(|k| {
            let angle = f64::from(k) * std::f64::consts::TAU / 5.0;
            format!("v {} {} {}\n", angle.cos(), angle.sin(), f64::from(k) * 0.1)
        })
        .chain((0..5).map(|k| format!("f {} {} {}\n", k + 1, (k + 1) % 5 + 1, (k + 2) % 5 + 1)))
        .collect();
    let mut strip = surface(&text);
    let before = strip.clone();
    repair(&mut strip, &["flip-winding".to_string()]);
    assert_eq!(strip, before);
    // One fault says so, and does not advise what cannot help.
    let all = faults(&strip, Purpose::ClothByShape);
    assert_eq!(all.iter().map(|f| f.kind).collect::<Vec<_>>(), [FaultOf::OneSided]);
    assert!(!all[0].to_string().contains("flip-winding"), "{}", all[0]);
}

#[test]
fn units_axes_and_parts_are_applied() {
    let text = format!("o square\n{SQUARE}o spike\nv 10 0 0\nv 0 20 0\nv 0 0 30\nf 5 6 7\n");
    let file = mesh("a.obj", text.as_bytes());
    let choice = Choice { parts: vec!["spike".into()], metres_per_unit: Some(0.01), up: Some(UpAxis::Y) };
    let spike = choice.surface(&file).unwrap();
    assert_eq!(
        spike.mesh.positions,
        [DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.2), DVec3::new(0.0, -0.3, 0.0)]
    );
    assert_eq!((spike.file_vertices, spike.file_triangles), (vec![4, 5, 6], vec![2]));
    assert_eq!(Choice { parts: vec!["sleeve".into()], ..choice }.surface(&file), Err("sleeve".into()));
}

#[test]
fn a_rest_shape_from_the_mesh_is_isometric_and_its_warp_runs_along_x() {
    let mut surface = surface("v 0 0 0\nv 1 0 1\nv 1 1 1\nv 0 1 0\nv 0 1 2\nf 1 2 3\nf 1 3 4\nf 1 4 5\n");
    surface.mesh.rest_from_positions();
    for (triangle, uv) in surface.mesh.triangles.iter().zip(&surface.mesh.uv) {
        for k in 0..3 {
            let [a, b] = [k, (k + 1) % 3].map(|k| surface.mesh.positions[triangle[k] as usize]);
            assert!(((uv[k] - uv[(k + 1) % 3]).length() - (a - b).length()).abs() < 1e-15);
        }
        assert!((uv[1] - uv[0]).perp_dot(uv[2] - uv[0]) > 0.0);
    }
    let along = surface.mesh.uv[0][1] - surface.mesh.uv[0][0];
    assert!((along - DVec2::new(2f64.sqrt(), 0.0)).length() < 1e-15, "{along}");
}

/// A sheet of the given size whose texture coordinates fill the given rectangle, as OBJ.
fn sheet(size: [f64; 2], picture: [f64; 2]) -> Surface {
    let mut text = String::new();
    for (k, j) in (0..5).flat_map(|j| (0..5).map(move |k| (k, j))) {
        let [x, y] = [f64::from(k) / 4.0, f64::from(j) / 4.0];
        text += &format!("v {} {} 0\nvt {} {}\n", size[0] * x, size[1] * y, picture[0] * x, picture[1] * y);
    }
    for (k, j) in (0..4).flat_map(|j| (0..4).map(move |k| (k, j))) {
        let [a, b, c, d] = [5 * j + k + 1, 5 * j + k + 2, 5 * j + k + 7, 5 * j + k + 6];
        text += &format!("f {a}/{a} {b}/{b} {c}/{c}\nf {a}/{a} {c}/{c} {d}/{d}\n");
    }
    surface(&text)
}

#[test]
fn coordinates_are_a_pattern_only_if_they_have_the_lengths_of_the_mesh() {
    let by = |size, picture| purpose(&sheet(size, picture), None);
    assert_eq!(by([0.7, 1.3], [0.7, 1.3]), (Purpose::ClothByPattern, None));
    // Cotton that hangs is a per cent longer than its pattern.
    assert_eq!(by([0.7, 1.313], [0.7, 1.3]).0, Purpose::ClothByPattern);
    // Pictures from 0 to 1 on sheets of nearly that size, and one whose width alone is right.
    for size in [[0.9, 1.1], [1.0, 0.96], [0.5, 0.5], [2.0, 3.0]] {
        let (purpose, why) = by(size, [1.0, 1.0]);
        assert_eq!(purpose, Purpose::ClothByShape, "{size:?}");
        let why = why.expect("a word about coordinates that are not used");
        assert!(why.contains("rest = \"pattern\"") && why.contains("rest = \"mesh\""), "{why}");
    }
    // Whoever asks gets what was asked for, without a word.
    let picture = sheet([0.9, 1.1], [1.0, 1.0]);
    assert_eq!(purpose(&picture, Some(RestShape::Pattern)), (Purpose::ClothByPattern, None));
    assert_eq!(purpose(&picture, Some(RestShape::Mesh)), (Purpose::ClothByShape, None));
}
