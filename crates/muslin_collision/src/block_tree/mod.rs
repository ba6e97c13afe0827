//! The default broad phase: a tree of blocks of eight boxes, searched with vector instructions.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod blocks;
pub mod curve;
pub mod first_use;
pub mod hull_filter;
pub mod kernel;
pub mod lanes;
pub mod leaves;
pub mod pages;
pub mod plane_filter;
pub mod prepared;
pub mod search;
pub mod sinks;
pub mod units;
