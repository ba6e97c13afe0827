//! A search in pieces of the step, for methods that refuse long motion (W 5.3.2, fig. 5.3).

use super::{BroadPhase, BroadPhaseError, Counts};
use crate::{Candidates, Surface, Sweep};
use glam::DVec3;

/// Pieces beyond which the error is handed on.
const MOST_PIECES: u32 = 1 << 12;

/// Rounding of a position between the ends, in units of the largest coordinate [-]: three operations, twice.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Halves the step until the method accepts the pieces, and joins what it finds in them.
///
/// The pairs are those that overlap in one of the pieces: a part of the whole step's box pairs, and every one that can be
/// a contact. The counts are the sums over the pieces.
#[derive(Clone, Debug, Default)]
pub struct InPieces<P> {
    phase: P,
    pieces: u32,
}

impl<P: BroadPhase> InPieces<P> {
    /// Runs `phase` in pieces.
    pub fn new(phase: P) -> Self {
        InPieces { phase, pieces: 1 }
    }

    /// Pieces of the last search [-].
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    fn run(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        out: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        let coordinates = sweep.start().iter().chain(sweep.end()).map(|p| p.abs().max_element());
        let thickness = thickness + ROUNDING * coordinates.fold(0.0, f64::max);
        let at = |k: u32| -> Vec<DVec3> {
            let t = f64::from(k) / f64::from(self.pieces);
            sweep.start().iter().zip(sweep.end()).map(|(&a, &b)| a * (1.0 - t) + b * t).collect()
        };
        let mut counts = Counts::default();
        let mut found = Candidates::default();
        let mut start = at(0);
        for k in 1..=self.pieces {
            let end = at(k);
            // Positions between finite ends are finite; the whole step would do as well.
            let piece = Sweep::new(surface, &start, &end).unwrap_or(*sweep);
            counts = counts.plus(self.phase.find(surface, &piece, thickness, &mut found)?);
            out.vertex_face.append(&mut found.vertex_face);
            out.edge_edge.append(&mut found.edge_edge);
            start = end;
        }
        out.sort();
        out.vertex_face.dedup();
        out.edge_edge.dedup();
        Ok(counts)
    }
}

impl<P: BroadPhase> BroadPhase for InPieces<P> {
    fn name(&self) -> &'static str {
        self.phase.name()
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.pieces = 1;
        loop {
            candidates.clear();
            let result = if self.pieces == 1 {
                self.phase.find(surface, sweep, thickness, candidates)
            } else {
                self.run(surface, sweep, thickness, candidates)
            };
            match result {
                Err(BroadPhaseError::NeedsShorterStep { .. }) if self.pieces < MOST_PIECES => self.pieces *= 2,
                result => return result,
            }
        }
    }
}
