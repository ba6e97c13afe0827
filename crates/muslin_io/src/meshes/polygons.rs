//! Polygons cut into triangles by one rule, the same for every format.
//!
//! - A triangle stays as it is.
//! - A quadrilateral is cut along its shorter diagonal; if it is concave, along the one that lies inside. Equal
//!   diagonals: the one from the first corner.
//! - A larger polygon that is convex is a fan around its first corner. A concave one loses ears, the first in the
//!   order of its corners each time, seen along its area vector (the sum of its corner cross products), so that
//!   slightly bent polygons work too.
//!
//! Triangles keep the polygon's direction, and each begins at its lowest-numbered corner of the polygon. A
//! self-crossing polygon has no right answer; it is cut into a fan, and the checks of the mesh speak.

use glam::DVec3;

/// Most corners of a polygon. Clipping ears takes the cube of it at worst.
pub const MOST_CORNERS: usize = 1_000;

/// Faces of any number of corners, one after another.
#[derive(Clone, Debug, Default)]
pub struct Polygons {
    /// Vertices of all corners.
    pub corners: Vec<u32>,
    /// One past each face's last corner; empty while all faces are triangles.
    ends: Vec<u32>,
}

/// Triangles with the corner numbers that they are made of.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    /// For every triangle, indices into [`Polygons::corners`].
    pub corners: Vec<[u32; 3]>,
    /// Face of each triangle; empty if every face is a triangle.
    pub faces: Vec<u32>,
}

impl Polygons {
    /// Ends a face with the corners pushed since the last end.
    pub fn end_face(&mut self, count: usize) {
        if self.ends.is_empty() && count == 3 {
            return;
        }
        if self.ends.is_empty() {
            let before = self.corners.len() - count;
            self.ends.extend((1..=before / 3).map(|k| 3 * k as u32));
        }
        self.ends.push(self.corners.len() as u32);
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        if self.ends.is_empty() { self.corners.len() / 3 } else { self.ends.len() }
    }

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every face is a triangle.
    pub fn all_triangles(&self) -> bool {
        self.ends.is_empty()
    }

    /// Corner range of a face.
    pub fn face(&self, face: usize) -> std::ops::Range<usize> {
        if self.ends.is_empty() {
            return 3 * face..3 * face + 3;
        }
        let start = if face == 0 { 0 } else { self.ends[face - 1] as usize };
        start..self.ends[face] as usize
    }

    /// Cuts all faces. Corners must name vertices that exist.
    pub fn cut(&self, positions: &[DVec3]) -> Cut {
        let mut cut = Cut::default();
        if self.all_triangles() {
            cut.corners = (0..self.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            return cut;
        }
        let mut places: Vec<DVec3> = Vec::new();
        let mut local: Vec<[u32; 3]> = Vec::new();
        for face in 0..self.len() {
            let range = self.face(face);
            places.clear();
            places.extend(self.corners[range.clone()].iter().map(|&v| positions[v as usize]));
            local.clear();
            cut_one(&places, &mut local);
            for triangle in &local {
                cut.corners.push(triangle.map(|k| range.start as u32 + k));
                cut.faces.push(face as u32);
            }
        }
        cut
    }
}

/// Cuts one polygon of at least three corners.
fn cut_one(p: &[DVec3], triangles: &mut Vec<[u32; 3]>) {
    let n = p.len();
    let normal = area_vector(p);
    let convex = (0..n).all(|k| turn(p, normal, [(k + n - 1) % n, k, (k + 1) % n]) >= 0.0);
    match n {
        0..=2 => {}
        3 => triangles.push([0, 1, 2]),
        4 => {
            let first = (p[2] - p[0]).length_squared() <= (p[3] - p[1]).length_squared();
            let inside = |t: [[usize; 3]; 2]| t.iter().all(|&t| turn(p, normal, t) > 0.0);
            let (a, b) = ([[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]);
            let along_first = match (inside(a), inside(b)) {
                (true, false) => true,
                (false, true) => false,
                _ => first,
            };
            triangles.extend(if along_first { [[0, 1, 2], [0, 2, 3]] } else { [[0, 1, 3], [1, 2, 3]] });
        }
        _ if convex => triangles.extend((1..n as u32 - 1).map(|k| [0, k, k + 1])),
        _ => clip_ears(p, normal, triangles),
    }
}

fn clip_ears(p: &[DVec3], normal: DVec3, triangles: &mut Vec<[u32; 3]>) {
    let mut left: Vec<usize> = (0..p.len()).collect();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&k| {
            let corners = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
            turn(p, normal, corners) > 0.0
                && left.iter().all(|&other| corners.contains(&other) || !covers(p, normal, corners, other))
        });
        // Only a polygon that crosses itself or has no area has no ear.
        let Some(k) = ear else {
            break;
        };
        triangles.push(ascending([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]));
        left.remove(k);
    }
    triangles.extend((1..left.len().saturating_sub(1)).map(|k| ascending([left[0], left[k], left[k + 1]])));
}

/// Turns a triangle so that its lowest corner comes first.
fn ascending(t: [usize; 3]) -> [u32; 3] {
    let k = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
    [t[k], t[(k + 1) % 3], t[(k + 2) % 3]].map(|k| k as u32)
}

fn area_vector(p: &[DVec3]) -> DVec3 {
    (1..p.len().saturating_sub(1)).map(|k| (p[k] - p[0]).cross(p[k + 1] - p[0])).sum()
}

/// Positive if three corners turn left, seen against the normal.
fn turn(p: &[DVec3], normal: DVec3, [a, b, c]: [usize; 3]) -> f64 {
    (p[b] - p[a]).cross(p[c] - p[b]).dot(normal)
}

/// Whether a corner lies in a triangle or on its border.
fn covers(p: &[DVec3], normal: DVec3, [a, b, c]: [usize; 3], q: usize) -> bool {
    turn(p, normal, [a, b, q]) >= 0.0 && turn(p, normal, [b, c, q]) >= 0.0 && turn(p, normal, [c, a, q]) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 2]]) -> (Vec<[u32; 3]>, f64) {
        let p: Vec<DVec3> = points.iter().map(|&[x, y]| DVec3::new(x, y, 0.3 * x - 0.1 * y)).collect();
        let mut triangles = Vec::new();
        cut_one(&p, &mut triangles);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| p[k as usize]);
            0.5 * (b - a).cross(c - a).dot(area_vector(&p).normalize())
        };
        assert!(triangles.iter().all(|t| area(t) > 0.0), "{triangles:?}");
        let sum: f64 = triangles.iter().map(area).sum();
        assert!((sum - 0.5 * area_vector(&p).length()).abs() <= 1e-12 * sum, "areas add up to the polygon's");
        (triangles, sum)
    }

    #[test]
    fn a_quadrilateral_takes_its_shorter_diagonal() {
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 0.2], [3.0, 3.0], [0.0, 1.0]]).0, [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]).0, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_concave_quadrilateral_is_cut_inside_whatever_its_lengths() {
        // The arrow's notch is corner 3: only the diagonal 1–3 lies inside.
        assert_eq!(cut(&[[0.0, 0.0], [5.0, 5.0], [0.0, 10.0], [1.0, 5.0]]).0, [[0, 1, 3], [1, 2, 3]]);
    }

    #[test]
    fn concave_polygons_are_covered_without_overlap() {
        let (comb, _) = cut(&[
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 3.0],
            [5.0, 3.0],
            [5.0, 1.0],
            [4.0, 1.0],
            [4.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ]);
        assert_eq!(comb.len(), 10);
        let star: Vec<[f64; 2]> = (0..10)
            .map(|k| {
                let (angle, r) = (f64::from(k) * std::f64::consts::PI / 5.0, if k % 2 == 0 { 1.0 } else { 0.4 });
                [r * angle.cos(), r * angle.sin()]
            })
            .collect();
        assert_eq!(cut(&star).0.len(), 8);
    }

    #[test]
    fn faces_keep_their_ranges_when_a_polygon_follows_triangles() {
        let mut polygons = Polygons::default();
        for face in [&[0, 1, 2][..], &[2, 1, 3], &[0, 1, 2, 3], &[3, 2, 0]] {
            polygons.corners.extend_from_slice(face);
            polygons.end_face(face.len());
        }
        let ranges: Vec<_> = (0..polygons.len()).map(|f| polygons.face(f)).collect();
        assert_eq!(ranges, [0..3, 3..6, 6..10, 10..13]);
        let cut = polygons.cut(&[DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y]);
        assert_eq!(cut.faces, [0, 1, 2, 2, 3]);
    }

    #[test]
    fn a_polygon_without_area_still_gives_as_many_triangles() {
        let mut triangles = Vec::new();
        cut_one(&[DVec3::ZERO; 7], &mut triangles);
        assert_eq!(triangles.len(), 5);
        triangles.clear();
        cut_one(&[DVec3::NAN; 6], &mut triangles);
        assert_eq!(triangles.len(), 4);
    }
}
