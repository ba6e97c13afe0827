//! D12: force transfer (V 7.2.4). A vertex A that an outside force would carry too far within a step shares the excess
//! with the vertices in a cone in front of it, as repulsion would have done in shorter steps.
//!
//! Too far is half an edge (`reach`), which takes the force c = m · reach · l/h². With F the force on A, n its direction
//! and excess = |F| − c, the cone has cos θ = 0.9^(excess/c). A vertex B in it is to get (l/|AB|) cos θ_B · excess along n,
//! less what already drives it that way.
//!
//! Where V's algorithm 7.11 is not followed, with the reasons in the errata:
//! * cos θ_B is that of unit vectors, and what B gets is taken from A. The shares can add up to more than the excess;
//!   then all are scaled to it, so that A keeps c.
//! * V's c holds for a vertex at rest. One that moves goes h v + h²F/m, so F here is F + m(v − v̄)/h, with v̄ the mean velocity of
//!   its cloth: a cloth that flies as a whole crosses nothing. Without it A goes through B in the second step of a strike.
//! * l is the length of an edge, not the distance of A and B at rest, for "inversely proportional to the distance".
//! * All shares come from the forces before any transfer, so that the order of vertices does not matter.

use crate::{
    forces::{GridError, grid_cells},
    system::{Beginning, System},
};
use glam::{DMat3, DVec3};
use muslin_model::Model;

/// Base of the cone's opening [-]: V's (1 − 0.1).
const CONE_BASE: f64 = 0.9;

/// Choices for force transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferOptions {
    /// Way within a step beyond which a force is excessive, in edges [-].
    pub reach: f64,
}

/// cos θ of the cone for an excess in units of c [-].
pub fn cone(excess: f64) -> f64 {
    CONE_BASE.powf(excess)
}

/// One cloth with the mechanism.
#[derive(Clone, Debug)]
struct Sharers {
    /// The solver's vertices.
    vertices: Vec<u32>,
    /// Shortest edge at rest [m].
    edge: f64,
    reach: f64,
}

/// The mechanism with its work arrays.
#[derive(Clone, Debug, Default)]
pub struct ForceTransfer {
    cloths: Vec<Sharers>,
    step: f64,
    held: Vec<bool>,
    external: Vec<DVec3>,
    change: Vec<DVec3>,
    /// Vertices in the cone with their shares [N].
    shares: Vec<(u32, f64)>,
    /// Vertices that shared an excess in the last evaluation.
    shared: usize,
}

impl ForceTransfer {
    /// Adds cloths that are grids, given by all their faces.
    pub fn add(
        &mut self,
        model: &Model,
        faces: &[u32],
        options: TransferOptions,
        system: &System,
    ) -> Result<(), GridError> {
        for grid in grid_cells::find(model, faces)? {
            let vertices = grid.vertices().map(|v| system.solver_from_model[v]).collect();
            self.cloths.push(Sharers { vertices, edge: grid.shortest_edge(), reach: options.reach });
        }
        self.held = vec![false; system.masses.len()];
        self.external = vec![DVec3::ZERO; system.masses.len()];
        self.change = vec![DVec3::ZERO; system.masses.len()];
        Ok(())
    }

    /// Vertices that shared an excess when forces were asked for last.
    pub fn shared(&self) -> usize {
        self.shared
    }

    pub(super) fn prepare(&mut self, start: &Beginning) {
        self.step = start.step;
        self.held.fill(false);
        for (&v, &free) in start.held.vertices.iter().zip(&start.held.free) {
            self.held[v as usize] = free == DMat3::ZERO;
        }
    }

    /// Shares what is excessive among all forces [N]; returns the power of the change [W].
    pub(super) fn share(
        &mut self,
        system: &System,
        positions: &[DVec3],
        velocities: &[DVec3],
        forces: &mut [DVec3],
    ) -> f64 {
        self.shared = 0;
        let mut external = std::mem::take(&mut self.external);
        system.external_force(positions, velocities, &mut external);
        let cloths = std::mem::take(&mut self.cloths);
        for cloth in &cloths {
            // V keeps a list of the vertices whose outside force alone is excessive, and looks at all forces later.
            let limit = |v: u32| system.masses[v as usize] * cloth.reach * cloth.edge / (self.step * self.step);
            let excessive = |v: &u32| external[*v as usize].length() > limit(*v) && !self.held[*v as usize];
            if !cloth.vertices.iter().any(excessive) {
                continue;
            }
            let mass: f64 = cloth.vertices.iter().map(|&v| system.masses[v as usize]).sum();
            let momentum: DVec3 =
                cloth.vertices.iter().map(|&v| velocities[v as usize] * system.masses[v as usize]).sum();
            let drift = momentum / mass;
            // The force that would carry a vertex as far within the step if it were at rest in its cloth.
            let inertia = |v: usize| (velocities[v] - drift) * (system.masses[v] / self.step);
            let effective = |v: u32| forces[v as usize] + inertia(v as usize);
            for &a in cloth.vertices.iter().filter(|v| excessive(v)) {
                let (force, c) = (effective(a), limit(a));
                let excess = force.length() - c;
                if !(excess > 0.0) {
                    continue;
                }
                let n = force.normalize();
                let widest = cone(excess / c);
                self.shares.clear();
                for &b in cloth.vertices.iter().filter(|&&b| b != a && !self.held[b as usize]) {
                    let way = positions[b as usize] - positions[a as usize];
                    let (distance, along) = (way.length(), way.dot(n));
                    if !(distance > 0.0) || along <= widest * distance {
                        continue;
                    }
                    let share = cloth.edge / distance * (along / distance) * excess - effective(b).dot(n);
                    if share > 0.0 {
                        self.shares.push((b, share));
                    }
                }
                let total: f64 = self.shares.iter().map(|(_, share)| share).sum();
                if total == 0.0 {
                    continue;
                }
                let scale = (excess / total).min(1.0);
                for &(b, share) in &self.shares {
                    self.change[b as usize] += n * (share * scale);
                    self.change[a as usize] -= n * (share * scale);
                }
                self.shared += 1;
            }
        }
        self.external = external;
        let mut power = 0.0;
        if self.shared > 0 {
            for &v in cloths.iter().flat_map(|cloth| &cloth.vertices) {
                let change = std::mem::take(&mut self.change[v as usize]);
                power += change.dot(velocities[v as usize]);
                forces[v as usize] += change;
            }
        }
        self.cloths = cloths;
        power
    }
}
