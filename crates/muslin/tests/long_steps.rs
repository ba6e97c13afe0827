//! Steps longer than a frame: frames between are points on the straight motion of the step they lie in.

use muslin::{Simulation, load};

fn frames(overrides: &[&str], count: usize) -> (Vec<f64>, u64) {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    let mut simulation = Simulation::new(&load("hang", &overrides).unwrap().scene).unwrap();
    let mean = |x: Vec<glam::DVec3>| x.iter().map(|p| p.z).sum::<f64>() / x.len() as f64;
    let heights = (0..count).map(|_| mean(simulation.next_frame().unwrap())).collect();
    (heights, simulation.state().steps)
}

#[test]
fn frames_within_a_long_step_are_evenly_spaced() {
    // One step of 0.1 s holds six frames; the straight motion makes their heights equidistant.
    let (heights, steps) = frames(&["resolution=8", "step=0.1"], 6);
    assert_eq!(steps, 1);
    let drop = heights[1] - heights[0];
    assert!(drop < -1e-6);
    for pair in heights.windows(2) {
        assert!((pair[1] - pair[0] - drop).abs() < 1e-9 * drop.abs().max(1e-3), "{heights:?}");
    }
}

#[test]
fn frames_of_a_long_step_that_is_split_follow_its_parts() {
    // Many short steps within each 0.1 s: the sheet sinks from frame to frame while it is let down.
    let split = ["resolution=8", "step=0.1", "settings.integrator=bdf2", "settings.adaptive={most_stretch=0.001}"];
    let (heights, steps) = frames(&split, 3);
    assert!(steps > 3, "the step was split into {steps}");
    let (fine, _) = frames(&["resolution=8", "step=0.001", "settings.integrator=bdf2"], 3);
    // The parts are still coarse; extrapolating from the last of them was off by 2.6 mm at the first frame.
    for (a, b) in heights.iter().zip(&fine) {
        assert!((a - b).abs() < 1.5e-3, "{heights:?} against {fine:?}");
    }
    assert!(heights.windows(2).all(|pair| pair[1] < pair[0]), "{heights:?}");
}
