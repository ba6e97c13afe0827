//! Whether coplanar points cross, with sure signs over a span of time.
//!
//! Seen along an axis, mₖ are the doubled areas of the triangles of point 0 and two others, m₁ = q₂×q₃ and so on,
//! and m₀ = m₁+m₂+m₃ that of points 1, 2, 3. Up to alternating signs they are the affine dependence of the
//! four projected points, so the projections of vertex and face meet if and only if m₀, m₁, m₂, m₃ have one sign,
//! and those of two edges if and only if m₀, −m₁, m₂, m₃ have. Two sure, different signs prove that the pair is
//! apart during the whole span, coplanar or not. Four sure, equal signs at a time at which the points are coplanar prove
//! that it touches: the plane then does not contain the axis, so the projection hides nothing.

use super::cubic::{UNDERFLOW, permanent_cross};
use crate::narrow_phase::PairKind;
use glam::DVec3;

/// Roundings of vectors at a time, products and sums, in halves of `f64::EPSILON`, rounded up [-].
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// A vector moves by at most twice its reach times half the span, and a product of two has two of them; rounded up
/// for their own product [-].
pub(super) const SPAN: f64 = 4.0;

/// What the signs say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// If the points are coplanar at a time of the span, they touch then.
    Surely,
    /// They do not touch at any time of the span.
    Never,
    /// The signs are not sure.
    Unsure,
}

/// Decides over [start, end] from the vectors q at the ends of the step and the largest size of their components.
#[inline]
pub(super) fn inside(kind: PairKind, ends: [&[DVec3; 3]; 2], reach: &[DVec3; 3], [start, end]: [f64; 2]) -> Inside {
    let t = 0.5 * (start + end);
    let [q1, q2, q3]: [DVec3; 3] = std::array::from_fn(|k| ends[0][k] * (1.0 - t) + ends[1][k] * t);
    let (m1, m2, m3) = (q2.cross(q3), q3.cross(q1), q1.cross(q2));
    let size = m1.abs() + m2.abs() + m3.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let factor = ROUNDING + SPAN * (end - start);
    let bound = |i: usize, j: usize| factor * permanent_cross(reach[i], reach[j])[axis] + UNDERFLOW;
    let (e1, e2, e3) = (bound(1, 2), bound(2, 0), bound(0, 1));
    let (m1, m2, m3) = (m1[axis], m2[axis], m3[axis]);
    let flip = match kind {
        PairKind::VertexFace => 1.0,
        PairKind::EdgeEdge => -1.0,
    };
    let values = [m1 + m2 + m3, flip * m1, m2, m3];
    let bounds = [e1 + e2 + e3, e1, e2, e3];
    let positive = (0..4).filter(|&k| values[k] > bounds[k]).count();
    let negative = (0..4).filter(|&k| values[k] < -bounds[k]).count();
    if positive > 0 && negative > 0 {
        Inside::Never
    } else if positive == 4 || negative == 4 {
        Inside::Surely
    } else {
        Inside::Unsure
    }
}
