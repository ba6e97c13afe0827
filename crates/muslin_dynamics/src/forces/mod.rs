//! Forces. Each is a set of elements of one kind, stored so that a domain's elements are contiguous.
//!
//! # How an implicit step sees a force
//! An implicit scheme has v = (x − x̂)/τ (backward Euler: x̂ = xₙ, τ = h; BDF2: x̂ = (4xₙ − xₙ₋₁)/3,
//! τ = 2h/3) and minimises
//!
//! Φ(x) = ½/τ² ‖x − y‖²_M + Σ U(x) + Σ D(x).
//!
//! U is the elastic energy. D is an *incremental* dissipation potential: for a strain measure C with
//! viscosity η, D = η/(2τ) ‖C(x) − Ĉ‖² with Ĉ the same combination of past strains as x̂ is of past
//! positions. Its gradient is η Ċ ∂C/∂x with Ċ to the order of the scheme, its Hessian is symmetric, rigid
//! motion costs nothing, and at constant step its power is never positive. The textbook alternative, f(x, v)
//! linearised in both, has a Jacobian that is not symmetric (see the errata of W 3.27).
//!
//! `add_gradient` and `add_hessian` are of U + D; `add_force` is the true force f(x, v) for explicit schemes.

mod angle;
mod angular_springs;
mod baraff_witkin;
mod bend_law;
mod curvature;
mod curvature_probe;
mod dihedral;
mod drag;
mod effort;
mod elastic_hinges;
mod elements;
mod fans;
pub(crate) mod grid_cells;
mod grid_springs;
mod hinge_lanes;
mod hinges;
mod lanes;
mod load;
mod membrane;
pub mod memory;
mod patch;
mod pull;
mod push_and_curve;
mod slope;
mod soft_pins;
mod springs;
mod springs_mesh;
pub mod thesis;
mod theta_rule;
mod wind;
mod wrinkles;
mod yarns;

pub use angular_springs::{AngularSprings, AngularStiffness};
pub use baraff_witkin::{BaraffWitkin, Conditions};
pub use curvature::Curvature;
pub use curvature_probe::CurvatureProbe;
pub use drag::{Drag, critical_damping};
pub use effort::{Account, Effort};
pub use elastic_hinges::{HingeLaw, Hinges};
pub use grid_cells::GridError;
pub use grid_springs::{GridDamping, GridOptions, GridStiffness};
pub use load::{Load, LoadPoint};
pub use membrane::Membrane;
pub use memory::{Hysteresis, Plasticity, Rate, RememberingHinges, RestShape, ShearFriction};
pub use pull::{Pull, PullPoint};
pub use push_and_curve::{CurveOptions, PushAndCurve, push_factor};
pub use soft_pins::SoftPins;
pub use springs::{Resistance, Spring, Springs};
pub use springs_mesh::REFERENCE_BEND;
pub use wind::Wind;
pub use wrinkles::{Marked, WrinkleMark, WrinkleOptions, Wrinkles};

use crate::{
    domains::{BlockPart, Domains, ElementRanges, VertexPart},
    linear::Pattern,
    system::{Beginning, Past},
};
use glam::DVec3;
use muslin_model::Crease;
use std::ops::Range;

/// The solver's numbering, as a force needs it to place its elements.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The solver's vertex for each cloth vertex of the model.
    pub solver_from_model: &'a [u32],
    /// Vertex ranges in the solver's numbering.
    pub domains: &'a Domains,
}

/// Which second derivatives a force adds to the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HessianKind {
    /// The exact ones; the matrix may be indefinite.
    Exact,
    /// Each element's part made positive semi-definite, so that a Newton direction always descends.
    Projected,
    /// As `Projected`, but stiff forces use the stress of [`Force::carry`], or that at the start of the step. Where
    /// the cloth has just turned it is stretched by the second order of the turn, which a stiff cloth makes a tension
    /// many times the true one; a matrix with that tension would hardly move the cloth sideways.
    Carried,
    /// As `Carried`, but not projected: also the stress of compressed elements counts. The matrix may be indefinite.
    CarriedExact,
}

/// How a hinge with a memory is bent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Curvature from the rest shape of the untouched cloth [1/m].
    pub curvature: f64,
    /// Moment per width, without viscosity [N].
    pub moment: f64,
    /// Angle by which the rest shape has moved [rad].
    pub residual: f64,
}

/// A force on the cloth: whole-array methods over ranges of its elements.
pub trait Force: Send + Sync {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// Where the elements of each domain are stored.
    fn elements(&self) -> &ElementRanges;

    /// The vertices of an element: all pairs of them may get a block in the matrix.
    fn stencil(&self, element: usize) -> &[u32];

    /// Finds and keeps the slots of the elements' blocks. Called once, before any `add_hessian`.
    fn bind(&mut self, pattern: &Pattern);

    /// Elastic energy stored in some elements [J]; 0 for forces that store none.
    fn energy(&self, _elements: Range<usize>, _positions: &[DVec3]) -> f64 {
        0.0
    }

    /// Tells the time that the next `add_force` is for [s]. Forces that change with time (gusts) keep it;
    /// implicit steps learn it from `begin_step` instead.
    fn set_time(&mut self, _time: f64) {}

    /// Tells where a step begins, before any scheme asks for forces. What it keeps must follow from this alone.
    fn prepare(&mut self, _start: &Beginning) {}

    /// Whether it comes from outside of the cloth.
    fn is_external(&self) -> bool {
        false
    }

    /// Whose account the power of this force goes to.
    fn account(&self) -> Account {
        Account::Damping
    }

    /// Adds the true force, damping included [N], and returns the power of its part that is not elastic [W]:
    /// negative for damping.
    fn add_force(&self, elements: Range<usize>, positions: &[DVec3], velocities: &[DVec3], out: &mut VertexPart)
    -> f64;

    /// Prepares an implicit step: keeps the past strains Ĉ that the dissipation potential refers to, and
    /// whatever else is constant over the step.
    fn begin_step(&mut self, past: &Past);

    /// Told before [`Force::add_gradient`] is called for all elements, each once, at some positions [m].
    fn look_at(&self, _positions: &[DVec3]) {}

    /// Adds ∂(U + D)/∂x [N] and returns U + D with the power that belongs to D.
    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort;

    /// Foretells the stress after a motion [m] from positions [m], to first order, for the Hessians that are carried.
    fn carry(&mut self, _positions: &[DVec3], _motion: &[DVec3]) {}

    /// Adds ∂²(U + D)/∂x² [N/m].
    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart);

    /// Whether it is evaluated in explicit steps within those of an implicit scheme, whose potential it is then no part of.
    fn is_explicit(&self) -> bool {
        false
    }

    /// Memories of hinges that it keeps in the state; the methods below get exactly these.
    fn crease_count(&self) -> usize {
        0
    }

    /// Sets the memories of a cloth that was never bent.
    fn untouched(&self, _creases: &mut [Crease]) {}

    /// Brings memories of another fabric within what this one allows.
    fn admit(&self, _creases: &mut [Crease]) {}

    /// Takes up the memories of a state.
    fn recall(&mut self, _creases: &[Crease]) {}

    /// Commits positions [m] to memory; returns the stored energy that new rest shapes let go, and what friction took if
    /// the step's forces did not count it [J].
    fn remember(&mut self, _positions: &[DVec3], _creases: &mut [Crease]) -> f64 {
        0.0
    }

    /// How an element with a memory was bent at the last Commit.
    fn bend(&self, _element: usize) -> Option<Bend> {
        None
    }
}
