//! Elimination of a front that is too small for a general library.
//!
//! Most fronts have 24 columns and some 60 rows. For them the calls, the packing and the recursion of a general
//! factorisation cost more than its arithmetic. Here six columns are taken at a time: everything that earlier columns
//! contribute to them is subtracted in one sweep over the rows, with the six sums in registers, then they are
//! eliminated among themselves. The update is the same sweep with the boundary's columns as target.
//!
//! That needs the 32 wide registers of AVX-512, and pays there only; other machines leave all fronts to the library. A twin
//! without vectors is here for comparison.

use super::cholesky::{LEAST_PIVOT, REPLACED_PIVOT};

/// A front as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows of a column of the panel.
    pub rows: usize,
    /// Columns that are eliminated.
    pub columns: usize,
}

/// What the update holds before the elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Anything: it is made.
    Anything,
    /// What the children left: it is added to.
    Sums,
}

/// Whether this machine has what makes it worth while.
pub fn is_worth_while() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Factorises the panel's columns in place and subtracts L₂₁ L₂₁ᵀ from the lower half of the update. Returns how many
/// pivots were replaced.
pub fn eliminate(shape: Shape, panel: &mut [f32], update: &mut [f32], before: Before) -> usize {
    let Shape { rows, columns } = shape;
    assert!(columns.is_multiple_of(3) && rows.is_multiple_of(3) && columns <= rows);
    assert!(panel.len() >= rows * columns && update.len() >= (rows - columns) * (rows - columns));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has AVX-512, and the sizes are those of the shape.
        return unsafe { avx512::eliminate(shape, panel, update, before) };
    }
    body(shape, panel, update, before)
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Before, LEAST_PIVOT, REPLACED_PIVOT, Shape};
    use std::arch::x86_64::*;

    /// Columns taken at once.
    const WIDE: usize = 6;

    /// The first lanes of a vector.
    fn first(lanes: usize) -> __mmask16 {
        if lanes >= 16 { !0 } else { (1 << lanes) - 1 }
    }

    /// # Safety
    /// The machine has AVX-512; panel and update have the sizes of the shape, in multiples of three.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn eliminate(shape: Shape, panel: &mut [f32], update: &mut [f32], before: Before) -> usize {
        let Shape { rows, columns } = shape;
        let below = rows - columns;
        let (panel, update) = (panel.as_mut_ptr(), update.as_mut_ptr());
        let (mut replaced, mut column) = (0, 0);
        // SAFETY: all columns and rows are within the shape.
        unsafe {
            while column < columns {
                let target = Block { at: panel.add(column * rows + column), stride: rows, rows: rows - column };
                if column + WIDE <= columns {
                    subtract::<WIDE>(Done { at: panel.add(column), rows, columns: column }, target, Before::Sums);
                    replaced += own::<WIDE>(target);
                    column += WIDE;
                } else {
                    subtract::<3>(Done { at: panel.add(column), rows, columns: column }, target, Before::Sums);
                    replaced += own::<3>(target);
                    column += 3;
                }
            }
            let mut column = 0;
            while column < below {
                let target = Block { at: update.add(column * below + column), stride: below, rows: below - column };
                let done = Done { at: panel.add(columns + column), rows, columns };
                if column + WIDE <= below {
                    subtract::<WIDE>(done, target, before);
                    column += WIDE;
                } else {
                    subtract::<3>(done, target, before);
                    column += 3;
                }
            }
        }
        replaced
    }

    /// Finished columns, from the row on that belongs to the first row of a target.
    #[derive(Clone, Copy)]
    struct Done {
        at: *const f32,
        rows: usize,
        columns: usize,
    }

    /// Columns that are worked on; their first rows are the diagonal block.
    #[derive(Clone, Copy)]
    struct Block {
        at: *mut f32,
        stride: usize,
        rows: usize,
    }

    /// Subtracts from W columns what the finished ones contribute, 32 rows at a time.
    #[target_feature(enable = "avx512f")]
    unsafe fn subtract<const W: usize>(done: Done, target: Block, before: Before) {
        let mut row = 0;
        // SAFETY: as for the caller; masks keep loads and stores within the rows.
        unsafe {
            while row < target.rows {
                let left = target.rows - row;
                let (a, b) = (first(left), first(left.saturating_sub(16)));
                let mut sums = [[_mm512_setzero_ps(); 2]; W];
                if before == Before::Sums {
                    for (c, sum) in sums.iter_mut().enumerate() {
                        let at = target.at.add(c * target.stride + row);
                        *sum = [_mm512_maskz_loadu_ps(a, at), _mm512_maskz_loadu_ps(b, at.wrapping_add(16))];
                    }
                }
                for k in 0..done.columns {
                    let column = done.at.add(k * done.rows);
                    let at = column.add(row);
                    let values = [_mm512_maskz_loadu_ps(a, at), _mm512_maskz_loadu_ps(b, at.wrapping_add(16))];
                    for (c, sum) in sums.iter_mut().enumerate() {
                        let weight = _mm512_set1_ps(*column.add(c));
                        sum[0] = _mm512_fnmadd_ps(weight, values[0], sum[0]);
                        sum[1] = _mm512_fnmadd_ps(weight, values[1], sum[1]);
                    }
                }
                for (c, sum) in sums.iter().enumerate() {
                    let at = target.at.add(c * target.stride + row);
                    _mm512_mask_storeu_ps(at, a, sum[0]);
                    _mm512_mask_storeu_ps(at.wrapping_add(16), b, sum[1]);
                }
                row += 32;
            }
        }
    }

    /// Eliminates W columns among themselves.
    #[target_feature(enable = "avx512f")]
    unsafe fn own<const W: usize>(target: Block) -> usize {
        let mut replaced = 0;
        let mut block = [[0.0f32; W]; W];
        let mut inverse = [0.0f32; W];
        // SAFETY: as for the caller.
        unsafe {
            for c in 0..W {
                for r in c..W {
                    let at = target.at.add(c * target.stride + r);
                    let sum = (0..c).fold(*at, |sum, k| sum - block[k][r] * block[k][c]);
                    if r == c {
                        let lost = sum <= LEAST_PIVOT;
                        replaced += usize::from(lost);
                        let root = if lost { REPLACED_PIVOT } else { sum }.sqrt();
                        (block[c][c], inverse[c]) = (root, 1.0 / root);
                    } else {
                        block[c][r] = sum * inverse[c];
                    }
                    *at = block[c][r];
                }
            }
            let mut row = W;
            while row < target.rows {
                let mask = first(target.rows - row);
                let mut values = [_mm512_setzero_ps(); W];
                for c in 0..W {
                    let at = target.at.add(c * target.stride + row);
                    let mut sum = _mm512_maskz_loadu_ps(mask, at);
                    for k in 0..c {
                        sum = _mm512_fnmadd_ps(_mm512_set1_ps(block[k][c]), values[k], sum);
                    }
                    values[c] = _mm512_mul_ps(sum, _mm512_set1_ps(inverse[c]));
                    _mm512_mask_storeu_ps(at, mask, values[c]);
                }
                row += 16;
            }
        }
        replaced
    }
}

/// The same without vectors, for comparison.
fn body(shape: Shape, panel: &mut [f32], update: &mut [f32], before: Before) -> usize {
    let Shape { rows, columns } = shape;
    let below = rows - columns;
    let mut replaced = 0;
    for c in 0..columns {
        for k in 0..c {
            let weight = panel[k * rows + c];
            (c..rows).for_each(|r| panel[c * rows + r] -= panel[k * rows + r] * weight);
        }
        let pivot = &mut panel[c * rows + c];
        if *pivot <= LEAST_PIVOT {
            *pivot = REPLACED_PIVOT;
            replaced += 1;
        }
        let root = pivot.sqrt();
        *pivot = root;
        panel[c * rows + c + 1..(c + 1) * rows].iter_mut().for_each(|x| *x /= root);
    }
    for c in 0..below {
        let target = &mut update[c * below + c..(c + 1) * below];
        if before == Before::Anything {
            target.fill(0.0);
        }
        for k in 0..columns {
            let column = &panel[k * rows + columns + c..(k + 1) * rows];
            target.iter_mut().zip(column).for_each(|(t, x)| *t -= x * column[0]);
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A front of a positive definite matrix, in a fixed random order: panel and update.
    fn front(shape: Shape) -> (Vec<f32>, Vec<f32>) {
        let mut seed = 12345u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let (rows, below) = (shape.rows, shape.rows - shape.columns);
        let mut panel = vec![0.0; rows * shape.columns];
        for c in 0..shape.columns {
            for r in c..rows {
                panel[c * rows + r] = if r == c { 0.6 * rows as f32 } else { random() };
            }
        }
        let update = (0..below * below).map(|_| random()).collect();
        (panel, update)
    }

    /// The same elimination column by column in double precision.
    fn reference(shape: Shape, panel: &[f32], update: &[f32]) -> (Vec<f64>, Vec<f64>) {
        let (rows, columns, below) = (shape.rows, shape.columns, shape.rows - shape.columns);
        let mut a: Vec<f64> = panel.iter().map(|&x| x.into()).collect();
        let mut u: Vec<f64> = update.iter().map(|&x| x.into()).collect();
        for c in 0..columns {
            for k in 0..c {
                for r in c..rows {
                    a[c * rows + r] -= a[k * rows + r] * a[k * rows + c];
                }
            }
            let root = a[c * rows + c].sqrt();
            (c..rows).for_each(|r| a[c * rows + r] /= root);
        }
        for c in 0..below {
            for r in c..below {
                u[c * below + r] -=
                    (0..columns).map(|k| a[k * rows + columns + r] * a[k * rows + columns + c]).sum::<f64>();
            }
        }
        (a, u)
    }

    const SHAPES: [[usize; 2]; 7] = [[3, 3], [6, 3], [24, 24], [66, 24], [87, 45], [100 * 3, 93], [9, 6]];

    #[test]
    fn a_small_front_is_eliminated_as_in_double_precision() {
        for [rows, columns] in SHAPES {
            let shape = Shape { rows, columns };
            let (mut panel, mut update) = front(shape);
            let (exact, left) = reference(shape, &panel, &update);
            assert_eq!(eliminate(shape, &mut panel, &mut update, Before::Sums), 0);
            let below = rows - columns;
            let close = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-5 * rows as f64;
            for c in 0..columns {
                (c..rows).for_each(|r| assert!(close(panel[c * rows + r], exact[c * rows + r]), "{shape:?} {r} {c}"));
            }
            for c in 0..below {
                (c..below).for_each(|r| assert!(close(update[c * below + r], left[c * below + r]), "{shape:?}"));
            }
        }
    }

    #[test]
    fn an_update_that_is_made_is_that_of_zero() {
        let shape = Shape { rows: 66, columns: 24 };
        let (panel, garbage) = front(shape);
        let below = 42;
        let (mut a, mut b) = (panel.clone(), panel);
        let (mut made, mut added) = (garbage, vec![0.0; below * below]);
        eliminate(shape, &mut a, &mut made, Before::Anything);
        eliminate(shape, &mut b, &mut added, Before::Sums);
        for c in 0..below {
            assert_eq!(made[c * below + c..(c + 1) * below], added[c * below + c..(c + 1) * below]);
        }
    }

    #[test]
    fn vectors_give_what_their_twin_without_gives() {
        for [rows, columns] in SHAPES {
            let shape = Shape { rows, columns };
            let below = rows - columns;
            let (mut panel, mut update) = front(shape);
            let (mut plain_panel, mut plain_update) = (panel.clone(), update.clone());
            eliminate(shape, &mut panel, &mut update, Before::Sums);
            body(shape, &mut plain_panel, &mut plain_update, Before::Sums);
            let close = |a: f32, b: f32| (a - b).abs() < 1e-5 * rows as f32;
            for c in 0..columns {
                (c..rows).for_each(|r| assert!(close(panel[c * rows + r], plain_panel[c * rows + r]), "{shape:?}"));
            }
            for c in 0..below {
                (c..below)
                    .for_each(|r| assert!(close(update[c * below + r], plain_update[c * below + r]), "{shape:?}"));
            }
        }
    }

    #[test]
    fn a_pivot_that_is_lost_is_replaced() {
        let shape = Shape { rows: 3, columns: 3 };
        let mut panel = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.0];
        assert_eq!(eliminate(shape, &mut panel, &mut [], Before::Anything), 1);
        assert_eq!([panel[0], panel[4], panel[8]], [1.0, 1.0, 2.0]);
    }
}
