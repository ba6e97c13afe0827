//! How much detection does on the public frames of `../shared/data/ccd-scalable`, counted exactly: work that grows
//! without anybody's notice shows here. The box pairs come from an independent exact computation; a count of tests or
//! refinements that changes for a good reason is written down anew, with the reason in the commit.

use muslin_collision::{DetectSettings, Detector, Surface, Sweep};
use muslin_io::meshes;
use std::path::Path;

/// What is counted.
#[derive(Debug, PartialEq)]
struct Work {
    /// Vertex–face and edge–edge pairs whose swept boxes overlap.
    box_pairs: [u64; 2],
    /// Box tests of the search.
    tests: u64,
    /// Pairs that the filters left to the certified test.
    refined: u64,
    /// Vertex–face and edge–edge impacts.
    impacts: [usize; 2],
}

fn assert_work(frames: [&str; 2], expected: Work) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-scalable");
    if !data.exists() {
        println!("skipped: ../shared/data/ccd-scalable is absent, so nothing was counted on {}", frames[0]);
        return;
    }
    let [start, end] = frames.map(|file| meshes::read(data.join(file)).unwrap_or_else(|error| panic!("{error}")));
    let surface = Surface::new(start.positions.len(), &start.triangles).unwrap();
    let sweep = Sweep::new(&surface, &start.positions, &end.positions).unwrap();
    let found = Detector::default().detect(&surface, &sweep, &DetectSettings::default());
    let counted = Work {
        box_pairs: [found.counts.vertex_face_candidates, found.counts.edge_edge_candidates],
        tests: found.counts.broad_phase.tests,
        refined: found.counts.refined,
        impacts: [found.vertex_face.len(), found.edge_edge.len()],
    };
    assert_eq!(counted, expected, "{}", frames[0]);
}

#[test]
fn the_work_on_the_cloth_on_the_ball_is_what_it_was() {
    assert_work(
        ["cloth-ball/cloth_ball92.ply.xz", "cloth-ball/cloth_ball93.ply.xz"],
        Work { box_pairs: [1_655_541, 5_197_332], tests: 33_243_296, refined: 251_322, impacts: [19_032, 94_822] },
    );
}

#[test]
fn the_work_on_the_cloth_in_the_funnel_is_what_it_was() {
    assert_work(
        ["cloth-funnel/227.ply.xz", "cloth-funnel/228.ply.xz"],
        Work { box_pairs: [7319, 33_770], tests: 2_774_968, refined: 416, impacts: [27, 107] },
    );
}

#[test]
fn the_work_on_the_twisted_rods_is_what_it_was() {
    assert_work(
        ["rod-twist/3036.ply.xz", "rod-twist/3037.ply.xz"],
        Work { box_pairs: [448_270, 2_041_334], tests: 21_275_040, refined: 66_456, impacts: [765, 4179] },
    );
}

// The box pairs are those that the octree grid finds, too. IPC Toolkit counts 9 and 20 more: it rounds boxes outwards.
#[test]
fn the_work_on_the_many_bodies_is_what_it_was() {
    assert_work(
        ["n-body-simulation/balls16_18.ply.xz", "n-body-simulation/balls16_19.ply.xz"],
        Work { box_pairs: [9_396_388, 22_366_873], tests: 68_092_448, refined: 132_985, impacts: [9459, 41_031] },
    );
}
