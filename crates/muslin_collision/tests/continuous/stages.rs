//! Each stage of the certified test decides what it is made for, counted exactly.

use glam::DVec3;
use muslin_collision::narrow_phase::{CcdCounts, time_of_impact_counted};
use muslin_collision::{PairKind, Query};

/// A vertex that moves over the face (0,0,0), (1,0,0), (0,1,0) at rest.
fn over_face(from: [f64; 3], to: [f64; 3]) -> Query {
    let at = |p: [f64; 3]| [DVec3::from(p), DVec3::ZERO, DVec3::X, DVec3::Y];
    Query { start: at(from), end: at(to) }
}

fn counted(query: &Query, separation: f64) -> (Option<f64>, CcdCounts) {
    let mut counts = CcdCounts::default();
    let time = time_of_impact_counted(PairKind::VertexFace, query, separation, &mut counts);
    (time, counts)
}

#[test]
fn a_vertex_above_the_plane_is_clear_by_the_cubic_alone() {
    let (time, counts) = counted(&over_face([0.2, 0.2, 1.0], [0.3, 0.2, 0.5]), 0.0);
    assert_eq!((time, counts), (None, CcdCounts { queries: 1, ..Default::default() }));
}

#[test]
fn a_vertex_through_the_inside_or_beside_is_decided_at_one_span() {
    let (time, counts) = counted(&over_face([0.2, 0.3, 1.0], [0.2, 0.3, -1.0]), 0.0);
    assert!(time.is_some_and(|t| t <= 0.5 && t > 0.5 - 1e-12), "{time:?}");
    assert_eq!(counts, CcdCounts { queries: 1, contacts: 1, spans: 1, ..Default::default() });
    let (time, counts) = counted(&over_face([0.8, 0.8, 1.0], [0.8, 0.8, -1.0]), 0.0);
    assert_eq!((time, counts), (None, CcdCounts { queries: 1, spans: 1, ..Default::default() }));
}

#[test]
fn a_vertex_beside_a_slanted_face_in_its_plane_is_clear_by_one_plane() {
    // The plane x + y = z: no coordinate is constant.
    let slanted = |p: [f64; 3]| DVec3::new(p[0], p[1], p[0] + p[1]);
    let at = |p: [f64; 3]| [slanted(p), DVec3::ZERO, slanted([1.0, 0.0, 0.0]), slanted([0.0, 1.0, 0.0])];
    let query = Query { start: at([-1.0, 0.25, 0.0]), end: at([-0.5, 0.5, 0.0]) };
    let (time, counts) = counted(&query, 0.0);
    assert_eq!((time, counts), (None, CcdCounts { queries: 1, spans: 1, refinements: 1, ..Default::default() }));
}

#[test]
fn aligned_grids_are_decided_by_sure_zeros() {
    for (from, to, truth) in [
        // In the plane of the face: beside it, into it, already inside.
        ([-1.0, 0.2, 0.0], [-0.5, 0.4, 0.0], None),
        ([-1.0, 0.25, 0.0], [1.0, 0.25, 0.0], Some(0.5)),
        ([0.3, 0.3, 0.0], [0.9, 0.9, 0.0], Some(0.0)),
        // Through an edge, and along its line but beyond its end.
        ([0.5, 0.0, 1.0], [0.5, 0.0, -1.0], Some(0.5)),
        ([1.5, 0.0, 1.0], [1.5, 0.0, -1.0], None),
        // Through a corner.
        ([0.0, 0.0, 1.0], [0.0, 0.0, -3.0], Some(0.25)),
    ] {
        let (time, counts) = counted(&over_face(from, to), 0.0);
        assert_eq!((time.is_some(), counts.exact), (truth.is_some(), 0), "from {from:?} to {to:?}");
        let early = truth.unwrap_or(0.0) - time.unwrap_or(0.0);
        assert!((0.0..1e-12).contains(&early), "from {from:?} to {to:?}: {time:?} for {truth:?}");
    }
}

#[test]
fn touching_at_an_end_of_the_step_or_a_slanted_edge_is_decided_in_whole_numbers() {
    for (from, to, truth) in [
        ([0.5, 0.5, 1.0], [0.5, 0.5, -1.0], Some(0.5)),
        ([0.2, 0.2, 0.0], [0.2, 0.2, 1.0], Some(0.0)),
        ([0.2, 0.2, 1.0], [0.2, 0.2, 0.0], Some(1.0)),
        ([0.5, -5e-324, 1.0], [0.5, -5e-324, -1.0], None),
    ] {
        let (time, counts) = counted(&over_face(from, to), 0.0);
        assert_eq!((time, counts.exact), (truth, 1), "from {from:?} to {to:?}");
    }
}

#[test]
fn coordinates_that_are_not_finite_are_never_called_clear() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for separation in [0.0, 0.1] {
            // Over the face and far beside it, on each axis.
            for (axis, place) in (0..3).flat_map(|axis| [[0.2, 0.2, 1.0], [5.0, 5.0, 2.0]].map(|place| (axis, place))) {
                let mut start = place;
                start[axis] = bad;
                let (time, _) = counted(&over_face(start, place), separation);
                assert_eq!(time, Some(0.0), "{bad} on axis {axis} of {place:?} at separation {separation}");
            }
        }
    }
}

#[test]
fn finite_coordinates_of_any_size_are_decided() {
    for scale in [1e-300, 1e-100, 1e99, 1e110, 1e200, 1e307] {
        let at = |z: f64| [DVec3::new(0.2, 0.2, z), DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p * scale);
        let (time, _) = counted(&Query { start: at(1.0), end: at(-1.0) }, 0.0);
        assert!(time.is_some_and(|t| t <= 0.5 && t > 0.5 - 1e-12), "{scale}: {time:?}");
        let (time, _) = counted(&Query { start: at(1.0), end: at(0.5) }, 0.0);
        assert_eq!(time, None, "{scale}");
    }
}
