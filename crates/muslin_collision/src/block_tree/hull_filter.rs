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
//! little), so a component of a corner is off by ε, and by another ε of rounding as it is at most 2. A dot
//! product of three terms adds at most 3.01 ε Σ|vₖ||cₖ| ≤ 6.02 ε ‖v‖₁. In sum less than 8.1 ε ‖v‖₁; the bound
//! used is 16 ε ‖v‖₁, which also pays for its own rounding. Not a number never passes a comparison, so
//! whatever goes wrong ends as "not rejected". `v` itself may be wrong; it is only a guess.

use super::lanes::Lanes;

/// The error of a dot product per ‖v‖₁ [-].
const DOT_ERROR: f32 = 16.0 / (1u32 << 24) as f32;

/// Relative excess that pays for the rounding of ‖v‖ times the separation [-].
const LENGTH_EXCESS: f32 = 1.0 + 8.0 / (1u32 << 24) as f32;

/// Rounds of Gilbert's method before a pair is left to the exact test. Measured on cloth: more rounds cost
/// more than the pairs that they reject.
const ROUNDS: usize = 6;

/// Points of eight primitives: one array of coordinates per point.
pub type Points<L, const N: usize> = [[L; 3]; N];

/// The lanes, one bit each, whose primitives surely stay farther apart than `separation` (in units) all along.
///
/// `a` and `b` hold the points at the start and, in the second half, at the end.
#[inline(always)]
pub fn surely_apart<L: Lanes, const A: usize, const B: usize>(
    a: &Points<L, A>,
    b: &Points<L, B>,
    separation: f32,
) -> u32 {
    let mut corners = [[L::splat(0.0); 3]; 8];
    let mut count = 0;
    for end in 0..2 {
        for i in 0..A / 2 {
            for j in 0..B / 2 {
                let (p, q) = (&a[end * (A / 2) + i], &b[end * (B / 2) + j]);
                corners[count] = [p[0].sub(q[0]), p[1].sub(q[1]), p[2].sub(q[2])];
                count += 1;
            }
        }
    }
    let corners = &corners[..count];
    let mut v = corners[0];
    for c in &corners[1..] {
        for k in 0..3 {
            v[k] = v[k].add(c[k]);
        }
    }
    let share = L::splat(1.0 / count as f32);
    v = v.map(|x| x.mul(share));
    let mut apart = 0;
    for _ in 0..ROUNDS {
        let mut nearest = corners[0];
        let mut least = dot(&v, &nearest);
        for c in &corners[1..] {
            let d = dot(&v, c);
            let lower = least.greater(d);
            least = d.min(least);
            for k in 0..3 {
                nearest[k] = L::select(lower, c[k], nearest[k]);
            }
        }
        let norm = v[0].abs().add(v[1].abs()).add(v[2].abs());
        let square = dot(&v, &v);
        let mut bound = norm.mul(L::splat(DOT_ERROR));
        if separation > 0.0 {
            bound = bound.add(square.sqrt().mul(L::splat(separation * LENGTH_EXCESS)));
        }
        apart |= L::bits(least.greater(bound));
        if apart == 0xff {
            break;
        }
        let step = [nearest[0].sub(v[0]), nearest[1].sub(v[1]), nearest[2].sub(v[2])];
        let along = square.sub(least).div(dot(&step, &step)).min(L::splat(1.0));
        for k in 0..3 {
            v[k] = v[k].add(along.mul(step[k]));
        }
    }
    apart
}

#[inline(always)]
fn dot<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
