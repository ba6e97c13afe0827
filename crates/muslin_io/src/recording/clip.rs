//! Mesh files as recordings: a file that moves by a clip of its own (glTF, USD), or one that stands still.

use super::{Hints, Recording, RecordingError, arrange::arrange, told, unfit};
use crate::{
    meshes::{self, FileMesh, UpAxis, pattern::is_pattern},
    output::Cast,
};
use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind, Deformation, Mesh};
use std::{ops::Range, path::Path, sync::Arc};

/// Most frames of a clip [-]: a wrong time in a small file must not keep a disk busy for years.
const MOST_FRAMES: f64 = 5e5;

/// A mesh file on the clock of its first clip.
pub struct ClipFile {
    cast: Cast,
    clip: Option<Arc<dyn Deformation>>,
    placing: Placing,
}

/// From a file's units and axes to metres and z up.
#[derive(Clone, Copy, Debug)]
pub struct Placing {
    metres_per_unit: f64,
    up: UpAxis,
}

impl Placing {
    /// What a file says about itself; what it does not say is metres and z up.
    pub fn of(mesh: &FileMesh) -> Self {
        Placing { metres_per_unit: mesh.metres_per_unit.unwrap_or(1.0), up: mesh.up.unwrap_or(UpAxis::Z) }
    }

    /// A point of the file [m].
    pub fn apply(&self, p: DVec3) -> DVec3 {
        match self.up {
            UpAxis::Z => p * self.metres_per_unit,
            UpAxis::Y => DVec3::new(p.x, -p.z, p.y) * self.metres_per_unit,
        }
    }
}

impl ClipFile {
    pub fn open(path: &Path, hints: &Hints) -> Result<Self, RecordingError> {
        let (mesh, order) = arrange(meshes::read(path)?);
        let mut cast = Cast { frames_per_second: 1.0, ..Cast::default() };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        add_bodies(&mut cast, &mesh, BodyKind::Cloth, &stem);
        cast.name = stem;
        let rate = mesh.clips.first().and_then(|clip| clip.frames_per_second);
        let clip = mesh.clips.first().map(|clip| match &order {
            Some(order) => clip.deformation.select(order),
            None => clip.deformation.clone(),
        });
        let mut file = ClipFile { placing: Placing::of(&mesh), cast, clip };
        let Some(clip) = &file.clip else {
            file.cast.frames_per_second = hints.frames_per_second.or(hints.otherwise).unwrap_or(1.0);
            return Ok(file);
        };
        if clip.vertices() != mesh.positions.len() {
            return Err(unfit(path, "its clip moves other vertices than its mesh has", "export it again"));
        }
        file.cast.frames_per_second = hints.frames_per_second.or(rate).map_or_else(|| told(path, hints), Ok)?;
        let frames = (clip.duration() * file.cast.frames_per_second).round();
        if !(frames <= MOST_FRAMES) {
            let what = format!("its animation lasts {} s, which is {frames} frames", clip.duration());
            return Err(unfit(path, what, "cut it, or give a lower `--fps`"));
        }
        file.cast.frames = frames as usize;
        file.note_still_obstacles()?;
        Ok(file)
    }

    /// Finds out which obstacles never leave their place: formats write those once.
    fn note_still_obstacles(&mut self) -> Result<(), RecordingError> {
        let obstacles: Vec<usize> =
            (0..self.cast.bodies.len()).filter(|&b| self.cast.bodies[b].kind == BodyKind::Obstacle).collect();
        if obstacles.is_empty() {
            return Ok(());
        }
        let (mut start, mut now) = (Vec::new(), Vec::new());
        self.read(0, &mut start)?;
        obstacles.iter().for_each(|&b| self.cast.moving[b] = false);
        for frame in 1..=self.cast.frames {
            self.read(frame, &mut now)?;
            for &b in &obstacles {
                let vertices = self.cast.bodies[b].vertices.clone();
                self.cast.moving[b] |= now[vertices.clone()] != start[vertices];
            }
            if obstacles.iter().all(|&b| self.cast.moving[b]) {
                break;
            }
        }
        Ok(())
    }
}

impl Recording for ClipFile {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clone_from(&self.cast.mesh.positions);
        if let Some(clip) = &self.clip {
            clip.evaluate(self.cast.time(frame), positions);
            positions.iter_mut().for_each(|p| *p = self.placing.apply(*p));
        }
        Ok(())
    }
}

/// Adds a file's mesh to a cast: one body per named part, or one in all. Parts whose kind the file does not say are of
/// the given one.
pub fn add_bodies(cast: &mut Cast, file: &FileMesh, kind: BodyKind, name: &str) {
    let (first, first_face) = (cast.mesh.positions.len(), cast.mesh.triangles.len());
    let placing = Placing::of(file);
    let Mesh { positions, triangles, .. } = &mut cast.mesh;
    positions.extend(file.positions.iter().map(|&p| placing.apply(p)));
    triangles.extend(file.triangles.iter().map(|t| t.map(|v| v + first as u32)));
    let whole = vec![(name.to_string(), kind, 0..file.positions.len(), 0..file.triangles.len())];
    let pieces = ranges(file, kind).unwrap_or(whole);
    let cloth = pieces.iter().filter(|piece| piece.1 == BodyKind::Cloth).map(|piece| piece.3.end).max().unwrap_or(0);
    let corners = |t: usize| file.uv.as_ref()?.of(t).filter(|c| c.iter().all(|p| p.is_finite()));
    add_pattern(&mut cast.mesh, first_face, (0..cloth).map(corners).collect());
    if file.uv.is_some() || !cast.mesh.texture.is_empty() {
        cast.mesh.append_texture((0..file.triangles.len()).map(corners));
    }
    for (name, kind, vertices, faces) in pieces {
        cast.bodies.push(Body {
            name,
            kind,
            vertices: first + vertices.start..first + vertices.end,
            triangles: first_face + faces.start..first_face + faces.end,
        });
        cast.moving.push(true);
    }
}

/// Takes the coordinates of cloth whose triangles begin at number `first` for its rest shape, if all of them have some and
/// they are lengths.
pub fn add_pattern(mesh: &mut Mesh, first: usize, corners: Option<Vec<[DVec2; 3]>>) {
    // Only the first triangles of a cast have a rest shape.
    if mesh.uv.len() != first {
        return;
    }
    let Some(uv) = corners else { return };
    let triangles = mesh.triangles[first..first + uv.len()].to_vec();
    let cloth = Mesh { positions: mesh.positions.clone(), triangles, uv, texture: Vec::new() };
    if is_pattern(&cloth) {
        mesh.uv.extend(cloth.uv);
    }
}

/// Name, kind, vertices and triangles of a body.
type Piece = (String, BodyKind, Range<usize>, Range<usize>);

/// The parts of a file, if each has vertices of its own that follow those of the part before.
fn ranges(file: &FileMesh, kind: BodyKind) -> Option<Vec<Piece>> {
    let (mut pieces, mut vertices, mut faces): (Vec<Piece>, usize, usize) = (Vec::new(), 0, 0);
    for part in &file.parts {
        let used = file.triangles.get(part.triangles.clone())?.iter().flatten();
        let (low, high) = used.fold((usize::MAX, 0), |(low, high), &v| (low.min(v as usize), high.max(v as usize + 1)));
        if part.triangles.start != faces || low != vertices || pieces.iter().any(|(name, ..)| *name == part.name) {
            return None;
        }
        pieces.push((part.name.clone(), part.kind.unwrap_or(kind), low..high, part.triangles.clone()));
        (vertices, faces) = (high, part.triangles.end);
    }
    (vertices == file.positions.len() && faces == file.triangles.len() && !pieces.is_empty()).then_some(pieces)
}
