//! Which continuous test is used.

use super::{PairKind, Query, bisection, certified, textbook};

/// The continuous tests by name. Only the default misses nothing; the others are what the papers describe, kept to
/// show why they fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CcdMethod {
    /// Sure signs in floating point, exact arithmetic for the rest: [`certified`].
    #[default]
    Certified,
    /// The cubic solved by formula, then a proximity test (W 3.3.1, L 2.4): [`textbook`].
    Cubic,
    /// The cubic's root bisected to an eighth of the step, then an inclusion test (V 4.1.4, 6.1): [`bisection`].
    Bisection,
}

impl CcdMethod {
    /// All methods, the default first.
    pub const ALL: [CcdMethod; 3] = [CcdMethod::Certified, CcdMethod::Cubic, CcdMethod::Bisection];

    /// The name in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CcdMethod::Certified => "certified",
            CcdMethod::Cubic => "cubic",
            CcdMethod::Bisection => "bisection",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The first time at which the pair is as near as `separation` [m], as a fraction of the step [-], as this
    /// method sees it.
    pub fn time_of_impact(self, kind: PairKind, query: &Query, separation: f64) -> Option<f64> {
        match self {
            CcdMethod::Certified => certified::time_of_impact(kind, query, separation),
            CcdMethod::Cubic => textbook::time_of_impact(kind, query, separation),
            CcdMethod::Bisection => bisection::time_of_impact(kind, query, separation),
        }
    }
}
