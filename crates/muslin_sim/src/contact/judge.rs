//! The exact judge: is every frame clean?
//!
//! A frame does not change any more, so it can be judged while the next one is simulated: a step has stretches in which only one
//! thread has something to do. Whoever wants that asks for it, and for the last verdict at the end.

use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_collision::{Surface, intersections_of};
use muslin_contact::Near;
use muslin_model::parallel;
use std::sync::Arc;

/// When frames are judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Judging {
    /// At once.
    #[default]
    AtOnce,
    /// Beside the steps that follow; this one waits for them, if any.
    Beside(Option<Waiting>),
}

/// A frame that waits to be judged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Waiting {
    frame: Vec<DVec3>,
    /// Its time [s].
    time: f64,
    surface: Arc<Surface>,
    /// Triangles whose first vertex is below are cloth.
    cloth_end: u32,
}

/// How many pairs of triangles cross in a frame, those of two obstacles left out; or why nobody can tell.
type Crossings = Result<u64, SimError>;

impl Waiting {
    fn crossings(&self) -> Crossings {
        let cloth = |t: u32| self.surface.triangles()[t as usize][0] < self.cloth_end;
        let found = intersections_of(&self.surface, &self.frame, cloth);
        let found = found.map_err(|source| SimError::Search { time: self.time, source: source.into() });
        Ok(found?.len() as u64)
    }
}

impl Simulation {
    /// Judges frames beside the steps that follow them, on threads that have nothing to do. The tally's `crossings` are then those of
    /// the frames before the last one until [`Self::finish_judging`]. On a single thread nothing changes.
    pub fn judge_beside_steps(&mut self) {
        if self.judging == Judging::AtOnce && parallel::threads() > 1 {
            self.judging = Judging::Beside(None);
        }
    }

    /// Judges the last frame, if it waits for that.
    pub fn finish_judging(&mut self) -> Result<(), SimError> {
        let waiting = self.waiting_for_judge();
        waiting.map_or(Ok(()), |waiting| self.count_crossings(waiting.crossings()))
    }

    fn waits_for_judge(&self) -> bool {
        matches!(self.judging, Judging::Beside(Some(_)))
    }

    /// Forgets the frame that waits to be judged: another course is taken up.
    pub(crate) fn forget_waiting(&mut self) {
        let _ = self.waiting_for_judge();
    }

    /// What the frame that waits adds to the tally's `crossings`. A frame that cannot be searched counts as one.
    pub(crate) fn crossings_waiting(&self) -> u64 {
        match &self.judging {
            Judging::Beside(Some(waiting)) => waiting.crossings().unwrap_or(1),
            _ => 0,
        }
    }

    /// The frame that waits to be judged.
    fn waiting_for_judge(&mut self) -> Option<Waiting> {
        match &mut self.judging {
            Judging::AtOnce => None,
            Judging::Beside(waiting) => waiting.take(),
        }
    }

    fn count_crossings(&mut self, crossings: Crossings) -> Result<(), SimError> {
        self.tally.crossings += crossings?;
        Ok(())
    }

    /// Does something while the frame that waits is judged. What goes wrong with the frame counts first.
    pub(crate) fn judging_beside<R>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<R, SimError>,
    ) -> Result<R, SimError> {
        let Some(waiting) = self.waiting_for_judge() else { return body(self) };
        let (result, crossings) = parallel::beside(|| body(self), || waiting.crossings());
        self.count_crossings(crossings)?;
        result
    }

    /// Counts the pairs of triangles that cross in a frame, those of two obstacles left out, or lets it wait for that.
    pub(crate) fn judge(&mut self, frame: &[DVec3]) -> Result<(), SimError> {
        let Some(stage) = &self.contact else { return Ok(()) };
        let reach = frame.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        self.tally.largest_coordinate = self.tally.largest_coordinate.max(reach);
        self.tally.exempt_frames += u64::from(!self.state.exemptions.is_empty());
        let waiting = Waiting {
            frame: frame.to_vec(),
            time: self.state.time,
            surface: stage.finder.shared_surface(),
            cloth_end: self.model.cloth_vertices().end as u32,
        };
        if let Judging::Beside(place) = &mut self.judging {
            *place = Some(waiting);
            return Ok(());
        }
        let crossings = self.stage(Stage::Commit, |_| waiting.crossings());
        self.count_crossings(crossings)
    }

    /// Pairs that the zero motion of the state leaves too near, those that are exempt left out: none in a committed state.
    pub fn violations_at_rest(&mut self) -> Result<usize, SimError> {
        let Some(mut stage) = self.contact.take() else { return Ok(0) };
        let start = self.state.positions.clone();
        let found = self.search(&mut stage, &start);
        self.contact = Some(stage);
        Ok(found?.violations(&start, &start).len())
    }

    /// Whether all frames so far have been judged and passed: nothing crosses in any, and contact was switched off nowhere.
    pub fn is_clean(&self) -> bool {
        let tally = &self.tally;
        !self.waits_for_judge()
            && tally.crossings == 0
            && tally.pinches.is_empty()
            && tally.exempt_frames == 0
            && !self.is_too_far()
    }

    /// The vertices of a pair, each with its body.
    pub(crate) fn names_of(&self, pair: &Near) -> String {
        let name = |v: u32| {
            let body = self.model.body_of_vertex(v as usize);
            format!("{} of `{}`", v as usize - body.vertices.start, body.name)
        };
        pair.vertices.map(name).join(", ")
    }
}
