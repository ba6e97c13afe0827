//! The kernels' numbers in 256-bit registers with masks of their own; the twin of [`super::lanes::Plain`].
//!
//! Arithmetic is that of [`Avx2`]; only what makes or uses truth values differs. A choice between two vectors is one
//! instruction here and three with AVX2, and there are 32 registers instead of 16, so that the points of a pair stay in
//! them: the whole detection takes a twentieth less time. Vectors of sixteen would leave more lanes empty: on folded cloth
//! a row has seven pairs.
//!
//! # Safety
//! Values of [`Avx512`] are made and used only inside functions that [`super::kernel::run`] calls after it has found
//! AVX-512 (F and VL) on the machine. All loads and stores go through references to arrays of the right size.

use super::avx2::Avx2;
use super::lanes::{Lanes, WIDTH};
use std::arch::x86_64::*;

/// Eight numbers in one register.
#[derive(Clone, Copy)]
pub struct Avx512(Avx2);

impl Lanes for Avx512 {
    type Mask = __mmask8;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Avx512(Avx2::splat(x))
    }
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        Avx512(Avx2::load(from))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Avx512(self.0.add(other.0))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Avx512(self.0.sub(other.0))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Avx512(self.0.mul(other.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Avx512(self.0.div(other.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Avx512(self.0.min(other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Avx512(self.0.max(other.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Avx512(self.0.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Avx512(self.0.sqrt())
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_ps_mask::<_CMP_GT_OQ>(self.0.0, other.0.0) }
    }
    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_ps_mask::<_CMP_GE_OQ>(self.0.0, other.0.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Avx512(Avx2(unsafe { _mm256_mask_blend_ps(mask, no.0.0, yes.0.0) }))
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn equal_indices(from: &[u32; WIDTH], index: u32) -> u32 {
        unsafe {
            let indices = _mm256_loadu_si256(from.as_ptr().cast());
            u32::from(_mm256_cmpeq_epi32_mask(indices, _mm256_set1_epi32(index as i32)))
        }
    }
    #[inline(always)]
    fn transpose(rows: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        let [a, b, c, d] = Avx2::transpose(rows);
        [Avx512(a), Avx512(b), Avx512(c), Avx512(d)]
    }
    #[inline(always)]
    fn compress(bits: u32, from: &[u32; WIDTH], out: &mut [u32; WIDTH]) {
        unsafe {
            // Moved in a register and stored whole: to store some lanes only is slower.
            let all = _mm256_loadu_si256(from.as_ptr().cast());
            let front = _mm256_maskz_compress_epi32((bits & 0xff) as __mmask8, all);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), front);
        }
    }
    #[inline(always)]
    fn compress_indices(bits: u32, first: u32, out: &mut [u32; WIDTH]) -> usize {
        Avx2::compress_indices(bits, first, out)
    }
}
