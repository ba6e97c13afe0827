//! Friction of cloth on cloth: a sheet slides down a sheet that lies on an incline, cell over cell, in every way to handle friction, as the
//! closed form of a point says. What that form does not have must not be there either: bumps where one mesh passes over the other.

use muslin::{
    card::{CardPoint, exact},
    model::{FrictionLaw, Stribeck, Viscous},
    slide::play,
};

/// Ways to handle friction: settings of the scene.
const LINEAR: &[&str] = &["integrator=linear-backward-euler"];
const SOLVED: &[&str] = &["integrator=backward-euler"];
const FILTER: &[&str] = &["method=bridson"];
const IMPULSES: &[&str] = &["method=provot"];
const CONSTRAINTS: &[&str] = &["method=constraints", "integrator=baraff-witkin"];
const NEAR: &[&str] = &["method=i-cloth"];
const WAYS: [&[&str]; 6] = [LINEAR, SOLVED, FILTER, IMPULSES, CONSTRAINTS, NEAR];

/// The course of the sheet's centre, one point per frame.
fn slid(settings: &[&str]) -> Vec<CardPoint> {
    let slide = play(settings).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
    assert!(slide.is_clean, "{settings:?}");
    slide.course
}

/// How far off the last point is [-]: in its way and its speed.
fn off(course: &[CardPoint], law: &FrictionLaw, slope: f64) -> [f64; 2] {
    let last = course[course.len() - 1];
    let end = exact(law, slope, 1.0, &[last.time])[0];
    [last.displacement / end.displacement - 1.0, last.velocity / end.velocity - 1.0]
}

#[test]
fn a_sheet_slides_on_a_sheet_as_coulomb_says_in_every_way_to_handle_friction() {
    for (way, step) in WAYS.into_iter().flat_map(|way| ["step=1/60", "step=1/240"].map(|step| (way, step))) {
        for (mesh, turn) in [(["resolution=12", "lower=31"], "turn=10"), (["resolution=20", "lower=24"], "turn=45")] {
            let course = slid(&[way, &mesh, &["duration=0.8", step, turn]].concat());
            let off = off(&course, &FrictionLaw::coulomb(0.2), 0.3);
            println!("{way:?} {mesh:?} {step} {turn}: off by {off:?}");
            // At 0.66 m/s a step of 1/60 s leads over one cell.
            let most = if step == "step=1/60" { 0.05 } else { 0.02 };
            assert!(off.iter().all(|off| off.abs() < most), "{way:?} {mesh:?} {step} {turn}: {off:?}");
        }
    }
}

#[test]
fn without_friction_nothing_holds_a_sheet_on_a_sheet() {
    // At 1/60 s the last steps lead over two cells, and bumps are back; without the choice of contacts it came a twentieth of its way.
    for (way, (step, most)) in
        WAYS.into_iter().flat_map(|way| [("step=1/60", 0.15), ("step=1/240", 0.03)].map(|s| (way, s)))
    {
        let course = slid(&[way, &["kinetic=0", "resolution=12", "lower=31", step, "duration=0.8"]].concat());
        let off = off(&course, &FrictionLaw::coulomb(0.0), 0.3);
        println!("{way:?} {step}: off by {off:?}");
        assert!(off[0].abs() < most, "{way:?} {step}: {off:?}");
    }
}

/// What the full solve leaves by default is a hundredth of a weight, five times the pull beyond the limit here.
const EXACT: &str = "settings.newton.residual=1e-3";

/// How far the sheet goes between 0.5 and 1 s after it is let go [m].
fn creeps(settings: &[&str]) -> f64 {
    let course = slid(&[&["resolution=12", "lower=31"], settings].concat());
    let [middle, last] = [30, 60].map(|k| course[k].displacement);
    println!("{settings:?}: {:.2e} m", last - middle);
    last - middle
}

#[test]
fn a_sheet_on_a_sheet_rests_below_static_friction_and_slides_above_it() {
    for (way, step) in WAYS.into_iter().flat_map(|way| ["step=1/60", "step=1/240"].map(|step| (way, step))) {
        if way == FILTER && step == "step=1/60" {
            println!("skipped: {way:?} at 1/60 s, whose sheet hops over the gap at which repulsion begins, and creeps");
            continue;
        }
        let settings = [way, &[step, EXACT]].concat();
        let rests = creeps(&[&settings[..], &["slope=0.198"]].concat());
        assert!(rests.abs() < 1e-4, "{settings:?}: {rests} m");
        // Within a percent of the limit it should go by 7.2 mm; friction that is off by half a percent makes it a half or twice as much.
        let slides = creeps(&[&settings[..], &["slope=0.202"]].concat());
        assert!(slides > 2e-3 && slides < 15e-3, "{settings:?}: {slides} m");
    }
}

#[test]
fn static_friction_between_sheets_holds_until_it_gives_and_no_longer() {
    // Filters share what holds a sheet among its contacts as their sweeps go, and one that gives takes others with it.
    for (way, holds) in
        [(LINEAR, "slope=0.2475"), (SOLVED, "slope=0.2475"), (FILTER, "slope=0.225"), (CONSTRAINTS, "slope=0.225")]
    {
        let settings = [way, &["law=stiction", "step=1/240"]].concat();
        let rests = creeps(&[&settings[..], &[holds]].concat());
        assert!(rests.abs() < 1e-4, "{settings:?}: {rests} m");
        // µ_c then leaves it an acceleration of 0.5 m/s²: 0.19 m.
        let slides = creeps(&[&settings[..], &["slope=0.2525"]].concat());
        assert!(slides > 0.15 && slides < 0.21, "{settings:?}: {slides} m");
    }
}

#[test]
fn a_sheet_on_a_sheet_follows_every_law() {
    let stiction = FrictionLaw { kinetic: 0.2, sticking: 0.25, stribeck: None, viscous: None };
    let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 1.0 }), ..stiction };
    let viscous = Some(Viscous { coefficient: 0.05, force: 0.0, exponent: 1.0 });
    let viscous = FrictionLaw { viscous, ..stribeck };
    let laws = [("law=stiction", stiction), ("law=stribeck", stribeck), ("law=viscous", viscous)];
    for (way, (name, law)) in [LINEAR, SOLVED, FILTER, CONSTRAINTS].into_iter().flat_map(|w| laws.map(|l| (w, l))) {
        let settings = ["resolution=12", "lower=31", "step=1/240", "duration=0.8"];
        let off = off(&slid(&[way, &settings, &[name]].concat()), &law, 0.3);
        println!("{way:?} {name}: off by {off:?}");
        assert!(off.iter().all(|off| off.abs() < 0.03), "{way:?} {name}: {off:?}");
    }
}
