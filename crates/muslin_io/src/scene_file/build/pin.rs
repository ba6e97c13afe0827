//! `[[cloth.pin]]`.

use super::{maps::Map, motion::track};
use crate::scene_file::{reader::Reader, tree::Value};
use glam::DVec3;
use muslin_model::PinMotion;
use muslin_sim::{
    places::GRID_PLACES,
    scene::{ClothShape, PinHold, PinSelect, PinSpec},
};

pub fn pin(reader: &Reader<'_>, shape: &ClothShape, vertices: Option<usize>) -> PinSpec {
    let (select, values) = select(reader, shape, vertices);
    let hold = match reader.optional_number("stiffness") {
        None => PinHold::Exact,
        Some(stiffness) => PinHold::Soft { stiffness, strengths: strengths(reader, values) },
    };
    PinSpec { select, axes: axes(reader), motion: motion(reader), release: reader.number("release"), hold }
}

/// Value of a map from which on an exact pin holds [-].
const LEAST_EXACT: f64 = 0.5;

/// The strengths of springs, from the values of a map; none may push.
fn strengths(reader: &Reader<'_>, values: Vec<f64>) -> Vec<f64> {
    if let Some(wrong) = values.iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
        let message = format!("the strength of a soft pin must not be negative, but its map gives {wrong}");
        reader.fault(reader.place("map"), message).help("raise `above` to 0, or correct the map");
    }
    values
}

/// The vertices by `places`, `vertices` or `box`.
pub fn choice(reader: &Reader<'_>, shape: &ClothShape, count: Option<usize>, key: &str) -> PinSelect {
    match key {
        "places" => {
            if !matches!(shape, ClothShape::Grid { .. }) {
                reader
                    .fault(reader.place("places"), "only a grid has named places")
                    .help("choose the vertices by `vertices` or `box`");
            }
            let names = reader.names("places", &GRID_PLACES);
            PinSelect::Named(names)
        }
        "vertices" => {
            let vertices = reader.integers("vertices");
            if vertices.is_empty() {
                reader.fault(
                    reader.place("vertices"),
                    format!("`{}` must name at least one vertex", reader.path_of("vertices")),
                );
            }
            if let (Some(count), Some(v)) = (count, vertices.iter().max())
                && *v as usize >= count
            {
                let message = format!("`{}` must be from 0 to {}, found {v}", reader.path_of("vertices"), count - 1);
                reader.fault(reader.place("vertices"), message);
            }
            PinSelect::Vertices(vertices.into_iter().map(|v| v as u32).collect())
        }
        _ => {
            let bounds = reader.table("box").1;
            let (low, high) = (bounds.vector3("low"), bounds.vector3("high"));
            if low.cmpgt(high).any() {
                bounds.fault(
                    bounds.place("low"),
                    format!("the low corner {low} of the box must not exceed the high corner {high}"),
                );
            }
            PinSelect::Box { low, high }
        }
    }
}

/// The vertices; for those of a map also its values.
fn select(reader: &Reader<'_>, shape: &ClothShape, count: Option<usize>) -> (PinSelect, Vec<f64>) {
    let mut strengths = Vec::new();
    let given: Vec<&str> = ["places", "vertices", "box", "map"].into_iter().filter(|k| reader.has(k)).collect();
    let select = match given.as_slice() {
        [one @ ("places" | "vertices" | "box")] => choice(reader, shape, count, one),
        ["map"] => {
            // A spring without strength is none.
            let usual = if reader.has("stiffness") { f64::MIN_POSITIVE } else { LEAST_EXACT };
            let above = reader.optional_number("above").unwrap_or(usual);
            let mut held = |values: Vec<f64>| {
                let chosen: Vec<u32> = (0..values.len() as u32).filter(|&v| values[v as usize] >= above).collect();
                if chosen.is_empty() {
                    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let wanted = if above == f64::MIN_POSITIVE { "a value above 0".into() } else { above.to_string() };
                    let message = format!("the pin holds no vertex: none reaches {wanted}, the largest is {largest}");
                    reader.fault(reader.place("map"), message).help("choose another map, or set `above`");
                }
                strengths.extend(chosen.iter().map(|&v| values[v as usize]));
                chosen
            };
            let vertices: Vec<u32> = match reader.given("map").and_then(|n| reader.map(n, &reader.path_of("map"))) {
                Some(Map::Vertices(values)) => held(values),
                Some(Map::Faces(_)) => {
                    reader.fault(reader.place("map"), "a pin needs a map of vertices, this one is of faces");
                    Vec::new()
                }
                None => Vec::new(),
            };
            PinSelect::Vertices(vertices)
        }
        [] => {
            let path = reader.path_of("");
            let message = format!("`{}` must say which vertices it holds", path.trim_end_matches('.'));
            reader.fault(reader.span, message).help("give `places`, `vertices`, `box` or `map`");
            PinSelect::Vertices(Vec::new())
        }
        more => {
            let message = "a pin takes exactly one of `places`, `vertices`, `box` and `map`";
            reader.fault(reader.place(more[more.len() - 1]), message).help("write one [[cloth.pin]] for each");
            PinSelect::Vertices(Vec::new())
        }
    };
    (select, strengths)
}

/// Directions are independent when the sine of the smallest angle between them exceeds this [-].
const LEAST_SINE: f64 = 1e-6;

fn axes(reader: &Reader<'_>) -> Vec<DVec3> {
    let path = reader.path_of("axes");
    let Some(node) = reader.node("axes") else { return Vec::new() };
    let Some(items) = reader.items(&node, None, &path) else { return Vec::new() };
    let mut axes = Vec::new();
    for (k, item) in items.iter().enumerate() {
        let axis = match &item.value {
            Value::Text(name) => match name.as_str() {
                "x" => Some(DVec3::X),
                "y" => Some(DVec3::Y),
                "z" => Some(DVec3::Z),
                _ => {
                    reader.fault_at(item, format!("`{path}.{k}` must be `x`, `y`, `z` or a vector, found `{name}`"));
                    None
                }
            },
            _ => reader.direction(item, &format!("{path}.{k}")),
        };
        match axis {
            Some(axis) if axis == DVec3::ZERO => {
                reader.fault_at(item, format!("`{path}.{k}` must not be zero: it is a direction"));
            }
            Some(axis) => axes.push(axis.normalize()),
            None => {}
        }
    }
    let independent = match axes.as_slice() {
        [a, b] => a.cross(*b).length() > LEAST_SINE,
        [a, b, c] => a.cross(*b).dot(*c).abs() > LEAST_SINE,
        _ => true,
    };
    if items.is_empty() || items.len() > 3 || !independent {
        reader
            .fault_at(&node, format!("`{path}` must be one to three directions, none of them a mixture of the others"));
    }
    axes
}

fn motion(reader: &Reader<'_>) -> PinMotion {
    if reader.has("velocity") && reader.has("keyframes") {
        reader.fault(reader.place("velocity"), "a pin takes `velocity` or `keyframes`, not both");
    }
    if reader.has("pivot") && !reader.has("keyframes") {
        reader.fault(reader.place("pivot"), "`pivot` has no effect without `keyframes`");
    }
    let pivot = reader.vector3("pivot");
    match (track(reader, pivot), reader.optional_vector3("velocity")) {
        (Some(track), _) => PinMotion::Keyframes(track),
        (None, Some(velocity)) => PinMotion::Velocity(velocity),
        (None, None) => PinMotion::Fixed,
    }
}
