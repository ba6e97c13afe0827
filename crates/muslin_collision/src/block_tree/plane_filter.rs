//! Rejects pairs that never lie in one plane, eight at a time.
//!
//! A vertex meets a face, or an edge an edge, only when the four points lie in one plane: when the volume
//! `n·w` is 0, with `n = u × v` of the two directions that span the pair and `w` the way between them. All are
//! linear in time, so the volume is a cubic; it stays within the range of its four Bernstein coefficients
//! (Tang et al., "Fast continuous collision detection using deforming non-penetration filters", 2010). If all
//! have one sign, beyond their error, the pair never meets. With a separation `s` the distance of the vertex
//! from the plane, or of the lines, is |n·w| / |n|: the coefficients must exceed `s` times the largest |n|.
//!
//! **Certainty.** Let `m` bound all components of u, v, w at both ends; each is off by δ = 2.01 ε (two
//! coordinates and a rounding; ε = 2⁻²⁴). A determinant has 6 terms of 3 factors: it is off by at most
//! 18.1 m² δ for the factors' errors and 6 · 6 ε m³ for the rounding of products and sums. The inner
//! coefficients are sums of three determinants and are compared as such, with three times the bound and three
//! more roundings of sums of at most 18 m³. As m ≤ 2, [`FACTOR`] m² ε with 37 + 2 · 36 + 2 · 54 < 256 covers
//! one determinant, and three times that the sums.

use super::hull_filter::{Points, dot, sub};
use super::lanes::Lanes;

/// The error of a determinant per m² [-]: 256 ε.
const FACTOR: f32 = 256.0 / (1u32 << 24) as f32;

/// Pays for the rounding of |n| times the separation [-].
const LENGTH_EXCESS: f32 = 1.0 + 64.0 / (1u32 << 24) as f32;

/// The lanes, one bit each, whose primitives surely never lie in one plane or nearer than `separation` to it.
#[inline(always)]
pub fn surely_off_plane<L: Lanes, const A: usize, const B: usize>(
    a: &Points<L, A>,
    b: &Points<L, B>,
    separation: f32,
) -> u32 {
    let spans = |end: usize| {
        let (p, q) = (&a[end * (A / 2)..], &b[end * (B / 2)..]);
        if A == 4 {
            [sub(&p[1], &p[0]), sub(&q[1], &q[0]), sub(&q[0], &p[0])]
        } else {
            [sub(&q[1], &q[0]), sub(&q[2], &q[0]), sub(&q[0], &p[0])]
        }
    };
    let ([u0, v0, w0], [u1, v1, w1]) = (spans(0), spans(1));
    let (n00, n11) = (cross(&u0, &v0), cross(&u1, &v1));
    let (x, y) = (cross(&u0, &v1), cross(&u1, &v0));
    let n01: [L; 3] = std::array::from_fn(|k| x[k].add(y[k]));
    let three = L::splat(3.0);
    // Three times each coefficient.
    let c0 = three.mul(dot(&n00, &w0));
    let c1 = dot(&n01, &w0).add(dot(&n00, &w1));
    let c2 = dot(&n11, &w0).add(dot(&n01, &w1));
    let c3 = three.mul(dot(&n11, &w1));
    let mut m = L::splat(0.0);
    for vector in [u0, v0, w0, u1, v1, w1] {
        for x in vector {
            m = x.abs().max(m);
        }
    }
    let mut bound = m.mul(m).mul(L::splat(3.0 * FACTOR));
    if separation > 0.0 {
        let half = L::splat(0.25);
        let square = dot(&n00, &n00).max(dot(&n01, &n01).mul(half)).max(dot(&n11, &n11));
        // n itself is off by at most 4.1 m δ + 4 ε m² in each component, which FACTOR m ε covers tenfold.
        let length = square.sqrt().add(m.mul(L::splat(FACTOR)));
        bound = bound.add(length.mul(L::splat(3.0 * separation * LENGTH_EXCESS)));
    }
    let low = c0.min(c1).min(c2).min(c3);
    let high = c0.max(c1).max(c2).max(c3);
    let above = L::bits(low.greater(bound));
    let below = L::bits(L::splat(0.0).sub(high).greater(bound));
    above | below
}

#[inline(always)]
fn cross<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    let part = |i: usize, j: usize| a[i].mul(b[j]).sub(a[j].mul(b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}
