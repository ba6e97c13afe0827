//! Which primitives of a moving triangle mesh meet, when and where.
//!
//! This crate knows positions and triangles, no mass and no force, and is usable alone. A [`Surface`] is the
//! constant part: triangles and their edges. A [`Sweep`] is the straight-line motion of all vertices over
//! one step. A [`BroadPhase`] finds the pairs whose swept boxes overlap; the narrow phase decides each pair.

pub mod block_tree;
pub mod boxes;
pub mod broad_phase;
pub mod candidates;
pub mod detect;
pub mod intersections;
pub mod narrow_phase;
pub mod surface;
pub mod sweep;

pub use boxes::Box3;
pub use broad_phase::{BroadPhase, BroadPhaseError, Counts};
pub use candidates::Candidates;
pub use detect::{DetectSettings, Detection, Detector, Impact};
pub use intersections::{Intersection, intersections};
pub use narrow_phase::{PairKind, Query};
pub use surface::{Surface, SurfaceError};
pub use sweep::{Sweep, SweepError};
