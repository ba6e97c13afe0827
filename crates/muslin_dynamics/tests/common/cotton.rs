//! A flat square of woven cotton with the default model, as the solver sees it. A benchmark includes this file by its path.

use glam::{DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Curvature, Membrane},
};
use muslin_model::{
    Cloth, Environment, Material, Model,
    shapes::{Triangulation, grid},
};

/// A square of `side`² vertices and this length [m], right-diagonal.
pub fn cotton(side: usize, length: f64) -> (Model, System) {
    let cloth = Cloth {
        name: "sheet".into(),
        mesh: grid(side, side, DVec2::splat(length), Triangulation::RightDiagonal).expect("a valid grid"),
        material: Material::woven_cotton(),
        pins: Vec::new(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    let model = Model::new(vec![cloth], Vec::new(), Environment::default()).expect("a valid model");
    let faces: Vec<u32> = model.cloth_triangles().map(|face| face as u32).collect();
    let system = System::new(&model, |layout| {
        vec![Box::new(Membrane::new(&model, &faces, layout)), Box::new(Curvature::new(&model, &faces, layout))]
    });
    (model, system)
}
