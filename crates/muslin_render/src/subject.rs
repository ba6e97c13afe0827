//! What is drawn: the arrays of a model's mesh that do not change from frame to frame.

use crate::error::RenderError;
use glam::{DVec2, DVec3};
use muslin_model::{Body, Model};

/// Triangles and bodies; the positions come with each frame.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Number of vertices of all bodies.
    pub vertices: usize,
    /// Vertex indices, counter-clockwise seen from the front.
    pub triangles: &'a [[u32; 3]],
    /// Material coordinates of the first triangles' corners [m]; triangles beyond have no pattern.
    pub uv: &'a [[DVec2; 3]],
    /// Coordinates of the triangles' corners in a picture [-], which replace the material ones; empty if there are none.
    pub texture: &'a [Option<[DVec2; 3]>],
    /// Cloths and obstacles.
    pub bodies: &'a [Body],
}

impl<'a> Subject<'a> {
    /// All bodies of a model.
    pub fn of(model: &'a Model) -> Self {
        Subject {
            vertices: model.mesh.positions.len(),
            triangles: &model.mesh.triangles,
            uv: &model.mesh.uv,
            texture: &model.mesh.texture,
            bodies: &model.bodies,
        }
    }

    /// Where a triangle's corners are in the pattern; `None` if it has none.
    pub(crate) fn shown_uv(&self, triangle: usize) -> Option<[DVec2; 3]> {
        match self.texture.get(triangle) {
            Some(corners) => *corners,
            None => self.uv.get(triangle).copied(),
        }
    }

    /// Refuses arrays that do not fit together.
    pub(crate) fn check(&self, positions: &[DVec3]) -> Result<(), RenderError> {
        let count = self.vertices;
        if positions.len() != count {
            return Err(RenderError::PositionCount { expected: count, found: positions.len() });
        }
        for (triangle, tri) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = tri.iter().find(|&&v| v as usize >= count) {
                return Err(RenderError::TriangleIndex { triangle, vertex, count });
            }
        }
        for body in self.bodies {
            let (end, count) = (body.triangles.end, self.triangles.len());
            if end > count {
                return Err(RenderError::BodyRange { body: body.name.clone(), end, count });
            }
            if body.vertices.end > self.vertices {
                let (expected, found) = (body.vertices.end, self.vertices);
                return Err(RenderError::PositionCount { expected, found });
            }
        }
        Ok(())
    }
}
