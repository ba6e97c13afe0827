//! Forces, integrators and linear solvers. Knows no contact.
//!
//! [`System`] is the cloth as the solver sees it: vertices renumbered so that neighbours are close in
//! memory and cut into [`Domains`], forces with their elements sorted by domain, and the pattern of the
//! matrix. Everything is built once; a step allocates nothing that grows with the mesh.

mod barrier_gap;
pub mod constraints;
pub mod domains;
pub mod energy;
pub mod forces;
pub mod grips;
pub mod integrators;
mod interrupt;
pub mod limits;
pub mod linear;
pub mod mechanisms;
pub mod ordering;
pub mod supports;
pub mod system;
mod tangent;
mod tangents;

pub use constraints::Constraints;
pub use domains::Domains;
pub use grips::{Grips, Hold, SupportGrip};
pub use interrupt::{GivenUp, Interrupt};
pub use supports::{MOVED_BY_SCENE, Reaction, Support, Supports};
pub use system::{Beginning, Past, Push, System};
