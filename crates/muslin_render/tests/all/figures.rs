//! Subjects for tests.

use glam::{DVec2, DVec3};
use muslin_model::{
    Cloth, Environment, Material, Mesh, Model, Obstacle,
    shapes::{Triangulation, grid},
};
use muslin_render::{Camera, Image, Paint, Renderer, Subject, View};

/// A model of these meshes.
pub fn model(cloths: Vec<Mesh>, obstacles: Vec<Mesh>) -> Model {
    let cloth = |(k, mesh): (usize, Mesh)| {
        let (velocity, angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        let (name, material) = (format!("cloth {k}"), Material::default());
        Cloth { name, mesh, material, pins: Vec::new(), velocity, angular_velocity }
    };
    let obstacle = |(k, mesh)| Obstacle { name: format!("obstacle {k}"), mesh, animation: None, motion: None };
    Model::new(
        cloths.into_iter().enumerate().map(cloth).collect(),
        obstacles.into_iter().enumerate().map(obstacle).collect(),
        Environment::default(),
    )
    .unwrap()
}

/// The triangles between these points as cloth, with a pattern that only has to be valid.
pub fn loose_triangles(corners: &[[DVec3; 3]]) -> Mesh {
    Mesh {
        positions: corners.as_flattened().to_vec(),
        triangles: (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        uv: vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; corners.len()],
        texture: Vec::new(),
    }
}

/// A wavy sheet.
pub fn wavy(n: usize) -> Mesh {
    let mut mesh = grid(n, n, DVec2::ONE, Triangulation::Alternating).unwrap();
    for p in &mut mesh.positions {
        p.z = 0.1 * (7.0 * p.x).sin() * (5.0 * p.y + 1.0).cos();
    }
    mesh
}

pub fn moved(mut mesh: Mesh, by: DVec3) -> Mesh {
    mesh.positions.iter_mut().for_each(|p| *p += by);
    mesh
}

/// A camera above the xy plane that sees the square from −1 to 1 of it.
pub fn from_above() -> View {
    let camera = Camera::new(DVec3::Z, DVec3::ZERO, std::f64::consts::FRAC_PI_2);
    View { camera, centre: DVec3::ZERO, radius: 1.0 }
}

pub fn draw(renderer: Renderer, model: &Model, view: &View) -> Image {
    renderer.draw(&Subject::of(model), &model.mesh.positions, view, Paint::Fabric).unwrap()
}

/// Where something is drawn: pixels that differ from the background alone.
pub fn covered(renderer: Renderer, model: &Model, view: &View) -> Vec<bool> {
    let image = draw(renderer, model, view);
    let nothing = Subject { vertices: 0, triangles: &[], uv: &[], texture: &[], bodies: &[] };
    let empty = renderer.draw(&nothing, &[], view, Paint::Fabric).unwrap();
    image.pixels.iter().zip(&empty.pixels).map(|(a, b)| a != b).collect()
}
