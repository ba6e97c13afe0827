//! The linear solver against dense references.

mod linear {
    mod cholesky;
    mod product;
    pub mod sheet;
}
