//! The narrow phase: does this pair meet, and when?

pub mod bisection;
pub mod certified;
pub mod method;
pub mod plane_triangle;
pub mod predicates;
pub mod proximity;
mod scaled;
pub mod segment_triangle;
pub mod textbook;
pub mod triangle_triangle;

pub use certified::{CcdCounts, time_of_impact, time_of_impact_counted};
pub use method::CcdMethod;
pub use plane_triangle::{PlaneMeeting, plane_meets_triangle};
pub use proximity::{Proximity, certain_distance, minimum_separation};
pub use segment_triangle::{segment_meets_triangle, swept_point_meets_triangle};
pub use triangle_triangle::{Meeting, triangles_meet};

use glam::DVec3;

/// The two kinds of pairs of a triangle mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairKind {
    /// Point 0 against the triangle of points 1, 2, 3.
    VertexFace,
    /// The edge of points 0, 1 against the edge of points 2, 3.
    EdgeEdge,
}

/// Four points that move on straight lines during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Positions at the start of the step [m].
    pub start: [DVec3; 4],
    /// Positions at its end [m].
    pub end: [DVec3; 4],
}

impl Query {
    /// Positions at a fraction of the step [m].
    pub fn at(&self, fraction: f64) -> [DVec3; 4] {
        std::array::from_fn(|k| self.start[k] + (self.end[k] - self.start[k]) * fraction)
    }
}
