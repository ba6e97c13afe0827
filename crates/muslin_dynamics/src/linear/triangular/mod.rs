//! Solves with one front of a Cholesky factor: the inner loops of applying it.
//!
//! A front's columns are stored one after the other, all rows of each. Eight columns are taken at once, then those that are left,
//! so that the vector is read and written once for all of them. Most fronts are small, 24 columns and
//! some 60 rows: what costs there is not the arithmetic but waiting, for one unknown after the other, for the
//! sums of a vector's lanes, for rows that do not fill a vector, and for numbers that were just written and are read in other portions. Therefore
//!
//! * the triangle of eight columns is inverted once, when the front is eliminated ([`invert`]); its unknowns are then
//!   independent sums, where substitution waits for a product, a difference and a product per unknown. The inverse stands in the place of the triangle, and
//!   mirrored above the diagonal, so that both directions read columns;
//! * the sums of lanes are made for all columns together;
//! * the vector has [`SPARE`] rows more than the front, and the last rows are loaded with a mask;
//! * as many columns as lanes are taken, so that all portions of the vector begin at its multiples of eight, but for those behind the last columns.
//!
//! Six columns at a time, with substitution and single rows at the end, took 2.1 to 2.4 times as long for fronts of 60 to 300 rows.
//!
//! The AVX2 loops do what their twins on arrays do, in the same order and without fused operations: both give the same bits for finite numbers, by test.

/// Rows and columns taken at once.
const LANES: usize = 8;

/// Finite numbers that a vector has behind the rows of a front. They are read and written, and stay what they are if all is finite.
pub const SPARE: usize = LANES;

/// A front of a factor.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Column by column; the triangles of eight columns inverted by [`invert`].
    pub values: &'a [f32],
    /// Columns that are eliminated.
    pub columns: usize,
    /// Rows of each.
    pub rows: usize,
}

impl Panel<'_> {
    fn check(&self, w: &[f32]) {
        let Panel { values, columns, rows } = *self;
        assert!(columns <= rows && values.len() >= rows * columns && w.len() >= rows + SPARE);
    }
}

/// A function of a constant number of columns for those that are left, fewer than [`LANES`].
macro_rules! of_the_rest {
    ($count:expr, $function:ident ($($argument:expr),*)) => {
        match $count {
            0 => {}
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            _ => $function::<7>($($argument),*),
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;

/// Inverts the triangle of every eight columns, lower left of the diagonal, and mirrors it to the upper right.
pub fn invert(values: &mut [f32], columns: usize, rows: usize) {
    let whole = columns / LANES * LANES;
    (0..whole).step_by(LANES).for_each(|first| invert_block::<LANES>(values, first, rows));
    of_the_rest!(columns - whole, invert_block(values, whole, rows));
}

fn invert_block<const N: usize>(values: &mut [f32], first: usize, rows: usize) {
    let at = |row: usize, column: usize| (first + column) * rows + first + row;
    let triangle: [[f32; N]; N] =
        std::array::from_fn(|c| std::array::from_fn(|r| if r >= c { values[at(r, c)] } else { 0.0 }));
    let pivots: [f32; N] = std::array::from_fn(|k| 1.0 / triangle[k][k]);
    let mut inverse = [[0.0_f32; N]; N];
    for c in 0..N {
        inverse[c][c] = pivots[c];
        for r in c + 1..N {
            let sum = (c..r).fold(0.0, |sum, k| sum + triangle[k][r] * inverse[c][k]);
            inverse[c][r] = -sum * pivots[r];
        }
    }
    for c in 0..N {
        for r in c..N {
            values[at(r, c)] = inverse[c][r];
            values[at(c, r)] = inverse[c][r];
        }
    }
}

/// Replaces the first entries of `w`, as many as there are columns, by L₁₁⁻¹ w₁ and subtracts L₂₁ times that from the others.
pub fn forward(panel: Panel, w: &mut [f32]) {
    panel.check(w);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, and the sizes were checked.
        return unsafe { avx2::forward(panel, w) };
    }
    twin::forward(panel, w);
}

/// Replaces the first entries of `w`, as many as there are columns, by L₁₁⁻ᵀ (w₁ − L₂₁ᵀ w₂).
pub fn backward(panel: Panel, w: &mut [f32]) {
    panel.check(w);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, and the sizes were checked.
        return unsafe { avx2::backward(panel, w) };
    }
    twin::backward(panel, w);
}

/// The loops on arrays.
mod twin {
    use super::{LANES, Panel};

    pub fn forward(panel: Panel, w: &mut [f32]) {
        let whole = panel.columns / LANES * LANES;
        (0..whole).step_by(LANES).for_each(|first| forward_columns::<LANES>(panel, first, w));
        of_the_rest!(panel.columns - whole, forward_columns(panel, whole, w));
    }

    pub fn backward(panel: Panel, w: &mut [f32]) {
        let whole = panel.columns / LANES * LANES;
        of_the_rest!(panel.columns - whole, backward_columns(panel, whole, w));
        (0..whole).step_by(LANES).rev().for_each(|first| backward_columns::<LANES>(panel, first, w));
    }

    fn forward_columns<const N: usize>(panel: Panel, first: usize, w: &mut [f32]) {
        let column = |k: usize| &panel.values[(first + k) * panel.rows..(first + k + 1) * panel.rows];
        let mut x = [0.0_f32; N];
        for k in 0..N {
            (k..N).for_each(|r| x[r] += column(k)[first + r] * w[first + k]);
        }
        w[first..first + N].copy_from_slice(&x);
        for row in first + N..panel.rows {
            let sum = (0..N).fold(0.0, |sum, k| sum + column(k)[row] * x[k]);
            w[row] -= sum;
        }
    }

    fn backward_columns<const N: usize>(panel: Panel, first: usize, w: &mut [f32]) {
        let column = |k: usize| &panel.values[(first + k) * panel.rows..(first + k + 1) * panel.rows];
        let left: [f32; N] = std::array::from_fn(|k| {
            let mut s = [0.0_f32; LANES];
            for (k, (value, w)) in column(k)[first + N..].iter().zip(&w[first + N..]).enumerate() {
                s[k % LANES] += value * w;
            }
            w[first + k] - (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])))
        });
        let mut x = [0.0_f32; N];
        for k in 0..N {
            (0..=k).for_each(|r| x[r] += column(k)[first + r] * left[k]);
        }
        w[first..first + N].copy_from_slice(&x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns and rows of all remainders of eight, and those of large fronts.
    fn shapes() -> Vec<[usize; 2]> {
        let small = (1..=26).flat_map(|columns| [0, 1, 3, 8, 12, 17].map(|below| [columns + below, columns]));
        small.chain([[63, 24], [300, 93], [87, 45]]).collect()
    }

    /// A well conditioned factor with garbage above its diagonal, and a vector.
    fn front([rows, columns]: [usize; 2]) -> (Vec<f32>, Vec<f32>) {
        let mut seed = 4321_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        let mut values: Vec<f32> = (0..rows * columns).map(|_| random()).collect();
        for c in 0..columns {
            values[c * rows + c] = 1.5 + random();
            values[c * rows + c + 1..(c + 1) * rows].iter_mut().for_each(|x| *x /= (columns as f32).sqrt());
        }
        (values, (0..rows).map(|_| random()).collect())
    }

    type Solve = fn(Panel, &mut [f32]);
    /// Substitution column by column in double precision.
    type Substitute = fn([usize; 2], &dyn Fn(usize, usize) -> f64, &mut [f64]);

    fn substitute_forward([rows, columns]: [usize; 2], l: &dyn Fn(usize, usize) -> f64, x: &mut [f64]) {
        for c in 0..columns {
            x[c] /= l(c, c);
            (c + 1..rows).for_each(|r| x[r] -= l(r, c) * x[c]);
        }
    }

    fn substitute_backward([rows, columns]: [usize; 2], l: &dyn Fn(usize, usize) -> f64, x: &mut [f64]) {
        for c in (0..columns).rev() {
            x[c] = (x[c] - (c + 1..rows).map(|r| l(r, c) * x[r]).sum::<f64>()) / l(c, c);
        }
    }

    #[test]
    fn fronts_are_solved_as_by_substitution_in_double_precision() {
        let ways: [(Solve, Substitute); 4] = [
            (forward, substitute_forward),
            (backward, substitute_backward),
            (twin::forward, substitute_forward),
            (twin::backward, substitute_backward),
        ];
        for shape @ [rows, columns] in shapes() {
            let (values, w) = front(shape);
            for (solve, substitute) in ways {
                let mut expected: Vec<f64> = w.iter().map(|&w| w.into()).collect();
                substitute(shape, &|r, c| f64::from(values[c * rows + r]), &mut expected);
                let mut inverted = values.clone();
                invert(&mut inverted, columns, rows);
                let mut found = w.clone();
                found.extend([7.0; SPARE]);
                solve(Panel { values: &inverted, columns, rows }, &mut found);
                let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(size > 1e-3);
                for (r, (&found, expected)) in found.iter().zip(&expected).enumerate() {
                    let off = (f64::from(found) - expected).abs();
                    assert!(off < 1e-5 * size, "{shape:?} row {r}: {found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn vectors_give_the_bits_of_their_twin_on_arrays() {
        #[cfg(target_arch = "x86_64")]
        let has_vectors = is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let has_vectors = false;
        if !has_vectors {
            println!("skipped: this machine has no AVX2");
            return;
        }
        for shape @ [rows, columns] in shapes() {
            let (mut values, mut w) = front(shape);
            invert(&mut values, columns, rows);
            w.extend([0.0; SPARE]);
            let panel = Panel { values: &values, columns, rows };
            let pairs: [[Solve; 2]; 2] = [[forward, twin::forward], [backward, twin::backward]];
            for [fast, slow] in pairs {
                let (mut a, mut b) = (w.clone(), w.clone());
                fast(panel, &mut a);
                slow(panel, &mut b);
                let bits = |x: &[f32]| x[..rows].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&a), bits(&b), "{shape:?}");
            }
        }
    }
}
