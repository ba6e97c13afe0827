//! Meshes of simple shapes: cloth from grids, discs and tubes; obstacles whose curved surfaces
//! circumscribe the true ones.

mod grid;

pub use grid::{Triangulation, grid};
