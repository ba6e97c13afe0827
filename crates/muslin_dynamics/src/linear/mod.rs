//! Linear algebra of the implicit schemes: a block-sparse symmetric matrix, conjugate gradients and
//! preconditioners.

mod aggregation;
mod automatic;
mod bridges;
mod cholesky;
mod dissection;
mod factor_memory;
mod factor_solve;
mod fronts;
mod graph;
mod lagged;
mod matrix;
mod mpcg;
mod multilevel;
mod pattern;
mod pcg;
mod places;
mod preconditioner;
mod product;
mod rotations;
mod rows;
mod small_front;
mod smoother;
mod sparsify;
mod transfer;
mod triangular;
mod updates;
mod wear;

pub use automatic::automatic;
pub use bridges::Bridges;
pub use cholesky::Cholesky;
pub use dissection::{Dissection, Piece, dissect};
pub use factor_solve::SolveWork;
pub use fronts::{Entry, Front, Fronts, Task};
pub use graph::Graph;
pub use lagged::{LaggedCholesky, Reach};
pub use matrix::{BlockMatrix, Link};
pub use mpcg::{Diagonal, Mpcg, Prescribed};
pub use multilevel::Multilevel;
pub use pattern::Pattern;
pub use pcg::{Ending, Pcg, PcgOutcome, PcgSettings, dot};
pub use preconditioner::{BlockJacobi, Preconditioner};
pub use product::{Ghosts, Kernel, ProductWork, multiply};
pub use rotations::Rotations;
pub use sparsify::Sparsity;
pub use wear::Wear;
