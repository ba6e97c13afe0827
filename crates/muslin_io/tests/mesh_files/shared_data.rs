//! Public data, where it stands next to the project. Expected values were decoded from the bytes by hand.

use glam::DVec3;
use muslin_io::meshes::{
    health::{FaultOf, Purpose, faults},
    pattern::purpose,
    read,
    repair::repair,
    surface::{Choice, Surface},
};
use std::path::{Path, PathBuf};

/// A file of the public data; says so where it is absent.
pub fn shared(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
    if !path.exists() {
        println!("skipped: ../shared/data/{file} is absent");
        return None;
    }
    Some(path)
}

#[test]
fn frames_of_the_collision_benchmarks_are_read_exactly() {
    let cases = [
        (
            "cloth-ball/cloth_ball92",
            46598,
            92230,
            [0.0, 11.676539421081543, 0.0],
            [728, 729, 3488],
            [46595, 46576, 46597],
        ),
        (
            "n-body-simulation/balls16_18",
            73960,
            146480,
            [3.461939811706543, 0.0, 2.8086583614349365],
            [0, 1, 2],
            [73944, 73928, 73943],
        ),
        (
            "rod-twist/3036",
            39940,
            79864,
            [0.999297011136861, 0.0783786051798172, 0.272398841799126],
            [0, 103, 117],
            [39938, 39920, 29985],
        ),
        ("cloth-funnel/227", 9450, 18484, [1.25, -1.25, -2.0], [7333, 7335, 24], [9448, 9438, 9437]),
    ];
    for (file, vertices, triangles, last, first_triangle, last_triangle) in cases {
        let Some(path) = shared(&format!("ccd-scalable/{file}.ply.xz")) else { return };
        let mesh = read(path).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{file}");
        assert_eq!(mesh.positions[vertices - 1], DVec3::from_array(last), "{file}");
        assert_eq!((mesh.triangles[0], mesh.triangles[triangles - 1]), (first_triangle, last_triangle), "{file}");
        let colours = mesh.vertex_attribute("color").map(|c| c.values[..3].to_vec());
        let wanted = file.starts_with("n-body").then(|| [47.0, 178.0, 0.0].map(|c| c / 255.0).to_vec());
        assert_eq!(colours, wanted, "{file}");
    }
}

#[test]
fn garments_and_bodies_are_read() {
    let cases = [
        ("garments/garmentcode/shirt.obj", None),
        ("garments/makehuman/skirt_long.obj", None),
        ("bodies/makehuman/makehuman_body_rest.obj", Some((13380, 26756))),
        ("bodies/garmentcode_mean_all.ply", Some((23752, 47500))),
    ];
    for (file, counts) in cases {
        let Some(path) = shared(file) else { return };
        let mesh = read(path).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(!mesh.triangles.is_empty() && mesh.positions.iter().all(|p| p.is_finite()));
        if let Some(counts) = counts {
            assert_eq!((mesh.positions.len(), mesh.triangles.len()), counts, "{file}");
        }
        assert_eq!(mesh.uv.is_some(), file.contains("shirt"), "{file}");
    }
}

#[test]
fn a_sewn_shirt_has_its_pattern_and_clothes_with_pictures_have_none() {
    let open = |file: &str| -> Option<Surface> {
        let mesh = read(shared(&format!("garments/{file}.obj"))?).unwrap_or_else(|fault| panic!("{fault}"));
        Choice::default().surface(&mesh).ok()
    };
    let Some(mut shirt) = open("garmentcode/shirt") else { return };
    assert_eq!(purpose(&shirt, None), (Purpose::ClothByPattern, None));
    // The panels of its back lie on those of its front, turned over. Nothing else is wrong with it.
    let kinds = |surface: &Surface| faults(surface, Purpose::ClothByPattern).iter().map(|f| f.kind).collect::<Vec<_>>();
    let found = kinds(&shirt);
    assert!((1..20).contains(&found.len()) && found.iter().all(|kind| *kind == FaultOf::UvFolded), "{found:?}");
    repair(&mut shirt, &["mirror-uv".into()]);
    assert_eq!(kinds(&shirt), []);
    for picture in ["makehuman/tshirt_male", "makehuman/tshirt_female"] {
        let Some(surface) = open(picture) else { return };
        let (purpose, why) = purpose(&surface, None);
        assert!(purpose == Purpose::ClothByShape && why.is_some(), "{picture}");
    }
}
