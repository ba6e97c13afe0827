//! Static tests against clipping in exact fractions, on inputs that are degenerate more often than not.

use crate::clip::{between, common_part, has_area, middle, strictly_inside};
use crate::random::Random;
use crate::rational::{Exact, exact};
use glam::DVec3;
use muslin_collision::narrow_phase::predicates::{side_of_line, side_of_plane};
use muslin_collision::narrow_phase::triangle_triangle::common_segment;
use muslin_collision::narrow_phase::{
    Meeting, PlaneMeeting, plane_meets_triangle, segment_meets_triangle, swept_point_meets_triangle, triangles_meet,
};
use num_traits::{Signed, Zero};

/// A point of a small grid; in half of the rounds, all points of a plane or a line of it.
fn snapped(random: &mut Random, round: usize) -> DVec3 {
    let mut p = (random.vector() * 2.5).round();
    match round % 6 {
        0 => p.z = 1.0,
        1 => p.z = p.x + p.y,
        2 if random.index(2) == 0 => p = DVec3::new(p.x, p.x, -p.x),
        _ => {}
    }
    p
}

/// What two triangles share beyond their common feature, by clipping.
pub fn reference(a: [DVec3; 3], b: [DVec3; 3], shared: &[[usize; 2]]) -> Option<Meeting> {
    let common = common_part(&a, b);
    if has_area(&common) {
        // Two triangles share an area only in one plane; neighbours along it share no more than an edge.
        return Some(Meeting::Overlap);
    }
    let inside = |x: &Exact| strictly_inside(x, a) && strictly_inside(x, b);
    if !common.is_empty() && inside(&middle(&common)) {
        return Some(Meeting::Cross);
    }
    let feature: Vec<Exact> = shared.iter().map(|pair| a[pair[0]].into()).collect();
    let more = |x: &&Exact| match &feature[..] {
        [] => true,
        [v] => *x != v,
        [u, v] => !between(x, u, v),
        _ => true,
    };
    common.iter().any(|x| more(&x)).then_some(Meeting::Touch)
}

#[test]
fn triangles_meet_exactly_as_clipping_says() {
    let mut random = Random(11);
    let mut seen = [[0; 4]; 4];
    for round in 0..8_000 {
        let mut a: [DVec3; 3] = std::array::from_fn(|_| snapped(&mut random, round));
        let mut b: [DVec3; 3] = std::array::from_fn(|_| snapped(&mut random, round));
        let count = random.index(3);
        let (i, j) = (random.index(3), random.index(3));
        let turn = 1 + random.index(2);
        let shared: Vec<[usize; 2]> = (0..count).map(|k| [(i + k) % 3, (j + turn * k) % 3]).collect();
        for &[k, l] in &shared {
            b[l] = a[k];
        }
        if round % 7 == 3 {
            // Odd multiples and offsets use up the mantissa; the geometry stays degenerate.
            let (factor, offset) = (1e5 + 3.0, DVec3::new(3.0, -5.0, 11.0) * 2f64.powi(30));
            a = a.map(|p| p * factor + offset);
            b = b.map(|p| p * factor + offset);
        }
        let truth = reference(a, b, &shared);
        let found = triangles_meet(a, b, &shared);
        assert_eq!(found, truth, "{a:?} {b:?} {shared:?}");
        let flipped: Vec<[usize; 2]> = shared.iter().map(|&[k, l]| [l, k]).collect();
        assert_eq!(triangles_meet(b, a, &flipped), truth, "{b:?} {a:?} {flipped:?}");
        seen[count][truth.map_or(3, |m| m as usize)] += 1;
        let segment = common_segment(a, b);
        assert_eq!(segment.is_some(), !common_part(&a, b).is_empty(), "{a:?} {b:?}");
    }
    println!("shared corners × (cross, overlap, touch, nothing): {seen:?}");
    // Each case is met: neighbours along an edge can neither cross nor, with area, touch elsewhere.
    for count in 0..2 {
        assert!(seen[count].iter().all(|&n| n > 100), "{seen:?}");
    }
    assert!(seen[2][0] == 0 && seen[2][1] > 100 && seen[2][2] > 3 && seen[2][3] > 100, "{seen:?}");
}

#[test]
fn a_star_of_two_coplanar_triangles_overlaps_without_a_corner_inside() {
    let [r, h] = [4.0, 7.0];
    let up = [DVec3::new(-h, -r, 0.0), DVec3::new(h, -r, 0.0), DVec3::new(0.0, 2.0 * r, 0.0)];
    let down = up.map(|p| -p);
    assert_eq!(triangles_meet(up, down, &[]), Some(Meeting::Overlap));
    assert!(up.iter().all(|&p| !segment_meets_triangle([p, p], down)));
}

#[test]
fn a_fold_of_angle_zero_overlaps_and_a_flat_hinge_does_not() {
    let [u, v, a] = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 1.0, 0.0)];
    let hinge = |b: DVec3| triangles_meet([u, v, a], [v, u, b], &[[0, 1], [1, 0]]);
    assert_eq!(hinge(DVec3::new(0.6, 0.2, 0.0)), Some(Meeting::Overlap));
    assert_eq!(hinge(DVec3::new(0.6, -0.2, 0.0)), None);
    assert_eq!(hinge(DVec3::new(0.6, 0.2, 1e-300)), None);
}

#[test]
fn a_point_that_slides_through_a_triangle_in_its_plane_meets_it_where_it_enters() {
    let triangle = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];
    let path = [DVec3::new(-1.0, 1.0, 0.0), DVec3::new(7.0, 1.0, 0.0)];
    assert_eq!(swept_point_meets_triangle(path[0], path[1], triangle), Some(0.125));
    let above = path.map(|p| p + DVec3::Z * 1e-300);
    assert_eq!(swept_point_meets_triangle(above[0], above[1], triangle), None);
}

#[test]
fn segments_meet_triangles_exactly_as_clipping_says() {
    let mut random = Random(12);
    let mut seen = [0; 2];
    for round in 0..8_000 {
        let triangle = std::array::from_fn(|_| snapped(&mut random, round));
        let [p, q] = std::array::from_fn(|_| snapped(&mut random, round));
        let common = common_part(&[p, q], triangle);
        assert_eq!(segment_meets_triangle([p, q], triangle), !common.is_empty(), "{p} {q} {triangle:?}");
        let fraction = swept_point_meets_triangle(p, q, triangle);
        assert_eq!(fraction.is_some(), !common.is_empty(), "{p} {q} {triangle:?}");
        seen[common.is_empty() as usize] += 1;
        // The first common point along the way.
        let Some(fraction) = fraction else { continue };
        let along = &Exact::from(q) - &Exact::from(p);
        let first = common.iter().map(|x| (x - &p.into()).dot(&along)).min().expect("not empty");
        let first = if along.square().is_zero() { first } else { first / along.square() };
        let error = (first - exact(fraction)).abs();
        assert!(error <= exact(1e-13), "{p} {q} {triangle:?}: {fraction}");
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

#[test]
fn planes_meet_triangles_exactly_as_fractions_say() {
    let mut random = Random(13);
    let mut seen = [0; 6];
    for round in 0..20_000 {
        let plane: [DVec3; 3] = std::array::from_fn(|_| snapped(&mut random, round % 3 + 3 * (round % 2)));
        let triangle: [DVec3; 3] = std::array::from_fn(|_| snapped(&mut random, round));
        let [a, b, c] = plane.map(Exact::from);
        let normal = (&b - &a).cross(&(&c - &a));
        let heights = triangle.map(|p| normal.dot(&(&Exact::from(p) - &a)));
        let on = heights.iter().filter(|h| h.is_zero()).count();
        let both = heights.iter().any(|h| h.is_positive()) && heights.iter().any(|h| h.is_negative());
        let found = plane_meets_triangle(plane, triangle);
        let case = match (normal.square().is_zero(), on, both, found) {
            (true, _, _, None) => 0,
            (false, 0, false, Some(PlaneMeeting::Apart)) => 1,
            (false, 1, false, Some(PlaneMeeting::Corner(p))) if triangle.contains(&p) => 2,
            (false, 2, _, Some(PlaneMeeting::Side([p, q]))) if triangle.contains(&p) && triangle.contains(&q) => 3,
            (false, _, true, Some(PlaneMeeting::Cut(ends))) => {
                let height = |p: DVec3| normal.dot(&(&Exact::from(p) - &a)).abs();
                assert!(ends.iter().all(|&p| height(p) <= exact(1e-12)), "{plane:?} {triangle:?}: {ends:?}");
                4
            }
            (false, 3, _, Some(PlaneMeeting::Within)) => 5,
            _ => panic!("{plane:?} {triangle:?}: {found:?}, heights {heights:?}"),
        };
        seen[case] += 1;
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

#[test]
fn signs_are_exact_from_the_smallest_to_the_largest_numbers() {
    let mut random = Random(14);
    let mut zeros = 0;
    for round in 0..6000 {
        // Powers of two of any size, the same for all points or one for each coordinate.
        let mut power = || 2f64.powi(random.index(1800) as i32 - 950);
        let powers = if round % 2 == 0 { DVec3::splat(power()) } else { DVec3::new(power(), power(), power()) };
        let mut p: [DVec3; 4] = std::array::from_fn(|_| snapped(&mut random, round) * powers);
        if round % 5 == 0 {
            // One coordinate of quite another size.
            p[random.index(4)].x = random.unit() * 2f64.powi(random.index(2000) as i32 - 1060);
        }
        if round % 3 == 0 {
            p[3] = p[0] + (p[1] - p[0]) * 0.5 + (p[2] - p[0]) * 0.25;
        }
        let [a, b, c, d] = p.map(Exact::from);
        let volume = (&b - &a).cross(&(&c - &a)).dot(&(&d - &a));
        let sign = |x: &num_rational::BigRational| x.is_positive() as i32 - x.is_negative() as i32;
        assert_eq!(side_of_plane(p[0], p[1], p[2], p[3]), sign(&volume), "{p:?}");
        let area = (&b - &a).cross(&(&c - &a)).0[2].clone();
        assert_eq!(side_of_line(p[0].truncate(), p[1].truncate(), p[2].truncate()), sign(&area), "{p:?}");
        zeros += volume.is_zero() as usize;
    }
    assert!((500..5500).contains(&zeros), "{zeros}");
}
