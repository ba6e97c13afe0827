//! What contact shows of itself: what presses where, which zones responded, which boxes were searched.

use super::supports::SLIP;
use crate::simulation::Simulation;
use glam::DVec3;
use muslin_collision::{Box3, PairKind, narrow_phase::Proximity};
use muslin_contact::{Round, gaps::vertices};

/// A spring of friction that is stretched to this part of its length gives way [-]: all of it, but for rounding.
const GIVES_WAY: f64 = 1.0 - 1e-9;

/// What friction does in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grip {
    /// It holds.
    Sticks,
    /// It has reached its limit.
    Slips,
}

/// A contact that presses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressingContact {
    /// Its vertices in the model.
    pub vertices: [u32; 4],
    /// Normal force on each [N]; together zero.
    pub forces: [DVec3; 4],
    /// Distance of its sides [m].
    pub gap: f64,
    /// Nearest point of its first side [m].
    pub point: DVec3,
    /// Direction from its second side to its first [-].
    pub normal: DVec3,
    /// What friction does.
    pub grip: Grip,
}

impl Simulation {
    /// Whether contact is handled, and so whether crossings are counted.
    pub fn has_contact(&self) -> bool {
        self.contact.is_some()
    }

    /// The contacts that press at the end of the last step. From the state alone, so that they are the same after a
    /// restart; the friction within them is left out of the forces.
    pub fn pressing_contacts(&self) -> impl Iterator<Item = PressingContact> {
        let stage = self.contact.as_ref();
        self.state.anchors.iter().filter_map(move |anchor| {
            let stage = stage?;
            let [kind, a, b] = anchor.pair;
            let kind = if kind == 0 { PairKind::VertexFace } else { PairKind::EdgeEdge };
            let vertices = vertices(stage.finder.surface(), kind, a, b);
            let points = vertices.map(|v| self.state.positions[v as usize]);
            let near = Proximity::new(kind, points);
            let normal = near.vector.try_normalize()?;
            let forces = near.weights.map(|w| normal * (w * anchor.force));
            let law = stage.laws.between(&vertices);
            let slips = if law.is_coulomb() && !stage.constrains() {
                let slip = SLIP * stage.finder.gaps().range(kind, vertices);
                law.sticking == 0.0 || anchor.stretch.length() >= GIVES_WAY * slip
            } else {
                anchor.slip > 0.0
            };
            let grip = if slips { Grip::Slips } else { Grip::Sticks };
            Some(PressingContact { vertices, forces, gap: near.distance, point: near.point_a(points), normal, grip })
        })
    }

    /// Largest gap at which contact begins [m]; 0 without contact.
    pub fn contact_range(&self) -> f64 {
        self.contact.as_ref().map_or(0.0, |stage| stage.finder.gaps().largest())
    }

    /// Pairs that came within their range in the last step, as the solve foresaw them where it holds them off.
    pub fn near_pairs(&self) -> usize {
        self.contact.as_ref().map_or(0, |stage| stage.near_pairs())
    }

    /// The impact zones of the last step: the vertices of each that could move. Most steps have none.
    pub fn impact_zones(&self) -> &[Vec<u32>] {
        self.contact.as_ref().map_or(&[], |stage| &stage.zones)
    }

    /// The rounds of the cascade in the last step that needed it: who responded, how it went, what was searched after.
    pub fn response_rounds(&self) -> &[Round] {
        self.contact.as_ref().map_or(&[], |stage| &stage.rounds)
    }

    /// Levels of the tree that the last motion was searched with; 0 without contact, or with another broad phase.
    pub fn search_levels(&self) -> usize {
        self.contact.as_ref().and_then(|stage| stage.finder.detector()).map_or(0, |detector| detector.levels())
    }

    /// The boxes on a level of that tree [m]; 0 are the faces.
    pub fn search_boxes(&self, level: usize) -> Vec<Box3> {
        let detector = self.contact.as_ref().and_then(|stage| stage.finder.detector());
        detector.map_or(Vec::new(), |detector| detector.boxes(level))
    }
}
