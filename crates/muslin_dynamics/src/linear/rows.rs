//! Matrices of B×B blocks in single precision, both halves stored: the levels of the multilevel
//! preconditioner. Both halves, so that each row is a sum of its own and rows run in parallel; in single
//! precision that costs as much memory as one half in double.

use muslin_model::parallel;

/// A block.
pub type Block<const B: usize> = [[f32; B]; B];

/// A block-sparse matrix by rows; columns ascend within a row.
#[derive(Clone, Debug, Default)]
pub struct Rows<const B: usize> {
    /// First block of each row, and their number at the end.
    pub starts: Vec<u32>,
    /// Column of each block.
    pub columns: Vec<u32>,
    /// The blocks.
    pub blocks: Vec<Block<B>>,
}

impl<const B: usize> Rows<B> {
    /// Number of rows.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Blocks of a row.
    #[inline]
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The block of a row and column that the pattern has.
    pub fn find(&self, row: usize, column: u32) -> usize {
        let range = self.row(row);
        range.start + self.columns[range].partition_point(|&c| c < column)
    }

    /// out = b − A x.
    pub fn residual(&self, b: &[[f32; B]], x: &[[f32; B]], out: &mut [[f32; B]]) {
        parallel::fill(out, |row| {
            let mut sum = b[row];
            for k in self.row(row) {
                subtract_product(&self.blocks[k], &x[self.columns[k] as usize], &mut sum);
            }
            sum
        });
    }
}

/// out −= A x.
#[inline(always)]
pub fn subtract_product<const B: usize>(a: &Block<B>, x: &[f32; B], out: &mut [f32; B]) {
    for i in 0..B {
        let mut sum = 0.0;
        for j in 0..B {
            sum += a[i][j] * x[j];
        }
        out[i] -= sum;
    }
}

/// The inverse of a symmetric positive definite block, or `None` if it is not.
pub fn inverse<const B: usize>(a: &[[f64; B]; B]) -> Option<[[f64; B]; B]> {
    // Cholesky, then columns of the inverse.
    let mut l = [[0.0; B]; B];
    for j in 0..B {
        let mut pivot = a[j][j];
        for k in 0..j {
            pivot -= l[j][k] * l[j][k];
        }
        if !(pivot > 0.0) {
            return None;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..B {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    let mut out = [[0.0; B]; B];
    for c in 0..B {
        let mut x = [0.0; B];
        for i in c..B {
            let mut sum = if i == c { 1.0 } else { 0.0 };
            for k in c..i {
                sum -= l[i][k] * x[k];
            }
            x[i] = sum / l[i][i];
        }
        for i in (0..B).rev() {
            let mut sum = x[i];
            for k in i + 1..B {
                sum -= l[k][i] * x[k];
            }
            x[i] = sum / l[i][i];
            out[i][c] = x[i];
        }
    }
    Some(out)
}
