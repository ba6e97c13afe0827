//! The last word: touching decided in whole numbers.
//!
//! Doubles are whole numbers times a power of two, so after one common scaling every coordinate is a linear
//! polynomial in time with integer coefficients. The convex hulls of two groups of points meet if and only if the
//! points have an affine dependence Σ μᵢ xᵢ = 0, Σ μᵢ = 0 whose signs tell the groups apart (Radon). For
//! four points that needs
//!
//! - *coplanarity*: the determinant D(t), a cubic, is zero. Its roots are isolated exactly;
//! - at such a time, seen along an axis in which the points do not fall on one line, the *signs of the
//!   four triangles* that leave out one point each (quadratics): they are the μᵢ;
//! - if the points fall on one line along every axis, *overlap of intervals* along every axis (linear).
//!
//! Where D is zero at all times the points stay in one plane. Then the first touch is at the start, or a point reaches
//! the line of two others: a root of one of the quadratics. Where those are all zero too, everything stays on one
//! line, and the first touch is at the start or a root of a difference of coordinates. Parallel edges, edges and
//! faces without extent, and coincident points need no case of their own.
//!
//! Regular grids that lie on each other come here by the thousand, with most coefficients zero, so the axis of sight
//! whose triangles are the simplest is asked first. One axis suffices for the first touch in a plane, too: as long as
//! none of its triangles that are not always zero changes sign, neither does the answer.

use super::{algebraic::Root, polynomial::Polynomial, whole::Whole};
use crate::narrow_phase::{PairKind, Query};

/// The first time of touch, rounded down; `None` if there is none, decided without error. Coordinates that are
/// not finite answer 0, the earliest time.
pub(super) fn first_touch(kind: PairKind, query: &Query) -> Option<f64> {
    let Some(points) = polynomials(query) else {
        return Some(0.0);
    };
    let pair = ExactPair::new(kind, &points);
    if !pair.determinant.is_zero() {
        let mut roots = Root::isolate(&pair.determinant);
        return roots.iter_mut().find_map(|root| pair.touches_at(root).then(|| root.lower_bound()));
    }
    if pair.touches_at(&mut Root::zero()) {
        return Some(0.0);
    }
    let moving = |p: &&Polynomial| !p.is_zero();
    let in_plane = pair.triangles.iter().find(|triangles| triangles.iter().any(|p| !p.is_zero()));
    let events: Vec<&Polynomial> = match in_plane {
        Some(triangles) => triangles.iter().filter(moving).collect(),
        None => pair.differences.iter().flatten().filter(moving).collect(),
    };
    let mut first: Option<f64> = None;
    for mut root in events.into_iter().flat_map(Root::isolate) {
        let time = root.lower_bound();
        if first.is_none_or(|first| time < first) && pair.touches_at(&mut root) {
            first = Some(time);
        }
    }
    first
}

/// Coordinates of the four points as polynomials in time, on one common scale.
fn polynomials(query: &Query) -> Option<[[Polynomial; 3]; 4]> {
    let ends: [&[glam::DVec3; 4]; 2] = [&query.start, &query.end];
    let parts = ends.map(|end| end.map(|p| p.to_array().map(parts)));
    let all = || parts.iter().flatten().flatten();
    if all().any(Option::is_none) {
        return None;
    }
    let lowest = all().flatten().filter(|(m, _)| *m != 0).map(|(_, e)| *e).min().unwrap_or(0);
    let whole = |part: Option<(i64, i32)>| {
        let (mantissa, exponent) = part.unwrap_or((0, 0));
        if mantissa == 0 { Whole::zero() } else { Whole::from(mantissa).shifted_up((exponent - lowest) as usize) }
    };
    Some(std::array::from_fn(|i| {
        std::array::from_fn(|axis| {
            let [start, end] = [whole(parts[0][i][axis]), whole(parts[1][i][axis])];
            Polynomial::line(start, &end)
        })
    }))
}

/// An odd mantissa and an exponent of two; `None` if the number is not finite.
fn parts(value: f64) -> Option<(i64, i32)> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
    if mantissa == 0 {
        return Some((0, 0));
    }
    let zeros = mantissa.trailing_zeros();
    let odd = mantissa >> zeros;
    Some((if value < 0.0 { -odd } else { odd }, exponent + zeros as i32))
}

/// The polynomials that decide a pair.
struct ExactPair {
    /// D: zero when the points are coplanar.
    determinant: Polynomial,
    /// For each axis of sight the μ of each point, the simplest axis first.
    triangles: [[Polynomial; 4]; 3],
    /// For each axis the differences between a point of the first group and one of the second.
    differences: [Vec<Polynomial>; 3],
    /// Points of the first group.
    first: usize,
}

impl ExactPair {
    fn new(kind: PairKind, points: &[[Polynomial; 3]; 4]) -> Self {
        let first = match kind {
            PairKind::VertexFace => 1,
            PairKind::EdgeEdge => 2,
        };
        let between = |i: usize, j: usize, axis: usize| &points[j][axis] - &points[i][axis];
        let vectors: [[Polynomial; 3]; 3] =
            std::array::from_fn(|k| std::array::from_fn(|axis| between(0, k + 1, axis)));
        let mut triangles = [[1, 2], [2, 0], [0, 1]].map(|[x, y]| {
            let area = |[i, j]: [usize; 2]| &(&vectors[i][x] * &vectors[j][y]) - &(&vectors[i][y] * &vectors[j][x]);
            // Cramer's rule: the triangle that leaves out point i, with alternating sign. Their sum is zero.
            let [one, two, three] = [[2, 1], [0, 2], [1, 0]].map(area);
            [-&(&(&one + &two) + &three), one, two, three]
        });
        // D = (x₁ − x₀) · ((x₂ − x₀) × (x₃ − x₀)), up to its sign, by the triangle that leaves out point 1.
        let products: [Polynomial; 3] = std::array::from_fn(|axis| &vectors[0][axis] * &triangles[axis][1]);
        let determinant = &(&products[0] + &products[1]) + &products[2];
        triangles
            .sort_by_key(|triangles| triangles.iter().map(|p| p.degree() + usize::from(!p.is_zero())).sum::<usize>());
        let differences = std::array::from_fn(|axis| {
            (0..first).flat_map(|i| (first..4).map(move |j| (i, j))).map(|(i, j)| between(i, j, axis)).collect()
        });
        ExactPair { determinant, triangles, differences, first }
    }

    /// Whether the pair touches at a time at which the points are coplanar.
    fn touches_at(&self, time: &mut Root) -> bool {
        for triangles in &self.triangles {
            let mut signs = [0i8; 4];
            for (i, (sign, triangle)) in signs.iter_mut().zip(triangles).enumerate() {
                let side = if i < self.first { 1 } else { -1 };
                *sign = side * time.sign_of(triangle);
            }
            if signs != [0; 4] {
                return signs.iter().all(|&s| s >= 0) || signs.iter().all(|&s| s <= 0);
            }
        }
        // All on one line.
        self.differences.iter().all(|differences| {
            let first = time.sign_of(&differences[0]);
            first == 0 || differences[1..].iter().any(|d| time.sign_of(d) != first)
        })
    }
}
