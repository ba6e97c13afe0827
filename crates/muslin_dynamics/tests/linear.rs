//! The linear solver against dense references.

mod linear {
    mod cholesky;
    #[path = "../common/cotton.rs"]
    mod cotton;
    mod degenerate;
    mod multilevel;
    mod pcg;
    mod product;
    mod resume;
    pub mod sheet;
}
