//! The common part of two convex sets by clipping in exact fractions: the slow twin of the static tests.

use crate::rational::Exact;
use glam::DVec3;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// All x with `normal`·(x − `point`) ≥ 0.
struct HalfSpace {
    normal: Exact,
    point: Exact,
}

impl HalfSpace {
    fn height(&self, x: &Exact) -> BigRational {
        self.normal.dot(&(x - &self.point))
    }
}

fn negated(x: &Exact) -> Exact {
    Exact(std::array::from_fn(|k| -x.0[k].clone()))
}

fn is_zero(x: &Exact) -> bool {
    x.0.iter().all(Zero::is_zero)
}

/// The half-spaces whose common part is the hull of three points, whatever its dimension.
fn half_spaces(corners: &[Exact; 3]) -> Vec<HalfSpace> {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let mut list = Vec::new();
    let mut add = |normal: Exact, point: &Exact| list.push(HalfSpace { normal, point: point.clone() });
    if !is_zero(&normal) {
        add(normal.clone(), a);
        add(negated(&normal), a);
        for (p, q) in [(a, b), (b, c), (c, a)] {
            add(normal.cross(&(q - p)), p);
        }
        return list;
    }
    // A segment between the two corners farthest from each other, or a point.
    let pairs = [(a, b), (b, c), (c, a)];
    let (p, q) = pairs.into_iter().max_by_key(|(p, q)| (*q - *p).square()).expect("three pairs");
    let along = q - p;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        // Upright to the segment; to nothing, all three axes.
        let across = if is_zero(&along) { Exact::from(axis) } else { along.cross(&Exact::from(axis)) };
        add(across.clone(), p);
        add(negated(&across), p);
    }
    add(along.clone(), p);
    add(negated(&along), q);
    list
}

fn clip(polygon: Vec<Exact>, space: &HalfSpace) -> Vec<Exact> {
    let mut kept = Vec::new();
    for (k, p) in polygon.iter().enumerate() {
        let q = &polygon[(k + 1) % polygon.len()];
        let (at_p, at_q) = (space.height(p), space.height(q));
        if !at_p.is_negative() {
            kept.push(p.clone());
        }
        if (&at_p * &at_q).is_negative() {
            let t = &at_p / (&at_p - &at_q);
            kept.push(p + &(&(q - p) * &t));
        }
    }
    kept
}

/// The corners of the common part of a polygon and a triangle, possibly repeated.
pub fn common_part(polygon: &[DVec3], triangle: [DVec3; 3]) -> Vec<Exact> {
    let spaces = half_spaces(&triangle.map(Exact::from));
    spaces.iter().fold(polygon.iter().map(|&p| p.into()).collect(), clip)
}

/// Whether a point lies inside a triangle with area, not on its boundary.
pub fn strictly_inside(x: &Exact, triangle: [DVec3; 3]) -> bool {
    let corners = triangle.map(Exact::from);
    let [a, b, c] = &corners;
    if is_zero(&(b - a).cross(&(c - a))) {
        return false;
    }
    half_spaces(&corners).iter().enumerate().all(|(k, space)| {
        let height = space.height(x);
        if k < 2 { height.is_zero() } else { height.is_positive() }
    })
}

/// Whether the hull of some points of one plane has an area.
pub fn has_area(points: &[Exact]) -> bool {
    let Some(a) = points.first() else { return false };
    points.iter().any(|b| points.iter().any(|c| !is_zero(&(b - a).cross(&(c - a)))))
}

/// The middle of some points.
pub fn middle(points: &[Exact]) -> Exact {
    let sum = points.iter().fold(Exact::from(DVec3::ZERO), |sum, p| &sum + p);
    let count = BigRational::from_float(points.len() as f64).expect("finite");
    &sum * &count.recip()
}

/// Whether a point lies on the segment between two.
pub fn between(x: &Exact, a: &Exact, b: &Exact) -> bool {
    let along = b - a;
    if is_zero(&along) {
        return x == a;
    }
    let t = (x - a).dot(&along) / along.square();
    is_zero(&(x - a).cross(&along)) && !t.is_negative() && t <= BigRational::from_float(1.0).expect("finite")
}
