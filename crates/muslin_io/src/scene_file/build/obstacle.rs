//! `[[obstacle]]`.

use super::{
    file,
    motion::{placement, track},
};
use crate::scene_file::reader::Reader;
use muslin_model::Animation;
use muslin_sim::scene::{ObstacleShape, ObstacleSpec};

pub fn obstacle(reader: &Reader<'_>, index: usize) -> ObstacleSpec {
    let placement = placement(reader);
    if reader.has("pivot") && !reader.has("keyframes") {
        reader.fault(reader.place("pivot"), "`pivot` has no effect without `keyframes`");
    }
    let pivot = reader.optional_vector3("pivot").unwrap_or(placement.translation);
    let (kind, shape, animation) = shape(reader);
    let name =
        reader.text("name").unwrap_or_else(|| if index == 0 { kind.into() } else { format!("{kind}-{}", index + 1) });
    ObstacleSpec { name, shape, placement, animation, motion: track(reader, pivot) }
}

fn shape(reader: &Reader<'_>) -> (&'static str, ObstacleShape, Option<Animation>) {
    let fallback = || ("plane", ObstacleShape::Plane { size: 1.0 }, None);
    let Some((kind, keys)) = reader.variant("shape") else { return fallback() };
    let shape = match kind {
        "sphere" => {
            ObstacleShape::Sphere { radius: keys.number("radius"), subdivisions: keys.integer("subdivisions") as u32 }
        }
        "box" => ObstacleShape::Box { size: keys.vector3("size") },
        "torus" => {
            let (radius, tube) = (keys.number("radius"), keys.number("tube"));
            if tube >= radius {
                keys.fault(
                    keys.place("tube"),
                    format!("`tube` must be smaller than `radius` {radius} [m], found {tube}"),
                );
            }
            ObstacleShape::Torus { radius, tube, segments: keys.integers2("segments") }
        }
        "capsule" => ObstacleShape::Capsule {
            radius: keys.number("radius"),
            length: keys.number("length"),
            segments: keys.integer("segments") as usize,
        },
        "plane" => ObstacleShape::Plane { size: keys.number("size") },
        "funnel" => {
            let (top_radius, pipe_radius) = (keys.number("top_radius"), keys.number("pipe_radius"));
            if top_radius <= pipe_radius {
                let message =
                    format!("`top_radius` must be larger than `pipe_radius` {pipe_radius} [m], found {top_radius}");
                keys.fault(keys.place("top_radius"), message);
            }
            ObstacleShape::Funnel {
                top_radius,
                pipe_radius,
                cone_height: keys.number("cone_height"),
                pipe_length: keys.number("pipe_length"),
                segments: keys.integer("segments") as usize,
            }
        }
        "figure" => ObstacleShape::Figure { height: keys.number("height"), cells: keys.integer("cells") as usize },
        "file" => {
            let Some((mesh, animation)) = file::obstacle(&keys) else { return fallback() };
            return (kind, ObstacleShape::Mesh(mesh), animation);
        }
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    };
    (kind, shape, None)
}
