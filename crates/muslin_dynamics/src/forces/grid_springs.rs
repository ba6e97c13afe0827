//! D1: the mass–spring grid of V 4.1 and A 3.2 — structural springs between neighbours, shear springs on both
//! diagonals of each cell, flexion springs over two cells.
//!
//! # From a fabric to spring constants
//! In a cell of sides a × b with diagonals d the springs of uniform strain make an orthotropic sheet with
//! C₁₁ = K₁ + G a²/b², C₂₂ = K₂ + G b²/a², C₁₂ = C₃₃ = G, where K₁ b/a and K₂ a/b are the structural constants
//! of the cell (half of each on either side) and G d²/(2ab) the constant of each diagonal. C₁₂ = C₃₃ is
//! Cauchy's relation: springs cannot have a Poisson's ratio of their own. G is the fabric's shear stiffness;
//! K₁ and K₂ follow from its uniaxial stiffnesses, Y₁ = C₁₁ − C₁₂²/C₂₂. A strip along the grid is then exact
//! at small strain. In cells so long that a diagonal alone is too stiff, K is 0.
//!
//! Flexion springs match the fabric's bending at one angle only; see [`super::REFERENCE_BEND`].
//!
//! V and A give constants instead; V's tables 7.1 and 7.3 are [`super::thesis`].

use super::{
    Layout,
    drag::critical_damping,
    grid_cells::{self, Cell, Grid, GridError},
    springs::{Resistance, Spring, Springs},
    springs_mesh::{REFERENCE_BEND, modulus_along, rigidity_along},
};
use glam::DVec2;
use muslin_model::Model;

/// Where the constants of grid springs come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GridStiffness {
    /// From the fabric.
    Material,
    /// The same for all springs of a kind, as the papers have it.
    Given {
        /// Between neighbours [N/m].
        structural: f64,
        /// On the diagonals [N/m].
        shear: f64,
        /// Over two cells [N/m].
        flexion: f64,
    },
}

/// What damps grid springs along their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridDamping {
    /// The fabric's viscosities.
    Material,
    /// √(4mk) of each spring (V 7.1), with m the mean mass of its ends. V applies it to the velocity of each
    /// node, which also brakes falling; for that see [`super::Drag`].
    Critical,
}

/// Choices for a spring grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridOptions {
    /// Constants.
    pub stiffness: GridStiffness,
    /// Dashpots.
    pub damping: GridDamping,
}

impl Springs {
    /// Structural and shear springs of cloths that are grids.
    pub fn on_grid(model: &Model, faces: &[u32], options: GridOptions, layout: &Layout) -> Result<Self, GridError> {
        let mut springs = Vec::new();
        for grid in grid_cells::find(model, faces)? {
            add_grid(&grid, options.stiffness, &mut springs);
        }
        finish(model, &mut springs, options.damping);
        Ok(Springs::new("grid-springs", &springs, Resistance::Both, layout))
    }

    /// Flexion springs of cloths that are grids.
    pub fn grid_flexion(
        model: &Model,
        faces: &[u32],
        options: GridOptions,
        layout: &Layout,
    ) -> Result<Self, GridError> {
        let mut springs = Vec::new();
        for grid in grid_cells::find(model, faces)? {
            add_flexion(&grid, options.stiffness, &mut springs);
        }
        finish(model, &mut springs, options.damping);
        Ok(Springs::new("grid-flexion", &springs, Resistance::Both, layout))
    }
}

fn finish(model: &Model, springs: &mut [Spring], damping: GridDamping) {
    if damping == GridDamping::Critical {
        for spring in springs {
            let [a, b] = spring.ends.map(|v| model.masses[v as usize]);
            spring.viscosity = critical_damping(0.5 * (a + b), spring.stiffness);
        }
    }
}

fn add_grid(grid: &Grid, stiffness: GridStiffness, springs: &mut Vec<Spring>) {
    let [nx, ny] = grid.size;
    let spring = |(i, j): (usize, usize), (k, l): (usize, usize)| Spring {
        ends: [grid.vertex(i, j), grid.vertex(k, l)],
        rest_length: grid.uv(i, j).distance(grid.uv(k, l)),
        stiffness: 0.0,
        viscosity: 0.0,
    };
    // First the springs along i, then along j, then the diagonals of each cell.
    let first = springs.len();
    let along_i = |i: usize, j: usize| first + i * ny + j;
    let along_j = |i: usize, j: usize| first + (nx - 1) * ny + i * (ny - 1) + j;
    (0..nx - 1).for_each(|i| (0..ny).for_each(|j| springs.push(spring((i, j), (i + 1, j)))));
    (0..nx).for_each(|i| (0..ny - 1).for_each(|j| springs.push(spring((i, j), (i, j + 1)))));
    for i in 0..nx - 1 {
        for j in 0..ny - 1 {
            let constants = CellConstants::new(&grid.cell(i, j));
            let sides = [along_i(i, j), along_i(i, j + 1), along_j(i, j), along_j(i + 1, j)];
            for (k, side) in sides.into_iter().enumerate() {
                springs[side].stiffness += 0.5 * constants.structural[k / 2];
                springs[side].viscosity += 0.5 * constants.structural_viscosity[k / 2];
            }
            for ends in [((i, j), (i + 1, j + 1)), ((i + 1, j), (i, j + 1))] {
                springs.push(Spring {
                    stiffness: constants.shear,
                    viscosity: constants.shear_viscosity,
                    ..spring(ends.0, ends.1)
                });
            }
        }
    }
    if let GridStiffness::Given { structural, shear, .. } = stiffness {
        let diagonals = along_j(nx - 1, ny - 1);
        springs[first..diagonals].iter_mut().for_each(|s| s.stiffness = structural);
        springs[diagonals..].iter_mut().for_each(|s| s.stiffness = shear);
    }
}

/// Spring constants of one cell: structural along i and j, and of each diagonal.
struct CellConstants {
    structural: [f64; 2],
    structural_viscosity: [f64; 2],
    shear: f64,
    shear_viscosity: f64,
}

impl CellConstants {
    fn new(cell: &Cell) -> Self {
        let [a, b] = cell.sides.map(|s| s.length());
        let axes = cell.sides.map(|s| s.normalize());
        let [y1, y2] =
            axes.map(|axis| cell.mean(|m| modulus_along(m.stretch_warp, m.stretch_weft, m.shear, m.poisson, axis)));
        let [n1, n2] =
            axes.map(|axis| cell.mean(|m| modulus_along(m.damping_warp, m.damping_weft, m.damping_shear, 0.0, axis)));
        let shear = cell.mean(|m| shear_in_axes(m.stretch_warp, m.stretch_weft, m.shear, m.poisson, axes[0]));
        let viscosity = cell.mean(|m| shear_in_axes(m.damping_warp, m.damping_weft, m.damping_shear, 0.0, axes[0]));
        let [c1, c2] = uniaxial_to_plane(y1, y2, shear);
        let diagonal = (a * a + b * b) / (2.0 * a * b);
        let (wide, tall) = (b / a, a / b);
        CellConstants {
            structural: [(c1 - shear * tall * tall).max(0.0) * wide, (c2 - shear * wide * wide).max(0.0) * tall],
            structural_viscosity: [
                (n1 - viscosity * tall * tall).max(0.0) * wide,
                (n2 - viscosity * wide * wide).max(0.0) * tall,
            ],
            shear: shear * diagonal,
            shear_viscosity: viscosity * diagonal,
        }
    }
}

/// C₁₁ and C₂₂ of a sheet with the uniaxial stiffnesses y₁, y₂ and C₁₂ given.
fn uniaxial_to_plane(y1: f64, y2: f64, c12: f64) -> [f64; 2] {
    if y1 == 0.0 || y2 == 0.0 {
        return [y1, y2];
    }
    // C₁₁C₂₂ − C₁₂² = y₁C₂₂ = y₂C₁₁.
    let c2 = 0.5 * (y2 + (y2 * y2 + 4.0 * c12 * c12 * y2 / y1).sqrt());
    [c2 * y1 / y2, c2]
}

/// Shear modulus of an orthotropic sheet between a unit vector of material coordinates and its normal [N/m].
fn shear_in_axes(warp: f64, weft: f64, shear: f64, poisson: f64, axis: DVec2) -> f64 {
    let (mixed, aligned) = (4.0 * (axis.x * axis.y).powi(2), (axis.x * axis.x - axis.y * axis.y).powi(2));
    let term = |weight: f64, modulus: f64| if weight == 0.0 { 0.0 } else { weight / modulus };
    let compliance = term(mixed, warp)
        + term(mixed, weft)
        + term(2.0 * poisson * mixed, (warp * weft).sqrt())
        + term(aligned, shear);
    if compliance > 0.0 { 1.0 / compliance } else { 0.0 }
}

fn add_flexion(grid: &Grid, stiffness: GridStiffness, springs: &mut Vec<Spring>) {
    let [nx, ny] = grid.size;
    for (axis, [di, dj]) in [[1, 0], [0, 1]].into_iter().enumerate() {
        for i in di..nx - di {
            for j in dj..ny - dj {
                let [before, at, after] = [grid.uv(i - di, j - dj), grid.uv(i, j), grid.uv(i + di, j + dj)];
                let (h1, h2, length) = (at.distance(before), after.distance(at), after.distance(before));
                let cells = grid.cells_around(i, j);
                // Two cells side by side in the middle, one at a border: half a side of each counts.
                let sides = 0.5 * cells.len() as f64;
                let direction = (after - before) / length;
                let mean = |value: &dyn Fn(&Cell) -> f64| cells.iter().map(value).sum::<f64>() / cells.len() as f64;
                let width = 0.5 * sides * mean(&|c| c.sides[1 - axis].length());
                let weight = width / (0.5 * (h1 + h2));
                let scale = weight / (h1 * h2 / (2.0 * length) * REFERENCE_BEND).powi(2);
                let rigidity = mean(&|c| c.mean(|m| rigidity_along(m, direction)));
                let viscosity = mean(&|c| c.mean(|m| m.damping_bend));
                springs.push(Spring {
                    ends: [grid.vertex(i - di, j - dj), grid.vertex(i + di, j + dj)],
                    rest_length: length,
                    stiffness: match stiffness {
                        GridStiffness::Material => rigidity * scale,
                        GridStiffness::Given { flexion, .. } => flexion,
                    },
                    // See `Springs::across_hinges` for the quarter.
                    viscosity: viscosity * scale / 4.0,
                });
            }
        }
    }
}
