//! Searching again only around what moved.

use crate::meshes::{self, Scene};
use crate::random::Random;
use crate::{box_pairs, found};
use glam::DVec3;
use muslin_collision::broad_phase::{BroadPhase, SpatialHash};
use muslin_collision::{Candidates, Sweep};

/// The pairs with a vertex that moved.
fn with_moved(mut pairs: Candidates, scene: &Scene, moved: &[u32]) -> Candidates {
    let touches = |vertices: &[u32]| vertices.iter().any(|v| moved.contains(v));
    let (faces, edges) = (scene.surface.triangles(), scene.surface.edges());
    pairs.vertex_face.retain(|&[v, f]| moved.contains(&v) || touches(&faces[f as usize]));
    pairs.edge_edge.retain(|&[a, b]| touches(&edges[a as usize]) || touches(&edges[b as usize]));
    pairs
}

fn again(hash: &mut SpatialHash, scene: &Scene, thickness: f64, moved: &[u32]) -> Candidates {
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let mut candidates = Candidates::default();
    hash.find_again(&scene.surface, &sweep, thickness, moved, &mut candidates).unwrap();
    candidates.sort();
    candidates
}

#[test]
fn incremental_search_equals_the_full_one_in_every_round() {
    let random = &mut Random(18);
    for (name, mut scene) in meshes::all().into_iter().filter(|(_, scene)| !scene.start.is_empty()) {
        let mut hash = SpatialHash::default();
        found(&mut hash, &scene, 0.01);
        let mut pairs_seen = 0;
        for round in 0..8 {
            // A few vertices in most rounds, none or many in some; small moves and, once, a leap out of the scene.
            let count = [3, 1, 8, 0, 2, 30, 1, 5][round].min(scene.end.len());
            let reach = if round == 6 { 50.0 } else { 0.1 };
            let moved: Vec<u32> = (0..count).map(|_| random.below(scene.end.len()) as u32).collect();
            moved.iter().for_each(|&v| scene.end[v as usize] += random.point() * reach);
            let expected = with_moved(box_pairs(&scene, 0.01), &scene, &moved);
            pairs_seen += expected.len();
            assert_eq!(again(&mut hash, &scene, 0.01, &moved), expected, "{name}, round {round}");
        }
        assert!(pairs_seen > 0 || scene.surface.triangles().len() < 3, "{name}: nothing was compared");
    }
}

#[test]
fn the_lemma_as_printed_would_lose_a_pair_of_a_vertex_that_moved_without_colliding() {
    // A zone drags a vertex along that was in no colliding pair; it comes to lie near a face that never moved.
    let far = DVec3::splat(5.0);
    let start = vec![DVec3::ZERO, DVec3::X, DVec3::Y, far, far + DVec3::X, far + DVec3::Y];
    let mut scene = Scene::new(&[[0, 1, 2], [3, 4, 5]], start.clone(), start);
    let mut hash = SpatialHash::default();
    assert!(found(&mut hash, &scene, 0.0).0.is_empty());
    scene.end[3] = DVec3::new(0.2, 0.2, 0.0);
    assert!(again(&mut hash, &scene, 0.0, &[3]).vertex_face.contains(&[3, 0]));
}

#[test]
fn searching_again_takes_fewer_tests_than_searching_anew() {
    let mut scene = meshes::crumpled_sheet(60, &mut Random(9));
    let mut hash = SpatialHash::default();
    let (_, full) = found(&mut hash, &scene, 0.0);
    scene.end[1000].z += 0.01;
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let counts = hash.find_again(&scene.surface, &sweep, 0.0, &[1000], &mut Candidates::default()).unwrap();
    assert_eq!(hash.dynamic_items(), 6);
    assert!(counts.tests > 0 && counts.tests * 50 < full.tests, "{} of {}", counts.tests, full.tests);
}

#[test]
fn searching_again_without_a_search_before_or_at_another_thickness_is_a_full_search() {
    let scene = meshes::soup(100, 0.2, 0.1, &mut Random(5));
    let mut hash = SpatialHash::default();
    assert_eq!(again(&mut hash, &scene, 0.0, &[1]), box_pairs(&scene, 0.0));
    assert_eq!(again(&mut hash, &scene, 0.05, &[1]), box_pairs(&scene, 0.05));
}
