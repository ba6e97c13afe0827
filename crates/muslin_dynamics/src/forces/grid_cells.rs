//! Cloths that are rectangular grids, found by their numbering: vertex i·ny + j, one pair of triangles per
//! cell (see [`muslin_model::shapes::grid`]). The mass–spring systems of V and A exist on such grids only.

use glam::DVec2;
use muslin_model::{Body, BodyKind, FaceMaterial, Model};

/// Why grid springs cannot be made of a cloth.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// The mesh is no grid.
    #[error(
        "`{body}`: triangle {triangle} does not fit a rectangular grid; grid springs need a cloth of shape `grid`: choose that, or edge springs, which work on any mesh"
    )]
    NotAGrid {
        /// Name of the cloth.
        body: String,
        /// The first triangle, counted within the cloth, that does not fit.
        triangle: usize,
    },
    /// Lines of the grid are not straight at rest.
    #[error(
        "`{body}`: the grid lines through vertex {vertex} are not straight at rest; angular springs, `curve` and `wrinkle_memory` need a regular grid: choose the triangulation `right-diagonal` or `alternating`, or leave them out"
    )]
    Crooked {
        /// Name of the cloth.
        body: String,
        /// The vertex, counted within the cloth.
        vertex: usize,
    },
    /// Only some faces of a cloth were asked for.
    #[error("`{body}`: grid springs need all {faces} faces of the cloth, but {given} were given")]
    PartOfACloth {
        /// Name of the cloth.
        body: String,
        /// Faces of the cloth.
        faces: usize,
        /// Faces given.
        given: usize,
    },
}

/// One grid.
pub(crate) struct Grid<'a> {
    model: &'a Model,
    body: &'a Body,
    /// Vertices along the two sides.
    pub size: [usize; 2],
    /// Material coordinates of the vertices [m].
    uv: Vec<DVec2>,
}

/// Grid lines count as straight when their sides turn by less than this [rad]: far above round-off, far
/// below a bend that anyone could see.
const STRAIGHT: f64 = 1e-6;

/// Rest shape and fabric of one cell.
pub(crate) struct Cell {
    /// Mean sides along i and j in material coordinates [m].
    pub sides: [DVec2; 2],
    /// The fabric of its two triangles.
    pub materials: [FaceMaterial; 2],
}

impl Cell {
    /// Mean of a value over the two triangles.
    pub fn mean(&self, value: impl Fn(&FaceMaterial) -> f64) -> f64 {
        0.5 * (value(&self.materials[0]) + value(&self.materials[1]))
    }
}

/// The grids that some faces of the model make up.
pub(crate) fn find<'a>(model: &'a Model, faces: &[u32]) -> Result<Vec<Grid<'a>>, GridError> {
    let mut grids = Vec::new();
    for body in model.bodies.iter().filter(|b| b.kind == BodyKind::Cloth) {
        let given = faces.iter().filter(|&&f| body.triangles.contains(&(f as usize))).count();
        if given == 0 {
            continue;
        }
        if given != body.triangles.len() {
            let (body, faces) = (body.name.clone(), body.triangles.len());
            return Err(GridError::PartOfACloth { body, faces, given });
        }
        grids.push(Grid::new(model, body)?);
    }
    Ok(grids)
}

/// Checks that all lines of some grids are straight at rest.
pub(crate) fn check_lines(grids: &[Grid]) -> Result<(), GridError> {
    for grid in grids {
        for (i, j) in grid.places() {
            for step in super::yarns::FAMILIES {
                if grid.along((i, j), step, -1).is_some() && grid.along((i, j), step, 1).is_some() {
                    grid.check_straight(i, j, step)?;
                }
            }
        }
    }
    Ok(())
}

impl<'a> Grid<'a> {
    fn new(model: &'a Model, body: &'a Body) -> Result<Self, GridError> {
        let error = |triangle| GridError::NotAGrid { body: body.name.clone(), triangle };
        let (first, count) = (body.vertices.start as u32, body.vertices.len());
        let triangles = &model.mesh.triangles[body.triangles.clone()];
        // The first triangle begins with vertices (0, 0) and (1, 0).
        let ny = triangles[0][1].wrapping_sub(first) as usize;
        if triangles[0][0] != first || ny < 2 || ny > count || !count.is_multiple_of(ny) {
            return Err(error(0));
        }
        let nx = count / ny;
        let cells = (nx - 1) * (ny - 1);
        if nx < 2 || triangles.len() != 2 * cells {
            return Err(error(0));
        }
        for cell in 0..cells {
            let a = first + (cell / (ny - 1) * ny + cell % (ny - 1)) as u32;
            let (b, c, d) = (a + ny as u32, a + ny as u32 + 1, a + 1);
            let pair = [triangles[cell], triangles[cell + cells]];
            if pair != [[a, b, c], [a, c, d]] && pair != [[a, b, d], [b, c, d]] {
                return Err(error(cell));
            }
        }
        let mut uv = vec![DVec2::ZERO; count];
        for t in body.triangles.clone() {
            for k in 0..3 {
                uv[(model.mesh.triangles[t][k] - first) as usize] = model.mesh.uv[t][k];
            }
        }
        Ok(Grid { model, body, size: [nx, ny], uv })
    }

    /// The model's vertex in column i and row j.
    pub fn vertex(&self, i: usize, j: usize) -> u32 {
        (self.body.vertices.start + i * self.size[1] + j) as u32
    }

    /// Material coordinates of a vertex [m].
    pub fn uv(&self, i: usize, j: usize) -> DVec2 {
        self.uv[i * self.size[1] + j]
    }

    /// Name of the cloth.
    pub fn name(&self) -> &str {
        &self.body.name
    }

    /// The cloth's vertices in the model.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        self.body.vertices.clone()
    }

    /// All columns and rows.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let [nx, ny] = self.size;
        (0..nx).flat_map(move |i| (0..ny).map(move |j| (i, j)))
    }

    /// The place so many steps away; `None` outside of the grid.
    pub fn along(&self, (i, j): (usize, usize), step: [isize; 2], count: isize) -> Option<(usize, usize)> {
        let to = (i.checked_add_signed(step[0] * count)?, j.checked_add_signed(step[1] * count)?);
        (to.0 < self.size[0] && to.1 < self.size[1]).then_some(to)
    }

    /// Column and row of a vertex of the model; `None` if it is another cloth's.
    pub fn place_of(&self, vertex: u32) -> Option<(usize, usize)> {
        let local = (vertex as usize).checked_sub(self.body.vertices.start)?;
        (local < self.body.vertices.len()).then(|| (local / self.size[1], local % self.size[1]))
    }

    /// Length at rest of the shortest spring between neighbours along rows and columns [m].
    pub fn shortest_edge(&self) -> f64 {
        let lengths = self.places().flat_map(|(i, j)| {
            let next = [self.along((i, j), [1, 0], 1), self.along((i, j), [0, 1], 1)];
            next.into_iter().flatten().map(move |(k, l)| self.uv(i, j).distance(self.uv(k, l)))
        });
        lengths.fold(f64::INFINITY, f64::min)
    }

    /// Checks that a vertex lies straight between two opposite neighbours.
    pub fn check_straight(&self, i: usize, j: usize, step: [isize; 2]) -> Result<(), GridError> {
        let at = |s: isize| self.uv(i.wrapping_add_signed(s * step[0]), j.wrapping_add_signed(s * step[1]));
        if (at(0) - at(-1)).angle_to(at(1) - at(0)).abs() <= STRAIGHT {
            return Ok(());
        }
        Err(GridError::Crooked { body: self.body.name.clone(), vertex: i * self.size[1] + j })
    }

    /// The cell whose low corner is (i, j).
    pub fn cell(&self, i: usize, j: usize) -> Cell {
        let (a, b, c, d) = (self.uv(i, j), self.uv(i + 1, j), self.uv(i + 1, j + 1), self.uv(i, j + 1));
        let cells = (self.size[0] - 1) * (self.size[1] - 1);
        let face = self.body.triangles.start + i * (self.size[1] - 1) + j;
        Cell {
            sides: [0.5 * (b - a + c - d), 0.5 * (d - a + c - b)],
            materials: [self.model.materials[face], self.model.materials[face + cells]],
        }
    }

    /// The cells around a vertex, one to four.
    pub fn cells_around(&self, i: usize, j: usize) -> Vec<Cell> {
        let [nx, ny] = self.size;
        let mut cells = Vec::with_capacity(4);
        for ci in i.saturating_sub(1)..=i.min(nx - 2) {
            for cj in j.saturating_sub(1)..=j.min(ny - 2) {
                cells.push(self.cell(ci, cj));
            }
        }
        cells
    }
}
