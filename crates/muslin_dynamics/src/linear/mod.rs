//! Linear algebra of the implicit schemes: a block-sparse symmetric matrix, conjugate gradients and
//! preconditioners.

mod matrix;
mod mpcg;
mod pattern;
mod pcg;
mod preconditioner;

pub use matrix::BlockMatrix;
pub use mpcg::{Diagonal, Mpcg, Prescribed};
pub use pattern::Pattern;
pub use pcg::{Pcg, PcgOutcome, PcgSettings};
pub use preconditioner::{BlockJacobi, Preconditioner};
