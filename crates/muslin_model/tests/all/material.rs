//! Fabrics and their fields.

use muslin_model::{Field, Material};

#[test]
fn woven_cotton_has_the_documented_values() {
    let cotton = Material::default().at_face(0, &[[0, 1, 2]]);
    assert_eq!((cotton.area_density, cotton.thickness), (0.2, 0.5e-3));
    assert_eq!((cotton.stretch_warp, cotton.stretch_weft, cotton.shear, cotton.poisson), (1e4, 1e4, 100.0, 0.2));
    assert_eq!((cotton.bend_warp, cotton.bend_weft, cotton.bend_bias), (1e-5, 1e-5, 1e-5));
    assert!(cotton.damping_warp > 0.0 && cotton.damping_shear > 0.0 && cotton.damping_bend > 0.0);
}

#[test]
fn a_face_takes_its_own_value_or_the_mean_of_its_corners() {
    let triangles = [[0, 1, 2], [1, 3, 2]];
    let at = |field: Field| [field.at_face(0, &triangles), field.at_face(1, &triangles)];
    assert_eq!(at(7.0.into()), [7.0, 7.0]);
    assert_eq!(at(Field::PerFace(vec![1.0, 5.0])), [1.0, 5.0]);
    assert_eq!(at(Field::PerVertex(vec![1.0, 2.0, 6.0, 10.0])), [3.0, 6.0]);
}

#[test]
fn every_field_is_listed_once_and_reaches_the_faces() {
    let mut material = Material::default();
    let names: Vec<&str> = material.fields().iter().map(|(name, _)| *name).collect();
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    material.area_density = Field::PerFace(vec![0.3]);
    material.damping_bend = Field::PerVertex(vec![3.0, 6.0, 9.0]);
    let face = material.at_face(0, &[[0, 1, 2]]);
    assert_eq!((face.area_density, face.damping_bend), (0.3, 6.0));
    let listed =
        |wanted: &str| material.fields().into_iter().find(|(name, _)| *name == wanted).unwrap().1.values().to_vec();
    assert_eq!(listed("damping_bend"), [3.0, 6.0, 9.0]);
    assert_eq!(listed("thickness"), [0.5e-3]);
}
