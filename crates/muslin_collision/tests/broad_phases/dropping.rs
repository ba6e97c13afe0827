//! Methods that drop box pairs, zones with cones and polytopes per feature, drop none that the exact test reports.

use crate::meshes::{self, Scene};
use crate::random::Random;
use crate::{box_pairs, found};
use glam::{DVec2, DVec3};
use muslin_collision::broad_phase::{FeatureCulling, Grid, Octree, Subdivision, UvTree, VirtualSubdivision};
use muslin_collision::narrow_phase::certified::time_of_impact;
use muslin_collision::{BroadPhase, Candidates, PairKind, Sweep};

/// The box pairs that meet, by the certified test.
fn contacts(scene: &Scene) -> Candidates {
    let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
    let mut pairs = box_pairs(scene, 0.0);
    let meets = |kind, query| time_of_impact(kind, &query, 0.0).is_some();
    pairs.vertex_face.retain(|&[v, f]| meets(PairKind::VertexFace, sweep.vertex_face(&scene.surface, v, f)));
    pairs.edge_edge.retain(|&[a, b]| meets(PairKind::EdgeEdge, sweep.edge_edge(&scene.surface, a, b)));
    pairs
}

fn uv_of_grid(n: u32, scene: &Scene) -> Vec<[DVec2; 3]> {
    let uv = |v: u32| DVec2::new(f64::from(v / (n + 1)), f64::from(v % (n + 1)));
    scene.surface.triangles().iter().map(|t| t.map(uv)).collect()
}

/// Fails unless a sorted list of pairs holds all of the truth.
fn assert_holds(pairs: &Candidates, truth: &Candidates, name: &str) {
    let lost = |truth: &[[u32; 2]], found: &[[u32; 2]]| truth.iter().find(|p| found.binary_search(p).is_err()).copied();
    assert_eq!(lost(&truth.vertex_face, &pairs.vertex_face), None, "{name}: a vertex–face contact is lost");
    assert_eq!(lost(&truth.edge_edge, &pairs.edge_edge), None, "{name}: an edge–edge contact is lost");
}

fn assert_loses_no_contact(tree: &mut UvTree, name: &str, scene: &Scene) -> usize {
    let (mut pairs, _) = found(tree, scene, 0.0);
    pairs.sort();
    let truth = contacts(scene);
    assert_holds(&pairs, &truth, name);
    truth.len()
}

#[test]
fn no_contact_is_lost_on_any_mesh() {
    let mut contacts = 0;
    for (name, scene) in meshes::all() {
        contacts += assert_loses_no_contact(&mut UvTree::default(), name, &scene);
    }
    assert!(contacts > 1000);
}

#[test]
fn no_contact_is_lost_on_sheets_from_flat_to_crumpled_with_uv_and_without() {
    let random = &mut Random(94);
    let (mut contacts, mut skipped) = (0, 0);
    for round in 0..24 {
        let n = 12;
        let height = 0.02 * 1.35f64.powi(round);
        let mut scene = meshes::flat_sheet(n);
        let wave =
            |p: DVec3, t: f64, k: f64| DVec3::new(0.5, 0.3, 1.0) * (height * ((9.0 + k) * p.x + 5.0 * p.y + t).sin());
        let k = 6.0 * random.unit();
        for v in 0..scene.start.len() {
            let p = scene.start[v];
            scene.start[v] = p + wave(p, 0.0, k);
            scene.end[v] = p + wave(p, 0.8, k) + random.point() * (0.02 * height);
        }
        let mut with_uv = UvTree::with_uv(uv_of_grid(n, &scene));
        for tree in [&mut with_uv, &mut UvTree::default()] {
            contacts += assert_loses_no_contact(tree, &format!("wave of height {height}"), &scene);
            skipped += tree.skipped_zones();
        }
    }
    assert!(contacts > 100 && skipped > 100, "{contacts} contacts, {skipped} zones skipped");
}

#[test]
fn a_spiral_ramp_with_upright_normals_is_not_skipped() {
    // Two turns of a ramp that falls through itself: each normal is nearly upright, and V's cone would clear it.
    let turns = 40u32;
    let point = |k: u32, outer: f64, rise: f64| {
        let angle = 4.0 * std::f64::consts::PI * f64::from(k) / f64::from(turns);
        DVec3::new(outer * angle.cos(), outer * angle.sin(), rise * f64::from(k))
    };
    let at = |rise: f64| (0..=turns).flat_map(|k| [point(k, 1.0, rise), point(k, 2.0, rise)]).collect::<Vec<_>>();
    let strip = (0..turns).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 2, 2 * k + 1, 2 * k + 3]]);
    let triangles: Vec<[u32; 3]> = strip.collect();
    let scene = Scene::new(&triangles, at(0.01), at(-0.01));
    assert!(assert_loses_no_contact(&mut UvTree::default(), "a ramp", &scene) > 20);
}

#[test]
fn a_nearly_flat_sheet_is_skipped_as_a_whole() {
    let scene = meshes::sheet(20, |u, v, t| DVec3::new(u, v, 0.05 * (3.0 * u + t).sin()));
    let mut tree = UvTree::with_uv(uv_of_grid(20, &scene));
    let (pairs, counts) = found(&mut tree, &scene, 0.0);
    assert!(pairs.is_empty() && counts.tests == 0 && tree.skipped_zones() == 1);
    assert!(!box_pairs(&scene, 0.0).is_empty());
}

#[test]
fn with_a_thickness_all_box_pairs_are_given() {
    for (name, scene) in meshes::all() {
        let (mut pairs, _) = found(&mut UvTree::default(), &scene, 0.01);
        pairs.sort();
        assert_eq!(pairs, box_pairs(&scene, 0.01), "{name}");
    }
}

#[test]
fn polytopes_drop_box_pairs_but_no_contact() {
    let mut dropped = 0;
    for (name, scene) in meshes::all() {
        for mut phase in [
            Box::new(Grid::with_culling(FeatureCulling::Dops)) as Box<dyn BroadPhase>,
            Box::new(Octree::two_stage().with_culling(FeatureCulling::Dops)),
            Box::new(VirtualSubdivision::new(Subdivision { culling: FeatureCulling::Dops, ..Subdivision::default() })),
        ] {
            assert!(!phase.is_exact());
            let (mut pairs, _) = found(&mut *phase, &scene, 0.0);
            pairs.sort();
            dropped += box_pairs(&scene, 0.0).len() - pairs.len();
            assert_holds(&pairs, &contacts(&scene), name);
        }
    }
    assert!(dropped > 1000, "{dropped}");
}

#[test]
fn polytopes_keep_every_pair_nearer_than_the_thickness() {
    let mut kept = 0;
    for (name, scene) in meshes::all().into_iter().filter(|(name, _)| name.contains("soup") || name.contains("sheet")) {
        let (sweep, thickness) = (Sweep::new(&scene.surface, &scene.end, &scene.end).unwrap(), 0.03);
        let (mut pairs, _) = found(&mut Grid::with_culling(FeatureCulling::Dops), &scene, thickness);
        pairs.sort();
        let mut near = box_pairs(&scene, thickness);
        near.vertex_face.retain(|&[v, f]| {
            sweep.vertex_face(&scene.surface, v, f).proximity(PairKind::VertexFace, 1.0).distance <= thickness
        });
        near.edge_edge.retain(|&[a, b]| {
            sweep.edge_edge(&scene.surface, a, b).proximity(PairKind::EdgeEdge, 1.0).distance <= thickness
        });
        kept += near.len();
        assert_holds(&pairs, &near, name);
    }
    assert!(kept > 100, "{kept}");
}
