//! Whether a point is inside a body.

use glam::DVec3;
use muslin_model::{Body, Model};
use std::f64::consts::PI;

/// Winding numbers beyond this are inside [-]: half of what a closed surface gives, so that one with small holes has an
/// inside too, and a plane has none.
const INSIDE: f64 = 0.5;

/// How often a body's surface goes around a point [-]: ±1 inside a closed one, 0 outside, in between where it is open.
pub(crate) fn winding_number(point: DVec3, model: &Model, body: &Body, positions: &[DVec3]) -> f64 {
    let mut angle = 0.0;
    for corners in &model.mesh.triangles[body.triangles.clone()] {
        // The solid angle of a triangle (Van Oosterom and Strackee 1983, equation 8).
        let [a, b, c] = corners.map(|v| positions[v as usize] - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let along = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        angle += 2.0 * a.dot(b.cross(c)).atan2(along);
    }
    angle / (4.0 * PI)
}

/// Whether a point is inside a body.
pub(crate) fn is_inside(point: DVec3, model: &Model, body: &Body, positions: &[DVec3]) -> bool {
    let own = &positions[body.vertices.clone()];
    let low = own.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = own.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    point.cmpge(low).all() && point.cmple(high).all() && winding_number(point, model, body, positions).abs() > INSIDE
}
