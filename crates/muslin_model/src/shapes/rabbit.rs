//! A sitting rabbit, sewn of cloth and hollow.

use super::{
    error::{ShapeError, check_count, check_length},
    even_triangles::even_triangles,
    solid::{Part, Solid},
};
use crate::mesh::Mesh;

/// The right half: body, head, ear, haunch, foot, paw and tail.
const PARTS: [Part; 9] = [
    ([0.0, 0.03, 0.225], 0.215, [0.0, -0.04, 0.37], 0.15),     // body
    ([0.0, -0.07, 0.55], 0.125, [0.0, -0.14, 0.53], 0.095),    // head
    ([0.05, -0.05, 0.65], 0.045, [0.085, -0.02, 0.78], 0.05),  // ear, lower half
    ([0.085, -0.02, 0.78], 0.05, [0.12, 0.03, 0.94], 0.045),   // ear, upper half
    ([0.14, 0.03, 0.145], 0.14, [0.15, -0.09, 0.12], 0.1),     // haunch
    ([0.145, -0.1, 0.055], 0.055, [0.135, -0.25, 0.05], 0.05), // foot
    ([0.09, -0.1, 0.36], 0.06, [0.075, -0.2, 0.27], 0.05),     // paw
    ([0.0, 0.25, 0.13], 0.075, [0.0, 0.27, 0.15], 0.07),       // tail
    ([0.0, -0.02, 0.1], 0.1, [0.0, 0.12, 0.1], 0.1),           // seat
];
const RABBIT: Solid = Solid { parts: &PARTS, fillet: 0.05, extent: [0.33, 0.38] };

/// A rabbit that sits on z = 0 and looks along −y, its front outside. `height` [m] with its ears; `cells` of the grid along it. Every triangle is as large at rest as it
/// stands, with the warp along x where its plane allows.
pub fn rabbit(height: f64, cells: usize) -> Result<Mesh, ShapeError> {
    check_length("rabbit", "height", height)?;
    check_count("rabbit", "cells", cells, 28)?;
    let mut mesh = RABBIT.surface(height, cells);
    even_triangles(&mut mesh, |p| RABBIT.onto(p / height) * height);
    mesh.rest_from_positions();
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_rabbit_is_one_closed_surface_of_even_triangles_that_are_at_rest() {
        for (cells, least) in [(28, 0.6), (32, 0.6), (50, 0.5)] {
            let mesh = rabbit(0.2, cells).unwrap();
            assert!(mesh.check_geometry().is_ok());
            let mut edges = HashMap::new();
            for &[a, b, c] in &mesh.triangles {
                [[a, b], [b, c], [c, a]].into_iter().for_each(|edge| *edges.entry(edge).or_insert(0) += 1);
            }
            assert!(edges.iter().all(|(&[a, b], &uses)| uses == 1 && edges.get(&[b, a]) == Some(&1)));
            assert_eq!(mesh.positions.len() + mesh.triangles.len(), edges.len() / 2 + 2, "one piece without handles");
            let point = |v: u32| mesh.positions[v as usize];
            let volume: f64 =
                mesh.triangles.iter().map(|t| point(t[0]).dot(point(t[1]).cross(point(t[2])))).sum::<f64>() / 6.0;
            assert!(volume > 0.05 * 0.2_f64.powi(3), "{volume} m³");
            let worst = mesh.positions.iter().map(|&p| RABBIT.distance(p / 0.2).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-3, "off the surface by {worst} of the height");
            for (t, uv) in mesh.triangles.iter().zip(&mesh.uv) {
                let mut sides = [0, 1, 2].map(|k| {
                    let (in_space, at_rest) =
                        (point(t[k]).distance(point(t[(k + 1) % 3])), uv[k].distance(uv[(k + 1) % 3]));
                    assert!((in_space - at_rest).abs() < 1e-14);
                    in_space
                });
                sides.sort_by(f64::total_cmp);
                let [a, b, c] = sides;
                let s = 0.5 * (a + b + c);
                // 1 for an equilateral triangle.
                let shape = 4.0 * 3.0_f64.sqrt() * (s * (s - a) * (s - b) * (s - c)).sqrt() / (a * a + b * b + c * c);
                assert!(shape > least, "triangle with sides {sides:?}: {shape}");
            }
        }
        assert!(rabbit(-1.0, 32).is_err() && rabbit(0.2, 3).is_err());
    }
}
