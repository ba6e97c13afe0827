//! Vectors of exact fractions, and distances by enumeration of all faces of the feature: the slow twin.

use glam::DVec3;
use muslin_collision::PairKind;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::ops::{Add, Mul, Sub};

/// A vector of exact fractions.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact(pub [BigRational; 3]);

/// The exact value of a finite number.
pub fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

impl From<DVec3> for Exact {
    fn from(v: DVec3) -> Self {
        Exact(v.to_array().map(exact))
    }
}

impl Add for &Exact {
    type Output = Exact;
    fn add(self, other: &Exact) -> Exact {
        Exact(std::array::from_fn(|k| &self.0[k] + &other.0[k]))
    }
}

impl Sub for &Exact {
    type Output = Exact;
    fn sub(self, other: &Exact) -> Exact {
        Exact(std::array::from_fn(|k| &self.0[k] - &other.0[k]))
    }
}

impl Mul<&BigRational> for &Exact {
    type Output = Exact;
    fn mul(self, factor: &BigRational) -> Exact {
        Exact(std::array::from_fn(|k| &self.0[k] * factor))
    }
}

impl Exact {
    pub fn dot(&self, other: &Exact) -> BigRational {
        (0..3).map(|k| &self.0[k] * &other.0[k]).fold(BigRational::zero(), |a, b| a + b)
    }

    pub fn cross(&self, other: &Exact) -> Exact {
        let part = |i: usize, j: usize| &self.0[i] * &other.0[j] - &self.0[j] * &other.0[i];
        Exact([part(1, 2), part(2, 0), part(0, 1)])
    }

    pub fn square(&self) -> BigRational {
        self.dot(self)
    }
}

fn inside(t: &BigRational) -> bool {
    *t >= BigRational::zero() && *t <= BigRational::one()
}

/// Squared distance of a point and a segment.
fn point_segment(p: &Exact, a: &Exact, b: &Exact) -> BigRational {
    let u = b - a;
    let mut best = (p - a).square().min((p - b).square());
    if !u.square().is_zero() {
        let t = (p - a).dot(&u) / u.square();
        if inside(&t) {
            best = best.min((p - &(a + &(&u * &t))).square());
        }
    }
    best
}

/// The exact squared distance of the two sides of a pair: the least over all stationary points on all faces
/// of the feature, each from its own linear system.
pub fn squared_distance(kind: PairKind, points: [DVec3; 4]) -> BigRational {
    let p = points.map(Exact::from);
    match kind {
        PairKind::VertexFace => {
            let sides = [(1, 2), (2, 3), (3, 1)];
            let edge = sides.map(|(i, j)| point_segment(&p[0], &p[i], &p[j])).into_iter().min().expect("three");
            let (u, v, w) = (&p[2] - &p[1], &p[3] - &p[1], &p[0] - &p[1]);
            let (a, b, c) = (u.square(), u.dot(&v), v.square());
            let determinant = &a * &c - &b * &b;
            if determinant.is_zero() {
                return edge;
            }
            let (d, e) = (u.dot(&w), v.dot(&w));
            let (s, t) = ((&c * &d - &b * &e) / &determinant, (&a * &e - &b * &d) / &determinant);
            let zero = BigRational::zero();
            if s >= zero && t >= zero && &s + &t <= BigRational::one() {
                return edge.min((&w - &(&(&u * &s) + &(&v * &t))).square());
            }
            edge
        }
        PairKind::EdgeEdge => {
            let ends = [(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)];
            let edge = ends.map(|(k, i, j)| point_segment(&p[k], &p[i], &p[j])).into_iter().min().expect("four");
            let (u, v, w) = (&p[1] - &p[0], &p[3] - &p[2], &p[2] - &p[0]);
            let (a, b, c) = (u.square(), u.dot(&v), v.square());
            let determinant = &a * &c - &b * &b;
            if determinant.is_zero() {
                return edge;
            }
            let (d, e) = (u.dot(&w), v.dot(&w));
            let (s, t) = ((&c * &d - &b * &e) / &determinant, (&b * &d - &a * &e) / &determinant);
            if inside(&s) && inside(&t) {
                return edge.min((&(&w + &(&v * &t)) - &(&u * &s)).square());
            }
            edge
        }
    }
}
