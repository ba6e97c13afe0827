//! Every broad phase against the slow twin: the same question, the same pairs, each once, in the same order on
//! any number of threads.

mod counts;
mod dropping;
mod exactness;
mod incremental;
mod meshes;
mod random;
mod subdivision;

use meshes::Scene;
use muslin_collision::broad_phase::{BroadPhase, BroadPhaseKind, BruteForce};
use muslin_collision::{Candidates, Counts, Sweep};

/// The broad phases that give exactly the box pairs.
fn exact() -> Vec<BroadPhaseKind> {
    BroadPhaseKind::ALL.into_iter().filter(|kind| kind.build().is_exact()).collect()
}

/// What a broad phase finds, in its own order.
fn found(phase: &mut dyn BroadPhase, scene: &Scene, thickness: f64) -> (Candidates, Counts) {
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let mut candidates = Candidates::default();
    let counts = phase.find(&scene.surface, &sweep, thickness, &mut candidates).unwrap();
    (candidates, counts)
}

/// The box pairs, sorted, by trying all.
fn box_pairs(scene: &Scene, thickness: f64) -> Candidates {
    let (mut candidates, _) = found(&mut BruteForce::default(), scene, thickness);
    candidates.sort();
    candidates
}

/// Fails unless a broad phase finds exactly the box pairs of a scene, each once.
fn assert_finds_the_box_pairs(kind: BroadPhaseKind, name: &str, scene: &Scene, thickness: f64) {
    let (mut candidates, _) = found(&mut *kind.build(), scene, thickness);
    candidates.sort();
    let expected = box_pairs(scene, thickness);
    for (what, found, expected) in [
        ("vertex–face", &candidates.vertex_face, &expected.vertex_face),
        ("edge–edge", &candidates.edge_edge, &expected.edge_edge),
    ] {
        let lost = expected.iter().find(|pair| found.binary_search(pair).is_err());
        let extra = found.iter().find(|pair| expected.binary_search(pair).is_err());
        let twice = found.windows(2).find(|pairs| pairs[0] == pairs[1]);
        assert!(
            found == expected,
            "{kind} on {name} at thickness {thickness}: {} {what} pairs instead of {}; lost {lost:?}, extra {extra:?}, twice {twice:?}",
            found.len(),
            expected.len(),
        );
    }
}
