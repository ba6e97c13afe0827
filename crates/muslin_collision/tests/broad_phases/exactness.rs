//! The exact ones give exactly the box pairs.

use crate::meshes::{self, Scene};
use crate::random::Random;
use crate::{assert_finds_the_box_pairs, box_pairs, exact, found};
use glam::DVec3;
use muslin_collision::broad_phase::BroadPhaseKind;
use muslin_model::parallel;

#[test]
fn exact_methods_find_exactly_the_box_pairs_of_every_mesh() {
    for (name, scene) in meshes::all() {
        for kind in exact() {
            for thickness in [0.0, 0.02] {
                assert_finds_the_box_pairs(kind, name, &scene, thickness);
            }
        }
    }
}

#[test]
fn exact_methods_find_exactly_the_box_pairs_at_scales_from_1e_minus_6_to_1e6() {
    let scenes = |random: &mut Random| {
        [
            ("a crumpled sheet", meshes::crumpled_sheet(9, random)),
            ("a soup", meshes::soup(120, 0.2, 0.1, random)),
            ("a fold at a hinge", meshes::folding_hinge(6)),
        ]
    };
    for scale in [1e-6, 1e-3, 1e3, 1e6] {
        for (name, scene) in scenes(&mut Random(6)) {
            let scene = scene.scaled(scale);
            for kind in exact() {
                for thickness in [0.0, 0.01 * scale] {
                    assert_finds_the_box_pairs(kind, name, &scene, thickness);
                }
            }
        }
    }
}

#[test]
fn exact_methods_find_exactly_the_box_pairs_far_from_the_origin() {
    for (name, scene) in [("a soup", meshes::soup(150, 0.2, 0.1, &mut Random(7))), ("a fold", meshes::folding_hinge(6))]
    {
        let scene = scene.moved(DVec3::new(1e6, -3e5, 7e8));
        exact().into_iter().for_each(|kind| assert_finds_the_box_pairs(kind, name, &scene, 0.01));
    }
}

#[test]
fn exact_methods_find_exactly_the_box_pairs_of_random_soups() {
    let random = &mut Random(1);
    for round in 0..150 {
        let count = 1 + random.below(60);
        let (size, motion) = (10f64.powf(-2.0 * random.unit()), 10f64.powf(-3.0 * random.unit()));
        let scene = meshes::soup(count, size, motion, random);
        let thickness = if round % 2 == 0 { 0.0 } else { 0.1 * size };
        exact().into_iter().for_each(|kind| assert_finds_the_box_pairs(kind, "a random soup", &scene, thickness));
    }
}

#[test]
fn boxes_that_only_touch_are_pairs_for_every_method() {
    // Boxes side by side on a lattice of powers of two: every face, edge and corner of a box touches.
    let mut start = Vec::new();
    for k in 0..64 {
        let low = DVec3::new(f64::from(k & 3), f64::from(k >> 2 & 3), f64::from(k >> 4)) * 0.125;
        start.extend([low, low + DVec3::new(0.125, 0.125, 0.0), low + DVec3::splat(0.125)]);
    }
    let triangles: Vec<[u32; 3]> = (0..64).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let scene = Scene::new(&triangles, start.clone(), start);
    assert!(box_pairs(&scene, 0.0).len() > 500);
    exact().into_iter().for_each(|kind| assert_finds_the_box_pairs(kind, "touching boxes", &scene, 0.0));
}

#[test]
fn the_pair_that_closes_at_a_hinge_is_found_by_every_method() {
    // Two triangles with a common edge fold onto each other: the free vertices meet the other face.
    let at = |z: f64, x: f64| vec![DVec3::ZERO, DVec3::Y, DVec3::new(-0.9, 0.5, 0.0), DVec3::new(x, 0.5, z)];
    let scene = Scene::new(&[[0, 1, 2], [1, 0, 3]], at(0.1, 0.9), at(-0.1, -0.95));
    for kind in BroadPhaseKind::ALL {
        let (candidates, _) = found(&mut *kind.build(), &scene, 0.0);
        assert!(candidates.vertex_face.contains(&[3, 0]) && candidates.vertex_face.contains(&[2, 1]), "{kind}");
    }
}

#[test]
fn results_and_counts_have_the_same_order_on_any_number_of_threads() {
    let random = &mut Random(3);
    // Large enough for several pieces of every parallel loop.
    for (name, scene) in
        [("a soup", meshes::soup(9_000, 0.02, 0.01, random)), ("a sheet", meshes::crumpled_sheet(56, random))]
    {
        for kind in BroadPhaseKind::ALL.into_iter().filter(|kind| *kind != BroadPhaseKind::BruteForce) {
            let on = |threads| parallel::with_threads(threads, || found(&mut *kind.build(), &scene, 0.001));
            let one = on(1);
            assert!(one.0.len() > 3_000, "{kind} on {name}");
            assert!(one == on(3), "{kind} on {name} depends on the number of threads");
        }
    }
}

#[test]
fn a_method_that_served_one_mesh_serves_another() {
    let random = &mut Random(4);
    let scenes =
        [meshes::soup(80, 0.2, 0.1, random), meshes::crumpled_sheet(8, random), meshes::soup(80, 0.2, 0.1, random)];
    for kind in exact() {
        let mut phase = kind.build();
        for scene in &scenes {
            let (mut candidates, _) = found(&mut *phase, scene, 0.01);
            candidates.sort();
            assert_eq!(candidates, box_pairs(scene, 0.01), "{kind}");
        }
    }
}
