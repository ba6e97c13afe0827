//! The kernels' numbers in 256-bit registers; the twin of [`super::lanes::Plain`].
//!
//! # Safety
//! Values of [`Avx2`] are made and used only inside functions that [`super::kernel::run`] calls after it
//! has found AVX2 on the machine. All loads and stores go through references to arrays of the right size.

use super::lanes::{Lanes, WIDTH};
use std::arch::x86_64::*;

/// Eight numbers in one register.
#[derive(Clone, Copy)]
pub struct Avx2(pub(super) __m256);

/// For each set of lanes, which lane goes where when the set is moved to the front.
static COMPRESS: [[u32; WIDTH]; 256] = compress_table();

const fn compress_table() -> [[u32; WIDTH]; 256] {
    let mut table = [[0; WIDTH]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < WIDTH {
            if bits >> lane & 1 == 1 {
                table[bits][count] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
}

impl Lanes for Avx2 {
    type Mask = __m256;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Avx2(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        Avx2(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_add_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Avx2(unsafe { _mm256_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Avx2(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Avx2(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_ps::<_CMP_GE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Avx2(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }
    #[inline(always)]
    fn equal_indices(from: &[u32; WIDTH], index: u32) -> u32 {
        unsafe {
            let equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(from.as_ptr().cast()), _mm256_set1_epi32(index as i32));
            _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
        }
    }
    #[inline(always)]
    fn transpose(rows: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        unsafe {
            let half = |r: usize| {
                let low = _mm256_castps128_ps256(_mm_loadu_ps(rows[r].as_ptr()));
                _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(rows[r + 4].as_ptr()))
            };
            turn([half(0), half(1), half(2), half(3)])
        }
    }
    #[inline(always)]
    fn compress(bits: u32, from: &[u32; WIDTH], out: &mut [u32; WIDTH]) {
        unsafe {
            let order = _mm256_loadu_si256(COMPRESS[(bits & 0xff) as usize].as_ptr().cast());
            let moved = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.as_ptr().cast()), order);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), moved);
        }
    }
    #[inline(always)]
    fn compress_indices(bits: u32, first: u32, out: &mut [u32; WIDTH]) -> usize {
        unsafe {
            let order = _mm256_loadu_si256(COMPRESS[(bits & 0xff) as usize].as_ptr().cast());
            let indices = _mm256_add_epi32(order, _mm256_set1_epi32(first as i32));
            _mm256_storeu_si256(out.as_mut_ptr().cast(), indices);
        }
        (bits & 0xff).count_ones() as usize
    }
}

/// Transposes the two 4x4 blocks that lie side by side.
#[inline(always)]
unsafe fn turn(r: [__m256; 4]) -> [Avx2; 4] {
    unsafe {
        let (a, b) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
        [
            Avx2(_mm256_shuffle_ps::<0x44>(a, c)),
            Avx2(_mm256_shuffle_ps::<0xee>(a, c)),
            Avx2(_mm256_shuffle_ps::<0x44>(b, d)),
            Avx2(_mm256_shuffle_ps::<0xee>(b, d)),
        ]
    }
}
