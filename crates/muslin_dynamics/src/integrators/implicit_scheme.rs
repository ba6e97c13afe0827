//! The implicit schemes that [`super::Newton`] solves, and how well.

/// Which implicit scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitScheme {
    /// Order 1.
    BackwardEuler,
    /// One iteration from the first guess, in the spirit of Baraff and Witkin (1998); their own step is
    /// [`super::BaraffWitkin`]. Order 1.
    LinearBackwardEuler,
    /// Order 2; its first step is backward Euler.
    Bdf2,
}

/// Tolerances of the non-linear solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Largest correction of a vertex over the mean edge length [-].
    pub correction: f64,
    /// Largest residual of a free vertex over the mean vertex weight [-].
    pub residual: f64,
    /// Newton iterations before the step fails.
    pub most_iterations: usize,
    /// Conjugate-gradient iterations before one solve stops.
    pub most_linear_iterations: usize,
}

impl Default for Tolerances {
    fn default() -> Self {
        Tolerances { correction: 1e-4, residual: 0.01, most_iterations: 100, most_linear_iterations: 20_000 }
    }
}
