//! A body is a named range of the one mesh.

use std::ops::Range;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Simulated.
    Cloth,
    /// Moved by the scene; its inverse mass is 0.
    Obstacle,
}

/// A named range of the model's mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The name that the scene gave it.
    pub name: String,
    /// Cloth or obstacle.
    pub kind: BodyKind,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
}
