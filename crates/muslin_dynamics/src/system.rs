//! The cloth as the solver sees it.

use crate::{
    constraints::Constraints,
    domains::{Domains, VertexPart},
    energy::Powers,
    forces::{Account, Effort, Force, HessianKind, Layout},
    grips::FOLLOWED,
    linear::{BlockMatrix, Pattern},
    mechanisms::Mechanisms,
    ordering::solver_order,
    supports::Supports,
};
use glam::{DMat3, DVec3};
use muslin_model::{Crease, Model};
use std::sync::Arc;

/// What an implicit step knows of the past: v = (x − reference)/τ, with the reference and past strains
/// combined from the last two states by the same weights.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Positions at the start of the step [m].
    pub start: &'a [DVec3],
    /// Positions one step earlier [m].
    pub before: &'a [DVec3],
    /// Weight of `start` in the reference; the weight of `before` is one minus it [-].
    pub start_weight: f64,
    /// τ, the time that turns x − reference into a velocity [s].
    pub tau: f64,
    /// Time at the end of the step [s].
    pub time_end: f64,
}

impl Past<'_> {
    /// Combines a quantity's values at the start of the step and one step earlier.
    #[inline]
    pub fn combine<T>(&self, start: T, before: T) -> T
    where
        T: std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        start * self.start_weight + before * (1.0 - self.start_weight)
    }

    /// Whether the step before matters at all (it does not in backward Euler).
    #[inline]
    pub fn two_steps(&self) -> bool {
        self.start_weight != 1.0
    }
}

/// Where a step begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// Length of the step [s].
    pub step: f64,
    /// Positions at its start [m].
    pub positions: &'a [DVec3],
    /// Held vertices.
    pub held: &'a Constraints,
}

/// Standard acceleration of gravity [m/s²].
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// Cloth vertices in the solver's own order, their masses and the forces on them.
pub struct System {
    /// The model's vertex behind each of the solver's.
    pub model_from_solver: Vec<u32>,
    /// The solver's vertex for each cloth vertex of the model.
    pub solver_from_model: Vec<u32>,
    /// Mass of each vertex [kg].
    pub masses: Vec<f64>,
    /// Gravitational acceleration [m/s²].
    pub gravity: DVec3,
    /// Mean edge length, the unit of the correction's tolerance [m].
    pub edge_length: f64,
    /// Vertex ranges for parallel assembly.
    pub domains: Domains,
    /// All forces but gravity.
    pub forces: Vec<Box<dyn Force>>,
    /// What changes the accelerations of explicit steps.
    pub mechanisms: Mechanisms,
    /// What holds the cloth off in the step under way; implicit schemes heed it.
    pub supports: Supports,
    /// Forces on single vertices in the step under way; the scheme of Baraff and Witkin heeds them.
    pub pushes: Vec<Push>,
    /// The matrix's pattern.
    pub pattern: Arc<Pattern>,
}

/// A force on a vertex that falls with its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The solver's vertex.
    pub vertex: u32,
    /// The force on what moves with the carrier [N].
    pub force: DVec3,
    /// How it falls with the velocity against the carrier [N·s/m]; symmetric, no negative eigenvalue.
    pub drag: DMat3,
    /// Velocity of the carrier [m/s].
    pub carrier: DVec3,
}

impl Push {
    /// The force at a velocity [m/s] of the vertex [N].
    pub fn at(&self, velocity: DVec3) -> DVec3 {
        self.force - self.drag * (velocity - self.carrier)
    }
}

impl System {
    /// Numbers the cloth's vertices, lets `build` make the forces and binds them to the matrix's pattern.
    pub fn new(model: &Model, build: impl FnOnce(&Layout) -> Vec<Box<dyn Force>>) -> Self {
        let count = model.cloth_vertices().len();
        let triangles = &model.mesh.triangles[model.cloth_triangles()];
        let model_from_solver = solver_order(count, triangles);
        let mut solver_from_model = vec![0; count];
        model_from_solver.iter().enumerate().for_each(|(s, &m)| solver_from_model[m as usize] = s as u32);
        let domains = Domains::new(count);
        let mut forces = build(&Layout { solver_from_model: &solver_from_model, domains: &domains });
        let stencils = forces.iter().flat_map(|force| {
            let elements = force.elements();
            (0..elements.crossing.end).map(|e| force.stencil(e))
        });
        let pattern = Arc::new(Pattern::new(domains.clone(), stencils));
        forces.iter_mut().for_each(|force| force.bind(&pattern));
        System {
            masses: model_from_solver.iter().map(|&v| model.masses[v as usize]).collect(),
            gravity: model.environment.gravity,
            edge_length: model.mesh.mean_edge_length_of(model.cloth_triangles()),
            model_from_solver,
            solver_from_model,
            domains,
            forces,
            mechanisms: Mechanisms::default(),
            supports: Supports::default(),
            pushes: Vec::new(),
            pattern,
        }
    }

    /// Copies a per-vertex array of the model into the solver's order.
    pub fn gather(&self, model_values: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.model_from_solver.iter().map(|&v| model_values[v as usize]));
    }

    /// Copies a per-vertex array of the solver back into the model's order.
    pub fn scatter(&self, solver_values: &[DVec3], out: &mut [DVec3]) {
        for (&v, &value) in self.model_from_solver.iter().zip(solver_values) {
            out[v as usize] = value;
        }
    }

    /// Mean weight of a vertex, the unit of residuals [N]; without gravity, its weight on Earth.
    pub fn mean_weight(&self) -> f64 {
        let g = self.gravity.length();
        let mean_mass = self.masses.iter().sum::<f64>() / self.masses.len() as f64;
        mean_mass * if g > 0.0 { g } else { STANDARD_GRAVITY }
    }

    /// Elastic energy of all forces [J].
    pub fn elastic_energy(&self, positions: &[DVec3]) -> f64 {
        self.elastic_energies(positions).map(|(_, energy)| energy).sum()
    }

    /// Elastic energy of each force, with its name [J].
    pub fn elastic_energies<'a>(&'a self, positions: &'a [DVec3]) -> impl Iterator<Item = (&'static str, f64)> + 'a {
        self.forces.iter().map(|force| {
            let elements = force.elements();
            let ranges = elements.all();
            (force.name(), ranges.map(|r| force.energy(r.clone(), positions)).sum())
        })
    }

    /// Tells all forces the time that [`System::force`] is asked for next [s].
    pub fn set_time(&mut self, time: f64) {
        self.forces.iter_mut().for_each(|force| force.set_time(time));
    }

    /// Tells forces and mechanisms where a step begins.
    pub fn prepare(&mut self, start: &Beginning) {
        self.forces.iter_mut().for_each(|force| force.prepare(start));
        self.mechanisms.prepare(start);
    }

    /// Sets `out` to the force on each vertex that comes from outside of the cloth, gravity included [N].
    pub fn external_force(&self, positions: &[DVec3], velocities: &[DVec3], out: &mut [DVec3]) {
        for (f, m) in out.iter_mut().zip(&self.masses) {
            *f = self.gravity * *m;
        }
        for force in self.forces.iter().filter(|force| force.is_external()) {
            let add = |range, part: &mut VertexPart| force.add_force(range, positions, velocities, part);
            self.domains.accumulate(force.elements(), out, add);
        }
    }

    /// Sets `out` to the true force on each vertex, gravity included [N]; returns the powers of what is not
    /// conservative.
    pub fn force(&self, positions: &[DVec3], velocities: &[DVec3], out: &mut [DVec3]) -> Powers {
        let mut powers = Powers::default();
        for (f, m) in out.iter_mut().zip(&self.masses) {
            *f = self.gravity * *m;
        }
        for force in &self.forces {
            let add = |range, part: &mut VertexPart| force.add_force(range, positions, velocities, part);
            powers.add(force.account(), self.domains.accumulate(force.elements(), out, add));
        }
        powers
    }

    /// Adds ∂(U + D)/∂x of all forces but gravity to `out` [N] and returns U + D [J] with the powers of D.
    pub fn add_gradient(&self, positions: &[DVec3], out: &mut [DVec3]) -> (f64, Powers) {
        let (mut potential, mut powers) = (0.0, Powers::default());
        for force in &self.forces {
            force.look_at(positions);
            let add = |range, part: &mut VertexPart| force.add_gradient(range, positions, part);
            let effort: Effort = self.domains.accumulate(force.elements(), out, add);
            potential += effort.potential;
            powers.add(force.account(), effort.power);
        }
        let (held, power) = self.supports.add_gradient(positions, out);
        powers.add(Account::Contact, power);
        (potential + held, powers)
    }

    /// Adds ∂²(U + D)/∂x² of all forces to a matrix [N/m].
    pub fn add_hessian(&self, positions: &[DVec3], kind: HessianKind, matrix: &mut BlockMatrix) {
        for force in &self.forces {
            matrix.accumulate(force.elements(), |range, part| force.add_hessian(range, positions, kind, part));
        }
        self.supports.add_hessian(positions, matrix);
    }

    /// Lets the friction of supports follow speeds and loads at some positions [m]; says whether contacts went over from
    /// sticking to sliding or back, or friction changed by more than [`FOLLOWED`] for the sake of speeds.
    pub fn regrip(&mut self, positions: &[DVec3]) -> bool {
        if self.supports.grips.list.is_empty() {
            return false;
        }
        let loads: Vec<f64> = self.supports.list.iter().map(|support| support.reaction(positions).normal).collect();
        let followed = self.supports.follow_speeds(positions, &self.masses, |k| loads[k]);
        self.supports.change_holds(positions, |k| loads[k], |_, _| ()) || followed > FOLLOWED
    }

    /// Tells all forces where the cloth was [m] and how it moves on [m]; see [`Force::carry`].
    pub fn carry(&mut self, positions: &[DVec3], motion: &[DVec3]) {
        self.forces.iter_mut().for_each(|force| force.carry(positions, motion));
    }

    /// The memories of cloth that was never bent and then brought to some positions [m].
    pub fn first_creases(&mut self, positions: &[DVec3]) -> Vec<Crease> {
        let none = Crease { angle: 0.0, rest: 0.0, friction: 0.0, way: 0.0, turn: 0.0, open: 0.0, fresh: 1.0 };
        let mut creases = vec![none; self.forces.iter().map(|force| force.crease_count()).sum()];
        split_creases(&mut self.forces, &mut creases, |force, part| force.untouched(part));
        self.recall(&creases);
        self.remember(positions, &mut creases);
        creases
    }

    /// Brings the memories of other fabrics within what these allow.
    pub fn admit(&mut self, creases: &mut [Crease]) {
        split_creases(&mut self.forces, creases, |force, part| force.admit(part));
    }

    /// Takes up the memories of a state.
    pub fn recall(&mut self, creases: &[Crease]) {
        let mut rest = creases;
        for force in &mut self.forces {
            let (part, others) = rest.split_at(force.crease_count());
            force.recall(part);
            rest = others;
        }
    }

    /// Commits positions in the solver's order [m] to memory; returns the stored energy that new rest shapes let go [J].
    pub fn remember(&mut self, positions: &[DVec3], creases: &mut [Crease]) -> f64 {
        let mut released = 0.0;
        split_creases(&mut self.forces, creases, |force, part| released += force.remember(positions, part));
        released
    }

    /// Tells all forces about the step that begins.
    pub fn begin_step(&mut self, past: &Past) {
        self.forces.iter_mut().for_each(|force| force.begin_step(past));
    }
}

/// Hands each force its own memories.
fn split_creases(
    forces: &mut [Box<dyn Force>],
    creases: &mut [Crease],
    mut body: impl FnMut(&mut dyn Force, &mut [Crease]),
) {
    let mut rest = creases;
    for force in forces {
        let (part, others) = rest.split_at_mut(force.crease_count());
        body(force.as_mut(), part);
        rest = others;
    }
}
