//! What is wrong with a scene, with the elements to highlight.

use glam::DVec3;
use muslin::{
    collision::{Surface, intersections::intersections},
    model::Model,
    sim::SimError,
};
use serde::Serialize;

/// Crossings that are listed one by one; of more only the number is told.
const MOST_LISTED: usize = 200;

/// A fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fault {
    /// What is wrong and what to do.
    pub message: String,
    /// Vertices of the model concerned.
    pub vertices: Vec<u32>,
    /// Triangles of the model concerned.
    pub triangles: Vec<u32>,
}

impl Fault {
    /// A fault without a place.
    pub fn plain(message: impl Into<String>) -> Self {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// A step that failed, with the vertex that it names.
    pub fn of_step(error: &SimError, model: &Model) -> Self {
        let place = match error {
            SimError::Step { vertex, body, .. } | SimError::NotFinite { vertex, body, .. } => Some((body, *vertex)),
            _ => None,
        };
        let found = place.and_then(|(name, vertex)| {
            let body = model.bodies.iter().find(|b| b.name == *name)?;
            Some((body.vertices.start + vertex) as u32)
        });
        let own = match error {
            SimError::Unresolved { first, .. } => first.to_vec(),
            _ => Vec::new(),
        };
        let vertices = found.map_or(own, |vertex| vec![vertex]);
        Fault { message: error.to_string(), vertices, triangles: Vec::new() }
    }
}

/// Triangles of the cloth that cross each other or an obstacle.
pub fn crossings(model: &Model, positions: &[DVec3]) -> Vec<Fault> {
    let cloth = model.cloth_triangles();
    let Ok(surface) = Surface::new(positions.len(), &model.mesh.triangles) else { return Vec::new() };
    let Ok(found) = intersections(&surface, positions) else { return Vec::new() };
    let name = |t: u32| {
        let body = model.bodies.iter().find(|b| b.triangles.contains(&(t as usize)));
        body.map_or(format!("triangle {t}"), |b| format!("triangle {} of {}", t as usize - b.triangles.start, b.name))
    };
    let concerned = found.iter().filter(|i| i.triangles.iter().any(|t| cloth.contains(&(*t as usize))));
    let mut faults: Vec<Fault> = concerned
        .map(|i| {
            let [a, b] = i.triangles.map(name);
            Fault { message: format!("{a} and {b} cross"), vertices: Vec::new(), triangles: i.triangles.to_vec() }
        })
        .collect();
    if faults.len() > MOST_LISTED {
        let rest = faults.split_off(MOST_LISTED);
        let triangles = rest.into_iter().flat_map(|f| f.triangles).collect::<Vec<_>>();
        let message = format!("{} more pairs of triangles cross", triangles.len() / 2);
        faults.push(Fault { message, vertices: Vec::new(), triangles });
    }
    faults
}
