//! A human-shaped figure made of round cones: head, neck, trunk, arms and legs. The mesh is the figure; it circumscribes nothing.

use super::{
    error::{ShapeError, check_count, check_length},
    solid::{Part, Solid},
};
use crate::mesh::Mesh;

/// The right half.
const PARTS: [Part; 11] = [
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

const FIGURE: Solid = Solid { parts: &PARTS, fillet: 0.02, extent: [0.36, 0.12] };

/// A standing figure with its arms held away from the body, its soles at z = 0, looking along −y. `height` [m]; `cells`
/// of the grid along it.
pub fn figure(height: f64, cells: usize) -> Result<Mesh, ShapeError> {
    check_length("figure", "height", height)?;
    check_count("figure", "cells", cells, 20)?;
    Ok(FIGURE.surface(height, cells))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

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
        let worst = |mesh: &Mesh| mesh.positions.iter().map(|&p| FIGURE.distance(p).abs()).fold(0.0, f64::max);
        // Vertices are within a cell of the surface: where parts meet, distance is not linear along a cell's diagonal.
        assert!(worst(&coarse) < 0.7 / 40.0 && worst(&fine) < 0.7 / 60.0, "{} {}", worst(&coarse), worst(&fine));
        assert!(figure(0.0, 40).is_err() && figure(1.0, 3).is_err());
    }
}
