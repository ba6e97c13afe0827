//! Signs of determinants, exact for all finite coordinates, and what follows from signs alone.
//!
//! A sign is decided in three stages. The plain determinant decides if it is larger than its rounding can
//! be, underflow included. Else expansion arithmetic (crate `robust`) decides; it is exact as long as no
//! product of its parts leaves the range of numbers, which holds for coordinates in `EXPANSION_RANGE`. Outside of it,
//! integers of arbitrary size decide. Everything else in this file is comparisons and signs, and so exact.

use glam::{DVec2, DVec3};
use num_bigint::{BigInt, Sign};
use robust::{Coord, Coord3D};

/// Coordinates of this size [m], or 0, keep every product in expansions exact: their last bits are multiples
/// of 2⁻³⁰², and the product of three differences is a multiple of 2⁻⁹⁰⁶, above the smallest number, 2⁻¹⁰⁷⁴;
/// it stays below 2⁹¹⁰, and its split into halves, 2²⁷ times larger, below the largest.
const EXPANSION_RANGE: [f64; 2] = [5.6e-76, 2e90];

/// Rounding of the plain 3×3 determinant relative to its permanent [-]: (7 + 56ε')ε' of Shewchuk 1997, with
/// ε' = ε/2, rounded up.
const VOLUME_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Rounding of the plain 2×2 determinant relative to its permanent [-]: (3 + 16ε')ε', rounded up.
const AREA_ROUNDING: f64 = 2.0 * f64::EPSILON;

/// More than the underflow of one product [-].
const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// On which side of the plane through a, b and c the point d lies: 1 if a, b, c run counterclockwise seen from d's
/// opposite side, −1 on the other, 0 if the four are coplanar. It is the sign of (b − a) × (c − a) · (d − a).
pub fn side_of_plane(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    let (u, v, w) = (a - d, b - d, c - d);
    // A plane of constant x, y or z has no rounding: equal coordinates differ by exactly 0.
    if flat(u.x, v.x, w.x) || flat(u.y, v.y, w.y) || flat(u.z, v.z, w.z) {
        return 0;
    }
    let (vw, wu, uv) = ((v.x * w.y, w.x * v.y), (w.x * u.y, u.x * w.y), (u.x * v.y, v.x * u.y));
    let volume = u.z * (vw.0 - vw.1) + v.z * (wu.0 - wu.1) + w.z * (uv.0 - uv.1);
    let permanent = (vw.0.abs() + vw.1.abs()) * u.z.abs()
        + (wu.0.abs() + wu.1.abs()) * v.z.abs()
        + (uv.0.abs() + uv.1.abs()) * w.z.abs();
    let doubt = VOLUME_ROUNDING * permanent + UNDERFLOW * (1.0 + u.z.abs() + v.z.abs() + w.z.abs());
    // The plain determinant is that of (a − d, b − d, c − d), which has the opposite sign.
    if volume > doubt {
        return -1;
    }
    if -volume > doubt {
        return 1;
    }
    if [a, b, c, d].iter().all(|p| p.to_array().into_iter().all(in_range)) {
        let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
        return -sign(robust::orient3d(a, b, c, d));
    }
    exact_volume([a, b, c, d])
}

/// On which side of the line from a to b the point c lies: 1 left, −1 right, 0 on it.
pub fn side_of_line(a: DVec2, b: DVec2, c: DVec2) -> i32 {
    let (u, v) = (a - c, b - c);
    if (u.x == 0.0 && v.x == 0.0) || (u.y == 0.0 && v.y == 0.0) {
        return 0;
    }
    let (left, right) = (u.x * v.y, u.y * v.x);
    let area = left - right;
    let doubt = AREA_ROUNDING * (left.abs() + right.abs()) + UNDERFLOW;
    if area > doubt {
        return 1;
    }
    if -area > doubt {
        return -1;
    }
    if [a, b, c].iter().all(|p| in_range(p.x) && in_range(p.y)) {
        let [a, b, c] = [a, b, c].map(|p| Coord { x: p.x, y: p.y });
        return sign(robust::orient2d(a, b, c));
    }
    exact_area([a, b, c])
}

fn flat(u: f64, v: f64, w: f64) -> bool {
    u == 0.0 && v == 0.0 && w == 0.0
}

fn sign(x: f64) -> i32 {
    (x > 0.0) as i32 - (x < 0.0) as i32
}

fn in_range(x: f64) -> bool {
    x == 0.0 || (x.abs() >= EXPANSION_RANGE[0] && x.abs() <= EXPANSION_RANGE[1])
}

/// A finite number times 2¹⁰⁷⁴, which is an integer.
fn integer(x: f64) -> BigInt {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as u32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, shift) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
    let magnitude = BigInt::from(mantissa) << shift;
    if x < 0.0 { -magnitude } else { magnitude }
}

fn big_sign(x: BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

fn exact_volume(points: [DVec3; 4]) -> i32 {
    let [a, b, c, d] = points.map(|p| p.to_array().map(integer));
    let [u, v, w]: [[BigInt; 3]; 3] = [b, c, d].map(|p| std::array::from_fn(|k| &p[k] - &a[k]));
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    big_sign(minor(1, 2) * &w[0] + minor(2, 0) * &w[1] + minor(0, 1) * &w[2])
}

fn exact_area(points: [DVec2; 3]) -> i32 {
    let [a, b, c] = points.map(|p| p.to_array().map(integer));
    big_sign((&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0]))
}

/// The three coordinate planes as maps from space; two points of a plane that is upright on one of them are
/// told apart by another.
pub const PROJECTIONS: [fn(DVec3) -> DVec2; 3] =
    [|p| DVec2::new(p.y, p.z), |p| DVec2::new(p.z, p.x), |p| DVec2::new(p.x, p.y)];

/// Whether three points lie on one line.
pub fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    PROJECTIONS.iter().all(|flat| side_of_line(flat(a), flat(b), flat(c)) == 0)
}

/// Whether a point lies on a closed segment.
pub fn point_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> bool {
    let (low, high) = (a.min(b), a.max(b));
    p.cmpge(low).all() && p.cmple(high).all() && collinear(a, b, p)
}

/// Whether a point lies in a closed triangle; one without area is the longest of its sides.
pub fn point_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    if !(p.cmpge(low).all() && p.cmple(high).all()) || side_of_plane(a, b, c, p) != 0 {
        return false;
    }
    for flat in PROJECTIONS {
        let [a, b, c, p] = [a, b, c, p].map(flat);
        if side_of_line(a, b, c) != 0 {
            let sides = [side_of_line(a, b, p), side_of_line(b, c, p), side_of_line(c, a, p)];
            return sides.iter().all(|&s| s >= 0) || sides.iter().all(|&s| s <= 0);
        }
    }
    [[a, b], [b, c], [c, a]].into_iter().any(|side| point_on_segment(p, side))
}

/// Whether two segments cross at one point that is inside both, in a common plane.
pub fn segments_cross([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> bool {
    let strictly_between = |flat: fn(DVec3) -> DVec2| {
        let [p, q, r, s] = [p, q, r, s].map(flat);
        side_of_line(p, q, r) * side_of_line(p, q, s) < 0 && side_of_line(r, s, p) * side_of_line(r, s, q) < 0
    };
    let apart = |k: usize| p[k].max(q[k]) < r[k].min(s[k]) || r[k].max(s[k]) < p[k].min(q[k]);
    !(0..3).any(apart) && PROJECTIONS.into_iter().any(strictly_between) && side_of_plane(p, q, r, s) == 0
}
