//! Two triangles at rest: do they cross? (A 4.1.5, V 7.3.2)
//!
//! Both papers intersect each triangle with the other's plane and compare the two segments on the common line;
//! the segments are rounded. Here the order of their ends is told by signs of determinants of the corners
//! alone (Guigue and Devillers 2003), so nothing is rounded. V's coplanar case, "a vertex of one lies in the
//! other", misses a star of two triangles; here all sides are tested as lines that may separate the two.
//!
//! What is asked for triangles of a mesh is not whether they have a common point, but whether they share
//! more than the vertex or the edge that they have in common. Triangles are closed convex sets, so what two of them
//! share is the convex hull of a few points: corners of one in the other, sides of one through the inside of
//! the other, sides that cross in a common plane. They share more than their common feature exactly if one
//! of these points is not in it. That holds for triangles without area, too.

use super::predicates::{
    PROJECTIONS, collinear, point_in_triangle, point_on_segment, segments_cross, side_of_line, side_of_plane,
};
use super::segment_triangle::{crossed_at, pierced_at, segment_pierces_triangle, sides};
use glam::DVec3;

/// What two triangles share beyond their common feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// They pass through each other: their insides share a segment, in different planes.
    Cross,
    /// They lie in one plane and their insides share an area. Two triangles with the same three vertices do.
    Overlap,
    /// They share a point or more, but only of the boundary of one of them.
    Touch,
}

/// Corners that are the same vertex of a mesh: `[k, l]` for corner k of the first triangle and l of the second.
pub type SharedCorners<'a> = &'a [[usize; 2]];

/// What two triangles share beyond the corners that are `shared`, and the edge between two such corners; `None` if
/// nothing. Exact for all finite coordinates.
pub fn triangles_meet(a: [DVec3; 3], b: [DVec3; 3], shared: SharedCorners) -> Option<Meeting> {
    let of_a = corner_sides(b, a, shared, 0);
    if leaves(of_a, shared.len()) {
        return None;
    }
    let of_b = corner_sides(a, b, shared, 1);
    if leaves(of_b, shared.len()) {
        return None;
    }
    let straddles = |s: [i32; 3]| s.contains(&1) && s.contains(&-1);
    if straddles(of_a) && straddles(of_b) {
        match intervals((a, of_a), (b, of_b)) {
            Intervals::Overlap => return Some(Meeting::Cross),
            Intervals::Apart => return None,
            // Both intervals begin at a shared vertex: if they do not overlap they share no more.
            Intervals::Touch if shared.len() == 1 => return None,
            Intervals::Touch => {}
        }
    }
    if of_a == [0; 3] && of_b == [0; 3] && areas_overlap(a, b) {
        return Some(Meeting::Overlap);
    }
    (shared.len() == 3 || shares_more(a, b, shared)).then_some(Meeting::Touch)
}

/// On which side of the plane of `plane` the corners of `triangle` lie; those on `side` of the shared pairs lie in it.
fn corner_sides(plane: [DVec3; 3], triangle: [DVec3; 3], shared: SharedCorners, side: usize) -> [i32; 3] {
    let [p, q, r] = plane;
    std::array::from_fn(
        |k| {
            if shared.iter().any(|pair| pair[side] == k) { 0 } else { side_of_plane(p, q, r, triangle[k]) }
        },
    )
}

/// Whether all corners but the shared ones lie strictly on one side: then nothing but the feature is shared.
fn leaves(sides: [i32; 3], shared: usize) -> bool {
    let on = |side: i32| sides.iter().filter(|&&s| s == side).count();
    shared < 3 && (on(1) == 3 - shared || on(-1) == 3 - shared)
}

/// How the parts of the common line that two triangles cover lie to each other.
enum Intervals {
    Overlap,
    Touch,
    Apart,
}

/// For two triangles, each with corners strictly on both sides of the other's plane.
fn intervals((a, of_a): ([DVec3; 3], [i32; 3]), (b, of_b): ([DVec3; 3], [i32; 3])) -> Intervals {
    let [p, mut q, mut r] = alone_first(a, of_a);
    let [t, mut u, mut v] = alone_first(b, of_b);
    // Each first corner on the positive side of the other's plane.
    if side_of_plane(t, u, v, p) < 0 {
        (u, v) = (v, u);
    }
    if side_of_plane(p, q, r, t) < 0 {
        (q, r) = (r, q);
    }
    // On the common line each triangle covers the interval between its two sides at the first corner. Does it begin
    // before the other ends, both ways?
    match (side_of_plane(p, q, t, u), side_of_plane(p, r, v, t)) {
        (1, _) | (_, 1) => Intervals::Apart,
        (-1, -1) => Intervals::Overlap,
        _ => Intervals::Touch,
    }
}

/// The corners in cyclic order, beginning with one that has none beside it on its side of the plane.
fn alone_first(triangle: [DVec3; 3], sides: [i32; 3]) -> [DVec3; 3] {
    let alone = |k: usize| sides[k] != 0 && (1..3).all(|l| sides[(k + l) % 3] != sides[k]);
    let first = (0..3).find(|&k| alone(k)).unwrap_or(0);
    std::array::from_fn(|k| triangle[(first + k) % 3])
}

/// Whether the insides of two triangles in one plane have a point in common: no side separates them.
fn areas_overlap(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let separates = |[p, q, r]: [glam::DVec2; 3], other: [glam::DVec2; 3]| {
        let inside = side_of_line(p, q, r);
        [(p, q), (q, r), (r, p)].into_iter().any(|(p, q)| other.iter().all(|&x| side_of_line(p, q, x) * inside <= 0))
    };
    PROJECTIONS.into_iter().any(|flat| {
        let (a, b) = (a.map(flat), b.map(flat));
        let area = |[p, q, r]: [glam::DVec2; 3]| side_of_line(p, q, r);
        area(a) != 0 && area(b) != 0 && !separates(a, b) && !separates(b, a)
    })
}

/// Whether a point of the hull of what both share is not in the common feature.
fn shares_more(a: [DVec3; 3], b: [DVec3; 3], shared: SharedCorners) -> bool {
    let feature: Vec<DVec3> = shared.iter().map(|pair| a[pair[0]]).collect();
    let in_feature = |p: DVec3| match *feature {
        [] => false,
        [v] => p == v,
        [u, v, ..] => point_on_segment(p, [u, v]),
    };
    let corner = |p: DVec3, other: [DVec3; 3]| !in_feature(p) && point_in_triangle(p, other);
    if a.into_iter().any(|p| corner(p, b)) || b.into_iter().any(|p| corner(p, a)) {
        return true;
    }
    // A side that pierces the other's plane has no shared end. It can pierce it in a shared vertex only if its own
    // triangle is a segment through that vertex.
    let through_feature = |side: [DVec3; 2]| feature.len() == 1 && point_on_segment(feature[0], side);
    let pierces = |triangle: [DVec3; 3], other: [DVec3; 3]| {
        sides(triangle).into_iter().any(|s| segment_pierces_triangle(s, other) && !through_feature(s))
    };
    if pierces(a, b) || pierces(b, a) {
        return true;
    }
    // Sides that cross do so in a shared vertex only if both pass through it.
    let crossing = |s: [DVec3; 2], t: [DVec3; 2]| segments_cross(s, t) && !(through_feature(s) && through_feature(t));
    sides(a).into_iter().any(|s| sides(b).into_iter().any(|t| crossing(s, t)))
}

/// A segment that two triangles share, of the corners of their common part the two farthest from each other, rounded
/// [m]; `None` if they share nothing.
pub fn common_segment(a: [DVec3; 3], b: [DVec3; 3]) -> Option<[DVec3; 2]> {
    let mut points: Vec<DVec3> = Vec::new();
    points.extend(a.into_iter().filter(|&p| point_in_triangle(p, b)));
    points.extend(b.into_iter().filter(|&p| point_in_triangle(p, a)));
    for (triangle, other) in [(a, b), (b, a)] {
        let [p, q, r] = other;
        if collinear(p, q, r) {
            continue;
        }
        let pierced = sides(triangle).into_iter().filter(|&s| segment_pierces_triangle(s, other));
        points.extend(pierced.map(|[p, q]| p.lerp(q, pierced_at([p, q], other))));
    }
    for s in sides(a) {
        let crossed = sides(b).into_iter().filter(|&t| segments_cross(s, t));
        points.extend(crossed.map(|t| s[0].lerp(s[1], crossed_at(s, t))));
    }
    let pairs = points.iter().flat_map(|&p| points.iter().map(move |&q| [p, q]));
    pairs.max_by(|[p, q], [r, s]| p.distance_squared(*q).total_cmp(&r.distance_squared(*s)))
}
