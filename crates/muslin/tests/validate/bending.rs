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

#[test]
fn cantilevers_agree_over_three_resolutions_three_triangulations_and_three_directions() {
    let (length, rigidity) = (0.1, 1e-4);
    let (_, drop) = reference::cantilever(WEIGHT * length * length * length / rigidity);
    let mut extremes = (f64::INFINITY, 0.0f64);
    for triangulation in ["right-diagonal", "alternating", "irregular"] {
        for warp in [0, 45, 90] {
            for n in [16, 24, 32] {
                let set = [format!("triangulation={triangulation}"), format!("warp_degrees={warp}")];
                let found = -tip(n + 3, length, &set).z;
                let part = if triangulation == "irregular" { 0.02 } else { 0.01 };
                assert_within(&format!("{triangulation} {warp}° n = {n}, drop [m]"), found, drop * length, part);
                extremes = (extremes.0.min(found), extremes.1.max(found));
            }
        }
    }
    println!("spread {:.2} %", 100.0 * (extremes.1 / extremes.0 - 1.0));
    assert!(extremes.1 / extremes.0 < 1.02, "drops from {} to {} m", extremes.0, extremes.1);
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
    for triangulation in ["right-diagonal", "alternating"] {
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
