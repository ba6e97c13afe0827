//! The lines of a grid: rows, columns and both families of diagonals, V's warp, weft and "consecutive shear edges".

use super::{Layout, grid_cells::Grid};

/// Steps along the four families of lines, in columns and rows.
pub(crate) const FAMILIES: [[isize; 2]; 4] = [[1, 0], [0, 1], [1, 1], [1, -1]];

/// No neighbour: the line ends.
pub(crate) const END: u32 = u32::MAX;

/// Who precedes and follows each vertex on the lines through it, in the solver's order.
#[derive(Clone, Debug)]
pub(crate) struct Yarns {
    /// Of each family and vertex: the one before and the one after, or [`END`].
    neighbours: [Vec<[u32; 2]>; 4],
}

impl Yarns {
    /// The lines of some grids.
    pub fn new(grids: &[Grid], layout: &Layout) -> Self {
        let mut neighbours: [Vec<[u32; 2]>; 4] =
            std::array::from_fn(|_| vec![[END; 2]; layout.solver_from_model.len()]);
        for grid in grids {
            for (family, step) in FAMILIES.iter().enumerate() {
                for (i, j) in grid.places() {
                    let at = |sign: isize| {
                        let place = grid.along((i, j), *step, sign)?;
                        Some(layout.solver_from_model[grid.vertex(place.0, place.1) as usize])
                    };
                    let vertex = layout.solver_from_model[grid.vertex(i, j) as usize];
                    neighbours[family][vertex as usize] = [at(-1).unwrap_or(END), at(1).unwrap_or(END)];
                }
            }
        }
        Yarns { neighbours }
    }

    /// The neighbours of a vertex on its line of a family; `None` at the end of a line.
    #[inline]
    pub fn around(&self, family: usize, vertex: u32) -> Option<[u32; 2]> {
        let both = self.neighbours[family][vertex as usize];
        (!both.contains(&END)).then_some(both)
    }

    /// The family of the line that joins two neighbours.
    pub fn family(&self, [a, b]: [u32; 2]) -> Option<usize> {
        (0..FAMILIES.len()).find(|&f| self.neighbours[f][a as usize].contains(&b))
    }
}
