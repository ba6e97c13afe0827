//! Responses against closed forms, conservation laws and finite differences.

mod damped_springs;
mod friction;
mod impulses;
mod repulsion;
mod repulsion_springs;
mod rigid_zones;
mod separation;
mod zones;

use glam::DVec3;
use muslin_collision::PairKind;
use muslin_contact::{
    Contact, Friction, FrictionLaws, PairKey,
    responses::{ContactResponse, Motion, Response, StepFacts},
};

/// Gap at which contacts begin [m].
const RANGE: f64 = 5e-4;

/// Numbers in −1..1 that look random (a linear congruence, Knuth's constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// A motion with all that belongs to it.
#[derive(Clone)]
struct Scene {
    start: Vec<DVec3>,
    wanted: Vec<DVec3>,
    inverse_mass: Vec<f64>,
    step: Step,
}

/// What holds for all of its contacts.
#[derive(Clone)]
struct Step {
    length: f64,
    friction: Friction,
    cloth_end: u32,
}

/// What a response made of it.
struct After {
    end: Vec<DVec3>,
    velocities: Vec<DVec3>,
    response: Response,
}

impl Scene {
    /// Positions and velocities, with steps of a length; nothing is an obstacle.
    fn new(start: Vec<DVec3>, velocities: &[DVec3], inverse_mass: Vec<f64>, length: f64) -> Self {
        let wanted = start.iter().zip(velocities).map(|(x, v)| *x + *v * length).collect();
        let friction = Friction::coulomb(0.0, 0.0);
        Scene { start, wanted, inverse_mass, step: Step { length, friction, cloth_end: u32::MAX } }
    }

    fn velocities(&self) -> Vec<DVec3> {
        self.start.iter().zip(&self.wanted).map(|(s, w)| (*w - *s) / self.step.length).collect()
    }

    fn respond(&self, response: &mut dyn ContactResponse, contacts: &[Contact]) -> After {
        let wanted_velocities = self.velocities();
        let laws = FrictionLaws::of_scene(&self.step.friction, self.step.cloth_end);
        let (mut end, mut velocities) = (self.wanted.clone(), wanted_velocities.clone());
        let response = response.respond(
            &mut Motion {
                start: &self.start,
                wanted: &self.wanted,
                wanted_velocities: &wanted_velocities,
                end: &mut end,
                velocities: &mut velocities,
                inverse_mass: &self.inverse_mass,
                step: StepFacts { length: self.step.length, friction: &laws },
            },
            contacts,
        );
        After { end, velocities, response }
    }

    /// Momentum of the vertices that can move [kg·m/s].
    fn momentum(&self, velocities: &[DVec3]) -> DVec3 {
        self.free().map(|(v, mass)| velocities[v] * mass).sum()
    }

    /// Angular momentum about the origin [kg·m²/s].
    fn angular_momentum(&self, positions: &[DVec3], velocities: &[DVec3]) -> DVec3 {
        self.free().map(|(v, mass)| positions[v].cross(velocities[v]) * mass).sum()
    }

    /// Kinetic energy [J].
    fn energy(&self, velocities: &[DVec3]) -> f64 {
        self.free().map(|(v, mass)| 0.5 * mass * velocities[v].length_squared()).sum()
    }

    fn free(&self) -> impl Iterator<Item = (usize, f64)> {
        self.inverse_mass.iter().enumerate().filter(|(_, i)| **i > 0.0).map(|(v, i)| (v, 1.0 / i))
    }
}

/// A contact of a vertex with a face at given weights.
fn vertex_face(vertices: [u32; 4], face_weights: [f64; 3], normal: DVec3) -> Contact {
    let [a, b, c] = face_weights;
    let key = PairKey::new(PairKind::VertexFace, vertices[0], vertices[1]);
    Contact { key, vertices, weights: [1.0, -a, -b, -c], normal, time: 0.5, range: RANGE }
}

/// A contact of two edges at given parameters.
fn edge_edge(vertices: [u32; 4], along: [f64; 2], normal: DVec3) -> Contact {
    let [a, b] = along;
    let key = PairKey::new(PairKind::EdgeEdge, vertices[0], vertices[2]);
    Contact { key, vertices, weights: [1.0 - a, a, b - 1.0, -b], normal, time: 0.5, range: RANGE }
}

/// A face in the plane z = 0 and a vertex over its middle, at a gap.
fn over_a_face(gap: f64) -> Vec<DVec3> {
    let corners = [DVec3::new(0.01, 0.0, 0.0), DVec3::new(-0.005, 0.01, 0.0), DVec3::new(-0.005, -0.01, 0.0)];
    let mut positions = vec![corners.iter().sum::<DVec3>() / 3.0 + DVec3::Z * gap];
    positions.extend(corners);
    positions
}

/// The contact of [`over_a_face`].
fn middle_contact() -> Contact {
    vertex_face([0, 1, 2, 3], [1.0 / 3.0; 3], DVec3::Z)
}
