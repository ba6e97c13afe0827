//! Rejects pairs that cannot meet, eight at a time.
//!
//! The points of both primitives move on straight lines, so the difference of a point on one and a point on
//! the other is linear in time and in each barycentric parameter. It stays within the convex hull of its
//! *corners*: the differences of all pairs of end points, at the start and at the end of the step. If the hull
//! does not hold the origin (or anything nearer to it than the separation) the pair never meets. A direction
//! `v` proves that when `v·c` exceeds the separation for all corners `c`.
//!
//! The direction comes from Gilbert's method (SIAM J. Control 4, 1966): start with the mean of the corners;
//! as long as some corner is not in front of `v`, replace `v` by the point nearest to the origin on the
//! segment from `v` to the corner that is least in front. A handful of rounds decides nearly all pairs.
//!
//! **Certainty.** Coordinates are within [-1, 1] and off by at most `COORDINATE_ERROR` = ε/2 (ε = 2⁻²⁴ and a
//! little). A dot product of a point with `v` is off by that and by at most 3.01 ε Σ|vₖ||xₖ| of rounding, in sum
//! 3.51 ε ‖v‖₁; the difference of two adds twice that and at most 2 ε ‖v‖₁ of its own, less than 9.1 ε ‖v‖₁. The
//! bound used is 16 ε ‖v‖₁, which also pays for its own rounding. Not a number never passes a comparison, so
//! whatever goes wrong ends as "not rejected". `v` itself may be wrong; it is only a guess.

use super::lanes::Lanes;

/// The error of a dot product per ‖v‖₁ [-].
const DOT_ERROR: f32 = 16.0 / (1u32 << 24) as f32;

/// Relative excess that pays for the rounding of ‖v‖ times the separation [-].
const LENGTH_EXCESS: f32 = 1.0 + 8.0 / (1u32 << 24) as f32;

/// Rounds of Gilbert's method on all pairs, and on the few that are left then. Measured on cloth: later rounds
/// reject little, and eight pairs share the fate of the slowest, so it pays to gather the slow ones anew.
pub const FIRST_ROUNDS: usize = 3;
/// See [`FIRST_ROUNDS`].
pub const LAST_ROUNDS: usize = 6;

/// Points of eight primitives: one array of coordinates per point.
pub type Points<L, const N: usize> = [[L; 3]; N];

/// The lanes, one bit each, whose primitives surely stay farther apart than `separation` (in units) all along.
///
/// `a` and `b` hold the points at the start and, in the second half, at the end. Lanes that are not `asked` for are not
/// waited for, and what is said of them means nothing.
#[inline(always)]
pub fn surely_apart<L: Lanes, const A: usize, const B: usize>(
    a: &Points<L, A>,
    b: &Points<L, B>,
    (separation, asked): (f32, u32),
    rounds: usize,
) -> u32 {
    // A constant of each instance: the last rounds begin with a dearer and better guess.
    let mut v = if rounds > FIRST_ROUNDS { nearest_halfway(a, b) } else { sub(&mean(a), &mean(b)) };
    let mut apart = !asked & 0xff;
    for round in 0..rounds {
        let (least_0, nearest_0) = least::<L>(&v, &a[..A / 2], &b[..B / 2]);
        let (least_1, nearest_1) = least::<L>(&v, &a[A / 2..], &b[B / 2..]);
        let later = least_0.greater(least_1);
        let least = least_1.min(least_0);
        let norm = v[0].abs().add(v[1].abs()).add(v[2].abs());
        let square = dot(&v, &v);
        let mut bound = norm.mul(L::splat(DOT_ERROR));
        if separation > 0.0 {
            bound = bound.add(square.sqrt().mul(L::splat(separation * LENGTH_EXCESS)));
        }
        apart |= L::bits(least.greater(bound));
        if apart == 0xff || round + 1 == rounds {
            break;
        }
        let nearest: [L; 3] = std::array::from_fn(|k| L::select(later, nearest_1[k], nearest_0[k]));
        let step = sub(&nearest, &v);
        let along = square.sub(least).div(dot(&step, &step)).min(L::splat(1.0));
        for k in 0..3 {
            v[k] = v[k].add(along.mul(step[k]));
        }
    }
    apart
}

/// The shortest way from `b` to `a` in the middle of the step.
#[inline(always)]
fn nearest_halfway<L: Lanes, const A: usize, const B: usize>(a: &Points<L, A>, b: &Points<L, B>) -> [L; 3] {
    let half = L::splat(0.5);
    let mid = |x: &[L; 3], y: &[L; 3]| -> [L; 3] { std::array::from_fn(|k| x[k].add(y[k]).mul(half)) };
    if A == 4 {
        let [p, q, r, s] = [mid(&a[0], &a[2]), mid(&a[1], &a[3]), mid(&b[0], &b[2]), mid(&b[1], &b[3])];
        return between_segments(&p, &q, &r, &s);
    }
    let x = mid(&a[0], &a[1]);
    let [p, q, r] = [mid(&b[0], &b[3]), mid(&b[1], &b[4]), mid(&b[2], &b[5])];
    from_triangle(&x, &p, &q, &r)
}

#[inline(always)]
fn between_segments<L: Lanes>(p: &[L; 3], q: &[L; 3], r: &[L; 3], s: &[L; 3]) -> [L; 3] {
    let (d, e, w) = (sub(q, p), sub(s, r), sub(p, r));
    let (dd, ee, de, dw, ew) = (dot(&d, &d), dot(&e, &e), dot(&d, &e), dot(&d, &w), dot(&e, &w));
    let first = de.mul(ew).sub(dw.mul(ee)).div(dd.mul(ee).sub(de.mul(de)));
    let beta = unit(de.mul(unit(first)).add(ew).div(ee));
    let alpha = unit(de.mul(beta).sub(dw).div(dd));
    std::array::from_fn(|k| w[k].add(alpha.mul(d[k])).sub(beta.mul(e[k])))
}

#[inline(always)]
fn from_triangle<L: Lanes>(x: &[L; 3], p: &[L; 3], q: &[L; 3], r: &[L; 3]) -> [L; 3] {
    let (d, e, w) = (sub(q, p), sub(r, p), sub(x, p));
    let (dd, ee, de, dw, ew) = (dot(&d, &d), dot(&e, &e), dot(&d, &e), dot(&d, &w), dot(&e, &w));
    let whole = dd.mul(ee).sub(de.mul(de));
    let beta = ee.mul(dw).sub(de.mul(ew)).div(whole);
    let gamma = dd.mul(ew).sub(de.mul(dw)).div(whole);
    let alpha = L::splat(1.0).sub(beta).sub(gamma);
    let inside = alpha.min(beta).min(gamma).at_least(L::splat(0.0));
    let face: [L; 3] = std::array::from_fn(|k| w[k].sub(beta.mul(d[k])).sub(gamma.mul(e[k])));
    let mut best = from_segment(x, p, q);
    let mut square = dot(&best, &best);
    for side in [from_segment(x, q, r), from_segment(x, r, p)] {
        let other = dot(&side, &side);
        let nearer = square.greater(other);
        square = other.min(square);
        best = std::array::from_fn(|k| L::select(nearer, side[k], best[k]));
    }
    std::array::from_fn(|k| L::select(inside, face[k], best[k]))
}

#[inline(always)]
fn from_segment<L: Lanes>(x: &[L; 3], p: &[L; 3], q: &[L; 3]) -> [L; 3] {
    let (d, w) = (sub(q, p), sub(x, p));
    let along = unit(dot(&d, &w).div(dot(&d, &d)));
    std::array::from_fn(|k| w[k].sub(along.mul(d[k])))
}

/// Clamps to [0, 1]; not a number becomes 0.
#[inline(always)]
fn unit<L: Lanes>(x: L) -> L {
    x.max(L::splat(0.0)).min(L::splat(1.0))
}

/// The corner that is least in front of `v` among the differences of two sets of points, and how much it is.
#[inline(always)]
fn least<L: Lanes>(v: &[L; 3], a: &[[L; 3]], b: &[[L; 3]]) -> (L, [L; 3]) {
    let (mut low, mut p) = (dot(v, &a[0]), a[0]);
    for x in &a[1..] {
        let d = dot(v, x);
        let lower = low.greater(d);
        low = d.min(low);
        p = std::array::from_fn(|k| L::select(lower, x[k], p[k]));
    }
    let (mut high, mut q) = (dot(v, &b[0]), b[0]);
    for x in &b[1..] {
        let d = dot(v, x);
        let higher = d.greater(high);
        high = d.max(high);
        q = std::array::from_fn(|k| L::select(higher, x[k], q[k]));
    }
    (low.sub(high), sub(&p, &q))
}

#[inline(always)]
fn mean<L: Lanes, const N: usize>(points: &[[L; 3]; N]) -> [L; 3] {
    let share = L::splat(1.0 / N as f32);
    let sum = |k: usize| points[1..].iter().fold(points[0][k], |sum, x| sum.add(x[k]));
    std::array::from_fn(|k| sum(k).mul(share))
}

/// The difference of two vectors.
#[inline(always)]
pub fn sub<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    std::array::from_fn(|k| a[k].sub(b[k]))
}

/// The dot product.
#[inline(always)]
pub fn dot<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
