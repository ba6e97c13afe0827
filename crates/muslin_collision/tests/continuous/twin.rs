//! The slow twin: whether a pair touches, decided by counting roots in whole numbers.
//!
//! Another formulation than the one under test. Nothing is projected onto an axis and no root is isolated. A vertex
//! touches a face if it crosses its open inside, or touches one of the closed edges; two edges touch if their open
//! insides cross, or an end of one touches the other, closed. A point p is on the closed segment from a to b if
//! |(a−p)×(b−p)|² = 0 and (a−p)·(b−p) ≤ 0. Each is a polynomial that must vanish while others are positive.

use crate::counting::{Poly, Until};
use crate::glance::glance;
use muslin_collision::{PairKind, Query};
use num_bigint::BigInt;
use num_traits::Float;

type Vector = [Poly; 3];

/// Whether the pair touches at a time from 0 to `time`, that included or not.
pub fn touches(kind: PairKind, query: &Query, time: f64, until: Until) -> bool {
    let [p, a, b, c] = &paths(query, time);
    match kind {
        PairKind::VertexFace => {
            let segments = [(a, b), (b, c), (c, a)];
            crosses_face(p, [a, b, c], until) || segments.iter().any(|(a, b)| on_segment(p, a, b, until))
        }
        PairKind::EdgeEdge => {
            let ends = [(p, b, c), (a, b, c), (b, p, a), (c, p, a)];
            edges_cross([p, a], [b, c], until) || ends.iter().any(|(p, a, b)| on_segment(p, a, b, until))
        }
    }
}

/// The paths of the points over [0, time], as whole numbers on one scale.
fn paths(query: &Query, time: f64) -> [Vector; 4] {
    let coordinates = |i: usize, k: usize| [query.start[i][k], query.end[i][k]].map(|x| x.integer_decode());
    let all = (0..12).flat_map(|i| coordinates(i / 3, i % 3)).filter(|part| part.0 != 0);
    let lowest = all.map(|(_, exponent, _)| exponent).min().unwrap_or(0);
    let whole = |(mantissa, exponent, sign): (u64, i16, i8)| {
        if mantissa == 0 { BigInt::ZERO } else { (BigInt::from(mantissa) * sign) << (exponent - lowest) as usize }
    };
    let (mantissa, exponent, _) = time.integer_decode();
    let zeros = mantissa.trailing_zeros().min(63);
    let (mantissa, exponent) = if time == 0.0 { (0, 0) } else { (mantissa >> zeros, exponent + zeros as i16) };
    let denominator = BigInt::from(1) << (-exponent).max(0) as usize;
    assert!(exponent <= 0, "times are at most 1");
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let [start, end] = coordinates(i, k).map(whole);
            let change = (end - &start) * mantissa;
            Poly::new(vec![start * &denominator, change])
        })
    })
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (x, y) = ((k + 1) % 3, (k + 2) % 3);
        a[x].times(&b[y]).minus(&a[y].times(&b[x]))
    })
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

/// Through the open inside. Where the points stay coplanar, only a start inside counts: who enters later
/// touches an edge first.
fn crosses<const N: usize>(coplanar: &Poly, conditions: impl FnOnce() -> [Poly; N], until: Until) -> bool {
    if coplanar.is_zero() {
        let nothing = BigInt::ZERO;
        return conditions().iter().all(|q| q.at_zero() > nothing);
    }
    // The conditions are dear; most pairs are never coplanar.
    glance(std::slice::from_ref(coplanar), &[]) != Some(false) && coplanar.has_root_with_positive(&conditions(), until)
}

/// Whether a coordinate keeps some points below others all the time. Between straight paths the largest difference is at
/// an end, so this is a proof; it answers most questions before any product is computed.
fn apart(some: &[&Vector], others: &[&Vector]) -> bool {
    type End = fn(&Poly) -> BigInt;
    let ends: [End; 2] = [Poly::at_zero, Poly::at_one];
    (0..3).any(|k| {
        let below = |x: &[&Vector], y: &[&Vector]| {
            ends.iter().all(|end| x.iter().map(|p| end(&p[k])).max() < y.iter().map(|p| end(&p[k])).min())
        };
        below(some, others) || below(others, some)
    })
}

fn crosses_face(p: &Vector, [a, b, c]: [&Vector; 3], until: Until) -> bool {
    if apart(&[p], &[a, b, c]) {
        return false;
    }
    let normal = cross(&minus(b, a), &minus(c, a));
    let weight = |b: &Vector, c: &Vector| dot(&normal, &cross(&minus(b, p), &minus(c, p)));
    crosses(&dot(&normal, &minus(p, a)), || [weight(b, c), weight(c, a), weight(a, b)], until)
}

fn edges_cross([a0, a1]: [&Vector; 2], [b0, b1]: [&Vector; 2], until: Until) -> bool {
    if apart(&[a0, a1], &[b0, b1]) {
        return false;
    }
    let (a, b, r) = (minus(a1, a0), minus(b1, b0), minus(b0, a0));
    let normal = cross(&a, &b);
    // The parameters of the crossing times n², and what is left to n².
    let conditions = || {
        let square = dot(&normal, &normal);
        let parameter = |other: &Vector| dot(&cross(&r, other), &normal);
        let (u, v) = (parameter(&b), parameter(&a));
        [square.minus(&u), square.minus(&v), u, v]
    };
    crosses(&dot(&normal, &r), conditions, until)
}

fn on_segment(p: &Vector, a: &Vector, b: &Vector, until: Until) -> bool {
    if apart(&[p], &[a, b]) {
        return false;
    }
    let (a, b) = (minus(a, p), minus(b, p));
    let area = cross(&a, &b);
    if glance(&area, &[]) == Some(false) {
        return false;
    }
    let square = dot(&area, &area);
    let between = dot(&a, &b);
    if !square.is_zero() {
        // Not positive: negative, or zero, where p is at an end.
        let outside = Poly::new(between.0.iter().map(|c| -c).collect());
        let meets = |v: &Vector| square.plus(&dot(v, v)).has_root_with_positive(&[], until);
        return square.has_root_with_positive(&[outside], until) || meets(&a) || meets(&b);
    }
    // Always on one line: inside at the start, or meeting an end.
    let meets = |v: &Vector| {
        let distance = dot(v, v);
        distance.is_zero() || distance.has_root_with_positive(&[], until)
    };
    between.at_zero() <= BigInt::ZERO || meets(&a) || meets(&b)
}

#[test]
fn points_are_apart_only_if_a_coordinate_keeps_them_apart_all_the_time() {
    let path = |start: [i64; 3], end: [i64; 3]| -> Vector {
        std::array::from_fn(|k| Poly::new(vec![start[k].into(), (end[k] - start[k]).into()]))
    };
    let still = path([0, 0, 0], [0, 0, 0]);
    assert!(apart(&[&still], &[&path([1, -5, 0], [2, 5, 0])]));
    assert!(apart(&[&path([1, -5, 0], [2, 5, 0])], &[&still]));
    // Touching at the end; on other sides at the ends; on both sides of others.
    assert!(!apart(&[&still], &[&path([1, 0, 0], [0, 0, 0])]));
    assert!(!apart(&[&still], &[&path([1, 0, 0], [-1, 0, 0])]));
    assert!(!apart(&[&still], &[&path([1, 0, 0], [1, 0, 0]), &path([-1, 0, 0], [-1, 0, 0])]));
}
