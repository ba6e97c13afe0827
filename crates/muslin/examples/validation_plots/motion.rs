//! Plots of motion in time: free fall, one spring, the pendulum, the modes of the hanging chain.

use crate::{
    COLOURS, FORM, Point, reference,
    svg::{Mark, Plot},
};
use muslin::{Error, Simulation};
use std::f64::consts::TAU;

/// Gravity of the scenes [m/s²].
const GRAVITY: f64 = 9.81;

/// A scene watched frame by frame.
struct Film {
    /// Time between frames [s].
    interval: f64,
    /// Positions of all frames with the start [m].
    frames: Vec<Vec<Point>>,
    /// Masses [kg].
    masses: Vec<f64>,
}

impl Film {
    fn new(scene: &str, settings: &[&str], frames_per_second: f64) -> Result<Self, Error> {
        let mut simulation = Simulation::from_scene_with(scene, settings)?;
        let now = |simulation: &Simulation| simulation.state().positions.iter().map(|p| p.to_array()).collect();
        let mut frames = vec![now(&simulation)];
        while simulation.frame() < simulation.frames() {
            simulation.next_frame()?;
            frames.push(now(&simulation));
        }
        Ok(Film { interval: 1.0 / frames_per_second, frames, masses: simulation.model().masses.clone() })
    }

    /// A number of every `stride`-th frame over its time.
    fn watch(&self, stride: usize, value: impl Fn(&[Point]) -> f64) -> Vec<[f64; 2]> {
        let every = self.frames.iter().enumerate().step_by(stride);
        every.map(|(i, x)| [i as f64 * self.interval, value(x)]).collect()
    }
}

/// A function of time as a curve.
fn curve(end: f64, value: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    (0..=400).map(|i| end * i as f64 / 400.0).map(|t| [t, value(t)]).collect()
}

pub fn free_fall() -> Result<Plot, Error> {
    let mut plot = Plot::new(("t [s]", [0.0, 0.5]), ("fall beyond g t²/2 [mm]", [-4.0, 6.0]));
    let step = 1e-3;
    // Symplectic Euler leads by g h t/2, explicit Euler lags as much; BDF2 leads by ¾ g h².
    plot.add(Mark::Curve, FORM, "± g h t/2 and ¾ g h², h = 1 ms", &curve(0.5, |t| 1e3 * 0.5 * GRAVITY * step * t));
    plot.add(Mark::Curve, FORM, "", &curve(0.5, |t| -1e3 * 0.5 * GRAVITY * step * t));
    plot.add(Mark::Curve, FORM, "", &curve(0.5, |_| 1e3 * 0.75 * GRAVITY * step * step));
    let soft = "material={ base = \"woven-cotton\", stretch_warp = 10, stretch_weft = 10, shear = 10, damping_warp = 0, \
                damping_weft = 0, damping_shear = 0, damping_bend = 0 }";
    let schemes = [("backward-euler", COLOURS[0]), ("explicit-euler", COLOURS[1]), ("bdf2", COLOURS[2])];
    for (scheme, colour) in schemes {
        let set = [format!("integrator={scheme}"), format!("step={step}")];
        // The usual tolerance leaves a tenth of a millimetre after 500 steps.
        let tight = "settings.newton={ correction = 1e-9, residual = 1e-6 }";
        let film = Film::new("free-fall", &[&set[0], &set[1], soft, tight], 20.0)?;
        let start = film.frames[0][0][2];
        let fallen = film.watch(1, |x| start - x[0][2]);
        let lead: Vec<[f64; 2]> = fallen.iter().map(|&[t, fall]| [t, 1e3 * (fall - 0.5 * GRAVITY * t * t)]).collect();
        plot.add(Mark::Dots, colour, scheme, &lead);
    }
    Ok(plot)
}

pub fn spring() -> Result<Plot, Error> {
    let mut plot = Plot::new(("t [s]", [0.0, 0.3]), ("height of the mass [mm]", [-1.5, 1.0]));
    // A third of the cell's mass: two triangles of half the cell meet at the corner.
    let (mass, constant): (f64, f64) = (0.2 * 0.1 * 0.1 / 3.0, 10.0);
    let (rest, omega) = (-mass * GRAVITY / constant, (constant / mass).sqrt());
    plot.add(Mark::Curve, FORM, "(m g/k)(cos √(k/m) t − 1)", &curve(0.3, |t| 1e3 * rest * (1.0 - (omega * t).cos())));
    for (scheme, colour) in [("verlet", COLOURS[0]), ("bdf2", COLOURS[1])] {
        let film = Film::new("spring", &[&format!("integrator={scheme}")], 2000.0)?;
        let start = film.frames[0][0][2];
        plot.add(Mark::Dots, colour, scheme, &film.watch(15, |x| 1e3 * (x[0][2] - start)));
    }
    Ok(plot)
}

pub fn pendulum() -> Result<Plot, Error> {
    let mut plot = Plot::new(("angle at the start [°]", [0.0, 150.0]), ("period / 2π √(L/g)", [0.9, 1.9]));
    let form: Vec<[f64; 2]> =
        (1..=150).map(f64::from).map(|a| [a, reference::pendulum_period(a.to_radians()) / TAU]).collect();
    plot.add(Mark::Curve, FORM, "4 K(sin θ/2) / 2π", &form);
    let mut dots = Vec::new();
    for degrees in [5.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0] {
        let film = Film::new("pendulum", &[&format!("degrees={degrees}")], 500.0)?;
        // Column-major: vertex 0 is the lower left, vertex 1 the upper left on the axis.
        let swing = film.watch(1, |x| x[0][1] - x[1][1]);
        let crossings: Vec<f64> = swing
            .windows(2)
            .filter(|w| w[0][1] * w[1][1] <= 0.0 && w[0][1] != 0.0)
            .map(|w| w[0][0] + film.interval * w[0][1] / (w[0][1] - w[1][1]))
            .collect();
        let period = crossings[2] - crossings[0];
        dots.push([degrees, period / (TAU * (0.1 / GRAVITY).sqrt())]);
    }
    plot.add(Mark::Dots, COLOURS[0], "plate of 0.1 m, BDF2", &dots);
    Ok(plot)
}

pub fn chain() -> Result<Plot, Error> {
    let mut plot = Plot::new(("t [s]", [0.0, 2.2]), ("part of each mode / its part at the start", [-1.2, 1.8]));
    let resolution = 41;
    let film = Film::new("chain", &[], 200.0)?;
    let top = film.frames[0][resolution - 1][1];
    for (n, colour) in (1..=3).zip(COLOURS) {
        let zero = reference::bessel_zero(n);
        let shape = |v: usize| reference::bessel_j0(zero * ((v % resolution) as f64 / (resolution - 1) as f64).sqrt());
        let part = |x: &[Point]| (0..x.len()).map(|v| (x[v][1] - top) * shape(v) * film.masses[v]).sum::<f64>();
        let start = part(&film.frames[0]);
        let omega = 0.5 * zero * GRAVITY.sqrt();
        plot.add(Mark::Curve, FORM, "", &curve(2.2, |t| (omega * t).cos()));
        plot.add(Mark::Dots, colour, &format!("mode {n}, j = {zero:.3}"), &film.watch(8, |x| part(x) / start));
    }
    Ok(plot)
}
