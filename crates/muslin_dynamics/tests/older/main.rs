//! The older mechanisms of the mass-spring grid (D12–D15) against closed forms, beam theory and the numbers of the thesis.

mod compression;
mod curve;
mod resistance;
#[path = "../common/sheet.rs"]
#[allow(dead_code)]
mod sheet;
mod transfer;
mod wrinkles;

use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    Constraints, System,
    forces::{Force, Layout},
    integrators::{Integrator, Phase, StepInput, SymplecticEuler},
};
use muslin_model::{Environment, Hold, Material, Model, Pin, PinMotion, shapes::Triangulation, shapes::grid};

/// A flat cloth of equal particles of a mass [kg], with edges of 1 m, in a gravity [m/s²].
pub fn particles(vertices: [usize; 2], mass: f64, gravity: DVec3) -> Model {
    let size = DVec2::new(vertices[0] as f64 - 1.0, vertices[1] as f64 - 1.0);
    let mesh = grid(vertices[0], vertices[1], size, Triangulation::Alternating).expect("a valid grid");
    let mut model = sheet::model_in(mesh, Material::woven_cotton(), Environment { gravity, ..Environment::default() });
    model.masses.fill(mass);
    model
}

/// All faces of a model.
pub fn faces(model: &Model) -> Vec<u32> {
    (0..model.mesh.triangles.len() as u32).collect()
}

/// Pins that hold vertices where they start.
pub fn pin(model: &mut Model, vertices: &[u32]) {
    let pin = Pin {
        vertices: vertices.to_vec(),
        held: DMat3::IDENTITY,
        hold: Hold::Exact,
        motion: PinMotion::Fixed,
        release: f64::INFINITY,
    };
    model.pins.push(pin);
}

/// Vertices of the model held at their places [m].
pub fn hold(system: &System, places: &[(u32, DVec3)]) -> Constraints {
    let mut list: Vec<(u32, DVec3)> = places.iter().map(|&(v, x)| (system.solver_from_model[v as usize], x)).collect();
    list.sort_by_key(|(v, _)| *v);
    Constraints {
        vertices: list.iter().map(|(v, _)| *v).collect(),
        free: vec![DMat3::ZERO; list.len()],
        targets: list.iter().map(|(_, x)| *x).collect(),
        velocities: Vec::new(),
    }
}

/// A system of some forces.
pub fn system(model: &Model, build: impl FnOnce(&Layout) -> Vec<Box<dyn Force>>) -> System {
    System::new(model, build)
}

/// A cloth on its way, in the model's numbering.
pub struct Motion {
    /// [m]
    pub positions: Vec<DVec3>,
    /// [m/s]
    pub velocities: Vec<DVec3>,
}

/// Takes one step of symplectic Euler.
pub fn step(system: &mut System, motion: &mut Motion, held: &Constraints, step: f64) {
    let mut phase = Phase::default();
    system.gather(&motion.positions, &mut phase.positions);
    system.gather(&motion.velocities, &mut phase.velocities);
    phase.previous_positions.clone_from(&phase.positions);
    phase.previous_velocities.clone_from(&phase.velocities);
    system.prepare(&muslin_dynamics::Beginning { step, positions: &phase.positions, held });
    let input = StepInput { time: 0.0, step, constraints: held };
    SymplecticEuler::default().step(system, &mut phase, &input).expect("a finite step");
    system.scatter(&phase.positions, &mut motion.positions);
    system.scatter(&phase.velocities, &mut motion.velocities);
}
