//! How much each method does, counted exactly: work that grows without anybody's notice shows here.
//!
//! A count that changes for a good reason is written down anew, with the reason in the commit.

use crate::found;
use crate::meshes::{Scene, flat_sheet, one_huge, soup};
use crate::random::Random;
use muslin_collision::broad_phase::BroadPhaseKind;
use muslin_collision::{Counts, DetectSettings, Detector, Sweep};

/// Pairs of both kinds, cells, registrations, redundant ones, children, tests, completion tests, duplicates avoided.
type Row = [u64; 9];

/// A sheet whose vertices jump by up to two edges. Only sums and products make it, so it is the same on every machine.
fn shaken_sheet() -> Scene {
    let mut scene = flat_sheet(40);
    let random = &mut Random(8);
    scene.start.iter_mut().chain(&mut scene.end).for_each(|p| *p += random.point() * 0.05);
    scene
}

fn row(kind: BroadPhaseKind, scene: &Scene) -> Row {
    let (candidates, counts) = found(&mut *kind.build(), scene, 0.0);
    let Counts { cells, registrations, children, redundant_registrations, tests, completion_tests, duplicates_avoided } =
        counts;
    let [vertex_face, edge_edge] = [candidates.vertex_face.len(), candidates.edge_edge.len()].map(|n| n as u64);
    [
        vertex_face,
        edge_edge,
        cells,
        registrations,
        redundant_registrations,
        children,
        tests,
        completion_tests,
        duplicates_avoided,
    ]
}

fn assert_counts(scene: &Scene, expected: &[(BroadPhaseKind, Row)]) {
    let counted: Vec<(BroadPhaseKind, Row)> = expected.iter().map(|&(kind, _)| (kind, row(kind, scene))).collect();
    let table: String = counted.iter().map(|(kind, row)| format!("\n{kind}: {row:?}")).collect();
    assert!(counted == expected, "counted:{table}");
    assert_eq!(expected.len(), BroadPhaseKind::ALL.len(), "every method is counted");
}

#[test]
fn the_work_on_a_soup_is_what_it_was() {
    use BroadPhaseKind::*;
    let scene = soup(400, 0.2, 0.1, &mut Random(7));
    assert_counts(
        &scene,
        &[
            (Tree, [1093, 3214, 386, 2667, 0, 0, 86552, 0, 0]),
            (UvTree, [1093, 3214, 534, 400, 0, 0, 63130, 0, 0]),
            (Grid, [1093, 3214, 45, 1432, 0, 0, 29807, 0, 3993]),
            (VirtualSubdivision, [1093, 3214, 90, 1789, 784, 312, 21338, 3006, 3431]),
            (Octree, [1093, 3214, 1275, 3090, 0, 0, 2837, 0, 3111]),
            (OctreeTwoStage, [1093, 3214, 1722, 3692, 0, 0, 2576, 0, 3311]),
            (SpatialHash, [1093, 3214, 130, 1292, 0, 0, 5112, 0, 2346]),
            (BruteForce, [1093, 3214, 0, 0, 0, 0, 1146200, 0, 0]),
        ],
    );
}

#[test]
fn the_work_on_a_shaken_sheet_is_what_it_was() {
    use BroadPhaseKind::*;
    let scene = shaken_sheet();
    assert_counts(
        &scene,
        &[
            (Tree, [50054, 153036, 1401, 9761, 0, 0, 748864, 0, 0]),
            (UvTree, [50033, 153035, 3197, 3200, 0, 0, 250933, 0, 0]),
            (Grid, [50054, 153036, 53, 15237, 0, 0, 1179946, 0, 157489]),
            (VirtualSubdivision, [50054, 153036, 72, 18080, 3127, 1038, 1073380, 48042, 180936]),
            (Octree, [50054, 153036, 225, 24225, 0, 0, 544113, 0, 1860069]),
            (OctreeTwoStage, [50054, 153036, 225, 24225, 0, 0, 544113, 0, 1860069]),
            (SpatialHash, [50054, 153036, 63, 7701, 0, 0, 383565, 0, 130737]),
            (BruteForce, [50054, 153036, 0, 0, 0, 0, 17283960, 0, 0]),
        ],
    );
}

#[test]
fn the_work_on_one_huge_triangle_among_many_is_what_it_was() {
    use BroadPhaseKind::*;
    let scene = one_huge(1500, &mut Random(9));
    assert_counts(
        &scene,
        &[
            (Tree, [5145, 6208, 1435, 10011, 0, 0, 234056, 0, 0]),
            (UvTree, [5145, 6208, 2003, 1501, 0, 0, 597477, 0, 0]),
            (Grid, [5145, 6208, 8, 1511, 0, 0, 1125750, 0, 0]),
            (VirtualSubdivision, [5145, 6208, 7218, 9679, 304240, 64009, 2731, 1511, 360]),
            (Octree, [5145, 6208, 3074, 5012, 0, 0, 2793, 0, 566]),
            (OctreeTwoStage, [5145, 6208, 3214, 5179, 0, 0, 2689, 0, 640]),
            (SpatialHash, [5145, 6208, 1090, 4829, 0, 0, 2424, 0, 902]),
            (BruteForce, [5145, 6208, 0, 0, 0, 0, 16150760, 0, 0]),
        ],
    );
}

#[test]
fn the_detector_refines_as_many_pairs_as_it_did() {
    for (scene, refined, tests) in [(soup(400, 0.2, 0.1, &mut Random(7)), 425, 86552), (shaken_sheet(), 36339, 748864)]
    {
        let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
        let counts = Detector::default().detect(&scene.surface, &sweep, &DetectSettings::default()).counts;
        assert_eq!((counts.refined, counts.broad_phase.tests), (refined, tests));
    }
}
