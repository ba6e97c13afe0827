//! The exact judge: is every frame clean?

use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_collision::intersections_of;
use muslin_contact::Near;

impl Simulation {
    /// Counts the pairs of triangles that cross in a frame, those of two obstacles left out.
    pub(crate) fn judge(&mut self, frame: &[DVec3]) -> Result<(), SimError> {
        let Some(stage) = self.contact.take() else { return Ok(()) };
        let reach = frame.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        self.tally.largest_coordinate = self.tally.largest_coordinate.max(reach);
        self.tally.exempt_frames += u64::from(!self.state.exemptions.is_empty());
        let time = self.state.time;
        let surface = stage.finder.surface();
        let cloth = |t: u32| !stage.finder.is_obstacle(surface.triangles()[t as usize][0]);
        let crossings = self.stage(Stage::Commit, |_| intersections_of(surface, frame, cloth)).map(|list| list.len());
        self.contact = Some(stage);
        self.tally.crossings += crossings.map_err(|source| SimError::Search { time, source: source.into() })? as u64;
        Ok(())
    }

    /// Pairs that the zero motion of the state leaves too near, those that are exempt left out: none in a committed state.
    pub fn violations_at_rest(&mut self) -> Result<usize, SimError> {
        let Some(mut stage) = self.contact.take() else { return Ok(0) };
        let start = self.state.positions.clone();
        let found = self.search(&mut stage, &start);
        self.contact = Some(stage);
        Ok(found?.violations(&start, &start).len())
    }

    /// Whether all frames so far passed: nothing crosses in any, and contact was switched off nowhere.
    pub fn is_clean(&self) -> bool {
        let tally = &self.tally;
        tally.crossings == 0 && tally.pinches.is_empty() && tally.exempt_frames == 0 && !self.is_too_far()
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
