//! Physics shown, not claimed: the scenes of `scenes/validate` against closed forms that are computed here, in
//! `reference.rs`, without the simulator. The chapter `docs/validation.md` tells what each measures.

mod bending;
mod curves;
mod hanging;
mod mesh;
mod motion;
mod older;
mod reference;
mod thesis;
mod thesis_mesh;

use glam::DVec3;
use muslin::Simulation;

/// Gravity of the scenes [m/s²].
pub const GRAVITY: f64 = 9.81;

/// A validation scene with its settings.
pub fn simulation(scene: &str, settings: &[&str]) -> Simulation {
    Simulation::from_scene_with(scene, settings).unwrap_or_else(|error| panic!("{scene} {settings:?}: {error}"))
}

/// Runs to the end; the positions of all frames with the start [m].
pub fn frames(simulation: &mut Simulation) -> Vec<Vec<DVec3>> {
    let mut frames = vec![simulation.state().positions.clone()];
    while simulation.frame() < simulation.frames() {
        frames.push(simulation.next_frame().unwrap_or_else(|error| panic!("{error}")));
    }
    frames
}

/// The positions at the end of a scene that comes to rest [m]; a scene that still moves fails.
pub fn rest(scene: &str, settings: &[&str]) -> Vec<DVec3> {
    /// Fastest vertex of a scene at rest [m/s]: in the time scale of each scene a shift far below its tolerance.
    const RESTING_SPEED: f64 = 1e-3;
    let mut simulation = simulation(scene, settings);
    let positions = frames(&mut simulation).pop().unwrap();
    let speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < RESTING_SPEED, "{scene} {settings:?} still moves at {speed} m/s");
    positions
}

/// Mean of a column of a grid with `rows` vertices across [m].
pub fn column(positions: &[DVec3], rows: usize, column: usize) -> DVec3 {
    positions[column * rows..(column + 1) * rows].iter().sum::<DVec3>() / rows as f64
}

/// Times at which samples change their sign, by linear interpolation [s].
pub fn crossings(samples: &[f64], interval: f64) -> Vec<f64> {
    let pairs = samples.windows(2).enumerate();
    let between = |(i, w): (usize, &[f64])| (i as f64 + w[0] / (w[0] - w[1])) * interval;
    pairs.filter(|(_, w)| w[0] != 0.0 && w[0] * w[1] <= 0.0).map(between).collect()
}

/// Fails unless a measured value is within a part of the expected one.
pub fn assert_within(what: &str, measured: f64, expected: f64, part: f64) {
    let error = measured / expected - 1.0;
    println!("{what}: {measured:.6}, reference {expected:.6}, {:+.3} %", 100.0 * error);
    assert!(error.abs() < part, "{what}: {measured} instead of {expected}, {:+.3} %", 100.0 * error);
}
