//! What a page is told once: what there is to see, and the words and colours for it.

use glam::{DVec2, DVec3};
use muslin::{
    measure::Measure,
    model::{Body, BodyKind, Mesh},
    render::{Camera, Subject, View, colour_map, srgb},
};
use serde_json::{Value, json};

/// Stripes of the pattern along the longer side of a cloth, as in pictures.
const STRIPES: f64 = 24.0;
/// Width over height of the picture that the first view is made for [-].
const ASPECT: f64 = 1.5;

/// A flat obstacle larger than this many cloths is the ground [-], as in pictures.
const GROUND: f64 = 1.2;
/// An obstacle is flat when one of its sides is shorter than this part of its size [-].
const FLATNESS: f64 = 1e-6;

/// Sides of the box around a body at rest [m].
fn sides(mesh: &Mesh, body: &Body) -> DVec3 {
    let points = mesh.positions.get(body.vertices.clone()).unwrap_or_default();
    let (low, high) = points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max(DVec3::ZERO)
}

/// The bodies: name, kind and width of a stripe of the pattern [m].
pub fn bodies(mesh: &Mesh, bodies: &[Body]) -> Value {
    let cloths = bodies.iter().filter(|b| b.kind == BodyKind::Cloth);
    let cloth = cloths.map(|body| sides(mesh, body).length()).fold(0.0, f64::max);
    let one = |body: &Body| {
        let kind = match body.kind {
            BodyKind::Cloth => "cloth",
            BodyKind::Obstacle => "obstacle",
        };
        let corners = body.triangles.clone().filter_map(|t| mesh.shown_uv(t)).flatten();
        let (low, high) = corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        let width = (high - low).max_element() / STRIPES;
        let stripe = if width.is_finite() && width > 0.0 { width } else { 1.0 };
        let (sides, is_obstacle) = (sides(mesh, body), body.kind == BodyKind::Obstacle);
        let size = sides.length();
        let ground = is_obstacle && sides.min_element() <= FLATNESS * size && size > GROUND * cloth;
        json!({ "name": body.name, "kind": kind, "stripe": stripe, "ground": ground, "firstVertex": body.vertices.start,
                "vertices": body.vertices.len(), "triangles": body.triangles.len() })
    };
    bodies.iter().map(one).collect()
}

/// Where to look from at first, and what is to be seen in some frames.
pub fn view(mesh: &Mesh, bodies: &[Body], frames: &[&[DVec3]], camera: Option<Camera>) -> Value {
    let Mesh { positions: rest, triangles, uv, texture } = mesh;
    let subject = Subject { vertices: rest.len(), triangles, uv, texture, bodies };
    let found = match camera {
        Some(camera) => View::through(camera, &subject, frames),
        None => View::framing(&subject, frames, ASPECT),
    };
    match found {
        Ok(View { camera, centre, radius }) => json!({
            "position": camera.position.to_array(), "target": camera.target.to_array(),
            "fieldOfView": camera.field_of_view, "centre": centre.to_array(), "radius": radius,
        }),
        Err(_) => Value::Null,
    }
}

/// The measures that cloth can be coloured by.
pub fn fields(measures: &[Measure]) -> Value {
    let number = |m: &Measure| Measure::ALL.iter().position(|other| other == m);
    measures.iter().map(|m| json!({ "name": m.name(), "unit": m.unit(), "number": number(m) })).collect()
}

/// The colour map as hexadecimal digits, 256 colours of three bytes.
pub fn colours() -> String {
    let byte = |k: usize| srgb::bytes_from_linear(colour_map::colour(k as f32 / 255.0));
    (0..256).flat_map(byte).map(|b| format!("{b:02x}")).collect()
}
