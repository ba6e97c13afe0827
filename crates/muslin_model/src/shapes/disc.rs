//! Round cloth.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// A flat disc in the xy plane around the origin; its material coordinates are its x and y.
///
/// Ring k of `rings` has 6k vertices at equal angles and the radius k/rings, so edges are nearly equal all
/// over and every vertex inside has five to seven neighbours. The rim's vertices lie on the true circle: the cloth
/// is the regular polygon of 6·rings sides inscribed in it, whose area is smaller by a part of
/// 0.18/rings². Vertex 0 is the centre; rings follow from the inside out, each counter-clockwise from x.
pub fn disc(radius: f64, rings: usize) -> Result<Mesh, ShapeError> {
    check_length("disc", "radius", radius)?;
    check_count("disc", "rings", rings, 1)?;
    check_vertices("disc", rings.saturating_mul(3), rings.saturating_add(1))?;
    let mut points = vec![DVec2::ZERO];
    for k in 1..=rings {
        let ring = radius * k as f64 / rings as f64;
        points.extend((0..6 * k).map(|j| DVec2::from_angle(TAU * j as f64 / (6 * k) as f64) * ring));
    }
    let mut triangles = Vec::with_capacity(6 * rings * rings);
    for k in 1..=rings {
        // Vertex j of ring k; the centre is a ring of one.
        let at = |k: usize, j: usize| match k {
            0 => 0,
            _ => (1 + 3 * k * (k - 1) + j % (6 * k)) as u32,
        };
        // Six sectors; the k cells of a sector's outer side take turns with the k − 1 of its inner side.
        for sector in 0..6 {
            for j in 0..k {
                let (inner, outer) = (sector * (k - 1) + j, sector * k + j);
                triangles.push([at(k - 1, inner), at(k, outer), at(k, outer + 1)]);
                if j + 1 < k {
                    triangles.push([at(k - 1, inner), at(k, outer + 1), at(k - 1, inner + 1)]);
                }
            }
        }
    }
    let uv = triangles.iter().map(|tri: &[u32; 3]| tri.map(|v| points[v as usize])).collect();
    Ok(Mesh {
        positions: points.iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect(),
        triangles,
        uv,
        texture: Vec::new(),
    })
}
