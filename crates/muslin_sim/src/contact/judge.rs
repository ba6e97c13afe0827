//! The exact judge: is the start clean, and is every frame?

use crate::{
    report::Stage,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_collision::{PairKind, intersections, narrow_phase::Proximity};
use muslin_contact::{Near, gaps::vertices};

/// A contact that presses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressingContact {
    /// Its vertices in the model.
    pub vertices: [u32; 4],
    /// Normal force on each [N]; together zero.
    pub forces: [DVec3; 4],
    /// Distance of its sides [m].
    pub gap: f64,
}

impl Simulation {
    /// Whether contact is handled, and so whether crossings are counted.
    pub fn has_contact(&self) -> bool {
        self.contact.is_some()
    }

    /// Refuses a start whose zero motion would not pass the check.
    pub(crate) fn check_start(&mut self) -> Result<(), SimError> {
        let Some(mut stage) = self.contact.take() else { return Ok(()) };
        let start = self.state.positions.clone();
        let found = self.search(&mut stage, &start);
        self.contact = Some(stage);
        let violations = found?.violations(&start, &start);
        match violations.first() {
            None => Ok(()),
            Some((pair, _)) => Err(SimError::StartsTooNear { pairs: violations.len(), vertices: self.names_of(pair) }),
        }
    }

    /// Counts the pairs of triangles that cross in a frame, those of two obstacles left out.
    pub(crate) fn judge(&mut self, frame: &[DVec3]) -> Result<(), SimError> {
        let Some(stage) = self.contact.take() else { return Ok(()) };
        let time = self.state.time;
        let crossings = self.stage(Stage::Commit, |_| intersections(stage.finder.surface(), frame));
        let obstacle = |t: u32| stage.finder.is_obstacle(stage.finder.surface().triangles()[t as usize][0]);
        let crossings = crossings.map(|list| list.iter().filter(|c| !c.triangles.iter().all(|&t| obstacle(t))).count());
        self.contact = Some(stage);
        self.tally.crossings += crossings.map_err(|source| SimError::Search { time, source: source.into() })? as u64;
        Ok(())
    }

    /// The contacts that press at the end of the last step: vertices, force on each [N], and gap [m]. From the state
    /// alone, so that they are the same after a restart; the friction within them is left out.
    pub fn pressing_contacts(&self) -> impl Iterator<Item = PressingContact> {
        let stage = self.contact.as_ref();
        self.state.anchors.iter().filter_map(move |anchor| {
            let surface = stage?.finder.surface();
            let [kind, a, b] = anchor.pair;
            let kind = if kind == 0 { PairKind::VertexFace } else { PairKind::EdgeEdge };
            let vertices = vertices(surface, kind, a, b);
            let near = Proximity::new(kind, vertices.map(|v| self.state.positions[v as usize]));
            let normal = near.vector.try_normalize()?;
            let forces = near.weights.map(|w| normal * (w * anchor.force));
            Some(PressingContact { vertices, forces, gap: near.distance })
        })
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
