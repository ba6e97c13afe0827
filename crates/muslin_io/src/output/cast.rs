//! What all frames of a run have in common: the bodies that appear in it.

use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind, Mesh, Model};
use std::ops::Range;

/// The bodies of a run and its clock; everything that a writer knows before the first frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    /// Name of the scene.
    pub name: String,
    /// Frames per second [1/s].
    pub frames_per_second: f64,
    /// Frames that are planned, without the start; it decides how far numbers are padded.
    pub frames: usize,
    /// All bodies as one mesh: positions at rest [m], triangles, material coordinates [m] of the first triangles, which
    /// are the cloths', and the coordinates of pictures where files brought them.
    pub mesh: Mesh,
    /// Ranges of the mesh, cloths first.
    pub bodies: Vec<Body>,
    /// Whether each body moves; one that does not is written once where a format allows it.
    pub moving: Vec<bool>,
}

/// Bodies that share a file in formats that have one mesh per file.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// `cloth` or `obstacles`.
    pub name: &'static str,
    /// The bodies' vertices.
    pub vertices: Range<usize>,
    /// The bodies' triangles in the cast's mesh.
    pub faces: Range<usize>,
    /// The same triangles, counted from the group's first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Coordinates of each triangle's corners that files show, in its picture [-] or material [m]; empty if no triangle has
    /// any.
    pub uv: Vec<Option<[DVec2; 3]>>,
    /// Name, vertices and triangles of each body, counted within the group.
    pub bodies: Vec<Body>,
    /// Whether any of the bodies moves.
    pub moves: bool,
}

impl Cast {
    /// The cast of a simulation.
    pub fn of(model: &Model, name: &str, frames_per_second: f64, frames: usize) -> Self {
        let mut obstacles = model.obstacle_moves();
        let moves = |body: &Body| match body.kind {
            BodyKind::Cloth => true,
            BodyKind::Obstacle => obstacles.next().unwrap_or(false),
        };
        Cast {
            name: name.to_string(),
            frames_per_second,
            frames,
            mesh: model.mesh.clone(),
            moving: model.bodies.iter().map(moves).collect(),
            bodies: model.bodies.clone(),
        }
    }

    /// Time of a frame [s], from its number alone: it cannot drift.
    pub fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.frames_per_second
    }

    /// The cloths, or the obstacles, as one mesh; `None` if there are none.
    pub fn group(&self, kind: BodyKind) -> Option<Group> {
        let chosen: Vec<usize> = (0..self.bodies.len()).filter(|&b| self.bodies[b].kind == kind).collect();
        let (first, last) = (&self.bodies[*chosen.first()?], &self.bodies[*chosen.last()?]);
        Some(self.gather(
            match kind {
                BodyKind::Cloth => "cloth",
                BodyKind::Obstacle => "obstacles",
            },
            first.vertices.start..last.vertices.end,
            first.triangles.start..last.triangles.end,
            &chosen,
        ))
    }

    /// One body as a group of its own.
    pub fn alone(&self, body: usize) -> Group {
        let it = &self.bodies[body];
        let name = match it.kind {
            BodyKind::Cloth => "cloth",
            BodyKind::Obstacle => "obstacles",
        };
        self.gather(name, it.vertices.clone(), it.triangles.clone(), &[body])
    }

    fn gather(&self, name: &'static str, vertices: Range<usize>, faces: Range<usize>, bodies: &[usize]) -> Group {
        let own = |b: &usize| {
            let body = &self.bodies[*b];
            Body {
                vertices: body.vertices.start - vertices.start..body.vertices.end - vertices.start,
                triangles: body.triangles.start - faces.start..body.triangles.end - faces.start,
                ..body.clone()
            }
        };
        let first = vertices.start as u32;
        let triangles = self.mesh.triangles[faces.clone()].iter().map(|tri| tri.map(|v| v - first)).collect();
        let mut uv: Vec<_> = faces.clone().map(|t| self.mesh.shown_uv(t)).collect();
        if uv.iter().all(Option::is_none) {
            uv.clear();
        }
        let moves = bodies.iter().any(|&b| self.moving[b]);
        Group { name, bodies: bodies.iter().map(own).collect(), triangles, uv, moves, vertices, faces }
    }

    /// The name of a group's file at a frame, in formats that have one file for each; what stands still has one for all.
    pub fn file_name(&self, group: &Group, frame: usize, extension: &str) -> String {
        match group.moves {
            true => format!("{}_{frame:0width$}.{extension}", group.name, width = self.digits()),
            false => format!("{}.{extension}", group.name),
        }
    }

    /// Digits that every file number is padded to.
    pub fn digits(&self) -> usize {
        self.frames.to_string().len().max(FEWEST_DIGITS)
    }
}

/// Fewest digits of a frame's number.
const FEWEST_DIGITS: usize = 4;

/// One frame, as writers get it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number; 0 is the start.
    pub number: usize,
    /// Positions of all vertices of the cast [m].
    pub positions: &'a [DVec3],
    /// Unit normals of all vertices [-]; empty if no writer asked for them.
    pub normals: &'a [DVec3],
    /// Quantities on the cloth; empty if no writer asked for them, or if nobody knows them.
    pub fields: &'a [FieldArray],
    /// Quantities of the whole cloth, with their names; empty like `fields`.
    pub totals: &'a [(&'static str, f64)],
}

/// Where the values of a field sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// On the cloth's vertices.
    Vertices,
    /// On the cloth's triangles.
    Triangles,
}

/// A quantity on the cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldArray {
    /// Its name.
    pub name: &'static str,
    /// Where its values sit.
    pub site: Site,
    /// Names of the components; empty for a scalar.
    pub components: &'static [&'static str],
    /// The values, component by component within each vertex or triangle.
    pub values: Vec<f32>,
}
