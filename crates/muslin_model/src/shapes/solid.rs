//! Closed surfaces of smooth bodies.
//!
//! A body is made of round cones, which a smooth union joins into one solid. Its surface is found by marching
//! tetrahedra: space is cut into cubes, each into six tetrahedra around its diagonal, and every tetrahedron with corners on
//! both sides gives one or two triangles. That makes a closed surface without special cases, in contrast to marching
//! cubes. New vertices keep a tenth of an edge away from the corners, so that no triangle is a sliver.
//! Unlike other shapes it circumscribes nothing: the mesh is the body.
//! That will do for obstacles; cloth wants triangles of one size, see [`super::even_triangles`].

use crate::mesh::Mesh;
use glam::DVec3;
use std::collections::HashMap;

/// Part of a grid edge that a vertex keeps from its ends [-].
const MARGIN: f64 = 0.1;
/// Room on all sides, over the height [-].
const ROOM: f64 = 0.03;

/// A round cone: two centres and their radii, over the height [-]; the right half. z points up, x to the body's left, −y where it
/// looks.
pub(super) type Part = ([f64; 3], f64, [f64; 3], f64);

/// A body that stands on z = 0, the mirror image of its right half.
pub(super) struct Solid {
    pub parts: &'static [Part],
    /// Radius of the fillets between parts, over the height [-].
    pub fillet: f64,
    /// Half extent of the grid across and along the view, over the height [-].
    pub extent: [f64; 2],
}

impl Solid {
    /// Its surface at a height [m], from so many cells of a grid along it.
    pub fn surface(&self, height: f64, cells: usize) -> Mesh {
        let cell = height / cells as f64;
        let half = self.extent.map(|extent| (extent * height / cell).ceil());
        let room = (ROOM * height / cell).ceil();
        let counts = [2 * half[0] as usize, 2 * half[1] as usize, cells + 2 * room as usize];
        let low = DVec3::new(-half[0], -half[1], -room) * cell;
        let index = |p: [usize; 3]| (p[2] * (counts[1] + 1) + p[1]) * (counts[0] + 1) + p[0];
        let point = |p: [usize; 3]| low + DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64) * cell;
        let mut depth = Vec::with_capacity((counts[0] + 1) * (counts[1] + 1) * (counts[2] + 1));
        for z in 0..=counts[2] {
            for y in 0..=counts[1] {
                depth.extend((0..=counts[0]).map(|x| self.distance(point([x, y, z]) / height) * height));
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
        surface.mesh
    }

    /// Distance from the surface of a body of height 1, negative inside; exact only near a single part [-].
    pub fn distance(&self, p: DVec3) -> f64 {
        // The left half is the right one's mirror image.
        let p = DVec3::new(p.x.abs(), p.y, p.z);
        self.parts.iter().fold(f64::INFINITY, |d, &(a, ra, b, rb)| {
            let (a, b) = (DVec3::from_array(a), DVec3::from_array(b));
            let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            let part = p.distance(a.lerp(b, along)) - (ra + (rb - ra) * along);
            if d.is_infinite() {
                return part;
            }
            // The smooth minimum of two distances: the lower, but rounded by the fillet where they are alike.
            let alike = (1.0 - (d - part).abs() / self.fillet).max(0.0);
            d.min(part) - 0.25 * self.fillet * alike * alike
        })
    }

    /// A point near the surface of a body of height 1, moved onto it along the gradient of the distance.
    pub fn onto(&self, mut p: DVec3) -> DVec3 {
        for _ in 0..PROJECTIONS {
            let slope = |axis: DVec3| self.distance(p + axis * DIFFERENCE) - self.distance(p - axis * DIFFERENCE);
            let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)) / (2.0 * DIFFERENCE);
            p -= gradient * (self.distance(p) / gradient.length_squared().max(LEAST_SLOPE));
        }
        p
    }
}

/// Newton steps of a projection.
const PROJECTIONS: usize = 3;
/// Step of its differences, over the height [-].
const DIFFERENCE: f64 = 1e-6;
/// Least squared gradient that a distance is divided by [-]; it is 1 but in the middle of a body.
const LEAST_SLOPE: f64 = 0.25;

/// The six tetrahedra of a cube: the orders in which its axes lead along the diagonal.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

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
