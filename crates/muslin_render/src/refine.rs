//! Cuts a body's triangles: to the neighbourhood of the picture, and small enough for light at vertices.

use glam::{Vec2, Vec3};
use std::collections::HashMap;

/// The triangles of one body.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub positions: Vec<Vec3>,
    pub scalars: Vec<f32>,
    pub triangles: Vec<[u32; 3]>,
    pub uv: Vec<[Vec2; 3]>,
}

/// Rounds of halving; 4 of them cut a triangle into 256, 12 into as many as memory allows.
const MOST_ROUNDS: usize = 12;

/// Most triangles that cutting may leave; beyond it light gets coarse instead.
const MOST_TRIANGLES: usize = 60_000;

/// Keeps what is inside the cube of this half side around the origin, cutting triangles at its faces.
pub(crate) fn clip(piece: &mut Piece, reach: f32) {
    let mut clipped = Piece::default();
    for tri in &piece.triangles {
        let mut polygon: Vec<(Vec3, f32)> =
            tri.iter().map(|&v| (piece.positions[v as usize], piece.scalars[v as usize])).collect();
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let outside = |p: &(Vec3, f32)| sign * p.0[axis] - reach;
                let mut kept = Vec::with_capacity(polygon.len() + 1);
                for k in 0..polygon.len() {
                    let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                    let (da, db) = (outside(&a), outside(&b));
                    if da <= 0.0 {
                        kept.push(a);
                    }
                    if (da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0) {
                        let s = da / (da - db);
                        kept.push((a.0.lerp(b.0, s), a.1 + (b.1 - a.1) * s));
                    }
                }
                polygon = kept;
            }
        }
        if polygon.len() < 3 {
            continue;
        }
        let first = clipped.positions.len() as u32;
        for k in 1..polygon.len() as u32 - 1 {
            clipped.triangles.push([first, first + k, first + k + 1]);
            clipped.uv.push([Vec2::NAN; 3]);
        }
        clipped.positions.extend(polygon.iter().map(|p| p.0));
        clipped.scalars.extend(polygon.iter().map(|p| p.1));
    }
    *piece = clipped;
}

/// Halves edges longer than a limit until none is left. Whether an edge is halved depends on the edge alone,
/// so neighbours stay joined.
pub(crate) fn cut(piece: &mut Piece, longest: f32) {
    for _ in 0..MOST_ROUNDS {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut triangles = Vec::with_capacity(piece.triangles.len());
        let mut uv = Vec::with_capacity(piece.uv.len());
        for (tri, coordinates) in piece.triangles.iter().zip(&piece.uv) {
            let mut middle = |a: u32, b: u32| {
                let (pa, pb) = (piece.positions[a as usize], piece.positions[b as usize]);
                (pa.distance(pb) > longest).then(|| {
                    *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                        piece.positions.push(0.5 * (pa + pb));
                        piece.scalars.push(0.5 * (piece.scalars[a as usize] + piece.scalars[b as usize]));
                        (piece.positions.len() - 1) as u32
                    })
                })
            };
            let middles = [middle(tri[0], tri[1]), middle(tri[1], tri[2]), middle(tri[2], tri[0])];
            split(*tri, middles, |part, weights| {
                triangles.push(part);
                uv.push(weights.map(|w| coordinates[0] * w.x + coordinates[1] * w.y + coordinates[2] * w.z));
            });
        }
        let done = middles.is_empty();
        piece.triangles = triangles;
        piece.uv = uv;
        if done || 4 * piece.triangles.len() > MOST_TRIANGLES {
            return;
        }
    }
}

/// Cuts a triangle at the given middles of its sides; hands out the parts with the weights of their corners.
fn split(tri: [u32; 3], middles: [Option<u32>; 3], mut part: impl FnMut([u32; 3], [Vec3; 3])) {
    const CORNERS: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];
    // Turned so that the cases below need not be repeated for each side: corner k first.
    let turned = |k: usize| {
        let at = |j: usize| (k + j) % 3;
        let corner = |j: usize| (tri[at(j)], CORNERS[at(j)]);
        let middle = |j: usize| middles[at(j)].map(|m| (m, 0.5 * (CORNERS[at(j)] + CORNERS[at(j + 1)])));
        ([corner(0), corner(1), corner(2)], [middle(0), middle(1), middle(2)])
    };
    let mut emit = |a: (u32, Vec3), b: (u32, Vec3), c: (u32, Vec3)| part([a.0, b.0, c.0], [a.1, b.1, c.1]);
    for k in 0..3 {
        let ([a, b, c], sides) = turned(k);
        match sides {
            [Some(ab), Some(bc), Some(ca)] => {
                emit(a, ab, ca);
                emit(ab, b, bc);
                emit(ca, bc, c);
                return emit(ab, bc, ca);
            }
            [Some(ab), Some(bc), None] => {
                emit(ab, b, bc);
                emit(a, ab, bc);
                return emit(a, bc, c);
            }
            [Some(ab), None, None] => {
                emit(a, ab, c);
                return emit(ab, b, c);
            }
            [None, None, None] => return emit(a, b, c),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_model::{Mesh, shapes};
    use std::collections::HashSet;

    fn piece(mesh: Mesh) -> Piece {
        let positions: Vec<Vec3> = mesh.positions.iter().map(|p| p.as_vec3()).collect();
        let scalars = positions.iter().map(|p| 2.0 * p.x - p.y + 0.5 * p.z).collect();
        // Pattern coordinates that are x and y, so that they can be recognised.
        let uv = mesh.triangles.iter().map(|tri| tri.map(|v| positions[v as usize].truncate())).collect();
        Piece { positions, scalars, triangles: mesh.triangles, uv }
    }

    fn corners(piece: &Piece) -> impl Iterator<Item = [Vec3; 3]> {
        piece.triangles.iter().map(|tri| tri.map(|v| piece.positions[v as usize]))
    }

    fn area(piece: &Piece) -> f32 {
        corners(piece).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
    }

    #[test]
    fn cutting_keeps_the_surface_closed_and_its_area_and_leaves_no_long_edge() {
        let mut box_piece = piece(shapes::cuboid(glam::DVec3::new(1.0, 0.3, 0.5)).unwrap());
        let before = area(&box_piece);
        cut(&mut box_piece, 0.09);
        assert!((area(&box_piece) / before - 1.0).abs() < 1e-5);
        assert!(box_piece.triangles.len() > 500);
        for [a, b, c] in corners(&box_piece) {
            assert!(a.distance(b).max(b.distance(c)).max(c.distance(a)) <= 0.09);
        }
        let sides: HashSet<(u32, u32)> =
            box_piece.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        assert_eq!(sides.len(), 3 * box_piece.triangles.len(), "a side occurs twice");
        assert!(sides.iter().all(|&(a, b)| sides.contains(&(b, a))), "a gap opened");
        // What is linear on the corners stays linear.
        for (p, s) in box_piece.positions.iter().zip(&box_piece.scalars) {
            assert!((s - (2.0 * p.x - p.y + 0.5 * p.z)).abs() < 1e-5);
        }
        for (uv, points) in box_piece.uv.iter().zip(corners(&box_piece)) {
            assert!((0..3).all(|k| uv[k].distance(points[k].truncate()) < 1e-5));
        }
    }

    #[test]
    fn clipping_keeps_the_area_inside_the_cube() {
        let mut ground = piece(shapes::plane(1000.0, 3).unwrap());
        clip(&mut ground, 3.2);
        assert!((area(&ground) / (6.4 * 6.4) - 1.0).abs() < 1e-4, "{}", area(&ground));
        assert!(ground.positions.iter().all(|p| p.abs().max_element() <= 3.2 * (1.0 + 1e-5)));
        assert!(corners(&ground).all(|[a, b, c]| (b - a).cross(c - a).z >= 0.0), "a triangle was turned over");
        let mut far = piece(shapes::plane(1.0, 1).unwrap());
        far.positions.iter_mut().for_each(|p| p.z = 5.0);
        clip(&mut far, 3.2);
        assert!(far.triangles.is_empty());
    }
}
