//! The part of a matrix that a lagged factor is of.

/// How much of the matrix is factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everything: few iterations, dear factor.
    Full,
    /// Only the strong couplings; see [`super::sparsify`].
    Strong,
    /// The strong couplings, or everything where that pays; see [`super::growth`].
    Adaptive,
}

/// The part of the matrix that a factor is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Couplings {
    /// The strong ones.
    #[default]
    Strong,
    /// All of them.
    All,
}

impl Couplings {
    /// Those that a preconditioner begins with.
    pub fn first(reach: Reach) -> Self {
        if reach == Reach::Full { Couplings::All } else { Couplings::Strong }
    }
}
