//! The two ribbons of a loose reef knot.
//!
//! A reef knot is two bights, each around both legs of the other. The first ribbon's bight lies flat, its legs at y = ±1 and its
//! bend towards +x. The second comes from +x with legs at y = ±½, over that bend, down between the legs, out beneath
//! them, up beside them and back across above them. Drawing the four ends ties it. The ribbons stand on their edge, so that their
//! turns bend them and do not stretch them; where the second climbs it is bent in its plane, by a few percent.

use super::error::{ShapeError, check_count, check_length, check_vertices};
use crate::mesh::Mesh;
use glam::{DVec2, DVec3};

/// Way along the curve between two samples, in sizes [-].
const SAMPLE: f64 = 0.005;
/// Width of a ribbon beyond which the two would touch where they cross, in sizes [-].
pub const WIDEST: f64 = 0.25;

/// Half of each curve, from its end to the middle of its bight; the other half is its mirror image in y. In sizes [-].
const FIRST: [[f64; 3]; 7] = [
    [-8.0, 1.0, 0.0],
    [-5.0, 1.0, 0.0],
    [-2.0, 1.0, 0.0],
    [0.5, 1.0, 0.0],
    [2.0, 0.95, 0.0],
    [2.7, 0.6, 0.0],
    [3.0, 0.0, 0.0],
];
const SECOND: [[f64; 3]; 11] = [
    [9.0, 0.4, 0.3],
    [6.0, 0.4, 0.3],
    [4.0, 0.4, 0.3],
    [2.5, 0.4, 0.3],
    [0.8, 0.4, 0.0],
    [-0.8, 0.6, -0.3],
    [-1.8, 1.2, -0.3],
    [-3.0, 1.8, -0.1],
    [-4.4, 1.7, 0.3],
    [-5.2, 0.9, 0.35],
    [-5.5, 0.0, 0.35],
];

/// Which ribbon of a knot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strand {
    /// The flat bight; its ends are at −x.
    First,
    /// The one that goes around it; its ends are at +x.
    Second,
}

/// A ribbon of a loose reef knot around the origin. `size` is half of the distance between the legs of the first [m], `width` that
/// of the ribbon [m]; `vertices` counts those along and those across.
pub fn reef_strand(strand: Strand, size: f64, width: f64, vertices: [usize; 2]) -> Result<Mesh, ShapeError> {
    let [along, across] = vertices;
    check_length("reef-strand", "size", size)?;
    check_length("reef-strand", "width", width)?;
    check_count("reef-strand", "vertices along", along, 10)?;
    check_count("reef-strand", "vertices across", across, 2)?;
    check_vertices("reef-strand", along, across)?;
    if width > WIDEST * size {
        let (smaller, larger, large) = ("width", "a quarter of size", WIDEST * size);
        return Err(ShapeError::Order { shape: "reef-strand", smaller, small: width, larger, large });
    }
    let curve = curve(match strand {
        Strand::First => &FIRST,
        Strand::Second => &SECOND,
    });
    let mut lengths = vec![0.0];
    for pair in curve.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + pair[0].distance(pair[1]));
    }
    let whole = lengths[lengths.len() - 1];
    let mut mesh = Mesh::default();
    let (way, level) =
        (|i: usize| whole * i as f64 / (along - 1) as f64, |j: usize| width * (j as f64 / (across - 1) as f64 - 0.5));
    for i in 0..along {
        let next = lengths.partition_point(|&l| l < way(i)).clamp(1, curve.len() - 1);
        let part = (way(i) - lengths[next - 1]) / (lengths[next] - lengths[next - 1]);
        let tangent = (curve[next] - curve[next - 1]).normalize_or_zero();
        let up = (DVec3::Z - tangent * tangent.z).normalize_or_zero();
        let middle = curve[next - 1].lerp(curve[next], part) * size;
        mesh.positions.extend((0..across).map(|j| middle + up * level(j)));
    }
    for i in 0..along - 1 {
        for j in 0..across - 1 {
            let corner = |(di, dj): (usize, usize)| ((i + di) * across + j + dj) as u32;
            let uv = |(di, dj): (usize, usize)| DVec2::new(way(i + di) * size, level(j + dj));
            let cells = if (i + j) % 2 == 0 {
                [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]]
            } else {
                [[(0, 0), (1, 0), (0, 1)], [(1, 0), (1, 1), (0, 1)]]
            };
            for corners in cells {
                mesh.triangles.push(corners.map(corner));
                mesh.uv.push(corners.map(uv));
            }
        }
    }
    Ok(mesh)
}

/// A smooth curve through half of the points and their mirror images, densely sampled, in sizes [-].
fn curve(half: &[[f64; 3]]) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = half.iter().map(|&p| DVec3::from_array(p)).collect();
    points.extend(half.iter().rev().skip(1).map(|&[x, y, z]| DVec3::new(x, -y, z)));
    let at = |k: isize| points[k.clamp(0, points.len() as isize - 1) as usize];
    let mut curve = vec![points[0]];
    for k in 0..points.len() as isize - 1 {
        // Catmull and Rom's spline.
        let [a, b, c, d] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
        let samples = (b.distance(c) / SAMPLE).ceil() as usize;
        curve.extend((1..=samples).map(|s| {
            let t = s as f64 / samples as f64;
            0.5 * (2.0 * b
                + (c - a) * t
                + (2.0 * a - 5.0 * b + 4.0 * c - d) * (t * t)
                + (3.0 * b - a - 3.0 * c + d) * (t * t * t))
        }));
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Crossings of two curves seen from above, each with which is on top: +1 for the second.
    fn crossings() -> Vec<i32> {
        let (a, b) = (curve(&FIRST), curve(&SECOND));
        let mut found = Vec::new();
        for p in a.windows(2) {
            for q in b.windows(2) {
                let [d, e, f] = [p[1] - p[0], q[1] - q[0], q[0] - p[0]].map(|v| v.truncate());
                let det = d.perp_dot(e);
                let (s, t) = (f.perp_dot(e) / det, f.perp_dot(d) / det);
                if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                    found.push((p[0].x, q[0].lerp(q[1], t).z - p[0].lerp(p[1], s).z));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.iter().map(|(_, height)| if *height > 0.0 { 1 } else { -1 }).collect()
    }

    #[test]
    fn the_two_curves_cross_like_a_reef_knot() {
        // From the first one's ends to its bend: both legs under the second's bight, over its legs, and the bend under them.
        assert_eq!(crossings(), [1, 1, -1, -1, 1, 1]);
    }

    #[test]
    fn ribbons_start_apart_and_hardly_strained() {
        for strand in [Strand::First, Strand::Second] {
            let mesh = reef_strand(strand, 0.03, 0.006, [200, 3]).unwrap();
            assert!(mesh.check_cloth().is_ok());
            for (t, corners) in mesh.triangles.iter().enumerate() {
                for k in 0..3 {
                    let is =
                        mesh.positions[corners[k] as usize].distance(mesh.positions[corners[(k + 1) % 3] as usize]);
                    let rest = mesh.uv[t][k].distance(mesh.uv[t][(k + 1) % 3]);
                    assert!((is / rest - 1.0).abs() < 0.2, "{strand:?}: {is} m of {rest} m");
                }
            }
        }
        assert!(reef_strand(Strand::First, 0.03, 0.02, [200, 3]).is_err(), "too wide");
    }
}
