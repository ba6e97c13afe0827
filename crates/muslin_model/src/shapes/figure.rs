//! A human-shaped figure made of smooth shapes.
//!
//! Head, neck, trunk, arms and legs are round cones; a smooth union joins them into one solid. Its surface is found by marching
//! tetrahedra: space is cut into cubes, each into six tetrahedra around its diagonal, and every tetrahedron with corners on
//! both sides gives one or two triangles. That makes a closed surface without special cases, in contrast to marching
//! cubes. New vertices keep a tenth of an edge away from the corners, so that no triangle is a sliver.
//! Unlike the other shapes it circumscribes nothing: the mesh is the figure.

use super::error::{ShapeError, check_count, check_length};
use crate::mesh::Mesh;
use glam::DVec3;
use std::collections::HashMap;

/// Radius of the fillets between parts, over the height [-].
const FILLET: f64 = 0.02;
/// Part of a grid edge that a vertex keeps from its ends [-].
const MARGIN: f64 = 0.1;
/// Half extent of the grid across and along the view, over the height [-].
const EXTENT: [f64; 2] = [0.36, 0.12];
/// Room below the soles and above the head, over the height [-].
const ROOM: f64 = 0.03;

/// Parts: two centres and their radii, over the height [-]; the right half. z points up from the soles, x to the figure's
/// left, −y where it looks.
const PARTS: [([f64; 3], f64, [f64; 3], f64); 11] = [
    ([0.0, 0.0, 0.935], 0.062, [0.0, -0.006, 0.905], 0.052),  // head
    ([0.0, 0.0, 0.87], 0.034, [0.0, 0.0, 0.81], 0.036),       // neck
    ([0.035, 0.0, 0.77], 0.066, [0.03, 0.0, 0.64], 0.062),    // chest
    ([0.03, 0.0, 0.64], 0.062, [0.035, 0.0, 0.52], 0.068),    // belly
    ([0.105, 0.0, 0.795], 0.034, [0.03, 0.0, 0.81], 0.036),   // shoulder
    ([0.105, 0.0, 0.79], 0.034, [0.2, 0.0, 0.65], 0.026),     // upper arm
    ([0.2, 0.0, 0.65], 0.026, [0.275, -0.02, 0.53], 0.018),   // forearm
    ([0.275, -0.02, 0.53], 0.018, [0.3, -0.03, 0.47], 0.018), // hand
    ([0.055, 0.0, 0.5], 0.06, [0.07, 0.0, 0.28], 0.04),       // thigh
    ([0.07, 0.0, 0.28], 0.04, [0.075, 0.005, 0.06], 0.026),   // shank
    ([0.075, 0.01, 0.035], 0.028, [0.085, -0.075, 0.025], 0.023), // foot
];

/// A standing figure with its arms held away from the body, its soles at z = 0, looking along −y. `height` [m]; `cells`
/// of the grid along it.
pub fn figure(height: f64, cells: usize) -> Result<Mesh, ShapeError> {
    check_length("figure", "height", height)?;
    check_count("figure", "cells", cells, 20)?;
    let cell = height / cells as f64;
    let half = EXTENT.map(|extent| (extent * height / cell).ceil());
    let room = (ROOM * height / cell).ceil();
    let counts = [2 * half[0] as usize, 2 * half[1] as usize, cells + 2 * room as usize];
    let low = DVec3::new(-half[0], -half[1], -room) * cell;
    let index = |p: [usize; 3]| (p[2] * (counts[1] + 1) + p[1]) * (counts[0] + 1) + p[0];
    let point = |p: [usize; 3]| low + DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64) * cell;
    let mut depth = Vec::with_capacity((counts[0] + 1) * (counts[1] + 1) * (counts[2] + 1));
    for z in 0..=counts[2] {
        for y in 0..=counts[1] {
            depth.extend((0..=counts[0]).map(|x| distance(point([x, y, z]) / height) * height));
        }
    }
    let mut surface = Marching { mesh: Mesh::default(), vertices: HashMap::new() };
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                for path in PATHS {
                    let mut corner = [x, y, z];
                    let mut corners = [(index(corner), point(corner), depth[index(corner)]); 4];
                    for (k, axis) in path.into_iter().enumerate() {
                        corner[axis] += 1;
                        corners[k + 1] = (index(corner), point(corner), depth[index(corner)]);
                    }
                    surface.add(corners);
                }
            }
        }
    }
    Ok(surface.mesh)
}

/// The six tetrahedra of a cube: the orders in which its axes lead along the diagonal.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Distance from the surface of a figure of height 1, negative inside; exact only near a single part [-].
fn distance(p: DVec3) -> f64 {
    // The left half is the right one's mirror image.
    let p = DVec3::new(p.x.abs(), p.y, p.z);
    PARTS.iter().fold(f64::INFINITY, |d, &(a, ra, b, rb)| {
        let (a, b) = (DVec3::from_array(a), DVec3::from_array(b));
        let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let part = p.distance(a.lerp(b, along)) - (ra + (rb - ra) * along);
        if d.is_infinite() {
            return part;
        }
        // The smooth minimum of two distances: the lower, but rounded by the fillet where they are alike.
        let alike = (1.0 - (d - part).abs() / FILLET).max(0.0);
        d.min(part) - 0.25 * FILLET * alike * alike
    })
}

/// A corner of a tetrahedron: its number, its place [m] and its distance from the surface [m].
type Corner = (usize, DVec3, f64);

struct Marching {
    mesh: Mesh,
    /// The vertex on each grid edge that the surface crosses.
    vertices: HashMap<[usize; 2], u32>,
}

impl Marching {
    fn add(&mut self, corners: [Corner; 4]) {
        let (inside, outside): (Vec<Corner>, Vec<Corner>) = corners.into_iter().partition(|corner| corner.2 < 0.0);
        let rim: Vec<u32> = match inside.len() {
            1 => outside.iter().map(|o| self.vertex(inside[0], *o)).collect(),
            3 => inside.iter().map(|i| self.vertex(*i, outside[0])).collect(),
            2 => [(0, 0), (0, 1), (1, 1), (1, 0)].iter().map(|&(i, o)| self.vertex(inside[i], outside[o])).collect(),
            _ => return,
        };
        let middle = |list: &[Corner]| list.iter().map(|corner| corner.1).sum::<DVec3>() / list.len() as f64;
        let outwards = middle(&outside) - middle(&inside);
        for k in 1..rim.len() - 1 {
            let [a, b, c] = [rim[0], rim[k], rim[k + 1]];
            let [p, q, r] = [a, b, c].map(|v| self.mesh.positions[v as usize]);
            let faces_out = (q - p).cross(r - p).dot(outwards) > 0.0;
            self.mesh.triangles.push(if faces_out { [a, b, c] } else { [a, c, b] });
        }
    }

    fn vertex(&mut self, a: Corner, b: Corner) -> u32 {
        let positions = &mut self.mesh.positions;
        let key = [a.0.min(b.0), a.0.max(b.0)];
        *self.vertices.entry(key).or_insert_with(|| {
            let part = (a.2 / (a.2 - b.2)).clamp(MARGIN, 1.0 - MARGIN);
            positions.push(a.1.lerp(b.1, part));
            positions.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_one_closed_surface_with_its_front_outside_and_a_volume_like_a_body() {
        let mesh = figure(1.7, 40).unwrap();
        assert!(mesh.check_geometry().is_ok());
        // Every edge is used once in each direction.
        let mut edges = HashMap::new();
        for [a, b, c] in &mesh.triangles {
            for edge in [[a, b], [b, c], [c, a]] {
                *edges.entry(edge.map(|v| *v)).or_insert(0) += 1;
            }
        }
        assert!(edges.iter().all(|(&[a, b], &uses)| uses == 1 && edges.get(&[b, a]) == Some(&1)));
        // V − E + F = 2: one piece without handles.
        let (v, e, f) = (mesh.positions.len(), edges.len() / 2, mesh.triangles.len());
        assert_eq!(v + f, e + 2);
        let corner = |v: u32| mesh.positions[v as usize];
        let volume: f64 =
            mesh.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])))).sum::<f64>() / 6.0;
        // People of 1.7 m have 50 to 90 litres.
        assert!(volume > 0.03 && volume < 0.1, "{volume} m³");
        let (low, high) = mesh.positions.iter().fold((f64::INFINITY, 0.0f64), |(l, h), p| (l.min(p.z), h.max(p.z)));
        assert!(low.abs() < 0.05 && (high - 1.7).abs() < 0.05, "{low} to {high} m");
    }

    #[test]
    fn a_finer_figure_is_the_same_figure() {
        let [coarse, fine] = [40, 60].map(|cells| figure(1.0, cells).unwrap());
        let worst = |mesh: &Mesh| mesh.positions.iter().map(|&p| distance(p).abs()).fold(0.0, f64::max);
        // Vertices are within a cell of the surface: where parts meet, distance is not linear along a cell's diagonal.
        assert!(worst(&coarse) < 0.7 / 40.0 && worst(&fine) < 0.7 / 60.0, "{} {}", worst(&coarse), worst(&fine));
        assert!(figure(0.0, 40).is_err() && figure(1.0, 3).is_err());
    }
}
