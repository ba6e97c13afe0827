//! From a scene's bodies to the constant model.

use crate::{
    places::grid_place,
    scene::{ClothShape, ClothSpec, ObstacleShape, ObstacleSpec, PinHold, PinSelect, PinSpec, Placement, Scene},
    simulation::SimError,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::{
    Animation, Cloth, Hold, Mesh, Model, Obstacle, Pin,
    shapes::{self, Funnel, ShapeError},
};

/// Builds the constant model.
pub fn model(scene: &Scene) -> Result<Model, SimError> {
    let cloths = scene.cloths.iter().map(cloth).collect::<Result<Vec<_>, _>>()?;
    let obstacles = scene.obstacles.iter().map(obstacle).collect::<Result<Vec<_>, _>>()?;
    Ok(Model::new(cloths, obstacles, scene.environment.clone())?)
}

/// The vertices of a cloth that a choice names, counted within the cloth.
pub fn chosen(spec: &ClothSpec, choice: &PinSelect) -> Result<Vec<u32>, SimError> {
    let mut mesh = cloth_mesh(&spec.shape).map_err(|source| SimError::Shape { body: spec.name.clone(), source })?;
    place(&mut mesh, &spec.placement);
    select(spec, choice, &mesh)
}

/// The first pin of a cloth that holds no vertex, so that whoever reads a scene can say where it is written. `None`
/// also if the cloth's shape itself is wrong.
pub fn first_empty_pin(spec: &ClothSpec) -> Option<usize> {
    let mut mesh = cloth_mesh(&spec.shape).ok()?;
    place(&mut mesh, &spec.placement);
    let is_empty = |pin: &PinSpec| matches!(select(spec, &pin.select, &mesh), Err(SimError::EmptyPin { .. }));
    spec.pins.iter().position(is_empty)
}

fn cloth(spec: &ClothSpec) -> Result<Cloth, SimError> {
    let named = |source| SimError::Shape { body: spec.name.clone(), source };
    let mut mesh = cloth_mesh(&spec.shape).map_err(named)?;
    let turn = DVec2::from_angle(-spec.warp_angle);
    mesh.uv.iter_mut().flatten().for_each(|p| *p = turn.rotate(*p));
    place(&mut mesh, &spec.placement);
    let pins = spec
        .pins
        .iter()
        .map(|pin| {
            let vertices = select(spec, &pin.select, &mesh)?;
            let hold = match &pin.hold {
                PinHold::Exact => Hold::Exact,
                PinHold::Soft { stiffness, strengths } => {
                    let strength = |k: usize| strengths.get(k).copied().unwrap_or(1.0);
                    Hold::Springs((0..vertices.len()).map(|k| stiffness * strength(k)).collect())
                }
            };
            let (held, motion) = (held_directions(pin), pin.motion.clone());
            Ok(Pin { vertices, held, hold, motion, release: pin.release })
        })
        .collect::<Result<_, SimError>>()?;
    perturb(&mut mesh, spec.perturbation, spec.perturbation_seed);
    Ok(Cloth {
        name: spec.name.clone(),
        mesh,
        material: spec.material.clone(),
        pins,
        velocity: spec.velocity,
        angular_velocity: spec.angular_velocity,
    })
}

fn cloth_mesh(shape: &ClothShape) -> Result<Mesh, ShapeError> {
    match *shape {
        ClothShape::Grid { vertices: [nx, ny], size, triangulation } => shapes::grid(nx, ny, size, triangulation),
        ClothShape::Disc { radius, rings } => shapes::disc(radius, rings),
        ClothShape::Tube { radius, height, vertices } => shapes::tube(radius, height, vertices),
        ClothShape::ReefStrand { strand, size, width, vertices } => shapes::reef_strand(strand, size, width, vertices),
        ClothShape::Rabbit { height, cells } => shapes::rabbit(height, cells),
        ClothShape::Mesh(ref mesh) => Ok(mesh.clone()),
    }
}

/// Cells along a side of a plane. Two triangles are a plane; it needs no more.
const PLANE_CELLS: usize = 1;

fn obstacle_mesh(shape: &ObstacleShape) -> Result<Mesh, ShapeError> {
    match *shape {
        ObstacleShape::Sphere { radius, subdivisions } => shapes::sphere(radius, subdivisions),
        ObstacleShape::Box { size } => shapes::cuboid(size),
        ObstacleShape::Torus { radius, tube, segments } => shapes::torus(radius, tube, segments),
        ObstacleShape::Capsule { radius, length, segments } => shapes::capsule(radius, length, segments),
        ObstacleShape::Plane { size } => shapes::plane(size, PLANE_CELLS),
        ObstacleShape::Funnel { top_radius, pipe_radius, cone_height, pipe_length, segments } => {
            shapes::funnel(&Funnel { top_radius, pipe_radius, cone_height, pipe_length, segments })
        }
        ObstacleShape::Figure { height, cells } => shapes::figure(height, cells),
        ObstacleShape::Mesh(ref mesh) => Ok(mesh.clone()),
    }
}

fn obstacle(spec: &ObstacleSpec) -> Result<Obstacle, SimError> {
    let named = |source| SimError::Shape { body: spec.name.clone(), source };
    let mut mesh = obstacle_mesh(&spec.shape).map_err(named)?;
    place(&mut mesh, &spec.placement);
    let animation = spec.animation.as_ref().map(|animation| placed(animation, &spec.placement));
    // The mesh is what is seen at time zero; an animation that begins elsewhere says so.
    if let Some(animation) = animation.as_ref().filter(|a| a.deformation.vertices() == mesh.positions.len()) {
        animation.place(0.0, &mut mesh.positions);
    }
    Ok(Obstacle { name: spec.name.clone(), mesh, animation, motion: spec.motion.clone() })
}

fn place(mesh: &mut Mesh, placement: &Placement) {
    mesh.positions.iter_mut().for_each(|p| *p = placement.apply(*p));
}

/// An animation where the obstacle stands.
fn placed(animation: &Animation, placement: &Placement) -> Animation {
    let linear = placement.rotation * DMat3::from_diagonal(placement.scale);
    Animation {
        linear: linear * animation.linear,
        translation: linear * animation.translation + placement.translation,
        ..animation.clone()
    }
}

/// Projector onto the span of the pin's axes, by Gram–Schmidt.
fn held_directions(pin: &PinSpec) -> DMat3 {
    let mut basis: Vec<DVec3> = Vec::new();
    for &axis in &pin.axes {
        let rest = basis.iter().fold(axis, |a, &b| a - b * a.dot(b));
        // An axis within round-off of the span of the others adds nothing.
        if rest.length() > 1e-9 * axis.length() {
            basis.push(rest.normalize());
        }
    }
    match basis.len() {
        3 => DMat3::IDENTITY,
        _ => basis.iter().fold(DMat3::ZERO, |sum, &b| sum + DMat3::from_cols(b * b.x, b * b.y, b * b.z)),
    }
}

/// Moves each vertex along its surface normal by a pseudo-random amount of at most `amplitude` [m].
fn perturb(mesh: &mut Mesh, amplitude: f64, seed: u64) {
    if amplitude == 0.0 {
        return;
    }
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for tri in &mesh.triangles {
        let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
        tri.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    for (v, (p, n)) in mesh.positions.iter_mut().zip(normals).enumerate() {
        *p += n.normalize_or_zero() * (amplitude * noise(v, seed));
    }
}

/// A number between −1 and 1 for each vertex.
fn noise(vertex: usize, seed: u64) -> f64 {
    let part = match seed {
        // The fractional part of multiples of the golden ratio: even.
        0 => (vertex as f64 * 0.618_033_988_749_894_9).fract(),
        // SplitMix64 (Steele, Lea and Flood 2014), a stream for each seed.
        seed => {
            let mut z = (vertex as u64 ^ seed.rotate_left(32)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) as f64 / 2f64.powi(64)
        }
    };
    2.0 * part - 1.0
}

fn select(spec: &ClothSpec, select: &PinSelect, placed: &Mesh) -> Result<Vec<u32>, SimError> {
    let all = 0..placed.positions.len() as u32;
    let chosen: Vec<u32> = match select {
        PinSelect::Vertices(vertices) => vertices.clone(),
        PinSelect::Box { low, high } => all
            .filter(|&v| {
                let p = placed.positions[v as usize];
                p.cmpge(*low).all() && p.cmple(*high).all()
            })
            .collect(),
        PinSelect::Named(names) => {
            let unknown = |place: &str| SimError::UnknownPlace { cloth: spec.name.clone(), place: place.into() };
            let mut found = Vec::new();
            for name in names {
                let ClothShape::Grid { vertices: [nx, ny], .. } = spec.shape else { return Err(unknown(name)) };
                found.append(&mut grid_place(name, nx, ny).ok_or_else(|| unknown(name))?);
            }
            found.sort_unstable();
            found.dedup();
            found
        }
    };
    if chosen.is_empty() {
        return Err(SimError::EmptyPin { cloth: spec.name.clone() });
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_within_its_bounds_and_another_one_for_every_seed() {
        for seed in 0..4 {
            let list: Vec<f64> = (0..4000).map(|v| noise(v, seed)).collect();
            let mean = list.iter().sum::<f64>() / 4000.0;
            let square = list.iter().map(|x| x * x).sum::<f64>() / 4000.0;
            // Even numbers between −1 and 1 have a mean of 0 ± 0.009 and a mean square of 1/3 ± 0.005.
            assert!(list.iter().all(|x| x.abs() <= 1.0) && mean.abs() < 0.04 && (square - 1.0 / 3.0).abs() < 0.02);
            let other: f64 = (0..4000).map(|v| noise(v, seed) * noise(v, seed + 1)).sum::<f64>() / 4000.0;
            assert!(other.abs() < 0.03, "seed {seed} resembles the next one: {other}");
        }
    }
}
