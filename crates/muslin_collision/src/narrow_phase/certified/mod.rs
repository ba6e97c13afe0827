//! Continuous tests that miss nothing.
//!
//! *Touching* (separation 0) is decided without error, in stages; each hands on what it cannot decide:
//!
//! 1. the cubic (`cubic`) of coplanarity with a bound of all rounding: surely never zero, or spans of time around
//!    its roots in order;
//! 2. at each span the signs (`inside`) of projected triangles with a bound of all rounding: surely apart (next span),
//!    or surely crossing (done);
//! 3. `aligned` grids, whose degenerate pairs have zeros that are sure;
//! 4. `advancement` with supporting planes, for pairs that stay coplanar but apart in their plane;
//! 5. `exact` arithmetic in whole numbers, which decides everything, degenerate or not.
//!
//! Stages 1 and 2 take some hundred nanoseconds and decide all but about one pair in 10⁵ of a cloth; stage 5 takes a
//! hundred times as long. The result is neither a false negative nor a false positive, and the time is at or before
//! the true one.
//!
//! *A minimum separation* needs no such decision: a pair within a [tolerance](SEPARATION_TOLERANCE) of the
//! separation may be called near. Stage 4 alone serves, ending at that tolerance. It is never late and never misses.
//!
//! Solving the cubic by formula, the obvious way, loses close roots and grazing contacts; it is kept as a named
//! alternative, see [`CcdMethod`](super::CcdMethod). Subdivision of the parameter box with intervals, the usual
//! certified way, is slower and calls near misses contacts.
//!
//! Differences of coordinates are the only quantities used, each with one rounding, so that neither a far origin nor a
//! small scale matters; what underflows is unsure and decided by stage 5.

mod advancement;
mod algebraic;
mod aligned;
mod closest;
mod cubic;
mod exact;
mod inside;
mod polynomial;
mod whole;

use super::{PairKind, Query};
use advancement::{Advance, Goal, advance};
use cubic::{Cubic, Span, SpanKind};
use glam::DVec3;
use inside::{Inside, inside};
use std::ops::ControlFlow;

/// A pair this much nearer to the separation than apart, relative to it, counts as near [-]: a millionth of the
/// thickness of a cloth is less than an atom.
pub const SEPARATION_TOLERANCE: f64 = 1e-6;
/// The time of a touch is at most this much before the true one, as a fraction of the step [-]. The usual distance is
/// 1e-15; points that stay nearly coplanar for long reach 1e-8. Beyond this exact arithmetic settles the time.
pub const TIME_TOLERANCE: f64 = 1e-7;
/// Directions that advancement to a separation may take. Contacts need about five, grazing ones forty; a pair that
/// has used them up is called near at the time reached, earlier than the truth.
const MOST_SEPARATION_STEPS: usize = 400;
/// Directions that are worth trying before exact arithmetic, which costs as much as a hundred.
const MOST_TOUCH_STEPS: usize = 32;

/// How queries were decided, to compare runs by. Each count is exact and the same everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CcdCounts {
    /// Queries asked.
    pub queries: u64,
    /// Queries that touch or come near.
    pub contacts: u64,
    /// Spans of time around roots of the cubic that were looked at.
    pub spans: u64,
    /// Queries of aligned grids, decided by zeros that are sure.
    pub aligned: u64,
    /// Directions taken by advancement.
    pub refinements: u64,
    /// Queries decided in whole numbers.
    pub exact: u64,
}

impl std::ops::AddAssign for CcdCounts {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.contacts += other.contacts;
        self.spans += other.spans;
        self.aligned += other.aligned;
        self.refinements += other.refinements;
        self.exact += other.exact;
    }
}

/// A time at or before the first at which the pair is as near as `separation` [m], as a fraction of the step [-].
/// `None` proves that it never is. A pair that begins so answers 0.
///
/// With separation 0 the answer is `Some` if and only if the pair touches, and the time is within
/// [`TIME_TOLERANCE`] of the true one; otherwise distances up to [`SEPARATION_TOLERANCE`] above the separation may count. Coordinates that are
/// not finite answer 0.
pub fn time_of_impact(kind: PairKind, query: &Query, separation: f64) -> Option<f64> {
    time_of_impact_counted(kind, query, separation, &mut CcdCounts::default())
}

/// [`time_of_impact`], adding to the counts how it was decided.
#[inline]
pub fn time_of_impact_counted(kind: PairKind, query: &Query, separation: f64, counts: &mut CcdCounts) -> Option<f64> {
    counts.queries += 1;
    let time =
        if separation > 0.0 { first_near(kind, query, separation, counts) } else { first_touch(kind, query, counts) };
    counts.contacts += u64::from(time.is_some());
    time
}

/// What the first two stages know.
enum Verdict {
    Touch(f64),
    Unsure,
}

#[inline]
fn first_touch(kind: PairKind, query: &Query, counts: &mut CcdCounts) -> Option<f64> {
    let vectors = |points: &[DVec3; 4]| [points[1] - points[0], points[2] - points[0], points[3] - points[0]];
    let (start, end) = (vectors(&query.start), vectors(&query.end));
    let reach: [DVec3; 3] = std::array::from_fn(|k| start[k].abs().max(end[k].abs()));
    let cubic = Cubic::new(&start, &end, &reach);
    if cubic.is_never_zero() {
        return None;
    }
    if !cubic.is_finite() {
        counts.exact += 1;
        return exact::first_touch(kind, query);
    }
    let flow = cubic.spans(|span| {
        counts.spans += 1;
        follow(span, inside(kind, [&start, &end], &reach, [span.start, span.end]))
    });
    match flow {
        ControlFlow::Continue(()) => None,
        ControlFlow::Break(Verdict::Touch(time)) => Some(time),
        ControlFlow::Break(Verdict::Unsure) => decide_unsure(kind, query, &cubic, counts),
    }
}

/// What a span and the signs in it mean.
#[inline]
fn follow(span: Span, inside: Inside) -> ControlFlow<Verdict> {
    match (inside, span.kind) {
        (Inside::Never, _) => ControlFlow::Continue(()),
        // Time 0 is the answer of pairs that begin touching; whether this one does is for exact arithmetic.
        (Inside::Surely, SpanKind::Crossing) if span.start > 0.0 && span.end - span.start < TIME_TOLERANCE => {
            ControlFlow::Break(Verdict::Touch(span.start))
        }
        _ => ControlFlow::Break(Verdict::Unsure),
    }
}

#[cold]
fn decide_unsure(kind: PairKind, query: &Query, cubic: &Cubic, counts: &mut CcdCounts) -> Option<f64> {
    // Seen along an axis a coordinate that is not finite is hidden.
    if !query.start.iter().chain(&query.end).all(|p| p.is_finite()) {
        return Some(0.0);
    }
    let known = aligned::in_plane(kind, query).or_else(|| {
        match cubic.spans(|span| follow(span, aligned::on_border(kind, query, span))) {
            ControlFlow::Continue(()) => Some(None),
            ControlFlow::Break(Verdict::Touch(time)) => Some(Some(time)),
            ControlFlow::Break(Verdict::Unsure) => None,
        }
    });
    if let Some(known) = known {
        counts.aligned += 1;
        return known;
    }
    let goal = Goal { separation: 0.0, near: 0.0, most_steps: MOST_TOUCH_STEPS };
    match advance(kind, query, goal, &mut counts.refinements) {
        Advance::Clear => None,
        Advance::Until(_) => {
            counts.exact += 1;
            exact::first_touch(kind, query)
        }
    }
}

fn first_near(kind: PairKind, query: &Query, separation: f64, counts: &mut CcdCounts) -> Option<f64> {
    let near = separation * (1.0 + SEPARATION_TOLERANCE);
    let goal = Goal { separation, near, most_steps: MOST_SEPARATION_STEPS };
    match advance(kind, query, goal, &mut counts.refinements) {
        Advance::Clear => None,
        Advance::Until(time) => Some(time),
    }
}
