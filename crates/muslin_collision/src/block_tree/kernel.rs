//! Chooses the instructions for the machine, when the program runs.

use super::lanes::{Lanes, Plain};
use super::search::{Search, SearchCounts, Sink, Work};
use std::ops::Range;

/// Which vector instructions are used. The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust.
    Plain,
    /// 256-bit vectors; only [`Kernel::all`] makes it.
    Avx2(Found),
    /// 256-bit vectors with masks of their own; only [`Kernel::all`] makes it.
    Avx512(Found),
}

/// Says that the machine has what a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found(());

impl Kernel {
    /// All that this machine runs, the slowest first.
    pub fn all() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Kernel::Plain];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            all.push(Kernel::Avx2(Found(())));
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                all.push(Kernel::Avx512(Found(())));
            }
        }
        all
    }

    /// The fastest that this machine runs.
    pub fn detect() -> Self {
        Kernel::all().last().copied().unwrap_or(Kernel::Plain)
    }
}

/// Finds all pairs of a range of leaf blocks; gives the search's memory back.
pub fn run<const N: usize, const M: usize, S: Sink<M>>(
    kernel: Kernel,
    search: Search<N, M>,
    leaves: Range<usize>,
    sink: &mut S,
) -> (SearchCounts, Work) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Avx2` exists only where the machine has AVX2.
        Kernel::Avx2(_) => unsafe { run_avx2(search, leaves, sink) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Avx512` exists only where the machine has AVX2 and AVX-512 F and VL.
        Kernel::Avx512(_) => unsafe { run_avx512(search, leaves, sink) },
        _ => run_with::<Plain, N, M, S>(search, leaves, sink),
    }
}

#[inline(always)]
fn run_with<L: Lanes, const N: usize, const M: usize, S: Sink<M>>(
    search: Search<N, M>,
    leaves: Range<usize>,
    sink: &mut S,
) -> (SearchCounts, Work) {
    search.run::<L>(leaves, sink)
}

/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<const N: usize, const M: usize, S: Sink<M>>(
    search: Search<N, M>,
    leaves: Range<usize>,
    sink: &mut S,
) -> (SearchCounts, Work) {
    run_with::<super::avx2::Avx2, N, M, S>(search, leaves, sink)
}

/// # Safety
/// The machine has AVX2 and AVX-512 F and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
unsafe fn run_avx512<const N: usize, const M: usize, S: Sink<M>>(
    search: Search<N, M>,
    leaves: Range<usize>,
    sink: &mut S,
) -> (SearchCounts, Work) {
    run_with::<super::avx512::Avx512, N, M, S>(search, leaves, sink)
}
