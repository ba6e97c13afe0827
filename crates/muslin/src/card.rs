//! W's card on an incline (fig. 7.6 and 7.7), played and in closed form.
//!
//! The scene `w-7-card` has one card for each law. A card is so stiff and flat that all of it moves alike: its displacement is
//! that of its centre, and the friction on it what is missing from gravity's pull, m g sin θ − m dv/dt.
//!
//! On an incline θ a point under a law µ(v) has dv/dt = g sin θ − g cos θ µ(v) once tan θ > µ_s, and rests below. With
//! Coulomb's law v = g (sin θ − µ_c cos θ) t; the others are integrated to ten digits.

use crate::{error::Error, simulation::Simulation};
use muslin_model::FrictionLaw;

/// The cards of the scene, in its order.
pub const CARDS: [&str; 4] = ["coulomb", "stiction", "stribeck", "viscous"];

/// Gravity of the scene [m/s²].
const GRAVITY: f64 = 9.81;

/// A card at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CardPoint {
    /// Time [s].
    pub time: f64,
    /// Way down the incline [m].
    pub displacement: f64,
    /// Speed [m/s].
    pub velocity: f64,
    /// Friction over the normal force [-].
    pub friction: f64,
}

/// For how long the scene holds its cards [s].
const HOLD: f64 = 0.2;

/// Plays `w-7-card` with some settings; returns the cards' courses from the moment that they are let go, one point per frame.
pub fn play(settings: &[&str]) -> Result<[Vec<CardPoint>; 4], Error> {
    let mut simulation = Simulation::from_scene_with("w-7-card", settings)?;
    let (gravity, interval) = {
        let scene = simulation.model();
        (scene.environment.gravity, simulation.frame_time(1))
    };
    let bodies: Vec<_> = simulation.model().bodies.iter().take(4).map(|body| body.vertices.clone()).collect();
    let centres = |simulation: &Simulation| {
        let state = simulation.state();
        [0, 1, 2, 3].map(|k: usize| {
            let (range, model) = (bodies[k].clone(), simulation.model());
            let mass: f64 = model.masses[range.clone()].iter().sum();
            let mean =
                |values: &[glam::DVec3]| range.clone().map(|v| values[v].x * model.masses[v]).sum::<f64>() / mass;
            [mean(&state.positions), mean(&state.velocities)]
        })
    };
    let start = centres(&simulation);
    let mut courses: [Vec<CardPoint>; 4] = Default::default();
    courses.iter_mut().for_each(|course| course.push(CardPoint::default()));
    while simulation.frame() < simulation.frames() {
        simulation.next_frame()?;
        if simulation.state().time < HOLD + 1e-9 {
            continue;
        }
        let now = centres(&simulation);
        for (k, course) in courses.iter_mut().enumerate() {
            let before = course[course.len() - 1];
            let acceleration = (now[k][1] - before.velocity) / interval;
            course.push(CardPoint {
                time: before.time + interval,
                displacement: now[k][0] - start[k][0],
                velocity: now[k][1],
                friction: (gravity.x - acceleration) / -gravity.z,
            });
        }
    }
    Ok(courses)
}

/// The course of a point of a mass [kg] under a law, at some times [s] that ascend from 0.
pub fn exact(law: &FrictionLaw, slope: f64, mass: f64, times: &[f64]) -> Vec<CardPoint> {
    let (sin, cos) = slope.atan().sin_cos();
    let load = mass * GRAVITY * cos;
    if slope <= law.sticking {
        return times.iter().map(|&time| CardPoint { time, friction: slope, ..CardPoint::default() }).collect();
    }
    let friction = |v: f64| law.at(v.max(1e-300), load);
    let acceleration = |v: f64| GRAVITY * (sin - cos * friction(v));
    let (mut time, mut v, mut x) = (0.0, 0.0, 0.0);
    let mut course = Vec::new();
    for &end in times {
        // Heun's rule; the curve is steep only at its very beginning.
        let steps = ((end - time) / 1e-5).ceil().max(1.0);
        let h = (end - time) / steps;
        for _ in 0..steps as usize {
            let first = acceleration(v);
            let next = v + 0.5 * h * (first + acceleration(v + h * first));
            x += 0.5 * h * (v + next);
            v = next;
        }
        time = end;
        course.push(CardPoint { time, displacement: x, velocity: v, friction: friction(v) });
    }
    course
}
