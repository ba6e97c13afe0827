//! Chooses the instructions for the machine, when the program runs.

use super::lanes::{Lanes, Plain};
use super::search::{Search, SearchCounts, Sink};
use std::ops::Range;

/// Which vector instructions are used. The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust.
    Plain,
    /// 256-bit vectors; only [`Kernel::detect`] makes it.
    Avx2(Avx2Found),
}

/// Says that the machine has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2Found(());

impl Kernel {
    /// The fastest that this machine runs.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernel::Avx2(Avx2Found(()));
        }
        Kernel::Plain
    }
}

/// Finds all pairs of a range of leaf blocks.
pub fn run<const N: usize, const M: usize, const FA: usize, const FB: usize, S: Sink>(
    kernel: Kernel,
    search: Search<N, M, FA, FB>,
    leaves: Range<usize>,
    sink: &mut S,
) -> SearchCounts {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Avx2Found` exists only where the machine has AVX2.
        Kernel::Avx2(_) => unsafe { run_avx2(search, leaves, sink) },
        _ => run_with::<Plain, N, M, FA, FB, S>(search, leaves, sink),
    }
}

#[inline(always)]
fn run_with<L: Lanes, const N: usize, const M: usize, const FA: usize, const FB: usize, S: Sink>(
    search: Search<N, M, FA, FB>,
    leaves: Range<usize>,
    sink: &mut S,
) -> SearchCounts {
    search.run::<L>(leaves, sink)
}

/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<const N: usize, const M: usize, const FA: usize, const FB: usize, S: Sink>(
    search: Search<N, M, FA, FB>,
    leaves: Range<usize>,
    sink: &mut S,
) -> SearchCounts {
    run_with::<super::avx2::Avx2, N, M, FA, FB, S>(search, leaves, sink)
}
