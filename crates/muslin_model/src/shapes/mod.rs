//! Meshes of simple shapes: cloth from grids, discs, tubes and a hollow body; obstacles whose curved surfaces
//! circumscribe the true ones.
//!
//! A flat triangle cannot follow a curved surface, so a mesh must choose a side. The obstacle meshes here
//! keep every point of every triangle on the cloth's side of the true surface, or on it: what does not
//! touch the mesh does not touch the shape. They are as tight as that allows for their number of triangles.
//! Obstacles have no material coordinates.

mod capsule;
mod cuboid;
mod disc;
mod error;
mod even_triangles;
mod figure;
mod funnel;
mod grid;
mod plane;
mod rabbit;
mod reef_strand;
mod rings;
mod solid;
mod sphere;
mod torus;
mod tube;

pub use capsule::capsule;
pub use cuboid::cuboid;
pub use disc::disc;
pub use error::{LENGTHS, MOST_VERTICES, ShapeError};
pub use figure::figure;
pub use funnel::{Funnel, funnel};
pub use grid::{Triangulation, grid};
pub use plane::plane;
pub use rabbit::rabbit;
pub use reef_strand::{Strand, reef_strand};
pub use sphere::sphere;
pub use torus::torus;
pub use tube::tube;
