//! Which pairs come near each other in a motion.
//!
//! One pass of the detector at the largest range finds every pair that comes within its range between start and
//! end, each with a time not later than the first at which it does. All that contact needs follows from that list:
//! what repels, what violates the check, the smallest gap. Where only violations are asked for, a pass at a smaller reach finds
//! them. Pairs of which the scene moves all vertices are left
//! out: nothing could be done about them.

use crate::{
    contact::{Contact, PairKey},
    gaps::{CHECK, Gaps, vertices},
    neighbourhood::Neighbourhood,
    search::{Search, SearchSettings},
};
use glam::DVec3;
use muslin_collision::{
    BroadPhaseError, DetectSettings, Detection, Detector, PairKind, Query, Surface, SurfaceError, Sweep, SweepError,
    detect::{DetectionCost, DetectionCounts},
    narrow_phase::{CcdMethod, Proximity, time_of_impact},
};
use muslin_model::{Model, parallel};
use std::sync::Arc;

/// Searches for violations reach farther than the check by this factor [-]: far beyond the tolerance of a test, of which a pair
/// that comes just as near may be called either.
const MARGIN: f64 = 1.001;

/// Lists of pairs that are kept for their memory: those of a step.
const MOST_SPARE: usize = 4;

/// Pairs per piece of parallel work.
const PIECE: usize = 256;

/// Finds pairs; keeps its memory from call to call.
#[derive(Debug)]
pub struct Finder {
    surface: Arc<Surface>,
    search: Search,
    method: CcdMethod,
    gaps: Gaps,
    neighbourhood: Arc<Neighbourhood>,
    /// Vertices from here on belong to obstacles.
    cloth_end: u32,
    /// Lists of pairs whose memory serves again.
    spare: Vec<Vec<Near>>,
}

/// A pair that comes within its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which pair.
    pub key: PairKey,
    /// Its vertices.
    pub vertices: [u32; 4],
    /// A fraction of the step not later than the first at which it is within its range, or within the reach of the search if
    /// that is less [-].
    pub time: f64,
    /// The range [m].
    pub range: f64,
}

/// Which pairs a search tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All.
    #[default]
    All,
    /// Those around what moved since the search before.
    Around,
}

/// What a motion brings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Which pairs were tested for it.
    pub scope: Scope,
    /// Pairs that stay farther apart than this are left out [m].
    pub reach: f64,
    /// The pairs, in ascending order.
    pub near: Vec<Near>,
    /// How much was tested.
    pub counts: DetectionCounts,
    /// How long it took.
    pub cost: DetectionCost,
}

impl Near {
    /// The pair's motion.
    pub fn query(&self, start: &[DVec3], end: &[DVec3]) -> Query {
        Query { start: self.vertices.map(|v| start[v as usize]), end: self.vertices.map(|v| end[v as usize]) }
    }

    /// The stencil at a fraction of the motion; none where the sides touch.
    pub fn contact(&self, start: &[DVec3], end: &[DVec3], time: f64) -> Option<Contact> {
        Contact::at(self.key, self.vertices, &self.query(start, end), time, self.range)
    }

    /// A fraction of the motion not later than the first at which the pair is nearer than a part of its range;
    /// none if it never is.
    pub fn violates(&self, start: &[DVec3], end: &[DVec3], part: f64) -> Option<f64> {
        time_of_impact(self.key.kind(), &self.query(start, end), part * self.range)
    }

    /// Whether a vertex of it is in a list that ascends.
    pub fn touches(&self, vertices: &[u32]) -> bool {
        self.vertices.iter().any(|v| vertices.binary_search(v).is_ok())
    }

    /// Distance at some positions [m].
    pub fn distance(&self, positions: &[DVec3]) -> f64 {
        Proximity::new(self.key.kind(), self.vertices.map(|v| positions[v as usize])).distance
    }
}

impl Finder {
    /// A finder for a model's mesh.
    pub fn new(model: &Model, settings: SearchSettings) -> Result<Self, FinderError> {
        let surface = Arc::new(Surface::new(model.mesh.positions.len(), &model.mesh.triangles)?);
        let search = Search::new(settings.broad_phase, &surface, &model.mesh.positions)?;
        let (gaps, cloth_end) = (Gaps::new(model), model.cloth_vertices().end as u32);
        let neighbourhood =
            Arc::new(Neighbourhood::new(model.mesh.positions.len(), &model.mesh.triangles, &model.topology));
        Ok(Finder { surface, search, method: settings.method, gaps, neighbourhood, cloth_end, spare: Vec::new() })
    }

    /// How near is near.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// The mesh as detection sees it.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The same for somebody who looks at it beside the finder.
    pub fn shared_surface(&self) -> Arc<Surface> {
        self.surface.clone()
    }

    /// The detector, if its tree is what finds pairs.
    pub fn detector(&self) -> Option<&Detector> {
        self.search.detector()
    }

    /// Whether a vertex belongs to an obstacle.
    pub fn is_obstacle(&self, vertex: u32) -> bool {
        vertex >= self.cloth_end
    }

    /// All pairs with cloth that come within their range in a motion, ascending.
    pub fn find(&mut self, start: &[DVec3], end: &[DVec3]) -> Result<Found, FinderError> {
        self.find_within(start, end, f64::INFINITY)
    }

    /// The same, but only those that come nearer than a reach as well [m]. No violation is missed while the reach is at least
    /// [`Self::least_reach`]; where much cloth lies in layers, a small one leaves out all but a few pairs.
    pub fn find_within(&mut self, start: &[DVec3], end: &[DVec3], reach: f64) -> Result<Found, FinderError> {
        let sweep = Sweep::new(&self.surface, start, end)?;
        let reach = self.bounded(reach);
        // What a pair has at rest is looked at below, for the few that are near.
        let settings = DetectSettings { thickness: reach, rest: None, method: self.method };
        let detection = self.search.detect(&self.surface, &sweep, &settings)?;
        let near = self.near(&detection, start, end, reach);
        let (counts, cost) = (detection.counts, detection.cost);
        self.search.give_back(detection);
        Ok(Found { scope: Scope::All, reach, near, counts, cost })
    }

    /// What lies next to what: which pairs stand for a contact.
    pub fn neighbourhood(&self) -> &Arc<Neighbourhood> {
        &self.neighbourhood
    }

    /// Takes back what was found and is not needed any more: its memory serves the next search.
    pub fn give_back(&mut self, found: Found) {
        if self.spare.len() < MOST_SPARE {
            self.spare.push(found.near);
        }
    }

    /// Every pair that violates the check comes nearer than this, by more than the certified test's tolerance [m]. Other tests
    /// miss pairs, and fewer of those that they look at from afar.
    pub fn least_reach(&self) -> f64 {
        let part = if self.method == CcdMethod::Certified { CHECK * MARGIN } else { 1.0 };
        part * self.gaps.largest()
    }

    fn bounded(&self, reach: f64) -> f64 {
        reach.max(self.least_reach()).min(self.gaps.largest())
    }

    /// The same, where only the ends of some vertices differ from those of the last search, which found `before`. A
    /// broad phase that can do so searches only around them (C6).
    pub fn find_again(
        &mut self,
        start: &[DVec3],
        end: &[DVec3],
        moved: &[u32],
        before: Found,
    ) -> Result<Found, FinderError> {
        let sweep = Sweep::new(&self.surface, start, end)?;
        // What a pair has at rest is looked at below, for the few that are near.
        let reach = self.bounded(before.reach);
        let settings = DetectSettings { thickness: reach, rest: None, method: self.method };
        let Some(detection) = self.search.detect_again(&self.surface, &sweep, &settings, moved)? else {
            return self.find_within(start, end, reach);
        };
        let mut near = self.near(&detection, start, end, reach);
        near.retain(|pair| pair.touches(moved));
        near.extend(before.near.into_iter().filter(|pair| !pair.touches(moved)));
        near.sort_unstable_by_key(|pair| pair.key);
        Ok(Found { scope: Scope::Around, reach, near, counts: detection.counts, cost: detection.cost })
    }

    /// The pairs with cloth among the impacts within a reach [m] that come within their own range.
    fn near(&mut self, detection: &Detection, start: &[DVec3], end: &[DVec3], reach: f64) -> Vec<Near> {
        let of_kind = [(PairKind::VertexFace, &detection.vertex_face), (PairKind::EdgeEdge, &detection.edge_edge)];
        let mut near = self.spare.pop().unwrap_or_default();
        near.clear();
        near.reserve(detection.vertex_face.len() + detection.edge_edge.len());
        for (kind, impacts) in of_kind {
            for impact in impacts {
                let vertices = vertices(&self.surface, kind, impact.a, impact.b);
                if vertices.iter().all(|&v| self.is_obstacle(v)) {
                    continue;
                }
                let range = self.gaps.range(kind, vertices);
                let key = PairKey::new(kind, impact.a, impact.b);
                let mut pair = Near { key, vertices, time: impact.time, range };
                if range < reach {
                    match pair.violates(start, end, 1.0) {
                        Some(time) => pair.time = time,
                        None => continue,
                    }
                }
                near.push(pair);
            }
        }
        near
    }
}

impl Found {
    /// The pairs that violate the check in a motion, with the fraction at which they do.
    pub fn violations(&self, start: &[DVec3], end: &[DVec3]) -> Vec<(Near, f64)> {
        let pieces = parallel::map(self.near.len().div_ceil(PIECE), |piece| {
            let part = &self.near[piece * PIECE..((piece + 1) * PIECE).min(self.near.len())];
            part.iter().filter_map(|near| Some((*near, near.violates(start, end, CHECK)?))).collect::<Vec<_>>()
        });
        pieces.concat()
    }

    /// The smallest distance of any pair at some positions [m]; none without pairs.
    pub fn smallest_gap(&self, positions: &[DVec3]) -> Option<f64> {
        let pieces = parallel::map(self.near.len().div_ceil(PIECE), |piece| {
            let part = &self.near[piece * PIECE..((piece + 1) * PIECE).min(self.near.len())];
            part.iter().map(|near| near.distance(positions)).fold(f64::INFINITY, f64::min)
        });
        pieces.into_iter().reduce(f64::min)
    }
}

/// Why a mesh or a motion cannot be searched.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FinderError {
    /// The triangles are no surface.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The positions are no motion.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The broad phase that was asked for cannot do it.
    #[error(transparent)]
    BroadPhase(#[from] BroadPhaseError),
}
