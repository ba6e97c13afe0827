//! Detection as a whole: two frames in, all impacts out.

mod ascending;
mod decide;
mod fused;
mod two_stage;

pub use fused::Detector;
pub use two_stage::{detect_again_in_two_stages, detect_in_two_stages, detect_with};

use crate::narrow_phase::CcdMethod;
use glam::DVec3;
use std::time::Duration;

/// A pair that meets, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The vertex, or the edge with the lower index.
    pub a: u32,
    /// The face, or the edge with the higher index.
    pub b: u32,
    /// A time not later than the first at which they are as near as their separation; 0 is the start of the
    /// step, 1 its end [-].
    pub time: f64,
}

/// What counts as meeting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetectSettings<'a> {
    /// The distance that primitives must keep [m]; 0 finds what touches.
    pub thickness: f64,
    /// Positions in the rest state [m]. Where given, a pair must keep the smaller of the thickness and half its
    /// distance at rest, so that a flat mesh finer than its thickness does not collide with itself.
    pub rest: Option<&'a [DVec3]>,
    /// The continuous test. Others than the default miss contacts.
    pub method: CcdMethod,
}

/// All impacts of a motion and what they took to find.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// Vertices that meet faces, in ascending order.
    pub vertex_face: Vec<Impact>,
    /// Edges that meet edges, in ascending order.
    pub edge_edge: Vec<Impact>,
    /// How much was tested.
    pub counts: DetectionCounts,
    /// How long it took.
    pub cost: DetectionCost,
}

/// How much was tested; the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectionCounts {
    /// Pairs of vertices and faces whose swept boxes overlap [-].
    pub vertex_face_candidates: u64,
    /// Pairs of edges whose swept boxes overlap [-].
    pub edge_edge_candidates: u64,
    /// What the broad phase reports.
    pub broad_phase: crate::Counts,
    /// Pairs that a filter could not reject and the certified test decided [-].
    pub refined: u64,
}

/// How long detection took; never part of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetectionCost {
    /// Ordering, building or refitting, and searching.
    pub broad: Duration,
    /// Filtering and deciding. Where both phases run interleaved on several threads, the time that passed is
    /// split as the threads spent it.
    pub narrow: Duration,
    /// Memory that the broad phase holds beside the candidates [bytes]; 0 if it does not count it.
    pub bytes: usize,
}
