//! Curved obstacles lie on the safe side of the true surface everywhere, and touch it.

use super::measure::*;
use crate::random::Random;
use glam::DVec3;
use muslin_model::shapes::*;

/// How far above touching a mesh may be, as a part of its size [-]: its own margin against rounding.
const TIGHT: f64 = 1e-13;

#[test]
fn sphere_mesh_circumscribes_the_true_sphere() {
    for radius in [1e-8, 0.3, 7.0, 1e8] {
        for subdivisions in 0..5 {
            let mesh = sphere(radius, subdivisions).unwrap();
            let least = (0..mesh.triangles.len())
                .map(|t| point_triangle(DVec3::ZERO, corners(&mesh, t)))
                .fold(f64::INFINITY, f64::min);
            assert!(least >= radius, "{subdivisions}: {least} < {radius}");
            assert!(least <= radius * (1.0 + TIGHT), "{subdivisions}: nothing touches, {least}");
        }
    }
}

#[test]
fn capsule_mesh_circumscribes_the_true_capsule() {
    for (radius, length) in [(0.2, 1.0), (3e-8, 2e-8), (1e8, 0.0), (0.05, 40.0)] {
        for segments in [3, 4, 5, 12, 33] {
            let mesh = capsule(radius, length, segments).unwrap();
            let axis = [DVec3::Z * (-0.5 * length), DVec3::Z * (0.5 * length)];
            let gaps: Vec<f64> = (0..mesh.triangles.len())
                .map(|t| match length > 0.0 {
                    true => segment_triangle(axis, corners(&mesh, t)) - radius,
                    false => point_triangle(DVec3::ZERO, corners(&mesh, t)) - radius,
                })
                .collect();
            let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least >= 0.0, "{segments} segments: {least}");
            // Of the two triangles of a cell at least one holds the touching point; so at least half touch.
            let touching = gaps.iter().filter(|&&gap| gap <= TIGHT * (radius + length)).count();
            assert!(2 * touching >= gaps.len(), "{segments} segments: {touching} of {} touch", gaps.len());
        }
    }
}

#[test]
fn torus_mesh_circumscribes_the_true_torus() {
    for (radius, tube) in [(1.0, 0.3), (1.0, 0.95), (2e8, 1e7), (1e-8, 4e-9), (1.0, 1e-3)] {
        for segments in [[3, 3], [4, 7], [24, 12], [40, 5]] {
            let mesh = torus(radius, tube, segments).unwrap();
            let gaps: Vec<f64> =
                (0..mesh.triangles.len()).map(|t| circle_triangle(radius, corners(&mesh, t)) - tube).collect();
            let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least >= 0.0, "{radius} {tube} {segments:?}: {least}");
            let touching = gaps.iter().filter(|&&gap| gap <= TIGHT * (radius + tube)).count();
            assert!(2 * touching >= gaps.len(), "{segments:?}: {touching} of {} touch", gaps.len());
            // The hole is open, and as narrow as the true one only at the vertices.
            let hole = mesh.positions.iter().map(|p| p.truncate().length()).fold(f64::INFINITY, f64::min);
            assert!((hole - (radius - tube)).abs() <= TIGHT * (radius + tube), "{hole}");
        }
    }
}

#[test]
fn funnel_mesh_leaves_only_true_free_space_inside() {
    let measures = Funnel { top_radius: 0.5, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments: 9 };
    let mesh = funnel(&measures).unwrap();
    // The radius of the true surface at a height [m].
    let true_radius = |z: f64| 0.1 + 0.4 * z.max(0.0) / 0.4;
    let mut random = Random(5);
    let mut widest = 0.0f64;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = corners(&mesh, t);
        for k in 0..200 {
            let (s, t) = match k {
                0 => (0.0, 0.0),
                1 => (1.0, 0.0),
                2 => (0.0, 1.0),
                _ => (random.unit(), random.unit()),
            };
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let p = a + (b - a) * s + (c - a) * t;
            let ratio = p.truncate().length() / true_radius(p.z);
            assert!(ratio <= 1.0 + 1e-14, "{p} is beyond the wall: {ratio}");
            assert!(ratio >= (std::f64::consts::PI / 9.0).cos() - 1e-14, "{p} is further in than the chord: {ratio}");
            widest = widest.max(ratio);
        }
    }
    assert!(widest > 1.0 - 1e-14, "no vertex touches the true funnel: {widest}");
}
