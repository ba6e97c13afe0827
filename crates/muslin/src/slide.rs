//! A sheet that slides on a sheet (W 7, friction of cloth on cloth), played; its closed form is that of a [card](crate::card).
//!
//! The scene `w-7-slide` lays two sheets level and lets gravity lean. The one below is held; the one on it slides as a whole, cell over cell, so
//! that its contacts are never the same for long.

use crate::{card::CardPoint, error::Error, simulation::Simulation};
use glam::DVec3;

/// What became of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// The course of its centre from the moment that it is let go, one point per frame; `friction` is the mean until then.
    pub course: Vec<CardPoint>,
    /// Whether nothing crossed in any frame.
    pub is_clean: bool,
}

/// Plays `w-7-slide` with some settings.
pub fn play(settings: &[&str]) -> Result<Slide, Error> {
    let mut simulation = Simulation::from_scene_with("w-7-slide", settings)?;
    let gravity = simulation.model().environment.gravity;
    // The sheet is held until its pin lets go.
    let released = simulation.model().pins.iter().map(|pin| pin.release).fold(f64::INFINITY, f64::min);
    let least = 0.5 * simulation.frame_time(1);
    let sheet = simulation.model().bodies[1].vertices.clone();
    let mass: f64 = simulation.model().masses[sheet.clone()].iter().sum();
    let mean = |simulation: &Simulation, values: fn(&Simulation) -> &[DVec3]| {
        let model = simulation.model();
        sheet.clone().map(|v| values(simulation)[v].x * model.masses[v]).sum::<f64>() / mass
    };
    let place = |simulation: &Simulation| mean(simulation, |s| &s.state().positions);
    let start = place(&simulation);
    let mut course = vec![CardPoint::default()];
    while simulation.frame() < simulation.frames() {
        simulation.next_frame()?;
        let time = simulation.state().time - released;
        if time < least {
            continue;
        }
        let velocity = mean(&simulation, |s| &s.state().velocities);
        course.push(CardPoint {
            time,
            displacement: place(&simulation) - start,
            velocity,
            friction: (gravity.x - velocity / time) / -gravity.z,
        });
    }
    Ok(Slide { course, is_clean: simulation.is_clean() })
}
