//! The quick test of a leaf in 256-bit registers; the twin of what [`super::leaf`] does in plain Rust, with the same results.
//!
//! # Safety
//! [`Leaf::left_with`] calls this only where the machine has AVX2. All loads go through references to arrays of the right size.

use super::leaf::{LEAF, Leaf};
use super::planes::UNDERFLOW;
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx2")]
fn singles(from: &[f32; LEAF]) -> __m128 {
    // SAFETY: four numbers are read from an array of four.
    unsafe { _mm_loadu_ps(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn doubles(from: &[f64; LEAF]) -> __m256d {
    // SAFETY: as above.
    unsafe { _mm256_loadu_pd(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn numbers(from: &[u32; LEAF]) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
}

/// Heights over planes, the lowest and the highest, and the farthest along an axis; see `Beside` in [`super::leaf`].
#[derive(Clone, Copy)]
struct Heights {
    lowest: __m256d,
    highest: __m256d,
    reach: __m256d,
}

impl Heights {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn nothing() -> Self {
        Heights {
            lowest: _mm256_set1_pd(f64::INFINITY),
            highest: _mm256_set1_pd(f64::NEG_INFINITY),
            reach: _mm256_setzero_pd(),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn with(self, way: [__m256d; 3], normal: [__m256d; 3], common: __m128i) -> Self {
        let [x, y, z] = way;
        let along = _mm256_add_pd(_mm256_mul_pd(normal[0], x), _mm256_mul_pd(normal[1], y));
        let height = _mm256_add_pd(along, _mm256_mul_pd(normal[2], z));
        let common = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(common));
        let low = _mm256_blendv_pd(height, _mm256_set1_pd(f64::INFINITY), common);
        let high = _mm256_blendv_pd(height, _mm256_set1_pd(f64::NEG_INFINITY), common);
        let sign = _mm256_set1_pd(-0.0);
        let [x, y, z] = [_mm256_andnot_pd(sign, x), _mm256_andnot_pd(sign, y), _mm256_andnot_pd(sign, z)];
        Heights {
            lowest: _mm256_min_pd(low, self.lowest),
            highest: _mm256_max_pd(high, self.highest),
            reach: _mm256_max_pd(_mm256_max_pd(x, y), _mm256_max_pd(z, self.reach)),
        }
    }

    /// A bit for each triangle where all lie strictly on one side.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn certain(self, rounding: __m256d, extents: __m256d) -> u32 {
        let size = _mm256_add_pd(_mm256_add_pd(_mm256_set1_pd(1.0), extents), self.reach);
        let underflow = _mm256_mul_pd(_mm256_set1_pd(UNDERFLOW), size);
        let doubt = _mm256_add_pd(_mm256_mul_pd(rounding, self.reach), underflow);
        let above = _mm256_cmp_pd::<_CMP_GT_OQ>(self.lowest, doubt);
        let below = _mm256_cmp_pd::<_CMP_LT_OQ>(self.highest, _mm256_sub_pd(_mm256_setzero_pd(), doubt));
        _mm256_movemask_pd(_mm256_or_pd(above, below)) as u32
    }
}

/// A bit for each triangle of a leaf that may share more than common vertices with the one at a place of another leaf.
///
/// # Safety
/// The machine has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn left(these: &Leaf, other: &Leaf, place: usize) -> u32 {
    let mut apart = _mm_setzero_ps();
    for k in 0..3 {
        let (low, high) = (_mm_set1_ps(other.low[k][place]), _mm_set1_ps(other.high[k][place]));
        let beyond = _mm_or_ps(_mm_cmpgt_ps(low, singles(&these.high[k])), _mm_cmpgt_ps(singles(&these.low[k]), high));
        apart = _mm_or_ps(apart, beyond);
    }
    let overlapping = !_mm_movemask_ps(apart) as u32 & ((1 << LEAF) - 1);
    if overlapping == 0 {
        return 0;
    }
    // Which vertices are common ones.
    let none = _mm_setzero_si128();
    let (mut of_these, mut of_other) = ([none; 3], [none; 3]);
    for k in 0..3 {
        let vertex = _mm_set1_epi32(other.vertices[k][place] as i32);
        for l in 0..3 {
            let same = _mm_cmpeq_epi32(numbers(&these.vertices[l]), vertex);
            of_these[l] = _mm_or_si128(of_these[l], same);
            of_other[k] = _mm_or_si128(of_other[k], same);
        }
    }
    let all = _mm_and_si128(_mm_and_si128(of_other[0], of_other[1]), of_other[2]);
    let all = _mm_movemask_ps(_mm_castsi128_ps(all)) as u32;
    // These triangles beside the other's plane.
    let origin = [0, 1, 2].map(|axis: usize| _mm256_set1_pd(other.corners[0][axis][place]));
    let normal = [0, 1, 2].map(|axis: usize| _mm256_set1_pd(other.normals[axis][place]));
    let mut heights = Heights::nothing();
    for l in 0..3 {
        let way = |axis: usize| _mm256_sub_pd(doubles(&these.corners[l][axis]), origin[axis]);
        heights = heights.with([way(0), way(1), way(2)], normal, of_these[l]);
    }
    let [rounding, extent] = [other.rounding[place], other.extents[place]];
    let left = overlapping & (!heights.certain(_mm256_set1_pd(rounding), _mm256_set1_pd(extent)) | all);
    if left == 0 {
        return 0;
    }
    // The other beside the planes of these.
    let corner = [0, 1, 2].map(|axis: usize| doubles(&these.corners[0][axis]));
    let normals = [0, 1, 2].map(|axis: usize| doubles(&these.normals[axis]));
    let mut heights = Heights::nothing();
    for k in 0..3 {
        let way = |axis: usize| _mm256_sub_pd(_mm256_set1_pd(other.corners[k][axis][place]), corner[axis]);
        heights = heights.with([way(0), way(1), way(2)], normals, of_other[k]);
    }
    left & (!heights.certain(doubles(&these.rounding), doubles(&these.extents)) | all)
}
