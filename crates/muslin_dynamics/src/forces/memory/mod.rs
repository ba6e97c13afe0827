//! Bending that remembers: laws between the curvature and the moment of a hinge that depend on how it was bent before.
//!
//! A law sees the committed memory of a hinge, a [`Crease`], and a curvature. The branch of a step is chosen by the sign
//! of the change since the last Commit, whatever an iteration tries in between; so the moment is a function of the
//! curvature alone within a step, continuous and never falling, and has a C¹ convex potential that implicit schemes
//! minimise. The memory changes in Commit only, from committed positions.

mod friction;
mod hinges;
mod hysteresis;
mod plasticity;
mod shear;

pub use friction::{Branches, InternalFriction, Slid};
pub use hinges::{Rate, RememberingHinges, RestShape};
pub use hysteresis::Hysteresis;
pub use plasticity::Plasticity;
pub use shear::ShearFriction;

use muslin_model::{Crease, FaceMaterial};

/// What a law says at a curvature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Stored energy and what the way from the committed curvature costs, per area [J/m²]: its derivative is the moment.
    pub potential: f64,
    /// Part of it that is stored [J/m²].
    pub stored: f64,
    /// Moment per width [N].
    pub moment: f64,
    /// Slope of the moment [N·m].
    pub slope: f64,
    /// Slope of the line from the committed moment to this one, or to that of a change as large to the other side, whichever is
    /// steeper [N·m]. A quadratic model with it lies above the potential, but for an eighth of friction's part of it at most; one with the slope itself
    /// foresees too little resistance against turning back.
    pub chord: f64,
    /// Part of the moment that is not elastic, the mean over the change if it differs within it [N].
    pub lost: f64,
}

/// A hinge within a step, as its last Commit left it, in the form that iterations read.
pub trait Committed: Copy + Send + Sync + 'static {
    /// What it resists with after a change of its angle [rad]: the law's [`Response`], but energies of the whole hinge [J], its moment
    /// [N·m] and slopes by the angle [N·m].
    fn respond(&self, change: f64) -> Response;
}

/// A law of one hinge.
pub trait BendingLaw: Copy + Send + Sync + 'static {
    /// One word for reports.
    const NAME: &'static str;

    /// What a step reads of a hinge.
    type Committed: Committed;

    /// The law of a fabric that bends with a rigidity [N·m]: the mean of two faces, the first with this weight [-].
    fn of(rigidity: f64, faces: [&FaceMaterial; 2], weight: f64) -> Self;

    /// A hinge that was never bent, at its angle of rest [rad].
    fn untouched(&self, rest: f64) -> Crease;

    /// Brings a memory within what this law allows: it may be that of another fabric.
    fn admit(&self, crease: &mut Crease);

    /// The moment at a curvature [1/m] after a change from the committed one [1/m].
    fn respond(&self, crease: &Crease, curvature: f64, change: f64) -> Response;

    /// The same for all of a hinge of some height and length [m].
    fn committed(&self, crease: &Crease, height: f64, length: f64) -> Self::Committed;

    /// Bends a hinge of some height [m] to an angle [rad] for good; returns the stored energy that a new rest shape let
    /// go, per area [J/m²].
    fn commit(&self, crease: &mut Crease, height: f64, angle: f64) -> f64;
}

/// Curvature of a hinge of some height [m] at the last Commit [1/m].
#[inline]
pub fn curvature(crease: &Crease, height: f64) -> f64 {
    (crease.angle - crease.rest) / height
}
