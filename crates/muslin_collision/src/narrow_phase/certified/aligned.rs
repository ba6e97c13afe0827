//! Degenerate pairs of meshes that are aligned with the axes, decided without whole numbers.
//!
//! Sheets are made as regular grids, and a fold lays rows exactly on rows. Then a vertex lies exactly above an edge, or
//! two edges stay in one plane of constant x, y or z for ever. Stages 1 and 2 see values that they cannot tell from
//! zero. Here zeros are recognised for what they are: the difference of two equal coordinates is 0 without rounding, so a
//! triangle whose products all have such a factor is surely 0 at all times.
//!
//! - [`on_border`] are the signs of stage 2 with sure zeros among them. A vertex above an edge of the face, or an
//!   edge through a vertex, has one.
//! - [`in_plane`] follows a pair that stays in a plane of constant x, y or z. Seen along that axis, the pair touches
//!   while the signs of its four triangles agree; they change at roots of quadratics, one after the other.
//!
//! What is not sure here either (grids in other directions, roots that fall together) is left to exact arithmetic.

use super::TIME_TOLERANCE;
use super::cubic::{Cubic, Span, SpanKind, UNDERFLOW};
use super::inside::{Inside, ROUNDING, SPAN};
use crate::narrow_phase::{PairKind, Query};
use glam::{DVec2, DVec3};
use std::ops::ControlFlow;

/// The coordinates that remain, seen along each axis.
const SEEN: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// A triangle of three of the points, seen along an axis: two sides at the start and at the end of the step.
struct Triangle {
    sides: [[DVec2; 2]; 2],
    /// Largest size of the components of each side.
    reach: [DVec2; 2],
    /// The sign that its area has in the affine dependence of the four points.
    side: f64,
}

/// For each point the triangle that leaves it out.
fn triangles(kind: PairKind, query: &Query, axis: usize) -> [Triangle; 4] {
    let side = match kind {
        PairKind::VertexFace => [1.0, 1.0, -1.0, 1.0],
        PairKind::EdgeEdge => [1.0, -1.0, -1.0, 1.0],
    };
    let corners = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    let seen = |v: DVec3| DVec2::new(v[SEEN[axis][0]], v[SEEN[axis][1]]);
    std::array::from_fn(|k| {
        let [i, j, l] = corners[k];
        let sides = [&query.start, &query.end].map(|p| [seen(p[j] - p[i]), seen(p[l] - p[i])]);
        let reach = [0, 1].map(|s| sides[0][s].abs().max(sides[1][s].abs()));
        Triangle { sides, reach, side: side[k] }
    })
}

impl Triangle {
    /// Whether its area is 0 at all times, because each of its products has a factor that is exactly 0.
    fn is_zero(&self) -> bool {
        let [u, v] = self.reach;
        (u.x == 0.0 || v.y == 0.0) && (u.y == 0.0 || v.x == 0.0)
    }

    fn permanent(&self) -> f64 {
        let [u, v] = self.reach;
        u.x * v.y + u.y * v.x
    }

    /// The sign of the area in a span of time, if it surely has one.
    fn sign(&self, [start, end]: [f64; 2]) -> Option<i8> {
        if self.is_zero() {
            return Some(0);
        }
        let t = 0.5 * (start + end);
        let [u, v] = [0, 1].map(|s| self.sides[0][s] * (1.0 - t) + self.sides[1][s] * t);
        let area = self.side * u.perp_dot(v);
        let bound = (ROUNDING + SPAN * (end - start)) * self.permanent() + UNDERFLOW;
        (area.abs() > bound).then_some(if area > 0.0 { 1 } else { -1 })
    }

    /// The area over time, a quadratic.
    fn area(&self) -> Cubic {
        let [[u0, v0], [u1, v1]] = self.sides;
        let middle = 0.5 * (u0.perp_dot(v1) + u1.perp_dot(v0));
        Cubic::of_quadratic([u0.perp_dot(v0), middle, u1.perp_dot(v1)].map(|b| self.side * b), self.permanent())
    }
}

/// What signs of the four triangles say, of which some may be unknown.
fn judge(signs: [Option<i8>; 4]) -> Inside {
    let has = |sign: i8| signs.contains(&Some(sign));
    if has(1) && has(-1) {
        Inside::Never
    } else if !signs.contains(&None) && (has(1) || has(-1)) {
        Inside::Surely
    } else {
        Inside::Unsure
    }
}

/// As [`super::inside::inside`], along the axes in turn and with sure zeros.
pub(super) fn on_border(kind: PairKind, query: &Query, span: Span) -> Inside {
    let along = |axis: usize| judge(triangles(kind, query, axis).map(|t| t.sign([span.start, span.end])));
    (0..3).map(along).find(|&inside| inside != Inside::Unsure).unwrap_or(Inside::Unsure)
}

/// The axis of a plane of one x, y or z that holds all points at the start, and another such plane at the end.
fn plane(query: &Query) -> Option<usize> {
    let level = |points: &[DVec3; 4], axis: usize| points.iter().all(|p| p[axis] == points[0][axis]);
    (0..3).find(|&axis| level(&query.start, axis) && level(&query.end, axis))
}

/// The first touch of a pair that stays in a plane of constant x, y or z. Outer `None`: unknown, or no such pair.
pub(super) fn in_plane(kind: PairKind, query: &Query) -> Option<Option<f64>> {
    let triangles = triangles(kind, query, plane(query)?);
    let touches = |signs: [i8; 4]| match judge(signs.map(Some)) {
        Inside::Surely => Some(true),
        Inside::Never => Some(false),
        Inside::Unsure => None,
    };
    let mut signs = [0; 4];
    for (sign, triangle) in signs.iter_mut().zip(&triangles) {
        *sign = triangle.sign([0.0, 0.0])?;
    }
    if touches(signs)? {
        return Some(Some(0.0));
    }
    // Four quadratics have at most eight roots.
    let mut events = [(0.0, 0.0, 0); 8];
    let mut count = 0;
    for (k, triangle) in triangles.iter().enumerate().filter(|(_, triangle)| !triangle.is_zero()) {
        let flow = triangle.area().spans(|span| {
            let clear = span.kind == SpanKind::Crossing && span.start > 0.0 && span.end - span.start < TIME_TOLERANCE;
            if !clear || count == events.len() {
                return ControlFlow::Break(());
            }
            events[count] = (span.start, span.end, k);
            count += 1;
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            return None;
        }
    }
    let events = &mut events[..count];
    events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    if events.windows(2).any(|pair| pair[0].1 >= pair[1].0) {
        return None;
    }
    for &(time, _, k) in events.iter() {
        signs[k] = -signs[k];
        // At the root itself the sign is 0, and agrees with those with which it agrees afterwards or before.
        if touches(signs)? {
            return Some(Some(time));
        }
    }
    Some(None)
}
