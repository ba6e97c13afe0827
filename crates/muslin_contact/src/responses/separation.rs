//! How far the two sides of a contact are apart along a normal that turns with them (I 2, 3), and how that changes.
//!
//! C = n(X)·Σ wᵢ xᵢ with n the unit normal of the face, or of both edges: n = N/‖N‖ and N = e₁ × e₂, its sign fixed
//! on the side of the start. With r = Σ wᵢ xᵢ and q = (r − C n)/‖N‖ the change of C is n·δr + q·δN, so
//!
//! | corner | gradient of C |
//! |---|---|
//! | all | wᵢ n |
//! | ends of e₁ | ± e₂ × q |
//! | ends of e₂ | ± q × e₁ |
//!
//! Where the nearest points lie on the rim of a face or at the end of an edge, the direction between them is not that of N, and
//! where edges are nearly parallel N swings with every touch. Such a contact keeps its direction: a plane that
//! the corner of another sheet never faces would be the wrong thing to stay above.

use crate::contact::Contact;
use glam::DVec3;
use muslin_collision::PairKind;

/// A weight below this lies on the rim [-].
const RIM: f64 = 1e-6;

/// Sine of the angle between e₁ and e₂ from which N is taken for the normal [-]: 3°.
const LEAST_SINE: f64 = 0.05;

/// The same for an iterate; a contact that has come there keeps its direction for once.
const LAST_SINE: f64 = 1e-6;

/// The separation of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Separation {
    weights: [f64; 4],
    direction: DVec3,
    /// Corners of e₁ and e₂, from and to; none if the direction is fixed.
    edges: Option<[[usize; 2]; 2]>,
    sign: f64,
}

impl Separation {
    /// That of a contact whose corners are at some points when it is made [m].
    pub fn new(contact: &Contact, points: [DVec3; 4]) -> Self {
        let edges = match contact.key.kind() {
            PairKind::VertexFace => [[1, 2], [1, 3]],
            PairKind::EdgeEdge => [[0, 1], [2, 3]],
        };
        let mut separation =
            Separation { weights: contact.weights, direction: contact.normal, edges: Some(edges), sign: 1.0 };
        let inner = contact.weights.iter().all(|w| w.abs() > RIM);
        match separation.spread(&points, LEAST_SINE) {
            Some([normal, ..]) if inner => separation.sign = normal.dot(contact.normal).signum(),
            _ => separation.edges = None,
        }
        separation
    }

    /// N, e₁ and e₂; none where the direction is fixed or the sine too small.
    fn spread(&self, points: &[DVec3; 4], sine: f64) -> Option<[DVec3; 3]> {
        let [[a, b], [c, d]] = self.edges?;
        let (e1, e2) = (points[b] - points[a], points[d] - points[c]);
        let normal = e1.cross(e2) * self.sign;
        (normal.length() > sine * e1.length() * e2.length()).then_some([normal, e1, e2])
    }

    fn normal(&self, points: &[DVec3; 4]) -> Option<DVec3> {
        self.spread(points, LAST_SINE).map(|[normal, ..]| normal.normalize())
    }

    /// C at some corners [m].
    pub fn value(&self, points: &[DVec3; 4]) -> f64 {
        let r: DVec3 = (0..4).map(|k| points[k] * self.weights[k]).sum();
        self.normal(points).unwrap_or(self.direction).dot(r)
    }

    /// C [m] and its gradient by the corners [-].
    pub fn gradient(&self, points: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
        let r: DVec3 = (0..4).map(|k| points[k] * self.weights[k]).sum();
        let (Some([normal, e1, e2]), Some([[a, b], [c, d]])) = (self.spread(points, LAST_SINE), self.edges) else {
            return (self.direction.dot(r), self.weights.map(|w| self.direction * w));
        };
        let length = normal.length();
        let n = normal / length;
        let value = n.dot(r);
        let q = (r - n * value) * (self.sign / length);
        let mut gradient = self.weights.map(|w| n * w);
        let (by_e1, by_e2) = (e2.cross(q), q.cross(e1));
        gradient[b] += by_e1;
        gradient[a] -= by_e1;
        gradient[d] += by_e2;
        gradient[c] -= by_e2;
        (value, gradient)
    }
}
