//! A sphere from a subdivided icosahedron.

use super::error::{ROUNDING_MARGIN, ShapeError, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::DVec3;
use std::collections::HashMap;

/// A sphere around the origin: an icosahedron whose triangles are cut into four `subdivisions` times.
///
/// All vertices lie on one sphere, just so large that the nearest triangle touches the true one. The excess
/// of the outer radius is 26 % without subdivision and then 7.0, 1.8, 0.46, 0.11 %.
pub fn sphere(radius: f64, subdivisions: u32) -> Result<Mesh, ShapeError> {
    check_length("sphere", "radius", radius)?;
    let quarters = 4usize.checked_pow(subdivisions).unwrap_or(usize::MAX);
    check_vertices("sphere", quarters, 10)?;
    let (mut directions, mut triangles) = icosahedron();
    for _ in 0..subdivisions {
        triangles = subdivide(&mut directions, &triangles);
    }
    let nearest = triangles
        .iter()
        .map(|tri| {
            let [a, b, c] = tri.map(|v| directions[v as usize]);
            // The triangles are acute, so the foot of the centre on their plane is inside them.
            (b - a).cross(c - a).normalize().dot(a)
        })
        .fold(f64::INFINITY, f64::min);
    let outer = radius / nearest * (1.0 + ROUNDING_MARGIN);
    Ok(Mesh { positions: directions.into_iter().map(|d| d * outer).collect(), triangles, ..Mesh::default() })
}

/// Unit vertices and outward triangles. Vertex 0 is the upper pole and 11 the lower one, between them two
/// rings of five at the heights ±1/√5.
fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (height, ring) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    let mut directions = vec![DVec3::Z];
    for (z, turn) in [(height, 0.0), (-height, 0.5)] {
        directions.extend((0..5).map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * (k as f64 + turn) / 5.0).sin_cos();
            DVec3::new(ring * cos, ring * sin, z).normalize()
        }));
    }
    directions.push(DVec3::NEG_Z);
    let mut triangles = Vec::with_capacity(20);
    for k in 0..5 {
        let next = (k + 1) % 5;
        let (upper, upper_next, lower, lower_next) = (1 + k, 1 + next, 6 + k, 6 + next);
        triangles.push([0, upper, upper_next]);
        triangles.push([upper, lower, upper_next]);
        triangles.push([upper_next, lower, lower_next]);
        triangles.push([11, lower_next, lower]);
    }
    (directions, triangles)
}

/// Cuts each triangle into four at the middles of its sides, which move out to the unit sphere.
fn subdivide(directions: &mut Vec<DVec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * triangles.len() / 2);
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            directions.push((directions[a as usize] + directions[b as usize]).normalize());
            (directions.len() - 1) as u32
        })
    };
    triangles
        .iter()
        .flat_map(|&[a, b, c]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        })
        .collect()
}
