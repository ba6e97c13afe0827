//! The cubic of coplanarity in Bernstein form, and where its roots can be.
//!
//! With q₁, q₂, q₃ the vectors from point 0 to the others, linear in time, D(t) = q₁·(q₂×q₃) is zero when the four
//! points are coplanar. Its Bernstein coefficients b₀…b₃ are sums of the determinants of start and end vectors. They
//! come with one bound for all rounding: that of the vectors (each component is off by at most one rounding), of the
//! coefficients, of subdivision and of evaluation. A value beyond the bound has a sure sign.
//!
//! Roots are looked for in time order by halving. A piece whose coefficients surely have one sign holds none. A piece
//! whose sure end signs differ and whose coefficients change sign once holds exactly one, and so does a surely
//! monotone piece; Newton's method with a bracket of sure signs closes in on it. What stays unsure is handed out as
//! such. Cardano's formula has no such bounds: it loses roots where they are close together.

use glam::DVec3;
use std::ops::ControlFlow;

/// Bound of the rounding of a coefficient, relative to the permanent of the largest components [-].
/// Vectors, products and sums of a coefficient: 13 roundings. Evaluation: 10. Subdivision: 3 for each of
/// [`DEEPEST`] levels. Together 95 halves of `f64::EPSILON`; the rest covers the rounding of the bound itself.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Covers products that underflow; far above what a few hundred of them can lose, far below anything else.
pub(super) const UNDERFLOW: f64 = 1e-290;
/// Halvings; a span of doubt is then 4e-8 of the step wide, the width of a double root in double precision.
const DEEPEST: u32 = 24;
/// Steps of Newton's method; five are usual.
const NEWTON_STEPS: usize = 40;

/// A span of time in which D may be zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Before it, back to the last span, D is surely not zero [-].
    pub start: f64,
    /// [-]
    pub end: f64,
    /// Whether a root is surely there.
    pub kind: SpanKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// D surely changes its sign, exactly once.
    Crossing,
    /// D cannot be told from zero; there may be roots or none.
    Doubt,
}

/// D(t) on [0, 1].
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic {
    coefficients: [f64; 4],
    /// A value larger than this has the sign that it shows.
    error: f64,
}

/// Products that bound those of a cross product.
pub(super) fn permanent_cross(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x)
}

impl Cubic {
    /// Whether coefficients and error are numbers; coordinates that are none, or whose cubes overflow, have no such
    /// cubic.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.error.is_finite() && self.coefficients.iter().all(|c| c.is_finite())
    }

    /// From the vectors at the start and the end, and the largest size of their components.
    #[inline]
    pub fn new(start: &[DVec3; 3], end: &[DVec3; 3], reach: &[DVec3; 3]) -> Self {
        const THIRD: f64 = 1.0 / 3.0;
        let [a0, b0, c0] = *start;
        let [a1, b1, c1] = *end;
        let (early, late) = (b0.cross(c0), b1.cross(c1));
        let mixed = b0.cross(c1) + b1.cross(c0);
        let coefficients = [
            early.dot(a0),
            (early.dot(a1) + mixed.dot(a0)) * THIRD,
            (mixed.dot(a1) + late.dot(a0)) * THIRD,
            late.dot(a1),
        ];
        let permanent = permanent_cross(reach[1], reach[2]).dot(reach[0]);
        Cubic { coefficients, error: ROUNDING * permanent + UNDERFLOW }
    }

    /// A quadratic as a cubic, from its Bernstein coefficients and the permanent that bounds their rounding: 9 roundings for
    /// each, and 4 for the change of degree.
    pub fn of_quadratic([b0, b1, b2]: [f64; 3], permanent: f64) -> Self {
        const THIRD: f64 = 1.0 / 3.0;
        let coefficients = [b0, (b0 + 2.0 * b1) * THIRD, (2.0 * b1 + b2) * THIRD, b2];
        Cubic { coefficients, error: ROUNDING * permanent + UNDERFLOW }
    }

    /// Whether D surely has one sign all the time.
    #[inline]
    pub fn is_never_zero(&self) -> bool {
        self.is_clear(&self.coefficients)
    }

    #[inline]
    fn is_clear(&self, c: &[f64; 4]) -> bool {
        // Each compared by itself: a minimum would leave out what is not a number.
        let e = self.error;
        (c[0] > e && c[1] > e && c[2] > e && c[3] > e) || (c[0] < -e && c[1] < -e && c[2] < -e && c[3] < -e)
    }

    /// Value and slope.
    #[inline]
    fn at(&self, t: f64) -> (f64, f64) {
        let [b0, b1, b2, b3] = self.coefficients;
        let s = 1.0 - t;
        let (ss, st, tt) = (s * s, 2.0 * s * t, t * t);
        let value = s * (ss * b0 + 1.5 * st * b1) + t * (1.5 * st * b2 + tt * b3);
        let slope = 3.0 * (ss * (b1 - b0) + st * (b2 - b1) + tt * (b3 - b2));
        (value, slope)
    }

    /// Hands out all spans in which D may be zero, in time order, until the visitor has seen enough.
    #[inline]
    pub fn spans<R>(&self, mut visit: impl FnMut(Span) -> ControlFlow<R>) -> ControlFlow<R> {
        let whole = Piece { start: 0.0, end: 1.0, c: self.coefficients, depth: 0 };
        // The usual case needs no pieces.
        match self.single_root(&whole.c) {
            Some(direction) => visit(self.narrow(&whole, direction)),
            None => self.spans_of_pieces(whole, visit),
        }
    }

    fn spans_of_pieces<R>(&self, whole: Piece, mut visit: impl FnMut(Span) -> ControlFlow<R>) -> ControlFlow<R> {
        let mut pieces = [whole; DEEPEST as usize + 2];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let piece = pieces[count];
            if self.is_clear(&piece.c) {
                continue;
            }
            if let Some(direction) = self.single_root(&piece.c) {
                visit(self.narrow(&piece, direction))?;
            } else if piece.depth == DEEPEST || piece.c.iter().all(|c| c.abs() <= self.error) {
                visit(Span { start: piece.start, end: piece.end, kind: SpanKind::Doubt })?;
            } else {
                let [left, right] = piece.halves();
                pieces[count] = right;
                pieces[count + 1] = left;
                count += 2;
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a piece surely holds at most one root, and D then grows (1) or falls (−1) there.
    #[inline]
    fn single_root(&self, c: &[f64; 4]) -> Option<f64> {
        let direction = if c[3] > c[0] { 1.0 } else { -1.0 };
        let [c0, c1, c2, c3] = c.map(|c| c * direction);
        let e = self.error;
        // One change of sign: − ? + + or − − ? +.
        let once = c0 < -e && c3 > e && (c1 < -e || c2 > e);
        let monotone = c1 - c0 > 3.0 * e && c2 - c1 > 3.0 * e && c3 - c2 > 3.0 * e;
        (once || monotone).then_some(direction)
    }

    /// Closes in on the root of a piece that holds at most one.
    #[inline]
    fn narrow(&self, piece: &Piece, direction: f64) -> Span {
        let (mut low, mut high) = (piece.start, piece.end);
        let [first, .., last] = piece.c.map(|c| c * direction);
        let (mut sure_low, mut sure_high) = (first < -self.error, last > self.error);
        let mut try_at = |t: f64, low: &mut f64, high: &mut f64| {
            let (value, slope) = self.at(t);
            let (value, slope) = (value * direction, slope * direction);
            if value < -self.error && t >= *low {
                (*low, sure_low) = (t, true);
            } else if value > self.error && t <= *high {
                (*high, sure_high) = (t, true);
            }
            (value, slope)
        };
        let mut t = low + (high - low) * (first / (first - last)).clamp(0.0, 1.0);
        let mut margin = 0.0;
        for _ in 0..NEWTON_STEPS {
            let (value, slope) = try_at(t, &mut low, &mut high);
            let inverse = 1.0 / slope;
            let newton = t - value * inverse;
            // The distance within which the sign is unsure, and two units in the last place.
            margin = 2.0 * self.error * inverse.abs() + 2.0 * f64::EPSILON * t;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let moved = (next - t).abs();
            t = next;
            if !(moved > margin) {
                break;
            }
        }
        try_at((t - margin).max(low), &mut low, &mut high);
        try_at((t + margin).min(high), &mut low, &mut high);
        let kind = if sure_low && sure_high { SpanKind::Crossing } else { SpanKind::Doubt };
        Span { start: low, end: high, kind }
    }
}

/// D on a part of the step, by its own Bernstein coefficients.
#[derive(Clone, Copy)]
struct Piece {
    start: f64,
    end: f64,
    c: [f64; 4],
    depth: u32,
}

impl Piece {
    /// De Casteljau's subdivision in the middle; the times are exact.
    #[inline]
    fn halves(&self) -> [Piece; 2] {
        let [c0, c1, c2, c3] = self.c;
        let (c01, c12, c23) = (0.5 * (c0 + c1), 0.5 * (c1 + c2), 0.5 * (c2 + c3));
        let (c012, c123) = (0.5 * (c01 + c12), 0.5 * (c12 + c23));
        let middle = 0.5 * (c012 + c123);
        let time = 0.5 * (self.start + self.end);
        let depth = self.depth + 1;
        [
            Piece { end: time, c: [c0, c01, c012, middle], depth, ..*self },
            Piece { start: time, c: [middle, c123, c23, c3], depth, ..*self },
        ]
    }
}
