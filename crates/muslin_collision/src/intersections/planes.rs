//! A certain "no" for two triangles: a plane parts them.
//!
//! What is nearer to the plane than rounding could account for is left to the exact test.
//!
//! **The bound.** Sides u, v of a triangle are rounded once; with E the largest of their coordinates, each coordinate of
//! n = u × v is below 2E² and off by less than 8εE². With D the largest coordinate of the way d from the plane's corner to
//! a point, n·d is off by less than 3 · (2E² εD + 8εE² D) for what n and d have lost, and 4ε · 3 · 2E² D for its own
//! arithmetic: 54 εE²D in all.

use glam::DVec3;

/// Rounding of n·d over E²D [-].
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// More than all underflow on the way [-].
pub const UNDERFLOW: f64 = 1e3 * f64::MIN_POSITIVE;

/// How far n·d may be off, given the rounding of a plane, its E and D.
#[inline(always)]
pub fn doubt(rounding: f64, extent: f64, reach: f64) -> f64 {
    rounding * reach + UNDERFLOW * (1.0 + extent + reach)
}

/// A plane through two sides from a corner.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub corner: DVec3,
    pub normal: DVec3,
    /// Rounding of n·d over D [m²], and E [m].
    pub rounding: f64,
    pub extent: f64,
}

/// Where some points lie, for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Above,
    Below,
    Unknown,
}

impl Plane {
    /// The plane of a triangle.
    pub fn new([a, b, c]: [DVec3; 3]) -> Self {
        Plane::along(a, b - a, c - a)
    }

    /// The plane through a corner and two sides, of which one may be given and not a difference.
    fn along(corner: DVec3, u: DVec3, v: DVec3) -> Self {
        let extent = u.abs().max(v.abs()).max_element();
        Plane { corner, normal: u.cross(v), rounding: ROUNDING * extent * extent, extent }
    }

    /// The plane through a corner with just this normal, which loses less: 12 ε|n|D.
    fn across(corner: DVec3, normal: DVec3) -> Self {
        let extent = normal.abs().max_element();
        Plane { corner, normal, rounding: ROUNDING * extent, extent }
    }

    /// The side on which all of some points lie strictly: none is known for no points, and of a plane through lost numbers.
    fn side_of(&self, points: impl Iterator<Item = DVec3>) -> Side {
        let (mut above, mut below, mut any) = (true, true, false);
        for point in points {
            any = true;
            let d = point - self.corner;
            let (height, reach) = (self.normal.dot(d), d.abs().max_element());
            let doubt = doubt(self.rounding, self.extent, reach);
            (above, below) = (above && height > doubt, below && -height > doubt);
        }
        match (any, above, below) {
            (true, true, _) => Side::Above,
            (true, _, true) => Side::Below,
            _ => Side::Unknown,
        }
    }
}

/// Whether a plane through the common vertices of two triangles has the others of either strictly on sides of their own, for
/// certain: then they share no more. It is what parts neighbours in flat cloth, of which neither leaves the other's plane.
/// `shared` pairs the corners of both that are one vertex.
pub fn are_parted(a: [DVec3; 3], b: [DVec3; 3], shared: &[[usize; 2]]) -> bool {
    let own = |k: usize| shared.iter().all(|pair| pair[0] != k);
    let others = |k: usize| shared.iter().all(|pair| pair[1] != k);
    let of_a = || (0..3).filter(|&k| own(k)).map(|k| a[k]);
    let of_b = || (0..3).filter(|&k| others(k)).map(|k| b[k]);
    let plane = match shared {
        [[k, _]] => Plane::across(a[*k], of_a().sum::<DVec3>() - of_b().sum::<DVec3>()),
        [[k, _], [l, _]] => {
            let edge = a[*l] - a[*k];
            // Any vector will do beside the edge: one that is about as long, across the triangle.
            let normal = edge.cross(of_a().sum::<DVec3>() - a[*k]);
            let size = normal.abs().max_element();
            if !(size > 0.0 && size.is_finite()) {
                return false;
            }
            Plane::along(a[*k], edge, normal * (edge.abs().max_element() / size))
        }
        _ => return false,
    };
    matches!((plane.side_of(of_a()), plane.side_of(of_b())), (Side::Above, Side::Below) | (Side::Below, Side::Above))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow_phase::predicates::side_of_plane;

    /// Numbers in −1..1, in a fixed random order.
    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 7u64;
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn what_lies_on_one_side_does_so_exactly_even_where_rounding_decides() {
        let mut random = numbers();
        let (mut certain, mut wrong_without_bound) = (0, 0);
        for round in 0..200_000 {
            let mut point = || DVec3::new(random(), random(), random());
            let scale = [1.0, 1e-8, 1e8, 1e-120, 1e90][round % 5];
            let far = point() * [0.0, 1.0, 1e6][round % 3];
            let triangle = [point(), point(), point()].map(|p| (p + far) * scale);
            let [a, b, c] = triangle;
            // In the plane but for rounding.
            let (s, t) = (random(), random());
            let d = a + (b - a) * s + (c - a) * t;
            let side = side_of_plane(a, b, c, d);
            let plane = Plane::new(triangle);
            let says = plane.side_of([d].into_iter()) != Side::Unknown;
            assert!(!says || side != 0, "{triangle:?} {d}");
            certain += usize::from(says);
            let height = plane.normal.dot(d - a);
            wrong_without_bound += usize::from((height > 0.0) as i32 - ((height < 0.0) as i32) != side);
        }
        assert!(wrong_without_bound > 1000, "the points are too easy: {wrong_without_bound}");
        assert!(certain < 200_000);
    }

    #[test]
    fn points_well_above_a_plane_are_on_one_side_and_points_on_both_are_not() {
        let plane = Plane::new([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let points = [DVec3::new(0.3, 0.3, 1e-9), DVec3::new(5.0, -7.0, 2.0)];
        assert_eq!(plane.side_of(points.into_iter()), Side::Above);
        assert_eq!(plane.side_of(points.into_iter().map(|p| -p)), Side::Below);
        for mixed in [[points[0], -points[1]], [points[0], DVec3::new(1.0, 1.0, 0.0)]] {
            assert_eq!(plane.side_of(mixed.into_iter()), Side::Unknown);
        }
        let lost = Plane::new([DVec3::splat(1e200), DVec3::X * 1e200, DVec3::Y * -1e200]);
        assert_eq!(lost.side_of(points.into_iter()), Side::Unknown);
        assert_eq!(plane.side_of(std::iter::empty()), Side::Unknown);
        let nothing = Plane::new([DVec3::ONE; 3]);
        assert_eq!(nothing.side_of(points.into_iter()), Side::Unknown);
    }

    #[test]
    fn neighbours_in_flat_cloth_are_parted_and_those_that_overlap_are_not() {
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.7, 1.1);
        for scale in [1.0, 1e-8, 1e8] {
            let at = |x: f64, y: f64| turn * DVec3::new(x, y, 0.0) * scale;
            let [o, x, y, z] = [at(0.0, 0.0), at(1.0, 0.0), at(0.1, 1.0), at(0.2, -0.9)];
            // A common edge, with the third vertices on both sides of it and on one.
            assert!(are_parted([o, x, y], [x, o, z], &[[0, 1], [1, 0]]), "{scale}");
            assert!(!are_parted([o, x, y], [x, o, at(0.7, 0.3)], &[[0, 1], [1, 0]]), "{scale}");
            // A common vertex.
            assert!(are_parted([o, x, y], [at(-1.0, 0.2), at(-0.8, -0.9), o], &[[0, 2]]), "{scale}");
            assert!(!are_parted([o, x, y], [at(1.0, 0.2), at(0.8, 0.9), o], &[[0, 2]]), "{scale}");
        }
        // A fold of angle zero, exactly.
        let flat = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let (o, x) = (flat(0.0, 0.0), flat(1.0, 0.0));
        assert!(!are_parted([o, x, flat(0.0, 1.0)], [x, o, flat(0.0, 1.0)], &[[0, 1], [1, 0]]));
        // A third vertex on the line of the edge.
        assert!(!are_parted([o, x, flat(0.0, 1.0)], [x, o, flat(2.0, 0.0)], &[[0, 1], [1, 0]]));
        assert!(!are_parted([o, x, flat(0.0, 1.0)], [o, x, flat(0.0, 1.0)], &[[0, 0], [1, 1], [2, 2]]));
        assert!(!are_parted([o, x, flat(0.0, 1.0)], [flat(5.0, 0.0); 3], &[]));
    }

    #[test]
    fn what_is_parted_meets_nowhere_else_even_where_rounding_decides() {
        use crate::narrow_phase::triangle_triangle::triangles_meet;
        let mut random = numbers();
        let (mut parted, mut meeting) = ([0; 2], 0);
        for round in 0..100_000 {
            let mut point = || DVec3::new(random(), random(), random());
            let far = point() * [0.0, 1.0, 1e6][round % 3];
            let [a, b, c] = [point(), point(), point()];
            // All in one plane but for rounding; the fourth and fifth near lines through the first.
            let mut inside = |near: f64| {
                let (s, t) = (random(), near * random());
                a + (b - a) * s + (c - a) * t
            };
            let [d, e] = [inside([1.0, 1e-16][round / 3 % 2]), inside(1.0)];
            let [a, b, c, d, e] = [a, b, c, d, e].map(|p| p + far);
            let edge = ([a, b, c], [b, a, d], &[[0, 1], [1, 0]][..]);
            let vertex = ([a, b, c], [d, e, a], &[[0, 2]][..]);
            for (k, (one, other, shared)) in [edge, vertex].into_iter().enumerate() {
                let meets = triangles_meet(one, other, shared).is_some();
                let says = are_parted(one, other, shared);
                assert!(!(says && meets), "{one:?} {other:?}");
                parted[k] += usize::from(says);
                meeting += usize::from(meets);
            }
        }
        assert!(parted.iter().all(|&n| n > 10_000) && meeting > 10_000, "{parted:?} {meeting}");
    }
}
