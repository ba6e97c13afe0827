//! Searching again after a response gives exactly the box pairs around what moved, in every round.

use crate::frames::{BALL, FUNNEL, Frames, ROD, Scene};
use muslin_collision::broad_phase::{BroadPhase, BroadPhaseKind, SpatialHash};
use muslin_collision::{Candidates, DetectSettings, Detector};

/// Rounds of one frame, as in I fig. 9.
const ROUNDS: usize = 4;

/// The vertices of all pairs that meet, ascending.
fn meeting(scene: &Scene) -> Vec<u32> {
    let found = Detector::default().detect(&scene.surface, &scene.sweep(), &DetectSettings::default());
    let (faces, edges) = (scene.surface.triangles(), scene.surface.edges());
    let of_faces = found.vertex_face.iter().flat_map(|i| faces[i.b as usize].into_iter().chain([i.a]));
    let of_edges = found.edge_edge.iter().flat_map(|i| [i.a, i.b]).flat_map(|e| edges[e as usize]);
    let mut vertices: Vec<u32> = of_faces.chain(of_edges).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// The box pairs of a full search with a vertex that moved, sorted.
fn around(scene: &Scene, moved: &[u32]) -> Candidates {
    let mut pairs = Candidates::default();
    BroadPhaseKind::Tree.build().find(&scene.surface, &scene.sweep(), 0.0, &mut pairs).unwrap();
    let mut has_moved = vec![false; scene.start.len()];
    moved.iter().for_each(|&v| has_moved[v as usize] = true);
    let touched = |vertices: &[u32]| vertices.iter().any(|&v| has_moved[v as usize]);
    let (faces, edges) = (scene.surface.triangles(), scene.surface.edges());
    pairs.vertex_face.retain(|&[v, f]| touched(&[v]) || touched(&faces[f as usize]));
    pairs.edge_edge.retain(|&[a, b]| touched(&edges[a as usize]) || touched(&edges[b as usize]));
    pairs.sort();
    pairs
}

/// Takes back half of the way of each vertex that meets something and searches again, round by round.
pub fn check(frames: &Frames) {
    let Some(mut scene) = frames.read() else { return };
    let mut hash = SpatialHash::default();
    hash.find(&scene.surface, &scene.sweep(), 0.0, &mut Candidates::default()).unwrap();
    for round in 2..=ROUNDS {
        let moved = meeting(&scene);
        assert!(!moved.is_empty(), "nothing meets in round {round} of {}", scene.name);
        for &v in &moved {
            scene.end[v as usize] = scene.start[v as usize].midpoint(scene.end[v as usize]);
        }
        let mut again = Candidates::default();
        hash.find_again(&scene.surface, &scene.sweep(), 0.0, &moved, &mut again).unwrap();
        again.sort();
        let expected = around(&scene, &moved);
        assert!(expected.len() > 1000, "{} pairs in round {round} of {}", expected.len(), scene.name);
        // Not by `assert_eq`, which would print a million pairs.
        assert!(again == expected, "round {round} of {}: {} pairs of {}", scene.name, again.len(), expected.len());
    }
}

#[test]
fn searching_again_equals_a_full_search_in_every_round_of_the_funnel() {
    check(&FUNNEL);
}

#[test]
fn searching_again_equals_a_full_search_in_every_round_of_the_twisted_rods() {
    check(&ROD);
}

#[test]
fn searching_again_equals_a_full_search_in_every_round_of_the_cloth_on_a_ball() {
    check(&BALL);
}
