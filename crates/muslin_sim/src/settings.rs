//! Solver settings, all with defaults.

pub use crate::cascade_settings::{CascadeSettings, ContactMethod, ResponseKind, Supported, Unresolved};
pub use muslin_collision::broad_phase::BroadPhaseKind;
pub use muslin_collision::narrow_phase::CcdMethod;
pub use muslin_contact::{BodyFriction, Friction, responses::ImpactLaw};

/// How a scene is solved. The default handles contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Largest step [s]. A frame interval is cut into equal steps no longer than it.
    pub step: f64,
    /// Time-stepping scheme.
    pub integrator: IntegratorKind,
    /// Tolerances of the non-linear solve.
    pub newton: NewtonSettings,
    /// Linear solver.
    pub linear: LinearSettings,
    /// Adaptive step on stretch (D9); `None` keeps the step fixed.
    pub adaptive: Option<AdaptiveSettings>,
    /// Limits on stretch (D10, D11), applied after Integrate and before contact.
    pub limiter: LimiterKind,
    /// How collisions are looked for.
    pub collision: CollisionSettings,
    /// What happens where cloth meets.
    pub contact: ContactSettings,
}

/// How collisions are looked for, where contact is handled. The broad phase changes no bit of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollisionSettings {
    /// Which broad phase finds the pairs that may meet (C1–C6).
    pub broad_phase: BroadPhaseKind,
    /// Which continuous test decides them (C9–C11). A run with another than the default is not certified, and warns.
    pub ccd_method: CcdMethod,
}

/// What happens where cloth meets itself or an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSettings {
    /// How contact is handled.
    pub method: ContactMethod,
    /// Laws of friction.
    pub friction: Friction,
    /// Repulsion at half the range, roughly, in mean vertex weights [-].
    pub stiffness: f64,
    /// What corrects what the solve leaves.
    pub cascade: CascadeSettings,
    /// A step this short is not halved any further for the sake of contact [s]: then a pinch is declared, or motion is
    /// scaled back.
    pub smallest_step: f64,
}

impl Default for ContactSettings {
    fn default() -> Self {
        ContactSettings {
            method: ContactMethod::Implicit,
            friction: Friction::default(),
            stiffness: 20.0,
            cascade: CascadeSettings::default(),
            smallest_step: 1e-4,
        }
    }
}

/// Time-stepping schemes (D7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegratorKind {
    /// x and v both from the start of the step. Order 1, unstable without damping.
    ExplicitEuler,
    /// v first, then x with the new v. Order 1, bounded energy.
    SymplecticEuler,
    /// Midpoint rule (RK2). Order 2.
    Midpoint,
    /// Classical Runge–Kutta. Order 4.
    RungeKutta4,
    /// Verlet with V's damping ε per step [-]. Order 2 at ε = 0.
    Verlet {
        /// ε: part of the displacement lost in each step.
        epsilon: f64,
    },
    /// Backward Euler, solved to the tolerance. Order 1. The default without contact.
    BackwardEuler,
    /// One Newton iteration per step (Baraff and Witkin 1998). Order 1. The default, for which contact is made.
    LinearBackwardEuler,
    /// The same step as published: for the change of velocity, by modified conjugate gradients (D8).
    BaraffWitkin,
    /// Second-order backward differences, solved to the tolerance. Order 2.
    Bdf2,
    /// Mixed: an explicit half step, then an implicit one (V 7.2.3).
    ExplicitImplicit,
    /// Mixed: an implicit half step, then an explicit one.
    ImplicitExplicit,
    /// Mixed for steps that vary: the position from an implicit half step, the velocity by the trapezium rule.
    MixedVariable,
}

/// Tolerances of the non-linear solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Largest correction of a vertex, in mean edge lengths [-].
    pub correction: f64,
    /// Largest residual of a free vertex, in mean vertex weights [-].
    pub residual: f64,
    /// Iterations before the step is given up.
    pub most_iterations: usize,
}

/// Which linear solver an implicit scheme uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSettings {
    /// Preconditioner of the conjugate gradients.
    pub preconditioner: PreconditionerKind,
    /// Iterations before a solve is given up.
    pub most_iterations: usize,
}

/// Preconditioners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionerKind {
    /// Chosen by the number of vertices, from the measurements in `bench/`.
    Automatic,
    /// Inverse diagonal blocks.
    BlockJacobi,
    /// A Cholesky factor of an earlier matrix, renewed when it wears out.
    LaggedCholesky,
    /// Smoothed aggregation with the rigid-body modes.
    Multilevel,
}

/// V 4.2.6: halve the step when a triangle stretches too much within it, turns or is corrected too far, double it after enough successes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveSettings {
    /// Largest change of warp or weft stretch within a step [-].
    pub most_stretch: f64,
    /// Largest turn of a triangle within a step [°]; [`AdaptiveSettings::ANY_TURN`] for no limit.
    pub most_turn_degrees: f64,
    /// How far responses may stretch a triangle beyond what the solve found [-]; [`AdaptiveSettings::ANY_CORRECTION`] for no limit.
    pub most_correction: f64,
    /// Smallest step [s].
    pub smallest_step: f64,
    /// Successful steps before the step doubles.
    pub successes: u32,
}

impl AdaptiveSettings {
    /// No triangle turns by more [°].
    pub const ANY_TURN: f64 = 180.0;
    /// No response stretches anything by more [-].
    pub const ANY_CORRECTION: f64 = 100.0;

    /// What bounds the one-iteration scheme with contact, unless a scene says otherwise: what its linearisation neglects shows as
    /// stretch.
    pub const WITH_CONTACT: AdaptiveSettings =
        AdaptiveSettings { most_stretch: 0.05, smallest_step: 1e-6, successes: 4, ..Self::ON_STRETCH };
    /// Limits nothing but the change of stretch.
    pub const ON_STRETCH: AdaptiveSettings = AdaptiveSettings {
        most_stretch: 0.1,
        most_turn_degrees: Self::ANY_TURN,
        most_correction: Self::ANY_CORRECTION,
        smallest_step: 1e-6,
        successes: 4,
    };
}

/// Limits on stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimiterKind {
    /// None.
    None,
    /// V 4.1.3: over-long springs are shortened by moving their ends.
    SuperElasticity {
        /// Largest elongation [-].
        limit: f64,
        /// Passes over all springs; 0 repeats until none is beyond the limit.
        passes: usize,
        /// Velocities follow from the corrected positions (V's inverse dynamics).
        inverse_dynamics: bool,
    },
    /// L 2.2: momentum-conserving impulses along over-long edges.
    StrainImpulses {
        /// Largest elongation [-].
        limit: f64,
        /// Largest change of strain within a step [-]; infinity for none.
        rate_limit: f64,
        /// Sweeps before giving up.
        most_sweeps: usize,
    },
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            step: 1.0 / 60.0,
            integrator: IntegratorKind::LinearBackwardEuler,
            newton: NewtonSettings { correction: 1e-4, residual: 0.01, most_iterations: 100 },
            linear: LinearSettings { preconditioner: PreconditionerKind::Automatic, most_iterations: 20_000 },
            adaptive: Some(AdaptiveSettings::WITH_CONTACT),
            limiter: LimiterKind::None,
            collision: CollisionSettings::default(),
            contact: ContactSettings::default(),
        }
    }
}
