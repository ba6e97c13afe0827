//! From a checked tree to a [`Scene`]: one file per kind of table.

mod bending_loop;
mod cascade;
mod cloth;
pub mod file;
mod friction;
pub mod maps;
pub mod material;
mod motion;
mod obstacle;
mod older;
mod pin;
mod settings;
mod start;

use super::{reader::Reader, tree::Value};
use crate::output::Format;
use glam::DVec3;
use muslin_model::{Environment, Gust, Wind};
use muslin_sim::scene::{Camera, Claims, Scene};
use std::collections::HashSet;

/// Most output frames of a run; more is a wrong unit.
const MOST_FRAMES: f64 = 1e7;

/// Reads the whole file; `fallback_name` is the scene's name if it gives none.
pub fn scene(reader: &Reader<'_>, fallback_name: &str) -> Scene {
    let name = reader.text("name").unwrap_or_else(|| fallback_name.to_string());
    let forbidden = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    if reader.has("name") && (name.is_empty() || name.starts_with('.') || name.contains(forbidden)) {
        reader
            .fault(reader.place("name"), format!("`{name}` cannot be the name of a directory"))
            .help("use letters, digits and `-`");
    }
    let (cloths, obstacles) = (reader.tables("cloth"), reader.tables("obstacle"));
    let mut scene = Scene {
        name,
        description: reader.text("description").unwrap_or_default(),
        duration: reader.number("duration"),
        frames_per_second: reader.number("frames_per_second"),
        settings: settings::settings(&reader.table("settings").1),
        environment: environment(reader),
        cloths: cloths.iter().enumerate().map(|(k, r)| cloth::cloth(r, k)).collect(),
        obstacles: obstacles.iter().enumerate().map(|(k, r)| obstacle::obstacle(r, k)).collect(),
        start: Default::default(),
        claims: claims(&reader.table("claims").1),
        camera: camera(reader),
    };
    let laws = &mut scene.settings.contact.friction;
    for (reader, spec) in cloths.iter().zip(&scene.cloths) {
        friction::own(reader, &spec.name, [Some("friction_object"), Some("friction_cloth")], laws);
    }
    for (reader, spec) in obstacles.iter().zip(&scene.obstacles) {
        friction::own(reader, &spec.name, [Some("friction"), None], laws);
    }
    if matches!(reader.given("cloth").map(|n| &n.value), Some(Value::List(list)) if list.is_empty()) {
        reader
            .fault(reader.place("cloth"), "a scene needs at least one cloth")
            .help("write `[[cloth]]` and give it a `shape`");
    }
    if scene.duration * scene.frames_per_second > MOST_FRAMES {
        let message = format!("`duration` times `frames_per_second` must be at most {MOST_FRAMES:e} frames");
        reader.fault(reader.place("duration"), message);
    }
    let names = scene.cloths.iter().map(|c| &c.name).chain(scene.obstacles.iter().map(|o| &o.name));
    let known: Vec<&String> = names.clone().collect();
    let start = start::start(&reader.table("start").1, &known, scene.cloths.len());
    refuse_equal_names(cloths.iter().chain(&obstacles).zip(names));
    scene.start = start;
    scene
}

/// The formats of frames that the file asks for.
pub fn formats(reader: &Reader<'_>) -> Option<Vec<Format>> {
    let names = reader.names("formats", &Format::ALL.map(Format::name));
    reader.has("formats").then(|| names.iter().filter_map(|name| name.parse().ok()).collect())
}

fn refuse_equal_names<'r, 'a: 'r>(bodies: impl Iterator<Item = (&'r Reader<'a>, &'r String)>) {
    let mut seen = HashSet::new();
    for (body, name) in bodies {
        if !seen.insert(name) {
            body.fault(body.place("name"), format!("two bodies have the name `{name}`"))
                .help("files and messages tell bodies apart by their names: change one");
        }
    }
}

fn environment(reader: &Reader<'_>) -> Environment {
    let environment = reader.table("environment").1;
    let (given, wind) = environment.table("wind");
    let gust =
        |r: Reader<'_>| Gust { velocity: r.vector3("velocity"), period: r.number("period"), phase: r.number("phase") };
    let wind = match given {
        Some(_) => Wind {
            velocity: wind.vector3("velocity"),
            density: wind.number("density"),
            normal_drag: wind.number("normal_drag"),
            gusts: wind.tables("gusts").into_iter().map(gust).collect(),
        },
        None => Wind::default(),
    };
    Environment { gravity: environment.vector3("gravity"), wind, viscous_drag: environment.number("viscous_drag") }
}

fn claims(reader: &Reader<'_>) -> Claims {
    Claims {
        max_strain_below: reader.optional_number("max_strain_below"),
        final_speed_below: reader.optional_number("final_speed_below"),
    }
}

fn camera(reader: &Reader<'_>) -> Option<Camera> {
    let (given, camera) = reader.table("camera");
    given?;
    let (position, target) = (camera.vector3("position"), camera.vector3("target"));
    if position == target {
        camera.fault(camera.place("target"), "the camera's `target` must differ from its `position`");
    }
    Some(Camera { position, target, field_of_view: camera.number("field_of_view_degrees").to_radians() })
}

/// A unit vector; zero has no direction.
fn unit(reader: &Reader<'_>, name: &str) -> DVec3 {
    let axis = reader.vector3(name);
    if axis == DVec3::ZERO {
        reader.fault(reader.place(name), format!("`{}` must not be zero: it is a direction", reader.path_of(name)));
        return DVec3::Z;
    }
    axis.normalize()
}
