//! Detection in two stages: any broad phase, then the certified test of each candidate.
//!
//! The default detection fuses both; this one serves every other broad phase, and shows what each stage costs.

use super::{DetectSettings, Detection, Detector, Impact};
use crate::broad_phase::{BroadPhase, BroadPhaseError, BroadPhaseKind};
use crate::narrow_phase::{minimum_separation, time_of_impact};
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

/// All impacts of a motion: the broad phase's candidates, each decided by the certified test.
pub fn detect_in_two_stages(
    broad_phase: &mut dyn BroadPhase,
    surface: &Surface,
    sweep: &Sweep,
    settings: &DetectSettings,
) -> Result<Detection, BroadPhaseError> {
    let begin = Instant::now();
    let mut candidates = Candidates::default();
    let mut detection = Detection::default();
    detection.counts.broad_phase = broad_phase.find(surface, sweep, settings.thickness, &mut candidates)?;
    detection.counts.vertex_face_candidates = candidates.vertex_face.len() as u64;
    detection.counts.edge_edge_candidates = candidates.edge_edge.len() as u64;
    detection.counts.refined = candidates.len() as u64;
    detection.cost.broad = begin.elapsed();
    let begin = Instant::now();
    detection.vertex_face = decide(&candidates.vertex_face, |[a, b]| {
        let [p, q, r] = surface.triangles()[b as usize];
        let separation = separation(PairKind::VertexFace, [a, p, q, r], settings);
        time_of_impact(PairKind::VertexFace, &sweep.vertex_face(surface, a, b), separation)
    });
    detection.edge_edge = decide(&candidates.edge_edge, |[a, b]| {
        let ([p, q], [r, s]) = (surface.edges()[a as usize], surface.edges()[b as usize]);
        let separation = separation(PairKind::EdgeEdge, [p, q, r, s], settings);
        time_of_impact(PairKind::EdgeEdge, &sweep.edge_edge(surface, a, b), separation)
    });
    detection.cost.narrow = begin.elapsed();
    Ok(detection)
}

/// The distance that a pair must keep [m].
fn separation(kind: PairKind, vertices: [u32; 4], settings: &DetectSettings) -> f64 {
    match settings.rest {
        Some(rest) if settings.thickness > 0.0 => {
            minimum_separation(kind, vertices.map(|v| rest[v as usize]), settings.thickness)
        }
        _ => settings.thickness,
    }
}

/// The impacts among some pairs, in ascending order.
fn decide(pairs: &[[u32; 2]], time: impl Fn([u32; 2]) -> Option<f64> + Sync + Send) -> Vec<Impact> {
    let pieces = parallel::map(pairs.len().div_ceil(PIECE), |piece| {
        let part = &pairs[piece * PIECE..((piece + 1) * PIECE).min(pairs.len())];
        let impact = |&pair: &[u32; 2]| time(pair).map(|time| Impact { a: pair[0], b: pair[1], time });
        part.iter().filter_map(impact).collect::<Vec<Impact>>()
    });
    let mut impacts = pieces.concat();
    impacts.sort_unstable_by_key(|i| (i.a, i.b));
    impacts
}
