//! Cones of normals over a whole step (V 4.1.4, eq. 4.11 with its erratum).
//!
//! The normal of a triangle in linear motion is a quadratic curve; it stays inside the cone of its three Bézier
//! coefficients. If all normals of a zone lie within less than 90° of an axis at all times, every triangle faces the
//! axis at all times (V prints 180°, which proves nothing).

use glam::DVec3;

/// Half-angles below this are low curvature [rad]: a right angle less what rounding of normals can be.
const LOW: f64 = std::f64::consts::FRAC_PI_2 - 1e-6;

/// A normal shorter than this part of the product of the edges has no certain direction [-].
const NEEDLE: f64 = 1e-8;

/// All directions within an angle of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cone {
    /// Unit vector.
    pub axis: DVec3,
    /// Largest angle to the axis [rad].
    pub half_angle: f64,
}

impl Cone {
    /// All directions.
    pub const FULL: Cone = Cone { axis: DVec3::Z, half_angle: std::f64::consts::PI };

    /// The normals of a triangle in motion.
    pub fn of_triangle(start: [DVec3; 3], end: [DVec3; 3]) -> Self {
        let edges = |p: [DVec3; 3]| (p[1] - p[0], p[2] - p[0]);
        let ((a0, b0), (a1, b1)) = (edges(start), edges(end));
        let coefficients = [a0.cross(b0), (a0.cross(b1) + a1.cross(b0)) * 0.5, a1.cross(b1)];
        let longest = a0.length().max(a1.length()) * b0.length().max(b1.length());
        if coefficients.iter().any(|n| !(n.length() > NEEDLE * longest)) {
            return Cone::FULL;
        }
        let rays = coefficients.map(|n| Cone { axis: n.normalize(), half_angle: 0.0 });
        rays[1..].iter().fold(rays[0], |cone, ray| cone.join(*ray))
    }

    /// A cone around both: α = β/2 + max(α₁, α₂) about the bisector (V eq. 4.11).
    pub fn join(self, other: Cone) -> Self {
        let between = self.axis.cross(other.axis).length().atan2(self.axis.dot(other.axis));
        let half_angle = 0.5 * between + self.half_angle.max(other.half_angle);
        let axis = (self.axis + other.axis).normalize_or_zero();
        if axis == DVec3::ZERO || half_angle >= std::f64::consts::PI { Cone::FULL } else { Cone { axis, half_angle } }
    }

    /// Whether every direction inside surely faces the axis.
    pub fn is_low(&self) -> bool {
        self.half_angle < LOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cones_hold_the_normals_of_all_times() {
        let mut x = 0.3f64;
        let mut random = || {
            x = (x * 941.0 + 0.37).fract();
            2.0 * x - 1.0
        };
        let mut point = |scale: f64| DVec3::new(random(), random(), random()) * scale;
        let mut low = 0;
        for _ in 0..2000 {
            let start = [point(1.0), point(1.0), point(1.0)];
            let end = start.map(|p| p + point(0.2));
            let cone = Cone::of_triangle(start, end);
            low += u32::from(cone.is_low());
            for k in 0..=50 {
                let p = [0, 1, 2].map(|i| start[i].lerp(end[i], f64::from(k) / 50.0));
                let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalize();
                assert!(normal.dot(cone.axis) >= cone.half_angle.cos() - 1e-9);
            }
        }
        assert!(low > 1000);
    }

    #[test]
    fn triangles_without_a_direction_have_no_cone() {
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert_eq!(Cone::of_triangle(line, line), Cone::FULL);
        let (up, down) = ([DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::ZERO, DVec3::Y, DVec3::X]);
        assert!(!Cone::of_triangle(up, down).is_low());
    }
}
