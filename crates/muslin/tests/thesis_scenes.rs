//! W's experiments stay clean: no step of any of them ends in a crossing, whatever the model of bending, the law of friction or the way to
//! handle it.
//!
//! Here with coarse cloth. `MUSLIN_THESIS_SCENES=whole` runs them at the resolutions of the book.

use muslin::{load, sim::Simulation};

/// Scenes with bending hysteresis (W fig. 4.8–4.13) and their coarse resolutions.
const BENDING: [(&str, usize); 6] =
    [("w-4-twist", 12), ("w-4-squeeze", 28), ("w-4-ball", 8), ("w-4-arm", 12), ("w-4-knee", 12), ("w-4-clamp", 8)];
/// The models that W compares.
const MODELS: [&[&str]; 4] = [&["hysteresis=0", "crease=0"], &["bend=plasticity"], &["crease=0.08"], &["crease=0.25"]];

/// Scenes with friction (W fig. 7.3, 7.5, 7.6, 7.8) and their coarse resolutions.
const FRICTION: [(&str, usize); 3] = [("w-7-incline", 12), ("w-7-stick-slip", 10), ("w-7-sphere", 8)];
const LAWS: [&str; 4] = ["law=coulomb", "law=stiction", "law=stribeck", "law=viscous"];
/// Ways to handle friction beside the default, at the scenes' own steps; W filters velocities in steps of 1 ms.
const WAYS: [&[&str]; 5] = [
    &["method=bridson"],
    &["method=bridson", "step=1/240"],
    &["method=provot"],
    &["method=constraints", "integrator=baraff-witkin"],
    &["integrator=backward-euler"],
];

/// Whether the resolutions of the book are asked for.
fn whole() -> bool {
    std::env::var("MUSLIN_THESIS_SCENES").as_deref() == Ok("whole")
}

/// Runs a scene to its end and asks whether it stayed clean.
fn assert_clean(name: &str, resolution: usize, settings: &[&str]) {
    let mut all: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    if !whole() {
        all.push(format!("resolution={resolution}"));
    }
    let scene = load(name, &all).unwrap_or_else(|error| panic!("{error}")).scene;
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
    assert!(simulation.has_contact(), "{name}");
    while simulation.frame() < simulation.frames() {
        simulation.next_frame().unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
    }
    let tally = simulation.tally();
    println!("{name} {settings:?}: strain {:.3}, {} contacts", tally.max_strain, tally.contacts);
    assert!(simulation.is_clean(), "{name} {settings:?}: {} crossings", tally.crossings);
    assert!(tally.contacts > 0, "{name} {settings:?}: nothing touched");
}

#[test]
fn experiments_with_hysteresis_stay_clean_with_every_model() {
    for (name, resolution) in BENDING {
        MODELS.iter().for_each(|model| assert_clean(name, resolution, model));
    }
}

#[test]
fn experiments_with_friction_stay_clean_under_every_law() {
    for (name, resolution) in FRICTION {
        LAWS.iter().for_each(|law| assert_clean(name, resolution, &[law]));
    }
    assert_clean("w-7-card", 8, &[]);
}

#[test]
fn experiments_with_friction_stay_clean_in_every_way_to_handle_it() {
    // The ball takes as long as the two others together.
    for &(name, resolution) in &FRICTION[..if whole() { 3 } else { 2 }] {
        WAYS.iter().for_each(|way| assert_clean(name, resolution, way));
    }
}
