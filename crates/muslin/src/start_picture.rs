//! Where a start is faulty: a list and a picture, for a scene that contact refuses or that begins inside an obstacle.

use crate::{directory, error::Error, options::RunOptions};
use muslin_io::output::write_whole;
use muslin_render::{Camera, Paint, Renderer, Subject, View, save_png};
use muslin_sim::{Scene, SimError, Simulation, StartFault, StartFaultKind, settings::ContactMethod};
use serde_json::json;
use std::path::Path;

/// Pixels of the picture.
const SIZE: [usize; 2] = [1200, 900];

/// The error of a start that contact refuses, after `start.json` and `start.png` were written into the run's directory; any
/// other error as it is.
pub(crate) fn with_picture(scene: &Scene, options: &RunOptions, error: SimError) -> Error {
    let SimError::StartsTooNear { faults, described, .. } = &error else { return error.into() };
    let written = directory::choose(options, &scene.name).and_then(|directory| {
        write_list(&scene.name, (faults, described), &directory)?;
        Ok(directory)
    });
    match written {
        Ok(directory) => {
            let drawn = draw(scene, faults, &directory.join("start.png"));
            let files = if drawn { "`start.json` and `start.png`" } else { "`start.json`" };
            Error::Start { source: Box::new(error), files, directory }
        }
        // What cannot be written must not hide what is wrong.
        Err(_) => error.into(),
    }
}

/// Writes the same files for a run that begins with cloth inside an obstacle. The picture leaves that obstacle out: it would
/// hide what is in it.
pub(crate) fn picture_of_inside(scene: &Scene, simulation: &Simulation, directory: &Path) -> Result<(), Error> {
    let faults = simulation.inside_at_start();
    if faults.is_empty() {
        return Ok(());
    }
    let described: Vec<String> = faults.iter().map(|fault| fault.describe(simulation.model())).collect();
    write_list(&scene.name, (faults, &described), directory)?;
    let hides = |name: &str| faults.iter().any(|f| simulation.model().bodies[f.bodies[1] as usize].name == name);
    let mut open = scene.clone();
    open.obstacles.retain(|obstacle| !hides(&obstacle.name));
    draw(&open, faults, &directory.join("start.png"));
    Ok(())
}

fn write_list(name: &str, (faults, described): (&[StartFault], &[String]), directory: &Path) -> Result<(), Error> {
    let path = directory.join("start.json");
    let list: Vec<_> = faults.iter().zip(described).map(|(fault, words)| entry(fault, words)).collect();
    let text = serde_json::to_string_pretty(&json!({ "scene": name, "faults": list })).unwrap_or_default();
    write_whole(&path, text.as_bytes()).map_err(|source| Error::Write { path, source })
}

/// A fault as an entry of a list.
fn entry(fault: &StartFault, words: &str) -> serde_json::Value {
    let kind = match fault.kind {
        StartFaultKind::Crossing => "crossing",
        StartFaultKind::TooNear => "too-near",
        StartFaultKind::Inside => "inside",
    };
    json!({ "kind": kind, "what": words, "vertices": fault.sides, "place": fault.place.to_array(), "distance": fault.distance })
}

/// Draws the start with its faults coloured; whether that went well.
fn draw(scene: &Scene, faults: &[StartFault], path: &Path) -> bool {
    let mut without = scene.clone();
    without.settings.contact.method = ContactMethod::None;
    let Ok(simulation) = Simulation::new(&without) else { return false };
    let (model, positions) = (simulation.model(), &simulation.state().positions);
    let mut values = vec![0.0; positions.len()];
    faults.iter().flat_map(|fault| fault.sides.iter().flatten()).for_each(|&v| values[v as usize] = 1.0);
    let subject = Subject::of(model);
    let [width, height] = SIZE;
    let view = match scene.camera.map(|c| Camera::new(c.position, c.target, c.field_of_view)) {
        Some(camera) => View::through(camera, &subject, &[positions]),
        None => View::framing(&subject, &[positions], width as f64 / height as f64),
    };
    let renderer = Renderer { width, height, supersampling: 2 };
    let paint = Paint::Scalars { values: &values, range: [0.0, 1.0] };
    let image = view.and_then(|view| renderer.draw(&subject, positions, &view, paint));
    image.and_then(|image| save_png(&image, path)).is_ok()
}
