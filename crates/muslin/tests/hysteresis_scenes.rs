//! W's experiments with bending hysteresis as scenes: what the text says of them, in numbers.

use muslin::{Simulation, load};

/// Settings of the model without a memory.
const FORGETFUL: [&str; 2] = ["hysteresis=0", "crease=0"];

fn scene(name: &str, settings: &[&str]) -> Simulation {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    Simulation::new(&load(name, &settings).unwrap().scene).unwrap()
}

/// Largest kinetic energy of the ball's sheet in the last quarter of two seconds, one and a half after the hit [J].
fn swings(settings: &[&str]) -> f64 {
    let mut simulation = scene("w-4-ball", settings);
    let mut most = 0.0_f64;
    while simulation.frame() < simulation.frames() {
        simulation.next_frame().unwrap();
        if simulation.state().time > 1.75 {
            most = most.max(simulation.energy().kinetic);
        }
    }
    assert_eq!(simulation.tally().crossings, 0);
    most
}

/// W 4.5.3 and fig. 4.11 with W's constants: swings are strongest without a memory, weaker with plasticity, which loses energy beyond its
/// limit only, and weaker still with hysteresis, which loses it in every bend. On coarser cloth few hinges reach W's limit, and one
/// that nothing reaches is as good as none.
#[test]
fn a_sheet_that_a_fast_ball_hit_swings_less_with_plasticity_and_least_with_hysteresis() {
    let left = |place: [&str; 2], settings: &[&str]| {
        let energy = swings(&[&place, settings].concat());
        println!("{place:?} {settings:?}: {energy:.3e} J");
        energy
    };
    let models = |place| [&FORGETFUL[..], &["bend=plasticity"], &[]].map(|settings| left(place, settings));
    for place in [["resolution=28", "across=0"], ["resolution=28", "across=0.006"]] {
        let [none, plastic, hysteresis] = models(place);
        assert!(plastic < 0.9 * none && hysteresis < 0.9 * plastic, "{place:?}: {none} {plastic} {hysteresis}");
    }
    let coarse = ["resolution=20", "across=0.003"];
    let [none, plastic, hysteresis] = models(coarse);
    assert!(plastic < 1.05 * none && hysteresis < 0.85 * plastic.min(none), "{none} {plastic} {hysteresis}");
    // W's second test has a limit of 0.5π per cm, which hardly anything reaches.
    let stiff = left(coarse, &["bend=plasticity", "yield=157.1"]);
    assert!((stiff / none - 1.0).abs() < 0.05, "{none} {stiff}");
}

/// Sum of the angles that stay in a sheet that was wrung and spread out [rad].
fn kept(settings: &[&str]) -> f64 {
    let mut simulation = scene("w-4-twist", settings);
    while simulation.frame() < simulation.frames() {
        simulation.next_frame().unwrap();
    }
    assert_eq!(simulation.tally().crossings, 0);
    simulation.state().creases.iter().map(|c| c.rest.abs()).sum()
}

/// W fig. 4.8: the more stays of a recovery, the more wrinkles are left.
#[test]
fn a_wrung_sheet_keeps_bends_that_grow_with_the_residual() {
    let [none, low, high] = [&FORGETFUL[..], &["crease=0.08"], &["crease=0.25"]].map(kept);
    println!("{none}, {low}, {high} rad stay");
    assert!(none == 0.0 && low > 1.0 && high > 1.8 * low, "{none} {low} {high}");
}

/// Sum of the angles that stay in a sheet that was folded, clamped so many times and hung up, over the hinges of one column of it [rad].
fn clamped(cycles: usize, settings: &[&str]) -> f64 {
    let cycles = format!("cycles={cycles}");
    let mut simulation = scene("w-4-clamp", &[&["resolution=30", cycles.as_str()], settings].concat());
    while simulation.frame() < simulation.frames() {
        simulation.next_frame().unwrap();
    }
    assert_eq!(simulation.tally().crossings, 0);
    simulation.state().creases.iter().map(|c| c.rest.abs()).sum::<f64>() / 12.0
}

/// W 4.5.4 and fig. 4.13: the residual grows with the number of cycles, the first leaves the most, and what each adds falls.
#[test]
fn a_fold_that_is_clamped_again_and_again_stays_more_with_every_cycle_and_less_is_added_each_time() {
    let kept = [1, 2, 3, 5].map(|cycles| clamped(cycles, &[]));
    println!("{kept:?} rad stay after 1, 2, 3 and 5 cycles");
    let added = [kept[0], kept[1] - kept[0], kept[2] - kept[1], 0.5 * (kept[3] - kept[2])];
    assert!(kept[0] > 0.2 && added.is_sorted_by(|a, b| a > b && *b > 0.0), "{kept:?}: {added:?}");
    assert_eq!(clamped(5, &FORGETFUL), 0.0);
}
