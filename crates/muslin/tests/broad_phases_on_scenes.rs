//! Every broad phase on the public frames of `../shared/data/ccd-scalable`: exact counts and exact truth.
//!
//! The numbers of box pairs come from an independent exact computation; the lists of colliding pairs from exact
//! arithmetic.

use muslin_collision::broad_phase::{BroadPhaseKind, UvTree};
use muslin_collision::{BroadPhase, Candidates, Surface, Sweep};
use std::path::{Path, PathBuf};

struct Frames {
    name: &'static str,
    start: &'static str,
    end: &'static str,
    truth: &'static str,
    /// Vertex–face and edge–edge pairs with overlapping exact swept boxes.
    box_pairs: [usize; 2],
}

const FUNNEL: Frames =
    Frames { name: "cloth-funnel", start: "227.ply.xz", end: "228.ply.xz", truth: "227", box_pairs: [7319, 33770] };

const ROD: Frames = Frames {
    name: "rod-twist",
    start: "3036.ply.xz",
    end: "3037.ply.xz",
    truth: "3036",
    box_pairs: [448_270, 2_041_334],
};

const BALL: Frames = Frames {
    name: "cloth-ball",
    start: "cloth_ball92.ply.xz",
    end: "cloth_ball93.ply.xz",
    truth: "92",
    box_pairs: [1_655_541, 5_197_332],
};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-scalable")
}

/// Rows of numbers of a packed table, without its head; the last column says whether the pair collides.
fn rows(path: &Path) -> Vec<Vec<u32>> {
    let mut input = muslin_io::input::Input::open(path).unwrap();
    let (mut rows, mut line) = (Vec::new(), Vec::new());
    while input.next_line(&mut line).unwrap() {
        let text = String::from_utf8(line.clone()).unwrap();
        if let Ok(row) = text.trim().split(',').map(str::parse).collect() {
            rows.push(row);
        }
    }
    rows
}

fn check(frames: &Frames, kinds: &[BroadPhaseKind]) {
    let folder = data().join(frames.name);
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let read = |file: &str| muslin_io::meshes::read(folder.join(file)).unwrap();
    let (start, end) = (read(frames.start), read(frames.end));
    let surface = Surface::new(start.positions.len(), &start.triangles).unwrap();
    let sweep = Sweep::new(&surface, &start.positions, &end.positions).unwrap();
    let edge = |a: u32, b: u32| surface.edges().binary_search(&[a.min(b), a.max(b)]).unwrap() as u32;
    let truth = |kind: &str| rows(&folder.join(format!("{}{kind}_truth.csv.xz", frames.truth)));
    let colliding = |row: &Vec<u32>| row.last() == Some(&1);
    let vertex_face: Vec<[u32; 2]> = truth("vf").iter().filter(|r| colliding(r)).map(|r| [r[0], r[1]]).collect();
    let edge_edge: Vec<[u32; 2]> = truth("ee")
        .iter()
        .filter(|r| colliding(r))
        .map(|r| {
            let (a, b) = (edge(r[0], r[1]), edge(r[2], r[3]));
            [a.min(b), a.max(b)]
        })
        .collect();
    assert!(!vertex_face.is_empty() && !edge_edge.is_empty());
    let mut candidates = Candidates::default();
    for kind in kinds {
        let mut phase: Box<dyn BroadPhase> = kind.build();
        phase.find(&surface, &sweep, 0.0, &mut candidates).unwrap();
        candidates.sort();
        let found = [candidates.vertex_face.len(), candidates.edge_edge.len()];
        if phase.is_exact() {
            assert_eq!(found, frames.box_pairs, "{kind} on {}", frames.name);
        } else {
            assert!(found[0] <= frames.box_pairs[0] && found[1] <= frames.box_pairs[1], "{kind} on {}", frames.name);
        }
        let lost =
            |truth: &[[u32; 2]], found: &[[u32; 2]]| truth.iter().filter(|p| found.binary_search(p).is_err()).count();
        assert_eq!(lost(&vertex_face, &candidates.vertex_face), 0, "{kind} loses contacts of {}", frames.name);
        assert_eq!(lost(&edge_edge, &candidates.edge_edge), 0, "{kind} loses contacts of {}", frames.name);
        for list in [&candidates.vertex_face, &candidates.edge_edge] {
            assert!(list.windows(2).all(|pairs| pairs[0] < pairs[1]), "{kind} gives a pair twice");
        }
    }
}

fn all_but_brute_force() -> Vec<BroadPhaseKind> {
    BroadPhaseKind::ALL.into_iter().filter(|kind| *kind != BroadPhaseKind::BruteForce).collect()
}

#[test]
fn every_method_finds_the_box_pairs_and_loses_no_contact_of_the_funnel() {
    check(&FUNNEL, &all_but_brute_force());
}

#[test]
fn every_method_finds_the_box_pairs_and_loses_no_contact_of_the_twisted_rods() {
    check(&ROD, &all_but_brute_force());
}

#[test]
fn every_method_finds_the_box_pairs_and_loses_no_contact_of_the_cloth_on_a_ball() {
    check(&BALL, &all_but_brute_force());
}

#[test]
fn the_zone_tree_skips_zones_of_the_funnel_scene() {
    let folder = data().join("cloth-funnel");
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let read = |file: &str| muslin_io::meshes::read(folder.join(file)).unwrap();
    let (start, end) = (read("227.ply.xz"), read("228.ply.xz"));
    let surface = Surface::new(start.positions.len(), &start.triangles).unwrap();
    let sweep = Sweep::new(&surface, &start.positions, &end.positions).unwrap();
    let mut tree = UvTree::default();
    tree.find(&surface, &sweep, 0.0, &mut Candidates::default()).unwrap();
    assert!(tree.skipped_zones() > 100, "{}", tree.skipped_zones());
}
