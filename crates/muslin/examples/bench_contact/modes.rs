//! I fig. 13: three sheets that fall onto a ball, with nothing, with proximity only, with proximity and zones.
//!
//! A run with the preset `i-cloth` gives clean states. From each, one step is taken in each mode. A run of its own for
//! each mode would not compare the modes but what tangled cloth does.

use crate::scene;
use muslin::{
    collision::{Surface, intersections_of},
    contact::{Finder, SearchSettings},
    sim::{SimError, Simulation},
};
use std::{error::Error, fmt::Write};

/// Frames that are run, and the first that is looked at.
const FRAMES: usize = 60;
const FIRST: usize = 12;

/// What each mode is called, and its settings.
const MODES: [(&str, &str); 3] = [
    ("nothing", "settings.contact={method=\"none\"}"),
    ("proximity only", "settings.contact={method=\"i-cloth\", responses=[], unresolved=\"accept\"}"),
    ("proximity and non-linear zones", "settings.contact={method=\"i-cloth\"}"),
];

/// Sums of one mode.
#[derive(Default)]
struct Sums {
    impacts: usize,
    most_impacts: usize,
    crossings: usize,
    halved: usize,
}

/// Penetrations after one step in each mode.
pub fn table() -> Result<String, Box<dyn Error>> {
    let scenes = MODES.map(|(_, contact)| scene("sphere", &["resolution=16", contact]));
    let [nothing, proximity, both] = scenes;
    let scenes = [nothing?, proximity?, both?];
    let mut clean = Simulation::new(&scenes[2])?;
    let mut finder = Finder::new(clean.model(), SearchSettings::default())?;
    let mut sums: [Sums; 3] = Default::default();
    for frame in 0..FRAMES {
        if frame >= FIRST {
            for (scene, sums) in scenes.iter().zip(&mut sums) {
                let mut simulation = Simulation::new(scene)?;
                simulation.restore(&clean.save())?;
                let start = simulation.state().positions.clone();
                match simulation.step_to(simulation.state().time + 1.0 / 60.0) {
                    Ok(()) => {}
                    Err(SimError::Unresolved { .. }) => {
                        sums.halved += 1;
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                }
                let end = &simulation.state().positions;
                let impacts = finder.find(&start, end)?.violations(&start, end).len();
                sums.impacts += impacts;
                sums.most_impacts = sums.most_impacts.max(impacts);
                let model = simulation.model();
                let surface = Surface::new(end.len(), &model.mesh.triangles)?;
                let cloth = |t: u32| model.cloth_triangles().contains(&(t as usize));
                sums.crossings += intersections_of(&surface, end, cloth)?.len();
            }
        }
        clean.next_frame()?;
    }
    let mut table = format!(
        "`sphere` with three sheets of 16 × 16: one step of 1/60 s from each of {} clean states. Impacts are pairs of a vertex and a face, or of \
         two edges, that come nearer than the check allows; crossings are pairs of triangles at the end, by the exact judge.\n\n\
         | mode | impacts | most in a step | crossings | steps refused, to be halved |\n|---|---|---|---|---|\n",
        FRAMES - FIRST
    );
    for ((name, _), sums) in MODES.iter().zip(&sums) {
        let Sums { impacts, most_impacts, crossings, halved } = sums;
        writeln!(table, "| {name} | {impacts} | {most_impacts} | {crossings} | {halved} |")?;
    }
    Ok(table)
}
