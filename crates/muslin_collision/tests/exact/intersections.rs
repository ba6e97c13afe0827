//! `intersections` against brute force in exact fractions, and its properties.

use crate::clip::common_part;
use crate::random::Random;
use crate::static_tests::reference;
use glam::{DQuat, DVec3};
use muslin_collision::narrow_phase::{Meeting, PairKind, Proximity};
use muslin_collision::{Intersection, Surface, SweepError, intersections, intersections_of};
use muslin_model::parallel::with_threads;

type Found = ([u32; 2], Meeting);

fn found(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Found> {
    let surface = Surface::new(vertices.len(), triangles).expect("a surface");
    intersections(&surface, vertices).expect("finite").iter().map(|i| (i.triangles, i.meeting)).collect()
}

fn brute_force(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Found> {
    let mut all = Vec::new();
    for (i, a) in triangles.iter().enumerate() {
        for (j, b) in triangles.iter().enumerate().skip(i + 1) {
            let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
            let same = |k: usize| b.iter().position(|w| *w == a[k]).map(|l| [k, l]);
            let shared: Vec<[usize; 2]> = (0..3).filter_map(same).collect();
            all.extend(reference(corners(a), corners(b), &shared).map(|meeting| ([i as u32, j as u32], meeting)));
        }
    }
    all
}

#[test]
fn soups_of_snapped_triangles_cross_exactly_as_fractions_say() {
    let mut random = Random(21);
    let mut seen = [0; 3];
    for round in 0..60 {
        // Few vertices, so that many triangles share some; many coincide without being shared.
        let vertices: Vec<DVec3> = (0..14).map(|_| (random.vector() * [1.5, 4.5, 30.5][round % 3]).round()).collect();
        let mut triangles = Vec::new();
        while triangles.len() < 20 {
            let t = [0; 3].map(|_| random.index(vertices.len()) as u32);
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                triangles.push(t);
            }
        }
        let truth = brute_force(&vertices, &triangles);
        assert_eq!(found(&vertices, &triangles), truth);
        truth.iter().for_each(|(_, meeting)| seen[*meeting as usize] += 1);
    }
    println!("cross, overlap, touch: {seen:?}");
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// A sheet of n × n quads of side 1/n in the x–y plane.
fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let side = 0..=n;
    let vertices = side.clone().flat_map(|i| side.clone().map(move |j| (i, j)));
    let vertices = vertices.map(|(i, j)| place(i as f64 / n as f64, j as f64 / n as f64)).collect();
    let quads = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (vertices, triangles.collect())
}

#[test]
fn sheets_that_are_flat_curved_or_turned_are_clean() {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.7, 1.1);
    let places: [&dyn Fn(f64, f64) -> DVec3; 4] = [
        &|x, y| DVec3::new(x, y, 0.0),
        &|x, y| turn * DVec3::new(x, y, 0.0),
        &|x, y| DVec3::new(x, y, 0.1 * (7.0 * x).sin() * (5.0 * y).cos()),
        &|x, y| DVec3::new((6.0 * x).cos() * (1.0 + x), (6.0 * x).sin() * (1.0 + x), y) * 1e-6,
    ];
    for place in places {
        let (vertices, triangles) = sheet(40, place);
        assert_eq!(found(&vertices, &triangles), []);
    }
}

#[test]
fn a_sheet_folded_flat_upon_itself_overlaps_everywhere() {
    let n = 8;
    // Folded along the middle, then each half lies on the other, quad on quad.
    let (vertices, triangles) = sheet(n, |x, y| DVec3::new((x - 0.5).abs(), y, 0.0));
    let overlaps = found(&vertices, &triangles).iter().filter(|(_, meeting)| *meeting == Meeting::Overlap).count();
    // Each of the n/2 · n quads lies on one quad whose diagonal runs the other way: all 2 × 2 pairs overlap.
    assert_eq!(overlaps, (n * n / 2 * 4) as usize);
}

#[test]
fn a_sheet_that_passes_through_another_along_its_edges_touches() {
    let (mut vertices, mut triangles) = sheet(4, |x, y| DVec3::new(x, y, 0.0));
    let (upright, more) = sheet(4, |x, y| DVec3::new(0.1 + 0.7 * x, 0.3 + 0.1 * x, y - 0.5));
    let offset = vertices.len() as u32;
    triangles.extend(more.iter().map(|t| t.map(|v| v + offset)));
    vertices.extend(upright);
    let found = found(&vertices, &triangles);
    assert!(!found.is_empty() && found.iter().all(|(_, meeting)| *meeting == Meeting::Touch), "{found:?}");
}

#[test]
fn two_spheres_give_the_same_pairs_for_any_number_of_threads_and_true_witnesses() {
    let ball = |x: f64, y: f64| {
        let (a, b) = (std::f64::consts::TAU * x * 0.999, std::f64::consts::PI * (0.001 + 0.998 * y));
        DVec3::new(a.cos() * b.sin(), a.sin() * b.sin(), b.cos())
    };
    let (mut vertices, mut triangles) = sheet(60, ball);
    let offset = vertices.len() as u32;
    triangles.extend(triangles.clone().iter().map(|t| t.map(|v| v + offset)));
    vertices.extend(vertices.clone().iter().map(|&p| p + DVec3::new(1.2, 0.1, 0.03)));
    let surface = Surface::new(vertices.len(), &triangles).expect("a surface");
    let run = |threads| with_threads(threads, || intersections(&surface, &vertices).expect("finite"));
    let one: Vec<Intersection> = run(1);
    assert!(one.len() > 200, "{}", one.len());
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
    // Those of some triangles only, whichever they are.
    for wanted in [|t: u32| t >= 7000, |t: u32| t.is_multiple_of(3), |_| false] {
        let some: Vec<_> = one.iter().filter(|pair| pair.triangles.into_iter().any(wanted)).copied().collect();
        assert_eq!(intersections_of(&surface, &vertices, wanted).expect("finite"), some);
    }
    for pair in &one {
        let corners = pair.triangles.map(|t| triangles[t as usize].map(|v| vertices[v as usize]));
        assert!(!common_part(&corners[0], corners[1]).is_empty(), "{pair:?}");
        for [a, b, c] in corners {
            for p in pair.witness {
                let near = Proximity::new(PairKind::VertexFace, [p, a, b, c]);
                assert!(near.distance < 1e-14, "{pair:?} is {} away", near.distance);
            }
        }
    }
}

#[test]
fn triangles_beyond_single_precision_are_judged_once_each() {
    // Their boxes are without bounds in single precision, and overlap places without a triangle.
    let far = 1e60;
    let vertices =
        [[-1.0, -1.0, -1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [0.1, 0.0, 1.0], [0.0, 0.1, -1.0], [-1.0, 0.9, 1.0]];
    let vertices = vertices.map(|p| DVec3::from_array(p) * far);
    for triangles in [&[[0, 1, 2]][..], &[[0, 1, 2], [3, 4, 5]], &[[0, 1, 2], [3, 4, 5], [0, 3, 5]]] {
        assert_eq!(found(&vertices, triangles), brute_force(&vertices, triangles));
    }
}

#[test]
fn positions_that_are_no_state_of_the_surface_are_refused() {
    let surface = Surface::new(3, &[[0, 1, 2]]).expect("a surface");
    assert!(matches!(intersections(&surface, &[DVec3::ZERO]), Err(SweepError::OtherMesh { .. })));
    let nan = [DVec3::ZERO, DVec3::X, DVec3::NAN];
    assert!(matches!(intersections(&surface, &nan), Err(SweepError::NotFinite { vertex: 2, .. })));
}
