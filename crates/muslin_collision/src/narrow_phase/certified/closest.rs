//! The nearest points of a pair, for a direction to look along.

use crate::narrow_phase::PairKind;
use glam::DVec3;

/// From the nearest point of the second group to that of the first [m]. Rounding may leave it a little off; whoever
/// uses it must prove what they conclude.
pub(super) fn nearest_difference(kind: PairKind, [p0, p1, p2, p3]: &[DVec3; 4]) -> DVec3 {
    // Between a point and a segment; `sign` turns the answer for segments of the first group.
    let mut nearest = DVec3::splat(f64::MAX.sqrt() * 0.1);
    let mut offer = |difference: DVec3| {
        if difference.length_squared() < nearest.length_squared() {
            nearest = difference;
        }
    };
    match kind {
        PairKind::VertexFace => {
            if let Some(difference) = above_face(*p0, [*p1, *p2, *p3]) {
                return difference;
            }
            for [a, b] in [[p1, p2], [p2, p3], [p3, p1]] {
                offer(*p0 - nearest_on_segment(*p0, *a, *b));
            }
        }
        PairKind::EdgeEdge => {
            if let Some(difference) = between_lines([*p0, *p1], [*p2, *p3]) {
                return difference;
            }
            for p in [p0, p1] {
                offer(*p - nearest_on_segment(*p, *p2, *p3));
            }
            for p in [p2, p3] {
                offer(nearest_on_segment(*p, *p0, *p1) - *p);
            }
        }
    }
    nearest
}

fn nearest_on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let along = b - a;
    let square = along.length_squared();
    let u = if square > 0.0 { ((p - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    a + along * u
}

/// If the point lies above the inside of the face: the difference along the normal.
fn above_face(p: DVec3, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let normal = (b - a).cross(c - a);
    let side = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(normal) > 0.0;
    let square = normal.length_squared();
    (square > 0.0 && side(a, b) && side(b, c) && side(c, a)).then(|| normal * ((p - a).dot(normal) / square))
}

/// If the lines are nearest inside of both segments: the difference along their common normal.
fn between_lines([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> Option<DVec3> {
    let (a, b, r) = (a1 - a0, b1 - b0, a0 - b0);
    let normal = a.cross(b);
    let square = normal.length_squared();
    let (u, v) = (-r.cross(b).dot(normal) / square, -r.cross(a).dot(normal) / square);
    let inside = |u: f64| u > 0.0 && u < 1.0;
    (square > 0.0 && inside(u) && inside(v)).then(|| normal * (r.dot(normal) / square))
}
