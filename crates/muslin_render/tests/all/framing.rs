//! What the default camera sees.

use crate::figures::*;
use glam::{DVec2, DVec3};
use muslin_model::{
    Model,
    shapes::{plane, sphere},
};
use muslin_render::{Subject, View};

/// Place of a point in the picture, −1 to 1 along both sides.
fn project(view: &View, aspect: f64, p: DVec3) -> DVec2 {
    let camera = view.camera;
    let forward = (camera.target - camera.position).normalize();
    let right = forward.cross(camera.up).normalize();
    let up = right.cross(forward);
    let q = p - camera.position;
    let tangent = (0.5 * camera.field_of_view).tan();
    DVec2::new(q.dot(right) / (tangent * aspect), q.dot(up) / tangent) / q.dot(forward)
}

fn framing(model: &Model, frames: &[&[DVec3]], aspect: f64) -> View {
    View::framing(&Subject::of(model), frames, aspect).unwrap()
}

#[test]
fn everything_is_inside_the_border_and_the_picture_is_full() {
    for aspect in [0.5, 1.0, 16.0 / 9.0] {
        let model = model(vec![wavy(12)], vec![moved(sphere(0.3, 2).unwrap(), DVec3::new(0.4, 0.3, -0.5))]);
        let later: Vec<DVec3> = model.mesh.positions.iter().map(|p| *p + DVec3::new(0.0, 0.0, -0.4)).collect();
        let frames = [model.mesh.positions.as_slice(), &later];
        let view = framing(&model, &frames, aspect);
        let places: Vec<DVec2> = frames.iter().flat_map(|f| f.iter()).map(|&p| project(&view, aspect, p)).collect();
        let low = places.iter().fold(DVec2::INFINITY, |a, &b| a.min(b));
        let high = places.iter().fold(DVec2::NEG_INFINITY, |a, &b| a.max(b));
        assert!(low.min_element() > -0.95 && high.max_element() < 0.95, "{low} {high}");
        assert!((high - low).max_element() > 1.7, "the picture is not full: {low} {high}");
        // It is centred along both sides.
        assert!((low + high).abs().max_element() < 0.05, "{low} {high}");
    }
}

#[test]
fn a_huge_ground_does_not_change_the_view() {
    let alone = model(vec![wavy(12)], vec![]);
    for size in [2.0, 1e3, 1e9] {
        let grounded = model(vec![wavy(12)], vec![moved(plane(size, 1).unwrap(), DVec3::Z * -0.5)]);
        let a = framing(&alone, &[&alone.mesh.positions], 1.5);
        let b = framing(&grounded, &[&grounded.mesh.positions], 1.5);
        assert_eq!(a, b, "ground of {size} m");
    }
}

#[test]
fn cloth_that_falls_away_does_not_shrink_the_picture() {
    let model = model(vec![wavy(12)], vec![sphere(0.3, 2).unwrap()]);
    let fallen = |depth: f64| -> Vec<DVec3> {
        let cloth = model.cloth_vertices();
        let moved = |(v, p): (usize, &DVec3)| if cloth.contains(&v) { *p - DVec3::Z * depth } else { *p };
        model.mesh.positions.iter().enumerate().map(moved).collect()
    };
    let (near, far) = (fallen(0.3), fallen(500.0));
    let start = model.mesh.positions.as_slice();
    let view = framing(&model, &[start, &near, &far], 1.0);
    assert!(view.radius < 2.0, "radius {}", view.radius);
    assert!(view.radius > framing(&model, &[start], 1.0).radius, "the near frame does not count");
}

#[test]
fn a_picture_of_one_point_has_a_place_to_stand() {
    let model = model(vec![wavy(3)], vec![]);
    let view = framing(&model, &[&vec![DVec3::splat(5.0); 9]], 1.0);
    assert!(view.camera.position.is_finite() && view.radius > 0.0);
}
