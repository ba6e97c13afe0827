//! The angle of a hinge and its first and second derivatives.
//!
//! Vertices in the order of L (fig. 1): 0 and 1 off the edge, 2 and 3 its ends. With E = x₃ − x₂,
//! N₁ = (x₀−x₂)×(x₀−x₃), N₂ = (x₁−x₃)×(x₁−x₂) the angle is θ = atan2(ê·(N₁×N₂), N₁·N₂): 0 when flat, in
//! (−π, π]. Its gradient is minus the four modes of L eq. 2 (errata: both terms of u₄ negative),
//! −∇θ = u, u_i = Σ_t s_it N_t/‖N_t‖² with lengths s_it along the edge. The second derivative follows term
//! by term: ∂(N/‖N‖²) = (I − 2N̂N̂ᵀ)/‖N‖² ∂N, ∂N/∂x_j is a cross product with the side opposite to x_j, and
//! ∂s is a projection of the edge (V App. A drops that projection; the errata say what it costs).

use super::{
    angle::angle_of,
    elements::outer,
    lanes::{Lanes, Vectors, inverse_or_zero},
};
use glam::{DMat3, DVec3};

/// The shared parts of a hinge's derivatives, or those of several hinges.
pub(super) struct Dihedral<T> {
    /// θ [rad].
    pub angle: T,
    /// N_t/‖N_t‖² [1/m²].
    inverse_normals: [Vectors<T>; 2],
    /// s_it [m] of the ends; those of a wing are the edge's length and 0.
    lengths: [[T; 2]; 2],
    /// ‖E‖ [m].
    length: T,
}

/// The angle alone [rad], to the last bit that of [`Dihedral::new`].
#[inline]
pub(super) fn angle(x: [DVec3; 4]) -> f64 {
    let x = x.map(|x| Vectors { x: x.x, y: x.y, z: x.z });
    let (edge, [n1, n2]) = (x[3] - x[2], normals(&x));
    between(edge * inverse_or_zero(edge.dot(edge).sqrt()), n1, n2)
}

#[inline]
fn direction(edge: DVec3) -> DVec3 {
    let length = edge.length();
    if length > 0.0 { edge / length } else { DVec3::ZERO }
}

#[inline(always)]
fn normals<T: Lanes>(x: &[Vectors<T>; 4]) -> [Vectors<T>; 2] {
    [(x[0] - x[2]).cross(x[0] - x[3]), (x[1] - x[3]).cross(x[1] - x[2])]
}

/// The angle about an edge of this direction.
#[inline(always)]
fn between<T: Lanes>(direction: Vectors<T>, n1: Vectors<T>, n2: Vectors<T>) -> T {
    angle_of(n1.cross(n2).dot(direction), n1.dot(n2))
}

/// The difference of two angles, taken the short way round [rad].
#[inline]
pub(super) fn difference(a: f64, b: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    let d = a - b;
    // The rule; rounding is a call of a library on many machines.
    if d.abs() < std::f64::consts::PI { d } else { d - turn * (d / turn).round() }
}

/// An angle within ±π, counted on through the full turns of another one [rad]. Without turns it stays as it is, to the last
/// bit, and what was counted is counted to the same bits again.
#[inline]
pub(super) fn unwound(angle: f64, counted: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    let d = counted - angle;
    if d.abs() < std::f64::consts::PI { angle } else { angle + turn * (d / turn).round() }
}

impl<T: Lanes> Dihedral<T> {
    /// Hinges at some positions. A triangle without area has no normal: its part of the derivatives is 0.
    #[inline(always)]
    pub fn new(x: [Vectors<T>; 4]) -> Self {
        let (edge, [n1, n2]) = (x[3] - x[2], normals(&x));
        let length = edge.dot(edge).sqrt();
        let e = edge * inverse_or_zero(length);
        let along = |i: usize, j: usize| (x[i] - x[j]).dot(e);
        Dihedral {
            angle: between(e, n1, n2),
            inverse_normals: [n1, n2].map(|n| n * inverse_or_zero(n.dot(n))),
            lengths: [[along(0, 3), along(1, 3)], [-along(0, 2), -along(1, 2)]],
            length,
        }
    }

    /// ∂θ/∂x [1/m].
    #[inline(always)]
    pub fn gradient(&self) -> [Vectors<T>; 4] {
        let ([q1, q2], zero) = (self.inverse_normals, T::splat(0.0));
        let minus = |v: Vectors<T>| v * T::splat(-1.0);
        let end = |[s1, s2]: [T; 2]| minus(q1 * s1 + q2 * s2);
        let wing = |q: Vectors<T>| q * (zero - self.length);
        [wing(q1), wing(q2), end(self.lengths[0]), end(self.lengths[1])]
    }
}

impl Dihedral<f64> {
    /// One hinge.
    #[inline]
    pub fn of(x: [DVec3; 4]) -> Self {
        Dihedral::new(x.map(|x| Vectors { x: x.x, y: x.y, z: x.z }))
    }

    /// ∂²θ/∂x² [1/m²], all blocks, at the positions that it was made of.
    pub fn hessian(&self, x: [DVec3; 4]) -> [[DMat3; 4]; 4] {
        let along = [[self.length, 0.0], [0.0, self.length], self.lengths[0], self.lengths[1]];
        let edge = x[3] - x[2];
        let (length, e) = (edge.length(), direction(edge));
        let across = |v: DVec3| if length > 0.0 { (v - e * v.dot(e)) / length } else { DVec3::ZERO };
        let (z, mut h) = (DVec3::ZERO, [[DMat3::ZERO; 4]; 4]);
        for t in 0..2 {
            let Vectors { x: qx, y: qy, z: qz } = self.inverse_normals[t];
            let q = DVec3::new(qx, qy, qz);
            // ∂N_t/∂x_j = [side]×: the side opposite to x_j, in the direction that closes the triangle.
            let sides = if t == 0 { [edge, z, x[0] - x[3], x[2] - x[0]] } else { [z, -edge, x[3] - x[1], x[1] - x[2]] };
            let square = q.length_squared();
            // (I − 2N̂N̂ᵀ)/‖N‖² in terms of q = N/‖N‖²: ‖q‖² = 1/‖N‖².
            let reflect = DMat3::from_diagonal(DVec3::splat(square)) - outer(q, q) * 2.0;
            let (wing, w2, w3) = (t, across(x[t] - x[2]), across(x[t] - x[3]));
            for i in 0..4 {
                // Gradients of s_it by vertex.
                let mut slopes = [z; 4];
                match i {
                    2 => {
                        // (x_wing − x₃)·ê
                        slopes[wing] = e;
                        slopes[2] = -w3;
                        slopes[3] = w3 - e;
                    }
                    3 => {
                        // −(x_wing − x₂)·ê
                        slopes[wing] = -e;
                        slopes[2] = e + w2;
                        slopes[3] = -w2;
                    }
                    _ if i == wing => {
                        slopes[2] = -e;
                        slopes[3] = e;
                    }
                    _ => continue,
                }
                let turn = reflect * along[i][t];
                for j in 0..4 {
                    h[i][j] -= outer(q, slopes[j]) + turn * cross_matrix(sides[j]);
                }
            }
        }
        h
    }
}

/// [a]×: the matrix with [a]× b = a × b.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent() -> [DVec3; 4] {
        [
            DVec3::new(0.9, -0.2, 0.35),
            DVec3::new(-0.7, 0.4, 0.55),
            DVec3::new(0.1, -0.8, 0.0),
            DVec3::new(-0.05, 0.9, 0.1),
        ]
    }

    fn gradient(x: [DVec3; 4]) -> [DVec3; 4] {
        Dihedral::of(x).gradient().map(|g| g.spread()(0))
    }

    #[test]
    fn angle_is_that_between_the_planes() {
        for degrees in [-170.0_f64, -90.0, -10.0, 0.0, 30.0, 120.0, 179.0] {
            let phi = degrees.to_radians();
            // Wing 1 lies in the xy plane, wing 0 turns about the y axis.
            let x = [DVec3::new(phi.cos(), 0.2, phi.sin()), -DVec3::X, -DVec3::Y, DVec3::Y];
            assert!((angle(x).abs() - phi.abs()).abs() < 1e-14, "{degrees}°: {}", angle(x));
            assert_eq!(angle(x), Dihedral::of(x).angle);
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let (x, h) = (bent(), 1e-4);
        let (gradient, hessian) = (gradient(x), Dihedral::of(x).hessian(x));
        for j in 0..4 {
            for axis in 0..3 {
                let moved = |s: f64| {
                    let mut y = x;
                    y[j][axis] += s * h;
                    y
                };
                let [m2, m1, p1, p2] = [-2.0, -1.0, 1.0, 2.0].map(moved);
                let d = (8.0 * (angle(p1) - angle(m1)) - (angle(p2) - angle(m2))) / (12.0 * h);
                assert!((d - gradient[j][axis]).abs() < 1e-11, "{j} {axis}: {d} {}", gradient[j][axis]);
                for i in 0..4 {
                    let at = |y: [DVec3; 4]| self::gradient(y)[i];
                    let d = ((at(p1) - at(m1)) * 8.0 - (at(p2) - at(m2))) / (12.0 * h);
                    assert!((d - hessian[i][j].col(axis)).length() < 1e-10, "{i} {j} {axis}");
                }
            }
        }
        assert!(gradient[0].length() > 0.1 && hessian[0][2].x_axis.length() > 0.1);
    }

    #[test]
    fn what_was_counted_through_turns_is_counted_to_the_same_bits_again() {
        for turns in -3..=3 {
            for angle in [-3.1, -0.7, 0.0, 1.0 / 3.0, 3.0] {
                let near = angle + std::f64::consts::TAU * f64::from(turns) + 0.1;
                let counted = unwound(angle, near);
                assert!((counted - near + 0.1).abs() < 1e-14);
                assert_eq!(unwound(angle, counted), counted);
                assert!(turns != 0 || counted == angle);
            }
        }
    }

    #[test]
    fn angles_differ_the_short_way_round() {
        let d = difference(3.1, -3.1);
        assert!((d - (6.2 - std::f64::consts::TAU)).abs() < 1e-15);
        assert_eq!(difference(0.5, 0.25), 0.25);
    }
}
