//! The adaptive step on stretch (Baraff and Witkin 1998, section 6; V 4.2.6): when to accept a step, when to
//! throw it away and try a shorter one, and when to dare a longer one. A pure policy; it moves nothing.
//!
//! Instability shows in the stretch first, because stretch is stiffest. A step within which a triangle's
//! warp or weft stretch changes too much is discarded and halved. After enough successes the step doubles;
//! if the first longer step fails, it halves again and waits twice as long before the next attempt, until
//! one succeeds. A change that adds to a stretch which is beyond the limit as a whole counts fourfold: two steps, each within
//! the limit, could otherwise stretch a triangle by twice as much.
//!
//! Two more limits are for motions that a long step does not stretch, and gets wrong all the same:
//!
//! * *The turn of a triangle.* Cloth that lands on its edge and moves by most of an edge length within a step is laid in pleats of one
//!   edge, because that is the least change of velocities in a single step. In shorter ones it bends.
//! * *The correction.* Responses that correct the end of a step (a filter of velocities) come too late for the solve: cloth on the
//!   ground gives way under cloth that stands on it, is put back, and the edge between them is shortened until what the solve takes back of that
//!   in a step bears the weight of n vertices: by n g h², whatever the stiffness. At 1/60 s that is 2.7 mm each, and springs back one day.
//!
//! Those shorten a step to [`SHORTEST_PART`] of the largest at most, because what snaps over or meets something fast does so in any
//! step. What the policy remembers is in the [`State`], so that a resumed run takes the same steps.

use crate::settings::AdaptiveSettings;
use glam::DVec3;
use muslin_model::{Model, State, parallel};

/// The longest wait, in successes: failures of the past are forgotten at last.
const LONGEST_WAIT: u32 = 64;
/// No step is shorter than this part of the largest [-], whatever the settings say: time must go on.
const SMALLEST_PART: f64 = 1e-9;
/// A stretch of time is cut into steps at most this much longer than the adaptive one [-], so that rounding
/// makes no sliver of a step.
const STEP_SLACK: f64 = 1e-9;

/// How much more a change counts that takes a stretch away from 1 and beyond the limit of a single step's change [-].
const BEYOND: f64 = 4.0;

/// A step no longer than this part of the largest [-] is not halved for a turn or a correction.
pub const SHORTEST_PART: f64 = 1.0 / 64.0;

/// How an attempted step went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attempt {
    /// It was computed.
    Computed {
        /// See [`largest_stretch_change`] [-].
        stretch_change: f64,
        /// See [`largest_turn`] [°].
        turn: f64,
        /// See [`largest_correction`] [-].
        correction: f64,
    },
    /// The integrator gave up.
    Failed,
}

/// What to do with an attempted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Commit it.
    Accept,
    /// Go back to its start and take a shorter one.
    Retry,
    /// It is as short as the settings allow, and still bad.
    GiveUp,
}

/// The policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveStep {
    settings: AdaptiveSettings,
    /// Largest step [s].
    largest: f64,
}

impl AdaptiveStep {
    /// A policy with the scene's largest step [s].
    pub fn new(settings: AdaptiveSettings, largest: f64) -> Self {
        AdaptiveStep { settings, largest }
    }

    /// Largest change of stretch within a step [-].
    pub fn most_stretch(&self) -> f64 {
        self.settings.most_stretch
    }

    /// Whether the turn of triangles matters.
    pub fn limits_turns(&self) -> bool {
        self.settings.most_turn_degrees < AdaptiveSettings::ANY_TURN
    }

    /// Whether corrections matter.
    pub fn limits_corrections(&self) -> bool {
        self.settings.most_correction < AdaptiveSettings::ANY_CORRECTION
    }

    /// The step to try now, for a stretch of time that is left until a frame or another fixed time [s]: that
    /// time cut into equal steps no longer than the adaptive one.
    pub fn propose(&self, state: &State, left: f64) -> f64 {
        left / (left / self.step(state) - STEP_SLACK).ceil().max(1.0)
    }

    /// Judges a step of this length [s], and learns from it.
    pub fn judge(&self, state: &mut State, step: f64, attempt: Attempt) -> Verdict {
        state.adaptive_step = self.step(state);
        state.adaptive_wait = state.adaptive_wait.max(self.settings.successes.max(1));
        // A NaN is not a success.
        let good = match attempt {
            Attempt::Computed { stretch_change, turn, correction } => {
                let AdaptiveSettings { most_stretch, most_turn_degrees, most_correction, .. } = self.settings;
                let fine = turn <= most_turn_degrees && correction <= most_correction;
                stretch_change <= most_stretch && (fine || step <= SHORTEST_PART * self.largest)
            }
            Attempt::Failed => false,
        };
        if good {
            self.learn_success(state);
            return Verdict::Accept;
        }
        if state.adaptive_grown {
            state.adaptive_wait = (2 * state.adaptive_wait).min(LONGEST_WAIT.max(self.settings.successes));
        }
        state.adaptive_grown = false;
        state.adaptive_successes = 0;
        // Half of what was tried, which may have been shorter than the adaptive step to meet a frame.
        state.adaptive_step = 0.5 * step.min(state.adaptive_step);
        let smallest = self.settings.smallest_step.clamp(SMALLEST_PART * self.largest, self.largest);
        if state.adaptive_step < smallest {
            state.adaptive_step = smallest;
            // One attempt at the smallest step itself, unless this was it.
            return if step > state.adaptive_step * (1.0 + STEP_SLACK) { Verdict::Retry } else { Verdict::GiveUp };
        }
        Verdict::Retry
    }

    fn learn_success(&self, state: &mut State) {
        if state.adaptive_grown {
            state.adaptive_grown = false;
            state.adaptive_wait = self.settings.successes.max(1);
        }
        state.adaptive_successes += 1;
        if state.adaptive_successes >= state.adaptive_wait && state.adaptive_step < self.largest {
            state.adaptive_step = (2.0 * state.adaptive_step).min(self.largest);
            state.adaptive_successes = 0;
            state.adaptive_grown = true;
        }
    }

    fn step(&self, state: &State) -> f64 {
        if state.adaptive_step > 0.0 { state.adaptive_step.min(self.largest) } else { self.largest }
    }
}

/// The largest change of warp or weft stretch of a cloth triangle between two states [-], and the triangle.
/// Changes that leave a stretch more than `far` from 1 [-], and farther than it was, count [`BEYOND`] times. Not finite if
/// a state is not.
pub fn largest_stretch_change(model: &Model, start: &[DVec3], end: &[DVec3], far: f64) -> (f64, usize) {
    let faces = model.cloth_triangles().len();
    let worse = |a: (f64, usize), b: (f64, usize)| if b.0 <= a.0 || a.0.is_nan() { a } else { b };
    // Maxima do not depend on order, so pieces may be of any size.
    let pieces = parallel::map(faces.div_ceil(parallel::CHUNK), |c| {
        let piece = c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(faces);
        piece.fold((0.0, 0), |most, face| {
            let (before, after) = (stretch(model, face, start), stretch(model, face, end));
            let change: [f64; 2] = std::array::from_fn(|k| {
                let [was, is] = [before[k] - 1.0, after[k] - 1.0].map(f64::abs);
                let beyond = if is > far { BEYOND * (is - was) } else { 0.0 };
                // Not `max`, which would take a NaN for nothing.
                let change = (after[k] - before[k]).abs();
                if beyond > change { beyond } else { change }
            });
            worse(worse(most, (change[0], face)), (change[1], face))
        })
    });
    pieces.into_iter().fold((0.0, 0), worse)
}

/// The largest angle between the normals of a cloth triangle in two states [°].
pub fn largest_turn(model: &Model, start: &[DVec3], end: &[DVec3]) -> f64 {
    let triangles = &model.mesh.triangles[model.cloth_triangles()];
    let pieces = parallel::map(triangles.len().div_ceil(parallel::CHUNK), |c| {
        let piece = &triangles[c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(triangles.len())];
        piece.iter().fold(0.0, |most, corners| {
            let [before, after] = [start, end].map(|x| {
                let [a, b, c] = corners.map(|v| x[v as usize]);
                (b - a).cross(c - a)
            });
            f64::max(most, before.cross(after).length().atan2(before.dot(after)))
        })
    });
    pieces.into_iter().fold(0.0, f64::max).to_degrees()
}

/// By how much a correction takes the warp or weft stretch of a cloth triangle farther from 1 than it was [-].
pub fn largest_correction(model: &Model, integrated: &[DVec3], corrected: &[DVec3]) -> f64 {
    let faces = model.cloth_triangles().len();
    let pieces = parallel::map(faces.div_ceil(parallel::CHUNK), |c| {
        let piece = c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(faces);
        piece.fold(0.0, |most, face| {
            let [was, is] = [integrated, corrected].map(|x| stretch(model, face, x).map(|s| (s - 1.0).abs()));
            f64::max(most, f64::max(is[0] - was[0], is[1] - was[1]))
        })
    });
    pieces.into_iter().fold(0.0, f64::max)
}

/// Length of a triangle's warp and weft vectors, w_u and w_v of Baraff and Witkin (1998, equation 9) [-].
fn stretch(model: &Model, face: usize, positions: &[DVec3]) -> [f64; 2] {
    let [p0, p1, p2] = model.mesh.uv[face];
    let [x0, x1, x2] = model.mesh.triangles[face].map(|v| positions[v as usize]);
    let (a, b, d1, d2) = (p1 - p0, p2 - p0, x1 - x0, x2 - x0);
    let det = a.perp_dot(b);
    [((d1 * b.y - d2 * a.y) / det).length(), ((d2 * a.x - d1 * b.x) / det).length()]
}
