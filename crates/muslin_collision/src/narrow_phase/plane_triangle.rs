//! A plane against a triangle (A 4.1.4).
//!
//! The plane is given by three of its points, as it is in a mesh: a normal would be rounded.

use super::predicates::{collinear, side_of_plane};
use super::segment_triangle::pierced_at;
use glam::DVec3;

/// How a triangle lies to a plane. Which of these it is, is exact; points between corners are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneMeeting {
    /// All of it is on one side.
    Apart,
    /// One corner lies in the plane, the rest on one side.
    Corner(DVec3),
    /// One side lies in the plane, the other corner does not.
    Side([DVec3; 2]),
    /// It has corners on both sides; the plane cuts it along this segment [m].
    Cut([DVec3; 2]),
    /// All of it lies in the plane.
    Within,
}

/// How a triangle lies to the plane through three points; `None` if these lie on one line.
pub fn plane_meets_triangle(plane: [DVec3; 3], triangle: [DVec3; 3]) -> Option<PlaneMeeting> {
    let [a, b, c] = plane;
    if collinear(a, b, c) {
        return None;
    }
    let sides = triangle.map(|p| side_of_plane(a, b, c, p));
    let mut points = Vec::with_capacity(3);
    for k in 0..3 {
        let [p, q] = [triangle[k], triangle[(k + 1) % 3]];
        if sides[k] == 0 {
            points.push(p);
        } else if sides[k] * sides[(k + 1) % 3] < 0 {
            points.push(p.lerp(q, pierced_at([p, q], plane)));
        }
    }
    let straddles = sides.contains(&1) && sides.contains(&-1);
    Some(match points[..] {
        [] => PlaneMeeting::Apart,
        [corner] => PlaneMeeting::Corner(corner),
        [p, q] if straddles => PlaneMeeting::Cut([p, q]),
        [p, q] => PlaneMeeting::Side([p, q]),
        _ => PlaneMeeting::Within,
    })
}
