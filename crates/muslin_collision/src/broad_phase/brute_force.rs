//! The slow twin of all broad phases: every pair is tested.

use super::{BroadPhase, BroadPhaseError, Counts};
use crate::boxes::SweptBoxes;
use crate::{Candidates, Surface, Sweep};

/// Tests each vertex with each face and each edge with each other.
#[derive(Clone, Debug, Default)]
pub struct BruteForce {
    boxes: SweptBoxes,
}

impl BroadPhase for BruteForce {
    fn name(&self) -> &'static str {
        "brute-force"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.boxes.update(surface, sweep, thickness);
        candidates.clear();
        for (v, a) in self.boxes.vertices.iter().enumerate() {
            for (f, b) in self.boxes.faces.iter().enumerate() {
                if a.overlaps(b) && !surface.vertex_touches_face(v as u32, f as u32) {
                    candidates.vertex_face.push([v as u32, f as u32]);
                }
            }
        }
        for (i, a) in self.boxes.edges.iter().enumerate() {
            for (j, b) in self.boxes.edges.iter().enumerate().skip(i + 1) {
                if a.overlaps(b) && !surface.edges_touch(i as u32, j as u32) {
                    candidates.edge_edge.push([i as u32, j as u32]);
                }
            }
        }
        let (v, e, f) = (self.boxes.vertices.len(), self.boxes.edges.len(), self.boxes.faces.len());
        let tests = (v * f + e * e.saturating_sub(1) / 2) as u64;
        Ok(Counts { tests, ..Counts::default() })
    }
}
