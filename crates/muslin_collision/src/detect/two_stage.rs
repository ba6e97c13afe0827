//! Detection in two stages: any broad phase, then the continuous test of each candidate.
//!
//! The default detection fuses both; this one serves every other broad phase, and shows what each stage costs.

use super::decide::Question;
use super::{DetectSettings, Detection, Detector, Impact};
use crate::broad_phase::{BroadPhase, BroadPhaseError, BroadPhaseKind, Counts};
use crate::{Candidates, PairKind, Surface, Sweep};
use muslin_model::parallel;
use std::time::Instant;

/// Candidates per piece of parallel work [-]: some milliseconds of it.
const PIECE: usize = 1 << 14;

/// All impacts of a motion, with a broad phase by its kind, from a fresh object. The tree's detection is fused.
pub fn detect_with(
    kind: BroadPhaseKind,
    surface: &Surface,
    sweep: &Sweep,
    settings: &DetectSettings,
) -> Result<Detection, BroadPhaseError> {
    match kind {
        BroadPhaseKind::Tree => Ok(Detector::default().detect(surface, sweep, settings)),
        other => detect_in_two_stages(other.build().as_mut(), surface, sweep, settings),
    }
}

/// All impacts of a motion: the broad phase's candidates, each decided by the test that the settings name.
pub fn detect_in_two_stages(
    broad_phase: &mut dyn BroadPhase,
    surface: &Surface,
    sweep: &Sweep,
    settings: &DetectSettings,
) -> Result<Detection, BroadPhaseError> {
    let begin = Instant::now();
    let mut candidates = Candidates::default();
    let counts = broad_phase.find(surface, sweep, settings.thickness, &mut candidates)?;
    Ok(narrow(&candidates, counts, begin, Question { surface, sweep, settings }))
}

/// The impacts with a vertex whose end has moved since the last call: nothing else has. Where the broad phase cannot
/// search around what moved, all impacts.
pub fn detect_again_in_two_stages(
    broad_phase: &mut dyn BroadPhase,
    surface: &Surface,
    sweep: &Sweep,
    settings: &DetectSettings,
    moved: &[u32],
) -> Result<Detection, BroadPhaseError> {
    let begin = Instant::now();
    let mut candidates = Candidates::default();
    let counts = broad_phase.find_again(surface, sweep, settings.thickness, moved, &mut candidates)?;
    Ok(narrow(&candidates, counts, begin, Question { surface, sweep, settings }))
}

/// The impacts among the candidates of a search that began at a time.
fn narrow(candidates: &Candidates, counts: Counts, begin: Instant, question: Question) -> Detection {
    let mut detection = Detection::default();
    detection.counts.broad_phase = counts;
    detection.counts.vertex_face_candidates = candidates.vertex_face.len() as u64;
    detection.counts.edge_edge_candidates = candidates.edge_edge.len() as u64;
    detection.counts.refined = candidates.len() as u64;
    detection.cost.broad = begin.elapsed();
    let begin = Instant::now();
    detection.vertex_face = decide(PairKind::VertexFace, &candidates.vertex_face, question);
    detection.edge_edge = decide(PairKind::EdgeEdge, &candidates.edge_edge, question);
    detection.cost.narrow = begin.elapsed();
    detection
}

/// The impacts among some pairs, in ascending order.
fn decide(kind: PairKind, pairs: &[[u32; 2]], question: Question) -> Vec<Impact> {
    let pieces = parallel::map(pairs.len().div_ceil(PIECE), |piece| {
        let part = &pairs[piece * PIECE..((piece + 1) * PIECE).min(pairs.len())];
        part.iter().filter_map(|&pair| question.impact(kind, pair)).collect::<Vec<Impact>>()
    });
    let mut impacts = pieces.concat();
    parallel::sort_by_key(&mut impacts, |i| (i.a, i.b));
    impacts
}
