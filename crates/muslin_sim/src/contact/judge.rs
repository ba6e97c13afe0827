//! The exact judge: is the start clean, and is every frame?

use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_collision::intersections_of;
use muslin_contact::Near;

impl Simulation {
    /// Refuses a start whose zero motion would not pass the check.
    pub(crate) fn check_start(&mut self) -> Result<(), SimError> {
        let Some(mut stage) = self.contact.take() else { return Ok(()) };
        let start = self.state.positions.clone();
        let found = self.search(&mut stage, &start);
        self.contact = Some(stage);
        let violations = found?.violations(&start, &start);
        match violations.first() {
            None => Ok(()),
            Some((pair, _)) => {
                let (pairs, vertices) = (violations.len(), self.names_of(pair));
                Err(SimError::StartsTooNear { pairs, vertices, first: pair.vertices })
            }
        }
    }

    /// Counts the pairs of triangles that cross in a frame, those of two obstacles left out.
    pub(crate) fn judge(&mut self, frame: &[DVec3]) -> Result<(), SimError> {
        let Some(stage) = self.contact.take() else { return Ok(()) };
        let time = self.state.time;
        let surface = stage.finder.surface();
        let cloth = |t: u32| !stage.finder.is_obstacle(surface.triangles()[t as usize][0]);
        let crossings = self.stage(Stage::Commit, |_| intersections_of(surface, frame, cloth)).map(|list| list.len());
        self.contact = Some(stage);
        self.tally.crossings += crossings.map_err(|source| SimError::Search { time, source: source.into() })? as u64;
        Ok(())
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
