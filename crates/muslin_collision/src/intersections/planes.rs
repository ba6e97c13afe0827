//! A quick and certain "no" for two triangles: one lies strictly on one side of the other's plane.
//!
//! Nearly all pairs of a clean mesh end here, most of them neighbours. The normal of each triangle is found once, so
//! that a corner costs one scalar product instead of a determinant with its bound. What is nearer to the plane than
//! rounding could account for is left to the exact test.
//!
//! **The bound.** Sides u, v of a triangle are rounded once; with E the largest of their coordinates, each coordinate of
//! n = u × v is below 2E² and off by less than 8εE². With D the largest coordinate of the way d from the plane's corner to
//! a point, n·d is off by less than 3 · (2E² εD + 8εE² D) for what n and d have lost, and 4ε · 3 · 2E² D for its own
//! arithmetic: 54 εE²D in all.

use glam::DVec3;

/// Rounding of n·d over E²D [-].
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// More than all underflow on the way [-].
const UNDERFLOW: f64 = 1e3 * f64::MIN_POSITIVE;

/// The plane of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    corner: DVec3,
    normal: DVec3,
    /// Rounding of n·d over D [m²], and E [m].
    rounding: f64,
    extent: f64,
}

impl Plane {
    pub fn new([a, b, c]: [DVec3; 3]) -> Self {
        let (u, v) = (b - a, c - a);
        let extent = u.abs().max(v.abs()).max_element();
        Plane { corner: a, normal: u.cross(v), rounding: ROUNDING * extent * extent, extent }
    }

    /// Whether a triangle lies strictly on one side, for certain. The bound of its farthest corner serves for all.
    #[inline]
    pub fn has_beside_it(&self, triangle: &[DVec3; 3]) -> bool {
        let ways = triangle.map(|point| point - self.corner);
        let [a, b, c] = ways.map(|d| self.normal.dot(d));
        let reach = ways[0].abs().max(ways[1].abs()).max(ways[2].abs()).max_element();
        let doubt = self.rounding * reach + UNDERFLOW * (1.0 + self.extent + reach);
        (a > doubt && b > doubt && c > doubt) || (-a > doubt && -b > doubt && -c > doubt)
    }

    /// Whether some points lie strictly on one side, for certain: no for no points, and for a plane through lost numbers.
    pub fn has_on_one_side(&self, points: impl Iterator<Item = DVec3>) -> bool {
        let (mut above, mut below, mut any) = (true, true, false);
        for point in points {
            any = true;
            let d = point - self.corner;
            let (height, reach) = (self.normal.dot(d), d.abs().max_element());
            let doubt = self.rounding * reach + UNDERFLOW * (1.0 + self.extent + reach);
            (above, below) = (above && height > doubt, below && -height > doubt);
        }
        any && (above || below)
    }
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
            let says = plane.has_on_one_side([d].into_iter());
            assert!(!says || side != 0, "{triangle:?} {d}");
            assert_eq!(plane.has_beside_it(&[d; 3]), says);
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
        assert!(plane.has_on_one_side(points.into_iter()));
        assert!(plane.has_on_one_side(points.into_iter().map(|p| -p)));
        assert!(!plane.has_on_one_side([points[0], -points[1]].into_iter()));
        assert!(!plane.has_on_one_side([points[0], DVec3::new(1.0, 1.0, 0.0)].into_iter()));
        let lost = Plane::new([DVec3::splat(1e200), DVec3::X * 1e200, DVec3::Y * -1e200]);
        assert!(!lost.has_on_one_side(points.into_iter()));
        let [p, q] = points;
        for (triangle, beside) in
            [([p, q, p + q], true), ([-p, -q, -p - q], true), ([p, q, -p], false), ([p, q, DVec3::Y], false)]
        {
            assert_eq!(plane.has_beside_it(&triangle), beside, "{triangle:?}");
        }
        let nothing = Plane::new([DVec3::ONE; 3]);
        assert!(!nothing.has_on_one_side(points.into_iter()));
    }
}
