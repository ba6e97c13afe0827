//! Which primitives of a moving triangle mesh meet, when and where.
//!
//! This crate knows positions and triangles, no mass and no force, and is usable alone. A [`Surface`] is the
//! constant part: triangles and their edges. A [`Sweep`] is the straight-line motion of all vertices over
//! one step. A [`Detector`] finds all impacts of a motion, each with its time:
//!
//! ```
//! use glam::DVec3;
//! use muslin_collision::{DetectSettings, Detector, Surface, Sweep, intersections};
//!
//! // A large triangle in the plane z = 0, and a vertex of a small one that falls onto it.
//! let surface = Surface::new(6, &[[0, 1, 2], [3, 4, 5]])?;
//! let point = DVec3::new;
//! let start = [point(-3., -3., 0.), point(3., -3., 0.), point(0., 6., 0.),
//!              point(0., 0., 1.), point(0.5, 0., 4.), point(-0.5, 0., 4.)];
//! let mut end = start;
//! end[3].z = -3.0;
//!
//! let sweep = Sweep::new(&surface, &start, &end)?;
//! let found = Detector::default().detect(&surface, &sweep, &DetectSettings::default());
//! let impact = found.vertex_face[0];
//! assert_eq!((impact.a, impact.b), (3, 0)); // vertex 3 meets face 0
//! assert!(impact.time <= 0.25 && impact.time > 0.249); // never late
//!
//! // Before, no triangles cross; afterwards these two do.
//! assert!(intersections(&surface, &start)?.is_empty());
//! assert_eq!(intersections(&surface, &end)?[0].triangles, [0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Detection has two stages. A [`BroadPhase`] finds the pairs whose swept boxes overlap ([`broad_phase`]); the narrow
//! phase decides each pair ([`narrow_phase`]). The detector fuses both; [`detect::detect_with`] runs any other broad
//! phase. [`intersections()`] asks another question: is a state clean?

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
pub use intersections::{Intersection, intersections, intersections_of};
pub use narrow_phase::{PairKind, Query};
pub use surface::{Surface, SurfaceError};
pub use sweep::{Sweep, SweepError};
