//! Every broad phase on the public frames of `../shared/data/ccd-scalable`: the same pairs, one by one, and no contact lost.
//!
//! The numbers of box pairs come from an independent exact computation; the lists of colliding pairs from exact
//! arithmetic. Which pairs they are is decided by trying all of them, where that takes seconds; on the larger scenes the
//! methods, which have nothing in common, are compared with each other, and `cargo xtask soak frames` tries all pairs.

mod frames;
mod incremental;

use frames::{BALL, BODIES, FUNNEL, Frames, ROD, Scene};
use muslin_collision::broad_phase::{BroadPhaseKind, UvTree};
use muslin_collision::{BroadPhase, Candidates, DetectSettings, Detector, Impact};
use muslin_model::parallel;

/// The pairs of a method, sorted; none of them twice.
fn pairs(kind: BroadPhaseKind, scene: &Scene) -> Candidates {
    let mut found = Candidates::default();
    kind.build().find(&scene.surface, &scene.sweep(), 0.0, &mut found).unwrap();
    found.sort();
    for list in [&found.vertex_face, &found.edge_edge] {
        assert!(list.windows(2).all(|pairs| pairs[0] < pairs[1]), "{kind} on {} gives a pair twice", scene.name);
    }
    found
}

/// The first pair of one sorted list that another does not have.
fn lost<'a>(from: &'a [[u32; 2]], found: &[[u32; 2]]) -> Option<&'a [u32; 2]> {
    from.iter().find(|pair| found.binary_search(pair).is_err())
}

/// All pairs that the exact test reports: those of the lists, and what the certified test finds beside them.
fn contacts(scene: &Scene) -> Candidates {
    let impacts = Detector::default().detect(&scene.surface, &scene.sweep(), &DetectSettings::default());
    let named = |impacts: &[Impact]| impacts.iter().map(|impact| [impact.a, impact.b]).collect();
    let found = Candidates { vertex_face: named(&impacts.vertex_face), edge_edge: named(&impacts.edge_edge) };
    assert_eq!(lost(&scene.colliding.vertex_face, &found.vertex_face), None, "a contact of {}", scene.name);
    assert_eq!(lost(&scene.colliding.edge_edge, &found.edge_edge), None, "a contact of {}", scene.name);
    assert!(!found.is_empty());
    found
}

/// Compares methods with a reference, pair by pair.
fn check(frames: &Frames, reference: BroadPhaseKind, kinds: &[BroadPhaseKind]) {
    let Some(scene) = frames.read() else { return };
    let contacts = contacts(&scene);
    let expected = pairs(reference, &scene);
    assert_eq!([expected.vertex_face.len(), expected.edge_edge.len()], scene.box_pairs, "{reference}");
    for &kind in kinds {
        let found = pairs(kind, &scene);
        let lists = [
            (&expected.vertex_face, &found.vertex_face, &contacts.vertex_face),
            (&expected.edge_edge, &found.edge_edge, &contacts.edge_edge),
        ];
        for (expected, found, contacts) in lists {
            assert_eq!(lost(found, expected), None, "{kind} invents a pair of {}", scene.name);
            assert_eq!(lost(contacts, found), None, "{kind} loses a contact of {}", scene.name);
            if kind.build().is_exact() {
                assert_eq!(lost(expected, found), None, "{kind} loses a box pair of {}", scene.name);
            }
        }
    }
}

fn all_but(left_out: &[BroadPhaseKind]) -> Vec<BroadPhaseKind> {
    BroadPhaseKind::ALL.into_iter().filter(|kind| !left_out.contains(kind)).collect()
}

#[test]
fn every_method_finds_the_pairs_of_the_funnel_that_trying_all_finds() {
    check(&FUNNEL, BroadPhaseKind::BruteForce, &all_but(&[BroadPhaseKind::BruteForce]));
}

#[test]
fn every_method_finds_the_same_pairs_of_the_twisted_rods() {
    check(&ROD, BroadPhaseKind::Tree, &all_but(&[BroadPhaseKind::BruteForce, BroadPhaseKind::Tree]));
}

#[test]
fn every_method_finds_the_same_pairs_of_the_cloth_on_a_ball() {
    check(&BALL, BroadPhaseKind::Tree, &all_but(&[BroadPhaseKind::BruteForce, BroadPhaseKind::Tree]));
}

/// The grids need minutes for it; a soak has them.
#[test]
fn octree_hash_and_tree_find_the_same_pairs_of_the_many_bodies() {
    check(&BODIES, BroadPhaseKind::Tree, &[BroadPhaseKind::Octree, BroadPhaseKind::SpatialHash]);
}

/// One method on one scene: what `cargo xtask soak frames` names in the environment, else a small one.
#[test]
fn a_method_finds_the_pairs_of_a_scene_in_a_soak() {
    let word = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let (name, method) = (word("MUSLIN_FRAMES", "cloth-funnel"), word("MUSLIN_BROAD_PHASE", "octree"));
    let frames = [FUNNEL, ROD, BALL, BODIES].into_iter().find(|frames| frames.name == name);
    let frames = frames.unwrap_or_else(|| panic!("there are no frames `{name}`"));
    if method == "incremental" {
        incremental::check(&frames);
    } else {
        let kind: BroadPhaseKind = method.parse().unwrap_or_else(|error| panic!("{error}"));
        check(&frames, BroadPhaseKind::Tree, &[kind]);
    }
    println!("{method} on {name}: every pair agrees");
}

#[test]
fn pairs_of_the_funnel_come_in_the_same_order_on_any_number_of_threads() {
    let Some(scene) = FUNNEL.read() else { return };
    for kind in all_but(&[BroadPhaseKind::BruteForce]) {
        let on = |threads| {
            parallel::with_threads(threads, || {
                let mut found = Candidates::default();
                kind.build().find(&scene.surface, &scene.sweep(), 0.0, &mut found).unwrap();
                found
            })
        };
        let one = on(1);
        assert!(!one.is_empty() && one == on(2) && one == on(3), "{kind} depends on the number of threads");
    }
}

#[test]
fn the_zone_tree_skips_zones_of_the_funnel_scene() {
    let Some(scene) = FUNNEL.read() else { return };
    let mut tree = UvTree::default();
    tree.find(&scene.surface, &scene.sweep(), 0.0, &mut Candidates::default()).unwrap();
    assert!(tree.skipped_zones() > 100, "{}", tree.skipped_zones());
}
