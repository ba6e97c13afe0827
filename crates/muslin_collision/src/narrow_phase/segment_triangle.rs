//! A segment, or the path of a point, against a triangle at rest (A 4.1.3, V 7.3.1).
//!
//! Both papers compute the point where the line meets the plane and then ask whether it lies in the triangle;
//! that point is rounded and may fall off either. Here signs decide: the ends lie on different sides of the plane,
//! and the line passes all three sides of the triangle the same way round. V asks only for the two ends when
//! a point moves in the triangle's own plane, and misses one that passes right through; here it meets the
//! triangle where it enters it.

use super::predicates::{
    PROJECTIONS, point_in_triangle, point_on_segment, segments_cross, side_of_line, side_of_plane,
};
use super::scaled::differences;
use glam::DVec3;

/// Whether a closed segment and a closed triangle have a point in common: exact, degenerate ones included.
pub fn segment_meets_triangle(segment: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    let ([p, q], [a, b, c]) = (segment, triangle);
    match (side_of_plane(a, b, c, p), side_of_plane(a, b, c, q)) {
        (0, 0) => meets_in_plane(segment, triangle),
        (0, _) => point_in_triangle(p, triangle),
        (_, 0) => point_in_triangle(q, triangle),
        (s, t) => s != t && line_passes_triangle(segment, triangle),
    }
}

/// Whether a segment whose ends lie strictly on different sides of a triangle's plane passes through the triangle.
pub fn segment_pierces_triangle(segment: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    let ([p, q], [a, b, c]) = (segment, triangle);
    side_of_plane(a, b, c, p) * side_of_plane(a, b, c, q) < 0 && line_passes_triangle(segment, triangle)
}

/// For a line that is not in the plane.
fn line_passes_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let turns = [side_of_plane(p, q, a, b), side_of_plane(p, q, b, c), side_of_plane(p, q, c, a)];
    turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
}

/// For a segment in the triangle's plane, or any triangle without area.
fn meets_in_plane(segment: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    segment.into_iter().any(|end| point_in_triangle(end, triangle))
        || triangle.into_iter().any(|corner| point_on_segment(corner, segment))
        || sides(triangle).into_iter().any(|side| segments_cross(segment, side))
}

/// The first fraction of its path at which a moving point meets a triangle at rest [-]; `None` if it does not.
/// Whether it does is exact; the fraction is rounded.
pub fn swept_point_meets_triangle(start: DVec3, end: DVec3, triangle: [DVec3; 3]) -> Option<f64> {
    let path = [start, end];
    if !segment_meets_triangle(path, triangle) {
        return None;
    }
    if point_in_triangle(start, triangle) {
        return Some(0.0);
    }
    let [a, b, c] = triangle;
    if side_of_plane(a, b, c, start) != 0 {
        return Some(pierced_at(path, triangle));
    }
    // In the plane: the first corner or side on the way.
    let corners = triangle.into_iter().filter(|&corner| point_on_segment(corner, path));
    let corners = corners.map(|corner| fraction_of(corner, path));
    let sides = sides(triangle).into_iter().filter(|&side| segments_cross(path, side));
    let sides = sides.map(|side| crossed_at(path, side));
    // If neither is on the way the end itself lies in the triangle.
    Some(corners.chain(sides).fold(1.0, f64::min))
}

/// The sides of a triangle.
pub(super) fn sides([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Where along a segment with ends on different sides of a triangle's plane, or on it, the plane is [-].
pub(super) fn pierced_at([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> f64 {
    let Some(([a, b, c, p, q], _)) = differences([a, b, c, p, q]) else { return 0.0 };
    let normal = (b - a).cross(c - a);
    fraction(normal.dot(p - a), normal.dot(q - a))
}

/// Where along a segment another one crosses it [-].
pub(super) fn crossed_at([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    // The projection in which they cross; rounded only after that was decided exactly.
    let crossing = |flat: &fn(DVec3) -> glam::DVec2| {
        side_of_line(flat(r), flat(s), flat(p)) * side_of_line(flat(r), flat(s), flat(q)) < 0
    };
    let Some(flat) = PROJECTIONS.iter().find(|flat| crossing(flat)) else { return 0.0 };
    let Some((points, _)) = differences([p, q, r, s]) else { return 0.0 };
    let [p, q, r, s] = points.map(flat);
    fraction((s - r).perp_dot(p - r), (s - r).perp_dot(q - r))
}

/// Where along a segment a point on it lies [-].
fn fraction_of(point: DVec3, [p, q]: [DVec3; 2]) -> f64 {
    let Some(([p, q, point], _)) = differences([p, q, point]) else { return 0.0 };
    let along = q - p;
    ((point - p).dot(along) / along.length_squared()).clamp(0.0, 1.0)
}

/// Where a linear function from `at_start` to `at_end` is 0; at the start if rounding hides it.
fn fraction(at_start: f64, at_end: f64) -> f64 {
    let t = at_start / (at_start - at_end);
    if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 }
}
