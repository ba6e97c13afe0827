//! The loops of [`super`] in vectors of AVX2; [`super::twin`] has them on arrays.

use super::{LANES, Panel};
use std::arch::x86_64::*;

/// # Safety
/// The machine has AVX2; panel and vector have the sizes that [`Panel::check`] asks for.
#[target_feature(enable = "avx2")]
pub unsafe fn forward(panel: Panel, w: &mut [f32]) {
    let (values, rows, w) = (panel.values.as_ptr(), panel.rows, w.as_mut_ptr());
    let whole = panel.columns / LANES * LANES;
    // SAFETY: as for the caller, and all columns are within the panel.
    unsafe {
        for first in (0..whole).step_by(LANES) {
            forward_columns::<LANES>(values.add(first * rows), rows, first, w);
        }
        of_the_rest!(panel.columns - whole, forward_columns(values.add(whole * rows), rows, whole, w));
    }
}

/// # Safety
/// As for [`forward`].
#[target_feature(enable = "avx2")]
pub unsafe fn backward(panel: Panel, w: &mut [f32]) {
    let (values, rows, w) = (panel.values.as_ptr(), panel.rows, w.as_mut_ptr());
    let whole = panel.columns / LANES * LANES;
    // SAFETY: as for the caller, and all columns are within the panel.
    unsafe {
        of_the_rest!(panel.columns - whole, backward_columns(values.add(whole * rows), rows, whole, w));
        for first in (0..whole).step_by(LANES).rev() {
            backward_columns::<LANES>(values.add(first * rows), rows, first, w);
        }
    }
}

/// Ones below zeros: from place 8 − n on, a mask of the first n lanes.
static MASKS: [i32; 2 * LANES] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The first lanes of a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(count: usize) -> __m256i {
    // SAFETY: eight numbers from a place between 0 and 8 are within the sixteen.
    unsafe { _mm256_loadu_si256(MASKS.as_ptr().add(LANES - count.min(LANES)).cast()) }
}

/// A lane in all lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(x: __m256, lane: usize) -> __m256 {
    _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(lane as i32))
}

/// # Safety
/// `column` points to N columns of so many rows, of which the first N rows from `first` on are an inverted triangle; `w` to as many rows and
/// eight numbers more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn forward_columns<const N: usize>(column: *const f32, rows: usize, first: usize, w: *mut f32) {
    // SAFETY: rows from `first` to the end of each column, by masks, and at most eight numbers of `w` behind them.
    unsafe {
        let all = lanes(N);
        let left = _mm256_loadu_ps(w.add(first));
        let mut x = _mm256_setzero_ps();
        for k in 0..N {
            let mask = _mm256_andnot_si256(lanes(k), all);
            let inverse = _mm256_maskload_ps(column.add(k * rows + first), mask);
            x = _mm256_add_ps(x, _mm256_mul_ps(inverse, spread(left, k)));
        }
        _mm256_storeu_ps(w.add(first), _mm256_blendv_ps(left, x, _mm256_castsi256_ps(all)));
        let mut each = [_mm256_setzero_ps(); N];
        for k in 0..N {
            each[k] = spread(x, k);
        }
        let mut row = first + N;
        while row + LANES <= rows {
            let mut sum = _mm256_setzero_ps();
            for k in 0..N {
                sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(column.add(k * rows + row)), each[k]));
            }
            _mm256_storeu_ps(w.add(row), _mm256_sub_ps(_mm256_loadu_ps(w.add(row)), sum));
            row += LANES;
        }
        if row < rows {
            let mask = lanes(rows - row);
            let mut sum = _mm256_setzero_ps();
            for k in 0..N {
                let value = _mm256_maskload_ps(column.add(k * rows + row), mask);
                sum = _mm256_add_ps(sum, _mm256_mul_ps(value, each[k]));
            }
            _mm256_storeu_ps(w.add(row), _mm256_sub_ps(_mm256_loadu_ps(w.add(row)), sum));
        }
    }
}

/// # Safety
/// As for [`forward_columns`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn backward_columns<const N: usize>(column: *const f32, rows: usize, first: usize, w: *mut f32) {
    // SAFETY: as there.
    unsafe {
        let all = lanes(N);
        let mut sums = [_mm256_setzero_ps(); LANES];
        let mut row = first + N;
        while row + LANES <= rows {
            let tail = _mm256_loadu_ps(w.add(row));
            for k in 0..N {
                let value = _mm256_loadu_ps(column.add(k * rows + row));
                sums[k] = _mm256_add_ps(sums[k], _mm256_mul_ps(value, tail));
            }
            row += LANES;
        }
        if row < rows {
            let (mask, tail) = (lanes(rows - row), _mm256_loadu_ps(w.add(row)));
            for k in 0..N {
                let value = _mm256_maskload_ps(column.add(k * rows + row), mask);
                sums[k] = _mm256_add_ps(sums[k], _mm256_mul_ps(value, tail));
            }
        }
        let kept = _mm256_loadu_ps(w.add(first));
        let left = _mm256_sub_ps(kept, sums_of_lanes(&sums));
        let mut x = _mm256_setzero_ps();
        for k in 0..N {
            let inverse = _mm256_maskload_ps(column.add(k * rows + first), lanes(k + 1));
            x = _mm256_add_ps(x, _mm256_mul_ps(inverse, spread(left, k)));
        }
        _mm256_storeu_ps(w.add(first), _mm256_blendv_ps(kept, x, _mm256_castsi256_ps(all)));
    }
}

/// The sum of the lanes of each vector, in its own lane.
#[inline]
#[target_feature(enable = "avx2")]
fn sums_of_lanes(sums: &[__m256; LANES]) -> __m256 {
    let four = _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
    let others = _mm256_hadd_ps(_mm256_hadd_ps(sums[4], sums[5]), _mm256_hadd_ps(sums[6], sums[7]));
    let low = _mm256_permute2f128_ps::<0x20>(four, others);
    let high = _mm256_permute2f128_ps::<0x31>(four, others);
    _mm256_add_ps(low, high)
}
