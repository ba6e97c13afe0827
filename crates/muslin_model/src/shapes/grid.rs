//! Rectangular cloth.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::{DVec2, DVec3};

/// How the cells of a grid are cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangulation {
    /// Every diagonal runs from the low corner to the high one.
    RightDiagonal,
    /// Diagonals alternate like a chess board.
    Alternating,
    /// Interior vertices are moved by up to 30 % of a cell and each quadrilateral takes the diagonal that
    /// leaves the rounder triangles; the seed fixes the pattern.
    Irregular {
        /// Seed of the pattern.
        seed: u64,
        /// Columns from low x whose vertices slide along them only. A clamp must end in a line: held vertices that
        /// stand forward by a part of a cell make what hangs from them that much shorter.
        straight_columns: usize,
    },
}

/// A flat rectangle of `nx` × `ny` vertices and `size` metres in the xy plane, centred on the origin. The
/// warp runs along x. Vertex `i·ny + j` is the i-th along x and the j-th along y; all first triangles of
/// the cells come before all second ones.
pub fn grid(nx: usize, ny: usize, size: DVec2, triangulation: Triangulation) -> Result<Mesh, ShapeError> {
    check_count("grid", "vertices along x", nx, 2)?;
    check_count("grid", "vertices along y", ny, 2)?;
    check_length("grid", "size along x", size.x)?;
    check_length("grid", "size along y", size.y)?;
    check_vertices("grid", nx, ny)?;
    let step = |n: usize, length: f64, i: usize| {
        // The same rounding as numpy.linspace: start + i · step, with the end exact.
        if i + 1 == n { 0.5 * length } else { -0.5 * length + i as f64 * (length / (n - 1) as f64) }
    };
    let mut points: Vec<DVec2> = Vec::with_capacity(nx * ny);
    for i in 0..nx {
        for j in 0..ny {
            points.push(DVec2::new(step(nx, size.x, i), step(ny, size.y, j)));
        }
    }
    if let Triangulation::Irregular { seed, straight_columns } = triangulation {
        jitter(&mut points, [nx, ny], size, seed, straight_columns);
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for i in 0..nx - 1 {
        for j in 0..ny - 1 {
            // Corners of the cell: a = low x low y, b = high x low y, c = both high, d = high y.
            let a = (i * ny + j) as u32;
            let (b, c, d) = (a + ny as u32, a + ny as u32 + 1, a + 1);
            let rising = match triangulation {
                Triangulation::RightDiagonal => true,
                Triangulation::Alternating => (i + j) % 2 == 0,
                Triangulation::Irregular { .. } => {
                    let round = |tri: [u32; 3]| roundness(tri.map(|v| points[v as usize]));
                    round([a, b, c]).min(round([a, c, d])) >= round([a, b, d]).min(round([b, c, d]))
                }
            };
            if rising {
                first.push([a, b, c]);
                second.push([a, c, d]);
            } else {
                first.push([a, b, d]);
                second.push([b, c, d]);
            }
        }
    }
    first.append(&mut second);
    let uv = first.iter().map(|tri: &[u32; 3]| tri.map(|v| points[v as usize])).collect();
    Ok(Mesh {
        positions: points.iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect(),
        triangles: first,
        uv,
        texture: Vec::new(),
    })
}

/// Twice a triangle's signed area over its squared longest side [-]; negative for a folded one. Choosing
/// diagonals by it and not by their length matters: in a dented quadrilateral the shorter one may be outside.
fn roundness([a, b, c]: [DVec2; 3]) -> f64 {
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    (b - a).perp_dot(c - a) / longest
}

/// Largest displacement of an irregular grid's vertex, as a part of the cell [-]. Below one half opposite
/// sides of a cell stay apart, so that one of its diagonals is inside; 0.3 makes all angles differ visibly.
const JITTER: f64 = 0.3;

fn jitter(points: &mut [DVec2], [nx, ny]: [usize; 2], size: DVec2, seed: u64, straight_columns: usize) {
    let cell = DVec2::new(size.x / (nx - 1) as f64, size.y / (ny - 1) as f64);
    let mut state = seed;
    let mut random = || {
        // splitmix64: a small generator whose output never changes between versions.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    for i in 0..nx {
        for j in 0..ny {
            let offset = DVec2::new(random(), random()) * JITTER * cell;
            let p = &mut points[i * ny + j];
            // Boundary vertices slide along their side only, corners stay: the outline is exact.
            if i >= straight_columns.max(1) && i + 1 < nx {
                p.x += offset.x;
            }
            if j > 0 && j + 1 < ny {
                p.y += offset.y;
            }
        }
    }
}
