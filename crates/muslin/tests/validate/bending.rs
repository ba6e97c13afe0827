//! Bending: the cantilever on the master curve, Peirce's angle, the buckled strip.

use crate::{assert_within, column, reference, rest};
use glam::DVec3;

/// Weight of the default fabric [N/m²].
const WEIGHT: f64 = 0.2 * crate::GRAVITY;

/// The tip of the cantilever scene, mean of the last column [m].
fn tip(resolution: usize, length: f64, settings: &[String]) -> DVec3 {
    let mut all = vec![format!("resolution={resolution}"), format!("length={length}")];
    all.extend_from_slice(settings);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let x = rest("cantilever", &all);
    column(&x, x.len() / resolution, resolution - 1)
}

/// Largest over smallest drop of the tip over three resolutions and three directions of the warp, on both regular
/// triangulations and irregular ones of several seeds; each within a part of the exact drop.
fn spread(rigidity: f64, seeds: std::ops::RangeInclusive<u32>, settings: &[&str], part: f64) -> f64 {
    let length: f64 = 0.1;
    let (_, drop) = reference::cantilever(WEIGHT * length.powi(3) / rigidity);
    let regular = ["right-diagonal", "alternating"].map(String::from);
    let irregular = seeds.map(|seed| format!("{{ kind = \"irregular\", seed = {seed} }}"));
    let mut extremes = (f64::INFINITY, 0.0f64);
    for triangulation in regular.into_iter().chain(irregular) {
        for warp in [0, 45, 90] {
            for n in [16, 24, 32] {
                let mut set = vec![format!("triangulation={triangulation}"), format!("warp_degrees={warp}")];
                set.push(format!("rigidity={rigidity}"));
                set.extend(settings.iter().map(|s| s.to_string()));
                let found = -tip(n + 3, length, &set).z;
                let what = format!("{rigidity:e} N·m, {triangulation} {warp}° n = {n}, drop [m]");
                assert_within(&what, found, drop * length, part);
                extremes = (extremes.0.min(found), extremes.1.max(found));
            }
        }
    }
    println!("{rigidity:e} N·m {settings:?}: spread {:.2} %", 100.0 * (extremes.1 / extremes.0 - 1.0));
    extremes.1 / extremes.0
}

/// What the project promises of cantilevers on all meshes [-].
const PROMISE: f64 = 1.02;

/// Seeds of the irregular meshes.
const SEEDS: std::ops::RangeInclusive<u32> = 1..=5;

#[test]
fn gently_bent_cantilevers_agree_on_all_meshes() {
    // Γ = 4.9: the tip falls by half of the length.
    assert!(spread(4e-4, SEEDS, &[], 0.01) < PROMISE);
}

#[test]
fn cantilevers_agree_over_three_resolutions_three_triangulations_and_three_directions() {
    // Γ = 19.6.
    assert!(spread(1e-4, SEEDS, &[], 0.01) < PROMISE);
}

#[test]
fn cantilevers_that_hang_almost_straight_down_agree_on_all_meshes() {
    // Γ = 39: at the clamp 16 cells turn by a quarter of a radian each.
    assert!(spread(5e-5, SEEDS, &[], 0.01) < PROMISE);
}

#[test]
fn cantilevers_with_the_conditions_of_baraff_and_witkin_agree_on_all_meshes() {
    // Their stretch and shear, scaled by √a; bending by curvature, for their bend condition is one of hinges.
    let conditions = "cloth.0.stretch={ kind = \"baraff-witkin\", area_exponent = 0.5 }";
    assert!(spread(1e-4, 1..=1, &[conditions], 0.01) < PROMISE);
}

#[test]
fn cantilevers_lie_on_the_master_curve() {
    let length: f64 = 0.1;
    for gamma in [1.0, 4.0, 8.0, 16.0, 40.0] {
        let rigidity = WEIGHT * length.powi(3) / gamma;
        let tip = tip(27, length, &[format!("rigidity={rigidity}")]);
        let (reach, drop) = reference::cantilever(gamma);
        let found = (tip.x / length, -tip.z / length);
        println!("Γ = {gamma}: tip at {:.4}, −{:.4} L, reference {reach:.4}, −{drop:.4}", found.0, found.1);
        let miss = (found.0 - reach).hypot(found.1 - drop);
        assert!(miss < 0.01, "Γ = {gamma}: the tip misses the curve by {miss} L");
    }
}

#[test]
fn the_overhang_whose_chord_falls_by_41_5_degrees_is_twice_the_bending_length() {
    let rigidity: f64 = 1e-4;
    let bending_length = (rigidity / WEIGHT).cbrt();
    let angle = |length: f64| {
        let tip = tip(27, length, &[]);
        (-tip.z).atan2(tip.x).to_degrees()
    };
    let (short, long) = (1.96 * bending_length, 2.04 * bending_length);
    let (low, high) = (angle(short), angle(long));
    let overhang = short + (long - short) * (41.5 - low) / (high - low);
    // A change of 1 % in the overhang changes the angle by 0.6°.
    assert_within("Peirce: overhang / 2 [m]", 0.5 * overhang, bending_length, 0.005);
}

#[test]
fn a_buckled_strip_rises_like_the_elastica() {
    let resolution = 33;
    for triangulation in ["right-diagonal", "alternating", "irregular"] {
        for chord in [0.93f64, 0.75, 0.5] {
            let set = [
                format!("chord={chord}"),
                format!("triangulation={triangulation}"),
                format!("resolution={resolution}"),
            ];
            let x = rest("buckling", &[&set[0], &set[1], &set[2]]);
            let height = column(&x, x.len() / resolution, resolution / 2).z.abs() / 0.2;
            assert_within(
                &format!("{triangulation}, chord {chord} L, height/L"),
                height,
                reference::buckled_height(chord),
                0.01,
            );
        }
    }
}
