//! From a scene's plain data to a model, a system of forces and an integrator.

use crate::{
    places::grid_place,
    scene::{
        BendModel, ClothShape, ClothSpec, ObstacleShape, ObstacleSpec, PinSelect, PinSpec, Placement, Scene,
        StretchModel,
    },
    settings::{IntegratorKind, PreconditionerKind, Settings},
    simulation::SimError,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Curvature, Force, Layout, Membrane},
    integrators::{ImplicitScheme, Integrator, Newton, Tolerances},
    linear::{BlockJacobi, Preconditioner},
};
use muslin_model::{Cloth, Mesh, Model, Obstacle, Pin, shapes};

/// Builds the constant model.
pub fn model(scene: &Scene) -> Result<Model, SimError> {
    let cloths = scene.cloths.iter().map(cloth).collect::<Result<Vec<_>, _>>()?;
    let obstacles = scene.obstacles.iter().map(obstacle).collect::<Result<Vec<_>, _>>()?;
    Ok(Model::new(cloths, obstacles, scene.environment.clone())?)
}

fn cloth(spec: &ClothSpec) -> Result<Cloth, SimError> {
    let mut mesh = cloth_mesh(&spec.shape);
    let turn = DVec2::from_angle(-spec.warp_angle);
    mesh.uv.iter_mut().flatten().for_each(|p| *p = turn.rotate(*p));
    place(&mut mesh, &spec.placement);
    let pins = spec
        .pins
        .iter()
        .map(|pin| {
            let vertices = select(spec, &pin.select, &mesh)?;
            Ok(Pin { vertices, held: held_directions(pin), motion: pin.motion.clone(), release: pin.release })
        })
        .collect::<Result<_, SimError>>()?;
    perturb(&mut mesh, spec.perturbation);
    Ok(Cloth {
        name: spec.name.clone(),
        mesh,
        material: spec.material.clone(),
        pins,
        velocity: spec.velocity,
        angular_velocity: spec.angular_velocity,
    })
}

fn cloth_mesh(shape: &ClothShape) -> Mesh {
    match shape {
        ClothShape::Grid { vertices, size, triangulation } => {
            shapes::grid(vertices[0], vertices[1], *size, *triangulation)
        }
        ClothShape::Mesh(mesh) => mesh.clone(),
        _ => unimplemented!(),
    }
}

fn obstacle(spec: &ObstacleSpec) -> Result<Obstacle, SimError> {
    let mut mesh = match &spec.shape {
        ObstacleShape::Mesh(mesh) => mesh.clone(),
        _ => unimplemented!(),
    };
    place(&mut mesh, &spec.placement);
    Ok(Obstacle { name: spec.name.clone(), mesh, motion: spec.motion.clone() })
}

fn place(mesh: &mut Mesh, placement: &Placement) {
    mesh.positions.iter_mut().for_each(|p| *p = placement.apply(*p));
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

/// Moves each vertex along its surface normal by a pseudo-random amount of at most `amplitude`.
fn perturb(mesh: &mut Mesh, amplitude: f64) {
    if amplitude == 0.0 {
        return;
    }
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for tri in &mesh.triangles {
        let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
        tri.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    for (v, (p, n)) in mesh.positions.iter_mut().zip(normals).enumerate() {
        // The fractional part of multiples of the golden ratio: even, and without a seed to choose.
        let noise = 2.0 * (v as f64 * 0.618_033_988_749_894_9).fract() - 1.0;
        *p += n.normalize_or_zero() * (amplitude * noise);
    }
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

/// Builds the forces that the cloths choose.
pub fn system(scene: &Scene, model: &Model) -> System {
    System::new(model, |layout| forces(scene, model, layout))
}

fn forces(scene: &Scene, model: &Model, layout: &Layout) -> Vec<Box<dyn Force>> {
    // Faces of all cloths whose spec passes a test; one force serves them all.
    let faces = |wanted: &dyn Fn(&ClothSpec) -> bool| -> Vec<u32> {
        let chosen = scene.cloths.iter().zip(&model.bodies).filter(|(spec, _)| wanted(spec));
        chosen.flat_map(|(_, body)| body.triangles.start as u32..body.triangles.end as u32).collect()
    };
    let mut forces: Vec<Box<dyn Force>> = Vec::new();
    let membrane = faces(&|spec| spec.stretch == StretchModel::Membrane);
    if !membrane.is_empty() {
        forces.push(Box::new(Membrane::new(model, &membrane, layout)));
    }
    let curvature = faces(&|spec| spec.bend == BendModel::Curvature);
    if !curvature.is_empty() {
        forces.push(Box::new(Curvature::new(model, &curvature, layout)));
    }
    forces
}

/// Builds the integrator.
pub fn integrator(settings: &Settings, _vertices: usize) -> Box<dyn Integrator> {
    let tolerances = Tolerances {
        correction: settings.newton.correction,
        residual: settings.newton.residual,
        most_iterations: settings.newton.most_iterations,
        most_linear_iterations: settings.linear.most_iterations,
    };
    let preconditioner: Box<dyn Preconditioner> = match settings.linear.preconditioner {
        PreconditionerKind::BlockJacobi => Box::new(BlockJacobi::default()),
        _ => Box::new(BlockJacobi::default()),
    };
    let implicit = |scheme| Box::new(Newton::new(scheme, tolerances, preconditioner));
    match settings.integrator {
        IntegratorKind::BackwardEuler => implicit(ImplicitScheme::BackwardEuler),
        IntegratorKind::LinearBackwardEuler => implicit(ImplicitScheme::LinearBackwardEuler),
        IntegratorKind::Bdf2 => implicit(ImplicitScheme::Bdf2),
        _ => unimplemented!(),
    }
}
