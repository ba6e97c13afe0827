//! Cloth sewn into a tube.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// An open tube around the z axis, centred on the origin, with its front outside. `vertices` counts those
/// around and those along; vertex `i·along + j` is the i-th around (counter-clockwise from x) and the j-th
/// from below.
///
/// The pattern is the rectangle that the tube unrolls to: u runs around and v upwards from 0. The vertices lie on
/// the true cylinder and the cloth is the prism between them, flat in each cell: a cell is as wide as its
/// chord 2r·sin(π/around), not as its arc, so that the start is free of stress. The circumference is
/// smaller than 2πr by a part of 1.6/around². Triangles carry their own uv, so the seam is an edge like
/// any other. Diagonals change direction from row to row: the tube looks the same from each of its columns
/// and does not prefer one sense of twist.
pub fn tube(radius: f64, height: f64, vertices: [usize; 2]) -> Result<Mesh, ShapeError> {
    let [around, along] = vertices;
    check_length("tube", "radius", radius)?;
    check_length("tube", "height", height)?;
    check_count("tube", "vertices around", around, 3)?;
    check_count("tube", "vertices along", along, 2)?;
    check_vertices("tube", around, along)?;
    let level = |j: usize| height * (j as f64 / (along - 1) as f64);
    let chord = 2.0 * radius * (PI / around as f64).sin();
    let mut mesh = Mesh::default();
    for i in 0..around {
        let side = DVec2::from_angle(TAU * i as f64 / around as f64) * radius;
        mesh.positions.extend((0..along).map(|j| side.extend(level(j) - 0.5 * height)).collect::<Vec<DVec3>>());
    }
    for i in 0..around {
        for j in 0..along - 1 {
            let vertex = |di: usize, dj: usize| (((i + di) % around) * along + j + dj) as u32;
            let uv = |di: usize, dj: usize| DVec2::new((i + di) as f64 * chord, level(j + dj));
            let cells = if j % 2 == 0 {
                [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]]
            } else {
                [[(0, 0), (1, 0), (0, 1)], [(1, 0), (1, 1), (0, 1)]]
            };
            for corners in cells {
                mesh.triangles.push(corners.map(|(di, dj)| vertex(di, dj)));
                mesh.uv.push(corners.map(|(di, dj)| uv(di, dj)));
            }
        }
    }
    Ok(mesh)
}
