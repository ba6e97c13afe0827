//! Solves with one front of a Cholesky factor: the inner loops of applying it.
//!
//! A front's columns are stored one after the other, all rows of each, with the reciprocal of the pivot on
//! the diagonal. Several columns are taken at once so that the vector is read and written once for all of
//! them. The loops are written over fixed lanes that the compiler turns into vector instructions; the same
//! body is compiled twice, for AVX2 and for any machine, and as nothing is fused both give the same bits.

/// Columns taken at once; a front's columns are a multiple of three, the rest is taken three at a time.
const WIDE: usize = 6;
/// Partial sums of a scalar product.
const LANES: usize = 8;

/// Replaces the first `columns` entries of `w` by L₁₁⁻¹ w₁ and subtracts L₂₁ times that from the others.
pub fn forward(values: &[f32], columns: usize, w: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { forward_avx2(values, columns, w) };
    }
    forward_body(values, columns, w);
}

/// Replaces the first `columns` entries of `w` by L₁₁⁻ᵀ (w₁ − L₂₁ᵀ w₂).
pub fn backward(values: &[f32], columns: usize, w: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { backward_avx2(values, columns, w) };
    }
    backward_body(values, columns, w);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn forward_avx2(values: &[f32], columns: usize, w: &mut [f32]) {
    forward_body(values, columns, w);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn backward_avx2(values: &[f32], columns: usize, w: &mut [f32]) {
    backward_body(values, columns, w);
}

#[inline(always)]
fn forward_body(values: &[f32], columns: usize, w: &mut [f32]) {
    let mut c = 0;
    while c + WIDE <= columns {
        forward_columns::<WIDE>(values, c, w);
        c += WIDE;
    }
    while c < columns {
        forward_columns::<3>(values, c, w);
        c += 3;
    }
}

#[inline(always)]
fn backward_body(values: &[f32], columns: usize, w: &mut [f32]) {
    let mut c = columns;
    while !c.is_multiple_of(WIDE) {
        c -= 3;
        backward_columns::<3>(values, c, w);
    }
    while c > 0 {
        c -= WIDE;
        backward_columns::<WIDE>(values, c, w);
    }
}

/// The N columns from `first`, whose entries of `w` are final but for each other.
#[inline(always)]
fn forward_columns<const N: usize>(values: &[f32], first: usize, w: &mut [f32]) {
    let rows = w.len();
    let column = |k: usize| &values[(first + k) * rows..(first + k + 1) * rows];
    let mut x = [0.0_f32; N];
    for k in 0..N {
        let mut sum = w[first + k];
        for j in 0..k {
            sum -= column(j)[first + k] * x[j];
        }
        x[k] = sum * column(k)[first + k];
        w[first + k] = x[k];
    }
    let below = first + N;
    let tail = &mut w[below..];
    let columns: [&[f32]; N] = std::array::from_fn(|k| &column(k)[below..]);
    for row in 0..tail.len() {
        let mut sum = 0.0;
        for k in 0..N {
            // SAFETY: each column's tail is as long as the vector's.
            sum += unsafe { *columns[k].get_unchecked(row) } * x[k];
        }
        tail[row] -= sum;
    }
}

#[inline(always)]
fn backward_columns<const N: usize>(values: &[f32], first: usize, w: &mut [f32]) {
    let rows = w.len();
    let column = |k: usize| &values[(first + k) * rows..(first + k + 1) * rows];
    let below = first + N;
    let tail = &w[below..];
    let whole = tail.len() / LANES * LANES;
    let mut sums = [[0.0_f32; LANES]; N];
    let columns: [&[f32]; N] = std::array::from_fn(|k| &column(k)[below..]);
    let mut row = 0;
    while row < whole {
        for k in 0..N {
            for lane in 0..LANES {
                // SAFETY: row + lane < whole ≤ the length of the vector's and of each column's tail.
                sums[k][lane] += unsafe { *columns[k].get_unchecked(row + lane) * *tail.get_unchecked(row + lane) };
            }
        }
        row += LANES;
    }
    let mut x = [0.0_f32; N];
    for k in 0..N {
        let s = &sums[k];
        let mut sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
        for row in whole..tail.len() {
            sum += columns[k][row] * tail[row];
        }
        x[k] = w[first + k] - sum;
    }
    for k in (0..N).rev() {
        for j in k + 1..N {
            x[k] -= column(k)[first + j] * x[j];
        }
        x[k] *= column(k)[first + k];
        w[first + k] = x[k];
    }
}
