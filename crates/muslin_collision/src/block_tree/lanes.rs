//! Eight single-precision numbers at a time.
//!
//! The kernels of this module are written once, over the trait [`Lanes`], and compiled twice: for AVX2, chosen
//! when the program runs, and for any machine. Nothing is fused and every operation is IEEE, so both give the
//! same bits; tests compare them.

/// Numbers per vector.
pub const WIDTH: usize = 8;

/// Eight numbers and what the kernels do with them.
pub trait Lanes: Copy {
    /// One truth value per lane.
    type Mask: Copy;
    /// The same number in all lanes.
    fn splat(x: f32) -> Self;
    /// Eight numbers from memory.
    fn load(from: &[f32; WIDTH]) -> Self;
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// `self < other ? self : other`, so a NaN on the left gives the right.
    fn min(self, other: Self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// `self > other`; false for a NaN.
    fn greater(self, other: Self) -> Self::Mask;
    /// `self >= other`; false for a NaN.
    fn at_least(self, other: Self) -> Self::Mask;
    /// `mask ? yes : no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// One bit per lane.
    fn bits(mask: Self::Mask) -> u32;
    /// The lanes whose index equals `index`, one bit each.
    fn equal_indices(from: &[u32; WIDTH], index: u32) -> u32;
    /// Turns eight rows of four numbers into four columns.
    fn transpose(rows: [&[f32; 4]; WIDTH]) -> [Self; 4];
    /// Writes those whose bit is set, in order; up to eight places are written, with what stands in some other lane.
    fn compress(bits: u32, from: &[u32; WIDTH], out: &mut [u32; WIDTH]);
    /// The same for the indices from `first` on; returns how many there are.
    fn compress_indices(bits: u32, first: u32, out: &mut [u32; WIDTH]) -> usize;
}

/// The kernels' numbers on any machine.
#[derive(Clone, Copy)]
pub struct Plain([f32; WIDTH]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Plain(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl Lanes for Plain {
    type Mask = [bool; WIDTH];
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Plain([x; WIDTH])
    }
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        Plain(*from)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Plain(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Plain(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        std::array::from_fn(|k| self.0[k] > other.0[k])
    }
    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        std::array::from_fn(|k| self.0[k] >= other.0[k])
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Plain(std::array::from_fn(|k| if mask[k] { yes.0[k] } else { no.0[k] }))
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        (0..WIDTH).fold(0, |bits, k| bits | (mask[k] as u32) << k)
    }
    #[inline(always)]
    fn equal_indices(from: &[u32; WIDTH], index: u32) -> u32 {
        (0..WIDTH).fold(0, |bits, k| bits | ((from[k] == index) as u32) << k)
    }
    #[inline(always)]
    fn transpose(rows: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        std::array::from_fn(|c| Plain(std::array::from_fn(|r| rows[r][c])))
    }
    #[inline(always)]
    fn compress(bits: u32, from: &[u32; WIDTH], out: &mut [u32; WIDTH]) {
        let (mut left, mut count) = (bits & 0xff, 0);
        while left != 0 {
            out[count] = from[left.trailing_zeros() as usize];
            left &= left - 1;
            count += 1;
        }
    }
    #[inline(always)]
    fn compress_indices(bits: u32, first: u32, out: &mut [u32; WIDTH]) -> usize {
        let (mut left, mut count) = (bits & 0xff, 0);
        while left != 0 {
            out[count] = first + left.trailing_zeros();
            left &= left - 1;
            count += 1;
        }
        count
    }
}
