//! Motion in time: free fall, one spring, the pendulum, the modes of the hanging chain.

use crate::{GRAVITY, assert_within, crossings, frames, reference, simulation};
use std::f64::consts::TAU;

#[test]
fn every_scheme_falls_with_the_error_it_must_have() {
    /// What the linear solvers' tolerances leave after 50 steps [m].
    const SOLVED: f64 = 1e-5;
    let (long, short) = (0.01, 1e-3);
    // Error of the fall after n steps, in g h²: by summing each scheme's recurrence.
    let ahead = |n: f64| 0.5 * n;
    let behind = |n: f64| -0.5 * n;
    let exact = |_: f64| 0.0;
    // BDF2 starts with backward Euler, half a g h² ahead; 3e' − 4e + e₋ = 0 carries that to 3/4.
    let started = |n: f64| 0.75 * (1.0 - 3f64.powf(-n));
    // In a stiff cloth explicit schemes would let rounding grow; the fall is the same for a soft one.
    let soft = "material={ base = \"woven-cotton\", stretch_warp = 10, stretch_weft = 10, shear = 10, damping_warp = 0, \
                damping_weft = 0, damping_shear = 0, damping_bend = 0 }";
    type Lead = fn(f64) -> f64;
    let schemes: [(&str, f64, Lead); 9] = [
        ("backward-euler", long, ahead),
        ("linear-backward-euler", long, ahead),
        ("baraff-witkin", long, ahead),
        ("symplectic-euler", short, ahead),
        ("explicit-euler", short, behind),
        ("midpoint", short, exact),
        ("runge-kutta-4", short, exact),
        ("verlet", short, exact),
        ("bdf2", long, started),
    ];
    for (scheme, step, lead) in schemes {
        let fabric = if step == long { "material=woven-cotton" } else { soft };
        let mut simulation =
            simulation("free-fall", &[&format!("integrator={scheme}"), &format!("step={step}"), fabric]);
        let all = frames(&mut simulation);
        let n = simulation.state().steps as f64;
        let time = n * step;
        let expected = -GRAVITY * (0.5 * time * time + lead(n) * step * step);
        for (start, end) in all[0].iter().zip(all.last().unwrap()) {
            let moved = *end - *start;
            assert!((moved.z - expected).abs() < SOLVED, "{scheme}: fell {} instead of {expected}", moved.z);
            assert!(moved.x.abs() < SOLVED && moved.y.abs() < SOLVED, "{scheme} drifts");
        }
        println!("{scheme}: error {:+.4} %", 100.0 * (expected / (-0.5 * GRAVITY * time * time) - 1.0));
    }
}

#[test]
fn one_mass_on_a_spring_has_the_period_of_its_mass_and_constant() {
    // A third of the cell's mass: two triangles of half the cell meet at the corner.
    let mass: f64 = 0.2 * 0.1 * 0.1 / 3.0;
    for (constant, scheme) in [(10.0, "verlet"), (10.0, "bdf2"), (10.0, "runge-kutta-4"), (40.0, "verlet")] {
        let set = [format!("constant={constant}"), format!("integrator={scheme}")];
        let mut simulation = simulation("spring", &[&set[0], &set[1]]);
        let rest = -mass * GRAVITY / constant;
        let all = frames(&mut simulation);
        let swing: Vec<f64> = all.iter().map(|x| x[0].z - all[0][0].z - rest).collect();
        let times = crossings(&swing, 1.0 / 2000.0);
        let periods = (times.len() - 1) / 2;
        let period = (times[2 * periods] - times[0]) / periods as f64;
        // (ω h)²/24 of Verlet at ω h = 0.12, (ω h)²/3 of BDF2 at 0.06: 6e-4 and 1.3e-3.
        assert_within(&format!("spring {constant} N/m, {scheme} [s]"), period, TAU * (mass / constant).sqrt(), 2e-3);
    }
}

#[test]
fn the_pendulum_has_the_period_of_its_amplitude() {
    for degrees in [10.0f64, 60.0, 90.0] {
        let mut simulation = simulation("pendulum", &[&format!("degrees={degrees}")]);
        let all = frames(&mut simulation);
        // Column-major: vertex 0 is the lower left, vertex 1 the upper left on the axis.
        let swing: Vec<f64> = all.iter().map(|x| x[0].y - x[1].y).collect();
        let times = crossings(&swing, 1.0 / 500.0);
        let expected = (0.1 / GRAVITY).sqrt() * reference::pendulum_period(degrees.to_radians());
        // BDF2's phase error (ω h)²/3 is 3e-5; its damping shortens a wide swing a little.
        assert_within(&format!("pendulum {degrees}° [s]"), times[2] - times[0], expected, 1e-3);
    }
}

#[test]
fn a_hanging_strip_swings_in_the_modes_of_bessel() {
    let resolution = 41;
    let mut simulation = simulation("chain", &[&format!("resolution={resolution}")]);
    let masses = simulation.model().masses.clone();
    let start: Vec<f64> = simulation.state().positions.iter().map(|x| x.y).collect();
    let top = start[resolution - 1];
    let all = frames(&mut simulation);
    for n in 1..=3 {
        let zero = reference::bessel_zero(n);
        // Each mode is orthogonal to the others under the mass, so the projection swings with one frequency.
        let shape: Vec<f64> = (0..2 * resolution)
            .map(|v| {
                masses[v] * reference::bessel_j0(zero * ((v % resolution) as f64 / (resolution - 1) as f64).sqrt())
            })
            .collect();
        let swing: Vec<f64> =
            all.iter().map(|x| x.iter().zip(&shape).map(|(p, s)| (p.y - top) * s).sum::<f64>()).collect();
        let times = crossings(&swing, 1.0 / 200.0);
        let periods = (times.len() - 1) / 2;
        let period = (times[2 * periods] - times[0]) / periods as f64;
        let expected = 2.0 * TAU / (zero * GRAVITY.sqrt());
        assert_within(&format!("chain mode {n} [s]"), period, expected, 0.01);
    }
}
