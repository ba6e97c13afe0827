//! Time integration of a [`crate::System`].

mod baraff_witkin;
mod direction;
mod evaluation;
mod floor;
mod implicit_scheme;
mod implicit_velocity;
mod linearised;
mod mending;
mod mixed;
mod newton;
mod runge_kutta;
mod stability;
mod stages;
mod symplectic_euler;
mod trust;
mod two_rate;
mod verlet;

pub use baraff_witkin::BaraffWitkin;
pub use implicit_scheme::{ImplicitScheme, Tolerances};
pub use mixed::{Mixed, MixedOrder};
pub use newton::Newton;
pub use runge_kutta::RungeKutta;
pub use stability::stable_step;
pub use symplectic_euler::SymplecticEuler;
pub use two_rate::TwoRate;
pub use verlet::Verlet;

use crate::{constraints::Constraints, energy::Work, interrupt::Interrupt, linear::Preconditioner, system::System};
use glam::DVec3;

/// Positions and velocities in the solver's vertex order, with the step before for two-step schemes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phase {
    /// Positions [m].
    pub positions: Vec<DVec3>,
    /// Velocities [m/s].
    pub velocities: Vec<DVec3>,
    /// Positions one step before [m].
    pub previous_positions: Vec<DVec3>,
    /// Velocities one step before [m/s].
    pub previous_velocities: Vec<DVec3>,
    /// Length of the step before [s]; 0 if there was none.
    pub previous_step: f64,
    /// Where an iteration may begin [m]; empty for the scheme's own guess. A first guess, part of the
    /// result only within the tolerance, and within what creeping contacts leave open ([`crate::tangent`]).
    pub guess: Vec<DVec3>,
}

/// One step to take.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Time at the start [s].
    pub time: f64,
    /// Length of the step [s].
    pub step: f64,
    /// Held vertices with their targets at the end of the step. Within the step a held vertex moves on a
    /// straight line at constant velocity, or on a cubic with given velocities at both ends.
    pub constraints: &'a Constraints,
}

/// How a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepOutcome {
    /// Newton iterations (0 for explicit schemes).
    pub newton_iterations: usize,
    /// Conjugate-gradient iterations over all of them.
    pub pcg_iterations: usize,
    /// Largest residual of a free vertex over the mean vertex weight [-].
    pub worst_residual: f64,
    /// Evaluations of the forces.
    pub force_evaluations: usize,
    /// Linear solves that ran into their limit of iterations. (One that meets a direction of negative curvature
    /// is not among them: it ends with a direction that serves.)
    pub unfinished_solves: usize,
    /// Work of everything that is not conservative.
    pub work: Work,
}

/// Why a step could not be taken. Vertices are the solver's; the simulation translates them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The non-linear solve did not reach its tolerance.
    #[error(
        "no convergence after {iterations} Newton iterations: residual {residual:.3e} vertex weights at vertex {vertex}, correction {correction:.3e} edge lengths"
    )]
    NotConverged {
        /// Iterations taken.
        iterations: usize,
        /// The vertex with the largest residual.
        vertex: u32,
        /// Its residual over the mean vertex weight [-].
        residual: f64,
        /// Last correction over the mean edge length [-].
        correction: f64,
    },
    /// The tolerance is below what the numbers can resolve.
    #[error(
        "the residual stays at {residual:.3e} vertex weights at vertex {vertex}: beside a stiffness this large, forces are only known to {floor:.1e} vertex weights"
    )]
    RoundOff {
        /// The vertex with the largest residual.
        vertex: u32,
        /// Its residual over the mean vertex weight [-].
        residual: f64,
        /// Round-off of forces over the mean vertex weight [-].
        floor: f64,
    },
    /// It was given up, because somebody asked.
    #[error("the step was interrupted")]
    Interrupted,
    /// A position or velocity is NaN or infinite.
    #[error("vertex {vertex} is no longer finite")]
    NotFinite {
        /// The vertex.
        vertex: u32,
    },
}

impl StepError {
    /// The vertex that the error is about, in the solver's order.
    pub fn vertex(&self) -> Option<u32> {
        match *self {
            StepError::NotConverged { vertex, .. }
            | StepError::RoundOff { vertex, .. }
            | StepError::NotFinite { vertex } => Some(vertex),
            StepError::Interrupted => None,
        }
    }
}

/// A time-stepping scheme with its work arrays.
pub trait Integrator: Send {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// Hands over what to look at during long steps. A step without long iterations may ignore it.
    fn heed(&mut self, _interrupt: &Interrupt) {}

    /// Advances `phase` by one step. On error `phase` is unchanged. On success `previous_*` hold what
    /// `positions` and `velocities` were before.
    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError>;

    /// What each held vertex took in its held directions in the last step, in the order of the constraints [N]; nothing for schemes
    /// that do not tell, or if nothing pushed ([`System::pushes`]).
    fn reactions(&self) -> &[DVec3] {
        &[]
    }

    /// All that it keeps from earlier steps: a preconditioner with its lagged factor. A checkpoint holds it; anything
    /// else that outlasted a step would cost a resumed run its bits.
    fn memory(&self) -> Option<&dyn Preconditioner> {
        None
    }

    /// The same, to be marked or restored.
    fn memory_mut(&mut self) -> Option<&mut dyn Preconditioner> {
        None
    }
}
