//! Virtual subdivision: what is cut, what is refused, what W's method leaves out.

use crate::meshes;
use crate::random::Random;
use crate::{box_pairs, found};
use muslin_collision::Candidates;
use muslin_collision::broad_phase::{
    BroadPhaseError, Completeness, InPieces, LongMotion, Subdivision, VirtualSubdivision,
};
use muslin_collision::{BroadPhase, Sweep};

fn refusing() -> VirtualSubdivision {
    VirtualSubdivision::new(Subdivision { long_motion: LongMotion::Refuse, ..Subdivision::default() })
}

#[test]
fn only_large_triangles_are_cut_and_redundant_registrations_are_removed() {
    let even = meshes::flat_sheet(20);
    let (_, counts) = found(&mut VirtualSubdivision::default(), &even, 0.0);
    assert_eq!((counts.children, counts.redundant_registrations, counts.completion_tests), (0, 0, 0));
    let uneven = meshes::one_huge(1500, &mut Random(12));
    let (_, counts) = found(&mut VirtualSubdivision::default(), &uneven, 0.0);
    assert!(counts.children > 100 && counts.redundant_registrations > counts.children / 4, "{counts:?}");
}

#[test]
fn pairs_of_children_are_box_pairs_and_hold_all_but_empty_corners() {
    for (name, scene) in meshes::all() {
        let mut phase =
            VirtualSubdivision::new(Subdivision { completeness: Completeness::Children, ..Subdivision::default() });
        let (mut children, counts) = found(&mut phase, &scene, 0.01);
        children.sort();
        let boxes = box_pairs(&scene, 0.01);
        assert!(children.vertex_face.windows(2).all(|w| w[0] < w[1]), "{name}: a pair twice");
        assert!(children.vertex_face.iter().all(|pair| boxes.vertex_face.binary_search(pair).is_ok()), "{name}");
        assert!(children.edge_edge.iter().all(|pair| boxes.edge_edge.binary_search(pair).is_ok()), "{name}");
        assert!(counts.children > 0 || children == boxes, "{name}: without children nothing is left out");
    }
}

#[test]
fn a_triangle_that_moves_too_far_is_refused_with_the_step_at_which_it_fits() {
    let mut scene = meshes::crumpled_sheet(20, &mut Random(2));
    scene.end = scene.start.clone();
    scene.end[17].x += 3.0;
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let error = refusing().find(&scene.surface, &sweep, 0.0, &mut Candidates::default()).unwrap_err();
    let BroadPhaseError::NeedsShorterStep { triangle, reach, cell, fraction } = error else { panic!("{error}") };
    assert!(scene.surface.triangles()[triangle as usize].contains(&17));
    assert!((reach - 3.0).abs() < 1e-12 && fraction < cell / 3.0 && fraction > cell / 30.0, "{fraction} {cell}");
}

#[test]
fn in_pieces_every_pair_that_meets_at_one_time_is_found() {
    // Pairs whose boxes overlap in one of many short pieces of the step, by trying all.
    let random = &mut Random(21);
    for _ in 0..6 {
        let scene = meshes::soup(60, 0.1, 1.5, random);
        let mut phase = InPieces::new(refusing());
        let (mut found_pairs, _) = found(&mut phase, &scene, 0.0);
        assert!(phase.pieces() > 1);
        found_pairs.sort();
        let whole = box_pairs(&scene, 1e-9);
        assert!(found_pairs.vertex_face.iter().all(|pair| whole.vertex_face.binary_search(pair).is_ok()));
        let pieces = 4 * phase.pieces();
        for k in 0..pieces {
            let at = |k: u32| {
                let t = f64::from(k) / f64::from(pieces);
                scene.start.iter().zip(&scene.end).map(|(a, b)| *a + (*b - *a) * t).collect::<Vec<_>>()
            };
            let piece = meshes::Scene::new(scene.surface.triangles(), at(k), at(k + 1));
            let truth = box_pairs(&piece, 0.0);
            assert!(truth.vertex_face.iter().all(|pair| found_pairs.vertex_face.binary_search(pair).is_ok()));
            assert!(truth.edge_edge.iter().all(|pair| found_pairs.edge_edge.binary_search(pair).is_ok()));
        }
    }
}

#[test]
fn a_mesh_that_would_need_too_many_children_is_refused() {
    let mut scene = meshes::soup(2000, 1e-5, 0.0, &mut Random(3));
    for v in 0..3 {
        scene.start[v] *= 50.0;
        scene.end[v] = scene.start[v];
    }
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let error = VirtualSubdivision::default().find(&scene.surface, &sweep, 0.0, &mut Candidates::default());
    assert!(matches!(error, Err(BroadPhaseError::TooLarge { .. })));
}
