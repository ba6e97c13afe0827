//! Which broad phase and which continuous test a search uses.
//!
//! All broad phases find the same impacts (of a pair within a millionth of its separation each may say either), so the
//! choice changes how long a run takes and not what comes out. The tree's search is fused with the continuous test and
//! keeps the order of its blocks; the others are asked for their candidates.

use crate::finder::FinderError;
use glam::DVec3;
use muslin_collision::{
    BroadPhase, DetectSettings, Detection, Detector, Surface, Sweep,
    broad_phase::BroadPhaseKind,
    detect::{detect_again_in_two_stages, detect_in_two_stages},
    narrow_phase::CcdMethod,
};
use std::fmt;

/// How pairs are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchSettings {
    /// What finds the pairs that may meet.
    pub broad_phase: BroadPhaseKind,
    /// What decides them. Others than the default miss contacts.
    pub method: CcdMethod,
}

/// A broad phase with what it keeps from call to call.
pub(crate) enum Search {
    /// The tree, in one pass with the continuous test.
    Fused(Box<Detector>),
    /// Any other.
    TwoStage(Box<dyn BroadPhase>),
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Search::Fused(_) => f.write_str("tree"),
            Search::TwoStage(broad_phase) => f.write_str(broad_phase.name()),
        }
    }
}

impl Search {
    /// The broad phase of a kind, for a mesh that is at rest at some positions [m].
    pub fn new(kind: BroadPhaseKind, surface: &Surface, rest: &[DVec3]) -> Result<Self, FinderError> {
        Ok(match kind {
            BroadPhaseKind::Tree => Search::Fused(Box::new(Detector::with_order_of(surface, rest)?)),
            other => Search::TwoStage(other.build()),
        })
    }

    /// The detector, if its tree is what finds pairs.
    pub fn detector(&self) -> Option<&Detector> {
        match self {
            Search::Fused(detector) => Some(detector),
            Search::TwoStage(_) => None,
        }
    }

    /// All impacts of a motion.
    pub fn detect(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        settings: &DetectSettings,
    ) -> Result<Detection, FinderError> {
        Ok(match self {
            Search::Fused(detector) => detector.detect(surface, sweep, settings),
            Search::TwoStage(broad_phase) => detect_in_two_stages(broad_phase.as_mut(), surface, sweep, settings)?,
        })
    }

    /// Takes back a detection that nobody needs any more.
    pub fn give_back(&mut self, detection: Detection) {
        if let Search::Fused(detector) = self {
            detector.give_back(detection);
        }
    }

    /// All impacts with a vertex that moved since the last search, and maybe others; none where the broad phase knows
    /// no such search.
    pub fn detect_again(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        settings: &DetectSettings,
        moved: &[u32],
    ) -> Result<Option<Detection>, FinderError> {
        match self {
            Search::TwoStage(broad_phase) if broad_phase.searches_again() => {
                Ok(Some(detect_again_in_two_stages(broad_phase.as_mut(), surface, sweep, settings, moved)?))
            }
            _ => Ok(None),
        }
    }
}
