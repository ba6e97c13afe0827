//! What a mesh file holds, as plain data in the file's own units and order.

use glam::{DVec2, DVec3};
use muslin_model::{BodyKind, Deformation};
use std::{fmt, ops::Range, sync::Arc};

/// A mesh as its file gives it. Nothing is merged, moved or dropped: vertex and face numbers are the file's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileMesh {
    /// Vertices in the file's units and axes, exactly as written.
    pub positions: Vec<DVec3>,
    /// Triangles; polygons are cut by the rule of [`super::polygons`].
    pub triangles: Vec<[u32; 3]>,
    /// The file's face of each triangle; empty if every face is a triangle.
    pub faces: Vec<u32>,
    /// Texture or pattern coordinates of the triangles' corners.
    pub uv: Option<Corners<DVec2>>,
    /// Normals of the triangles' corners.
    pub normals: Option<Corners<DVec3>>,
    /// Values per vertex; colours are called `color` and run from 0 to 1.
    pub vertex_attributes: Vec<Attribute>,
    /// Values per face of the file (see `faces`).
    pub face_attributes: Vec<Attribute>,
    /// Named objects; empty if the file names none.
    pub parts: Vec<Part>,
    /// Motions of all vertices, in the file's units and axes.
    pub clips: Vec<Clip>,
    /// Whether bones move any of it: then it is a body, and no cloth.
    pub skinned: bool,
    /// Vertices that stand for an earlier one, which the file repeats because a seam has two texture coordinates: the
    /// vertex and the earlier one, ascending. Only files of Muslin say it.
    pub repeats: Vec<[u32; 2]>,
    /// Length of the file's unit, if the file says it [m].
    pub metres_per_unit: Option<f64>,
    /// Which axis points up, if the file says it.
    pub up: Option<UpAxis>,
    /// What the file holds beyond this, in words: lines, curves, materials.
    pub ignored: Vec<String>,
    /// Motions that the file holds and that are not read, in words: what they move stands still.
    pub unmoved: Vec<String>,
}

/// Values that several corners may share.
#[derive(Clone, Debug, PartialEq)]
pub struct Corners<T> {
    /// The values.
    pub values: Vec<T>,
    /// Value of each corner of each triangle; [`Corners::NONE`] where the file gives none.
    pub triangles: Vec<[u32; 3]>,
}

impl<T: Copy> Corners<T> {
    /// A corner without a value.
    pub const NONE: u32 = u32::MAX;

    /// The values of a triangle's corners; `None` if one of them has none.
    pub fn of(&self, triangle: usize) -> Option<[T; 3]> {
        let [a, b, c] = self.triangles[triangle].map(|k| self.values.get(k as usize).copied());
        Some([a?, b?, c?])
    }
}

/// A value per vertex or per face.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name in the file.
    pub name: String,
    /// Numbers per element.
    pub components: usize,
    /// All numbers, element by element.
    pub values: Vec<f64>,
}

/// A named piece of the mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name; several parts may share one.
    pub name: String,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// What it was in the run that wrote the file, if the file says it.
    pub kind: Option<BodyKind>,
}

/// A motion that a file brings along.
#[derive(Clone)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// Where the file's vertices are at any time.
    pub deformation: Arc<dyn Deformation>,
    /// Frames per second, if the file says it [1/s].
    pub frames_per_second: Option<f64>,
}

impl fmt::Debug for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clip {:?} {:016x}", self.name, self.deformation.fingerprint())
    }
}

impl PartialEq for Clip {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.deformation.fingerprint() == other.deformation.fingerprint()
    }
}

/// An axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// y, as in most animation programs.
    Y,
    /// z, as here.
    Z,
}

impl FileMesh {
    /// A value per vertex by name.
    pub fn vertex_attribute(&self, name: &str) -> Option<&Attribute> {
        self.vertex_attributes.iter().find(|a| a.name == name)
    }

    /// A value per face by name.
    pub fn face_attribute(&self, name: &str) -> Option<&Attribute> {
        self.face_attributes.iter().find(|a| a.name == name)
    }

    /// The file's face that a triangle was cut from.
    pub fn face_of(&self, triangle: usize) -> usize {
        self.faces.get(triangle).map_or(triangle, |&f| f as usize)
    }
}

/// What a body was, by the word that Muslin writes into its files.
pub(super) fn body_kind(word: &str) -> Option<BodyKind> {
    match word {
        "cloth" => Some(BodyKind::Cloth),
        "obstacle" => Some(BodyKind::Obstacle),
        _ => None,
    }
}
