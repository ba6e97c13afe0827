//! D14: orthogonal resistance (V 7.5). Vertices between two held ones that are pulled apart resist leaving their line: their
//! mass counts for more, by as much as a beam between two supports would bend less there.
//!
//! A beam of length L that rests on two supports is bent by a load F at a distance A from one of them, under the load, by
//! δ = F A²(L−A)²/(3EIL) (V 7.14 leaves out the L in the denominator, V 7.15 has it: see the errata). The mass increases with 1/δ
//! (V 7.16):
//!
//! m′ = m (1 + 3 L EI/(A²(L−A)²)),  EI = 0 if the ends are nearer than at rest, else e₀ + e₂ ε².
//!
//! L and A are distances at rest, so that the mesh does not matter and stretch makes the line no softer. EI has no
//! meaning but this and the unit m³; V found about 100 in its units, with a term quadratic in the elongation ε. Only the
//! acceleration that forces give is divided, and the limiter moves heavy vertices less: weight stays weight. The ends are held exactly, where V multiplies their mass by 10⁴.

use super::{
    lines::{self, Line, LinesError},
    realignment::{RealignOptions, Realignment},
};
use crate::{
    constraints::Constraints,
    forces::grid_cells,
    system::{Beginning, System},
};
use glam::{DMat3, DVec3};
use muslin_model::Model;

/// Choices for orthogonal resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResistanceOptions {
    /// e₀: EI of a line at its length at rest [m³].
    pub stiffness: f64,
    /// e₂: EI per squared elongation [m³].
    pub growth: f64,
    /// How vertices are brought back in line; `None` leaves them.
    pub realign: Option<RealignOptions>,
}

/// Part by which the mass of a vertex increases [-], from L, A [m] and EI [m³] (V 7.16).
pub fn mass_increase(length: f64, distance: f64, stiffness: f64) -> f64 {
    3.0 * length * stiffness / (distance * (length - distance)).powi(2)
}

/// The lines of some cloths with their present state.
#[derive(Clone, Debug)]
pub struct OrthogonalResistance {
    options: ResistanceOptions,
    lines: Vec<Line>,
    /// Increase of mass of each vertex of the system [-], and those that have any.
    increase: Vec<f64>,
    heavy: Vec<u32>,
    realignment: Realignment,
}

impl OrthogonalResistance {
    /// Lays the lines between the vertices that pins hold, on cloths that are grids.
    pub fn new(model: &Model, faces: &[u32], options: ResistanceOptions, system: &System) -> Result<Self, LinesError> {
        let mut all = Vec::new();
        for grid in grid_cells::find(model, faces)? {
            all.append(&mut lines::find(model, &grid, &system.solver_from_model)?);
        }
        Ok(OrthogonalResistance {
            options,
            lines: all,
            increase: vec![0.0; system.masses.len()],
            heavy: Vec::new(),
            realignment: Realignment::default(),
        })
    }

    pub(super) fn prepare(&mut self, start: &Beginning) {
        for v in self.heavy.drain(..) {
            self.increase[v as usize] = 0.0;
        }
        self.realignment.clear(start.step);
        for line in &self.lines {
            let [Some(a), Some(e)] = line.ends.map(|end| target(start.held, end)) else { continue };
            let [x, y] = line.ends.map(|end| start.positions[end as usize]);
            let elongation = x.distance(y) / line.length - 1.0;
            if let Some(options) = self.options.realign {
                self.realignment.add(line, options, [(x, a), (y, e)], start.positions);
            }
            if elongation < 0.0 {
                continue;
            }
            let stiffness = self.options.stiffness + self.options.growth * elongation * elongation;
            for inner in line.inner.iter().filter(|_| stiffness > 0.0) {
                self.increase[inner.vertex as usize] += mass_increase(line.length, inner.from_nearer, stiffness);
                self.heavy.push(inner.vertex);
            }
        }
        self.heavy.sort_unstable();
        self.heavy.dedup();
    }

    /// Sets the inverse masses of all vertices on lines [1/kg].
    pub(super) fn weigh(&self, masses: &[f64], inverse_masses: &mut [f64]) {
        for v in self.lines.iter().flat_map(|line| &line.inner).map(|inner| inner.vertex as usize) {
            inverse_masses[v] = 1.0 / (masses[v] * (1.0 + self.increase[v]));
        }
    }

    /// Divides the accelerations of heavy vertices [m/s²] and realigns; returns the power of the change [W].
    pub(super) fn resist(
        &self,
        masses: &[f64],
        positions: &[DVec3],
        velocities: &[DVec3],
        accelerations: &mut [DVec3],
    ) -> f64 {
        let mut power = 0.0;
        for v in self.heavy.iter().map(|&v| v as usize) {
            let before = accelerations[v];
            accelerations[v] /= 1.0 + self.increase[v];
            power += masses[v] * (accelerations[v] - before).dot(velocities[v]);
        }
        power + self.realignment.pull(masses, positions, velocities, accelerations)
    }
}

/// Where a vertex is held at the end of the step [m]; `None` if it is not held in all directions.
fn target(held: &Constraints, vertex: u32) -> Option<DVec3> {
    let k = held.vertices.binary_search(&vertex).ok()?;
    (held.free[k] == DMat3::ZERO).then(|| held.targets[k])
}
