//! Nearest points against exact enumeration.

use crate::random::Random;
use crate::rational::{Exact, exact, squared_distance};
use glam::DVec3;
use muslin_collision::PairKind::{self, EdgeEdge, VertexFace};
use muslin_collision::narrow_phase::proximity::DISTANCE_ERROR;
use muslin_collision::narrow_phase::{Proximity, certain_distance, minimum_separation};
use num_traits::{Signed, Zero};

fn extent(points: [DVec3; 4]) -> f64 {
    let spread = |p: &DVec3| points.iter().map(|q| (*p - *q).abs().max_element()).fold(0.0, f64::max);
    points.iter().map(spread).fold(0.0, f64::max)
}

/// Checks one pair; the distance's error as a part of what is allowed.
fn check(kind: PairKind, points: [DVec3; 4]) {
    let near = Proximity::new(kind, points);
    let truth = squared_distance(kind, points);
    let allowed = exact(DISTANCE_ERROR) * exact(extent(points));
    let distance = exact(near.distance);
    let above = &distance + &allowed;
    assert!(&above * &above >= truth, "{kind:?} {points:?}: {near:?} is too near");
    let below = &distance - &allowed;
    assert!(!below.is_positive() || &below * &below <= truth, "{kind:?} {points:?}: {near:?} is too far");
    // The weights tell feasible points, and these are at that distance.
    let side_a = if kind == VertexFace { 1 } else { 2 };
    for (k, &w) in near.weights.iter().enumerate() {
        assert!(if k < side_a { w >= 0.0 } else { w <= 0.0 }, "{kind:?} {points:?}: {near:?}");
    }
    let sums = [near.weights[..side_a].iter().sum::<f64>() - 1.0, near.weights[side_a..].iter().sum::<f64>() + 1.0];
    assert!(sums.iter().all(|s| s.abs() <= 4.0 * f64::EPSILON), "{kind:?} {points:?}: {near:?}");
    let apart = Exact::from(near.point_a(points))
        .0
        .iter()
        .zip(&Exact::from(near.point_b(points)).0)
        .fold(num_rational::BigRational::zero(), |sum, (a, b)| sum + (a - b) * (a - b));
    let far = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // Rounding of the points themselves, subnormal ones included.
    let slack = &distance + exact(16.0 * f64::EPSILON) * exact(far) + exact(16.0 * f64::MIN_POSITIVE * f64::EPSILON);
    assert!(apart <= &slack * &slack, "{kind:?} {points:?}: the points are not at the distance");
    // The certain distance is a true lower bound.
    let certain = exact(certain_distance(kind, points));
    assert!(&certain * &certain <= truth, "{kind:?} {points:?}: {certain} is not certain");
}

/// Points that are often degenerate: small integers, repeated points, collinear and nearly flat ones.
fn degenerate(random: &mut Random) -> [DVec3; 4] {
    let mut p: [DVec3; 4] = std::array::from_fn(|_| (random.vector() * 2.5).round());
    match random.index(6) {
        0 => p[random.index(4)] = p[random.index(4)],
        1 => p[3] = p[2] + (p[1] - p[0]),
        2 => p[3] = p[1] + (p[2] - p[1]) * (random.unit() * 2.0),
        3 => p[random.index(4)].z = 0.0,
        4 => p.iter_mut().for_each(|p| p.z *= 1e-9),
        _ => {}
    }
    // Now and then disturbed in the last bits.
    if random.index(2) == 0 {
        let size = 10f64.powi(-(random.index(17) as i32));
        p.iter_mut().for_each(|p| *p += random.vector() * size);
    }
    p
}

#[test]
fn distances_of_degenerate_pairs_are_exact_but_for_rounding_of_the_extent() {
    let mut random = Random(1);
    for _ in 0..800 {
        let points = degenerate(&mut random);
        check(VertexFace, points);
        check(EdgeEdge, points);
    }
}

#[test]
fn slim_triangles_and_nearly_parallel_edges_lose_no_accuracy() {
    let mut random = Random(2);
    for k in 0..300 {
        // Angle, gap and place of the optimum run through all magnitudes.
        let (angle, gap) = (10f64.powf(-17.0 * random.unit()), 10f64.powf(-17.0 * random.unit()));
        let (s, t) = (random.unit(), random.unit());
        let (u, v) = (DVec3::X, DVec3::new(1.0, angle, 0.0));
        let turn = glam::DQuat::from_rotation_arc(DVec3::Z, random.vector().normalize());
        let edges = [-u * s, u * (1.0 - s), -v * t, v * (1.0 - t)].map(|p| turn * p);
        let lift = turn * DVec3::Z * gap;
        check(EdgeEdge, [edges[0], edges[1], edges[2] + lift, edges[3] + lift]);
        let t = t * (1.0 - s);
        let face = [DVec3::ZERO, u, v].map(|p| turn * p);
        check(VertexFace, [turn * (u * s + v * t) + lift, face[k % 3], face[(k + 1) % 3], face[(k + 2) % 3]]);
    }
}

#[test]
fn distances_hold_at_any_scale_and_far_from_the_origin() {
    let mut random = Random(3);
    for scale in [1e-290, 1e-200, 1e-8, 1e8, 1e200, 1e299] {
        for _ in 0..20 {
            let points = degenerate(&mut random).map(|p| p * scale);
            check(VertexFace, points);
            check(EdgeEdge, points);
            let offset = DVec3::new(3.0, -5.0, 7.0) * scale * 1e6;
            check(VertexFace, points.map(|p| p + offset));
            check(EdgeEdge, points.map(|p| p + offset));
        }
    }
}

#[test]
fn the_certain_distance_is_nearly_the_distance_of_well_shaped_pairs() {
    let mut random = Random(4);
    for _ in 0..10_000 {
        let points = std::array::from_fn(|_| random.vector());
        for kind in [VertexFace, EdgeEdge] {
            let distance = Proximity::new(kind, points).distance;
            let certain = certain_distance(kind, points);
            assert!(certain <= distance && certain >= distance - 1e-9, "{kind:?} {points:?}: {certain} of {distance}");
        }
    }
}

#[test]
fn closed_forms_hold() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let over = |x: f64, y: f64, z: f64| Proximity::new(VertexFace, [DVec3::new(x, y, z), face[0], face[1], face[2]]);
    assert_eq!(over(0.25, 0.25, 3.0).distance, 3.0);
    assert_eq!(over(0.25, 0.25, 3.0).weights, [1.0, -0.5, -0.25, -0.25]);
    assert_eq!(over(-3.0, 0.5, 4.0).distance, 5.0);
    assert_eq!(over(-1.0, -2.0, 2.0).distance, 3.0);
    // Parallel edges that overlap sideways, and collinear ones with a gap.
    let edges = |c: DVec3, d: DVec3| Proximity::new(EdgeEdge, [DVec3::ZERO, DVec3::X, c, d]);
    assert_eq!(edges(DVec3::new(0.5, 2.0, 0.0), DVec3::new(9.0, 2.0, 0.0)).distance, 2.0);
    assert_eq!(edges(DVec3::new(4.0, 0.0, 0.0), DVec3::new(9.0, 0.0, 0.0)).distance, 3.0);
    assert_eq!(edges(DVec3::splat(1.0), DVec3::splat(1.0)).distance, 2f64.sqrt());
    assert_eq!(Proximity::new(VertexFace, [DVec3::ONE; 4]).distance, 0.0);
    assert_eq!(Proximity::new(EdgeEdge, [DVec3::ONE; 4]).distance, 0.0);
}

#[test]
fn a_pair_keeps_the_smaller_of_thickness_and_half_its_rest_distance() {
    let rest = [DVec3::Z * 0.01, DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(minimum_separation(VertexFace, rest, 1e-3), 1e-3);
    assert_eq!(minimum_separation(VertexFace, rest, 0.5), 0.005);
}

#[test]
fn a_clamped_edge_needs_a_second_projection() {
    // The lines are nearest at parameters 2 and 0; clamping both leaves a distance of √2.
    let edges = [DVec3::ZERO, DVec3::X, DVec3::new(2.0, 0.0, 1.0), DVec3::new(0.5, 1.5, 1.0)];
    let near = Proximity::new(EdgeEdge, edges);
    assert!((near.distance - 1.5f64.sqrt()).abs() < 1e-15, "{near:?}");
    assert!((near.weights[3] + 1.0 / 3.0).abs() < 1e-15, "{near:?}");
}
