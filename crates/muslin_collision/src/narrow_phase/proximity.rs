//! How near the two sides of a pair are, and where (W 3.3.1).
//!
//! W solves two normal equations, 3.30 for a vertex and a face and 3.32 for two edges, and clamps. Both hold
//! squares of what is needed: their determinants vanish for slim triangles and for nearly parallel edges
//! long before the geometry does. Here the longest side is eliminated first (a QR factorisation of two
//! columns), and after one parameter of a pair of edges was clamped the other is projected again. This inner optimum
//! competes with those on the boundary of the feature, and the nearest wins. If the inner optimum is too
//! ill-conditioned to be found, the feature is so slim that its boundary is as near as rounding can tell. So
//! parallel edges, edges of no length and triangles of no area are no special cases.
//!
//! All work is done on differences that are scaled by a power of two, so that neither squares nor fourth
//! powers overflow or vanish for coordinates from 1e-290 to 1e300 m.

use super::scaled::differences;
use super::{PairKind, Query};
use glam::DVec3;

/// The nearest points of the two sides of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// Weights of the four points, side a positive, side b negative; each side's sum is ±1 [-].
    /// They add up to the vector from side b to side a.
    pub weights: [f64; 4],
    /// From the nearest point of side b to that of side a [m].
    pub vector: DVec3,
    /// Its length [m].
    pub distance: f64,
}

/// The distance that [`Proximity::distance`] may be off, as a part of the pair's extent [-]: the extent is the
/// largest coordinate difference between two of its points. Measured worst against fractions: 1.6 ε.
pub const DISTANCE_ERROR: f64 = 8.0 * f64::EPSILON;

impl Proximity {
    /// The nearest points of a pair at rest at `points` [m].
    pub fn new(kind: PairKind, points: [DVec3; 4]) -> Self {
        let Some((scaled, scale)) = differences(points) else {
            // All four points coincide.
            let weights = match kind {
                PairKind::VertexFace => [1.0, -1.0, 0.0, 0.0],
                PairKind::EdgeEdge => [1.0, 0.0, -1.0, 0.0],
            };
            return Proximity { weights, vector: DVec3::ZERO, distance: 0.0 };
        };
        let weights = match kind {
            PairKind::VertexFace => vertex_face(scaled),
            PairKind::EdgeEdge => edge_edge(scaled),
        };
        let vector = combine(weights, scaled);
        Proximity { weights, vector: vector * scale, distance: vector.length() * scale }
    }

    /// The nearest point of side a [m]: the vertex, or a point of the first edge.
    pub fn point_a(&self, points: [DVec3; 4]) -> DVec3 {
        let [first, rest @ ..] = self.weights;
        first * points[0] + points[1] * rest[0].max(0.0)
    }

    /// The nearest point of side b [m]: a point of the face, or of the second edge.
    pub fn point_b(&self, points: [DVec3; 4]) -> DVec3 {
        let part = |k: usize| points[k] * (-self.weights[k]).max(0.0);
        part(1) + part(2) + part(3)
    }
}

/// A distance that the two sides of a pair certainly have [m]; rounding included, 0 if none is certain.
///
/// Any direction gives one: the gap between the two sides' projections. Tried are the direction between the
/// nearest points and the normal of the face, or of both edges, which is the better one when the gap is
/// small.
pub fn certain_distance(kind: PairKind, points: [DVec3; 4]) -> f64 {
    let Some((p, scale)) = differences(points) else { return 0.0 };
    let (nearest, normal) = match kind {
        PairKind::VertexFace => (vertex_face(p), (p[2] - p[1]).cross(p[3] - p[1])),
        PairKind::EdgeEdge => (edge_edge(p), (p[1] - p[0]).cross(p[3] - p[2])),
    };
    let side_a = match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    };
    let gap = |direction: DVec3| {
        let length = direction.length();
        if !(length > SHORTEST_DIRECTION) {
            return 0.0;
        }
        let unit = direction / length;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for a in &p[..side_a] {
            for b in &p[side_a..] {
                let along = unit.dot(*a - *b);
                (least, most) = (least.min(along), most.max(along));
            }
        }
        // Whichever side is in front.
        least.max(-most)
    };
    let gap = gap(combine(nearest, p)).max(gap(normal));
    ((gap - GAP_ERROR) * (1.0 - 4.0 * f64::EPSILON) * scale).max(0.0).next_down().max(0.0)
}

/// The part of the thickness that a pair must keep [m]: the thickness, but no more than half the distance
/// that the pair has at rest, so that a fine flat mesh does not collide with itself.
pub fn minimum_separation(kind: PairKind, rest: [DVec3; 4], thickness: f64) -> f64 {
    thickness.min(0.5 * Proximity::new(kind, rest).distance)
}

impl Query {
    /// The nearest points at a fraction of the step.
    pub fn proximity(&self, kind: PairKind, fraction: f64) -> Proximity {
        Proximity::new(kind, self.at(fraction))
    }
}

/// Rounding in a scaled gap [-]. Scaled differences to point 0 are at most 1 and off by ε/2 per coordinate; the
/// difference of two of them is at most 2 and off by 2ε, which makes 2√3 ε along a unit vector. The computed
/// unit vector is off by 2.5ε in length, which changes a gap of at most 2√3 by 5√3 ε; the dot product adds
/// 3√3 ε. Together 10√3 ε.
const GAP_ERROR: f64 = 20.0 * f64::EPSILON;

/// Directions shorter than this are too near to underflow to be normalised [-].
const SHORTEST_DIRECTION: f64 = 1e-150;

fn combine(weights: [f64; 4], p: [DVec3; 4]) -> DVec3 {
    // Point 0 is the origin of `differences`.
    p[1] * weights[1] + p[2] * weights[2] + p[3] * weights[3]
}

/// The parameter of the point of a segment from `a` along `u` that is nearest to `p` [-].
fn along(p: DVec3, a: DVec3, u: DVec3) -> f64 {
    let square = u.length_squared();
    if square > 0.0 { ((p - a).dot(u) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// The parameter along `v` at which `v t` is nearest to `w` if any multiple of `u` may be added to it [-]; `u` is the
/// longer vector. Both are freed of `u` before their product is taken: their own is lost in its rounding.
fn across(w: DVec3, u: DVec3, v: DVec3) -> Option<f64> {
    let free = |x: DVec3| x - u * (x.dot(u) / u.length_squared());
    let (w, v) = (free(w), free(v));
    let t = w.dot(v) / v.length_squared();
    t.is_finite().then_some(t)
}

/// Keeps the weights of the nearest.
struct Nearest {
    square: f64,
    weights: [f64; 4],
}

impl Nearest {
    fn new() -> Self {
        Nearest { square: f64::INFINITY, weights: [0.0; 4] }
    }

    fn offer(&mut self, weights: [f64; 4], p: [DVec3; 4]) {
        let square = combine(weights, p).length_squared();
        if square < self.square {
            *self = Nearest { square, weights };
        }
    }
}

fn vertex_face(p: [DVec3; 4]) -> [f64; 4] {
    let mut nearest = Nearest::new();
    for (i, j) in [(1, 2), (2, 3), (3, 1)] {
        let t = along(p[0], p[i], p[j] - p[i]);
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[i] -= 1.0 - t;
        weights[j] -= t;
        nearest.offer(weights, p);
    }
    // The corner where the longest side begins.
    let sides = [p[2] - p[1], p[3] - p[2], p[1] - p[3]].map(DVec3::length_squared);
    let first = (0..3).max_by(|&i, &j| sides[i].total_cmp(&sides[j])).unwrap_or(0);
    let [i, j, k] = [first, first + 1, first + 2].map(|k| 1 + k % 3);
    let (u, v, w) = (p[j] - p[i], p[k] - p[i], p[0] - p[i]);
    if let Some(t) = across(w, u, v) {
        let s = (w - v * t).dot(u) / u.length_squared();
        let rest = 1.0 - s - t;
        if s >= 0.0 && t >= 0.0 && rest >= 0.0 {
            let mut weights = [1.0, 0.0, 0.0, 0.0];
            (weights[i], weights[j], weights[k]) = (-rest, -s, -t);
            nearest.offer(weights, p);
        }
    }
    nearest.weights
}

fn edge_edge(p: [DVec3; 4]) -> [f64; 4] {
    let (u, v) = (p[1] - p[0], p[3] - p[2]);
    let mut nearest = Nearest::new();
    let mut offer = |s: f64, t: f64| nearest.offer([1.0 - s, s, -(1.0 - t), -t], p);
    offer(0.0, along(p[0], p[2], v));
    offer(1.0, along(p[1], p[2], v));
    offer(along(p[2], p[0], u), 0.0);
    offer(along(p[3], p[0], u), 1.0);
    let w = p[2] - p[0];
    if u.length_squared() >= v.length_squared() {
        if let Some(t) = across(-w, u, v) {
            let s = along(p[2] + v * t.clamp(0.0, 1.0), p[0], u);
            offer(s, along(p[0] + u * s, p[2], v));
        }
    } else if let Some(s) = across(w, v, u) {
        let t = along(p[0] + u * s.clamp(0.0, 1.0), p[2], v);
        offer(along(p[2] + v * t, p[0], u), t);
    }
    nearest.weights
}
