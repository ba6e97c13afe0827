//! The product of a symmetric half-stored matrix with a vector.
//!
//! The product is bound by memory: each stored block is read once and used twice, for its own row and,
//! transposed, for its column's. Rows of different domains may write to the same column; a domain therefore
//! collects what it owes to later domains in its own list of *ghosts*, which are added afterwards in the
//! order of the domains. Each sum has one fixed order, whatever the number of threads.
//!
//! The AVX2 kernel does the same multiplications and additions in the same order as the scalar one (no
//! fused multiply-add), so both give the same bits; a test compares them.

use super::{BlockMatrix, Pattern};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// Columns outside a domain that its rows reach, for all domains one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ghosts {
    /// First ghost of each domain, and their number at the end.
    pub starts: Vec<u32>,
    /// The vertex behind each ghost; ascending within a domain.
    pub vertices: Vec<u32>,
    /// First entry of each domain in `of_slot`.
    pub slot_starts: Vec<u32>,
    /// For each slot that leaves its domain, in slot order, its ghost counted from the domain's first.
    pub of_slot: Vec<u32>,
}

impl Ghosts {
    /// Finds the ghosts of a pattern's rows.
    pub fn new(row_starts: &[u32], columns: &[u32], domains: &crate::Domains) -> Self {
        let mut ghosts = Ghosts::default();
        for domain in 0..domains.count() {
            let rows = domains.range(domain);
            let slots = row_starts[rows.start] as usize..row_starts[rows.end] as usize;
            let outside = columns[slots].iter().copied().filter(|&c| c as usize >= rows.end);
            let first = ghosts.vertices.len();
            ghosts.starts.push(first as u32);
            ghosts.slot_starts.push(ghosts.of_slot.len() as u32);
            let mut list: Vec<u32> = outside.clone().collect();
            list.sort_unstable();
            list.dedup();
            ghosts.of_slot.extend(outside.map(|c| list.partition_point(|&v| v < c) as u32));
            ghosts.vertices.append(&mut list);
        }
        ghosts.starts.push(ghosts.vertices.len() as u32);
        ghosts.slot_starts.push(ghosts.of_slot.len() as u32);
        ghosts
    }
}

/// The work array of products: what domains owe to later ones.
#[derive(Clone, Debug, Default)]
pub struct ProductWork {
    ghosts: Vec<DVec3>,
}

/// Which kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust.
    Scalar,
    /// 256-bit vectors, where the machine has them.
    Avx2,
}

impl Kernel {
    /// The fastest that this machine runs.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Scalar
    }
}

/// out = A x with a chosen kernel.
pub fn multiply(matrix: &BlockMatrix, kernel: Kernel, x: &[DVec3], out: &mut [DVec3], work: &mut ProductWork) {
    let pattern = &*matrix.pattern;
    let ghosts = &pattern.ghosts;
    let vertices = pattern.rows();
    assert!(x.len() == vertices && out.len() == vertices, "a vector has one entry per row");
    assert!(matrix.blocks.len() == pattern.columns.len(), "one block per slot");
    work.ghosts.resize(ghosts.vertices.len(), DVec3::ZERO);
    let mut tasks = Vec::with_capacity(pattern.domains.count());
    let (mut rest, mut owed_rest) = (&mut *out, &mut work.ghosts[..]);
    for domain in 0..pattern.domains.count() {
        let (part, tail) = rest.split_at_mut(pattern.domains.range(domain).len());
        let (owed, owed_tail) = owed_rest.split_at_mut((ghosts.starts[domain + 1] - ghosts.starts[domain]) as usize);
        (rest, owed_rest) = (tail, owed_tail);
        tasks.push((domain, part, owed));
    }
    parallel::for_each(tasks, |(domain, part, owed)| {
        part.fill(DVec3::ZERO);
        owed.fill(DVec3::ZERO);
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::Avx2` is made by `detect` only where the machine has AVX2; sizes are asserted
            // above, and columns and ghosts are in range by construction of the pattern.
            Kernel::Avx2 => unsafe { avx2::domain(pattern, &matrix.blocks, domain, x, part, owed) },
            _ => scalar_domain(pattern, &matrix.blocks, domain, x, part, owed),
        }
    });
    for (&vertex, &owed) in ghosts.vertices.iter().zip(&work.ghosts) {
        out[vertex as usize] += owed;
    }
}

/// The rows of one domain.
fn scalar_domain(
    pattern: &Pattern,
    blocks: &[DMat3],
    domain: usize,
    x: &[DVec3],
    part: &mut [DVec3],
    owed: &mut [DVec3],
) {
    let rows = pattern.domains.range(domain);
    let mut ghost = pattern.ghosts.slot_starts[domain] as usize;
    for row in rows.clone() {
        let xi = x[row];
        let slots = pattern.row(row);
        let mut sum = blocks[slots.start] * xi;
        for slot in slots.start + 1..slots.end {
            let column = pattern.columns[slot] as usize;
            let block = &blocks[slot];
            sum += *block * x[column];
            let transposed = DVec3::new(block.x_axis.dot(xi), block.y_axis.dot(xi), block.z_axis.dot(xi));
            if column < rows.end {
                part[column - rows.start] += transposed;
            } else {
                owed[pattern.ghosts.of_slot[ghost] as usize] += transposed;
                ghost += 1;
            }
        }
        part[row - rows.start] += sum;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use std::arch::x86_64::*;

    /// How far ahead blocks are asked for, in numbers: 4 KB, some 50 blocks.
    const AHEAD: usize = 512;

    /// The rows of one domain; the vector twin of [`super::scalar_domain`].
    ///
    /// # Safety
    /// The machine has AVX2; `x` has one entry per row, `part` one per row of the domain, `owed` one per
    /// ghost of the domain, `blocks` one per slot.
    #[target_feature(enable = "avx2")]
    pub unsafe fn domain(
        pattern: &Pattern,
        blocks: &[DMat3],
        domain: usize,
        x: &[DVec3],
        part: &mut [DVec3],
        owed: &mut [DVec3],
    ) {
        let rows = pattern.domains.range(domain);
        let mut ghost = pattern.ghosts.slot_starts[domain] as usize;
        // SAFETY: all indices are in range (see above). A block's nine numbers are read as [0..4], [3..7] and
        // [5..9] shifted by one, so that nothing behind the last block is touched.
        unsafe {
            let columns = pattern.columns.as_ptr();
            let of_slot = pattern.ghosts.of_slot.as_ptr();
            let (out, owed) = (part.as_mut_ptr().cast::<f64>(), owed.as_mut_ptr().cast::<f64>());
            let x = x.as_ptr().cast::<f64>();
            for row in rows.clone() {
                let slots = pattern.row(row);
                let xi = load3(x.add(3 * row));
                let mut sum = {
                    let b = blocks.as_ptr().add(slots.start).cast::<f64>();
                    product(load(b), x.add(3 * row))
                };
                for slot in slots.start + 1..slots.end {
                    let column = *columns.add(slot) as usize;
                    let b = blocks.as_ptr().add(slot).cast::<f64>();
                    // The hardware stops at each page; asking ahead keeps more lines under way. A hint may
                    // point anywhere, also behind the last block.
                    _mm_prefetch::<_MM_HINT_T0>(b.wrapping_add(AHEAD).cast::<i8>());
                    let b = load(b);
                    sum = _mm256_add_pd(sum, product(b, x.add(3 * column)));
                    let target = if column < rows.end {
                        out.add(3 * (column - rows.start))
                    } else {
                        ghost += 1;
                        owed.add(3 * *of_slot.add(ghost - 1) as usize)
                    };
                    store3(target, _mm256_add_pd(load3(target), transposed_product(b, xi)));
                }
                let target = out.add(3 * (row - rows.start));
                store3(target, _mm256_add_pd(load3(target), sum));
            }
        }
    }

    /// Three numbers and a zero. (Two plain loads: masked ones cannot be forwarded from recent stores.)
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load3(x: *const f64) -> __m256d {
        // SAFETY: the caller gives three readable numbers.
        unsafe { _mm256_set_m128d(_mm_load_sd(x.add(2)), _mm_loadu_pd(x)) }
    }

    /// Writes the first three lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store3(x: *mut f64, value: __m256d) {
        // SAFETY: the caller gives three writable numbers.
        unsafe {
            _mm_storeu_pd(x, _mm256_castpd256_pd128(value));
            _mm_store_sd(x.add(2), _mm256_extractf128_pd::<1>(value));
        }
    }

    /// The three columns of a block; the fourth lanes hold what happens to be beside.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(b: *const f64) -> [__m256d; 3] {
        // SAFETY: the caller gives nine readable numbers.
        unsafe {
            let last = _mm256_permute4x64_pd::<0b11_11_10_01>(_mm256_loadu_pd(b.add(5)));
            [_mm256_loadu_pd(b), _mm256_loadu_pd(b.add(3)), last]
        }
    }

    /// B x, summed like glam's (c₀ x₀ + c₁ x₁) + c₂ x₂.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn product(b: [__m256d; 3], x: *const f64) -> __m256d {
        // SAFETY: the caller gives three readable numbers.
        unsafe {
            let first = _mm256_mul_pd(b[0], _mm256_broadcast_sd(&*x));
            let second = _mm256_mul_pd(b[1], _mm256_broadcast_sd(&*x.add(1)));
            let third = _mm256_mul_pd(b[2], _mm256_broadcast_sd(&*x.add(2)));
            _mm256_add_pd(_mm256_add_pd(first, second), third)
        }
    }

    /// Bᵀ x, each component summed as (b₀ x₀ + b₁ x₁) + b₂ x₂. The fourth lane of `x` is zero.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn transposed_product(b: [__m256d; 3], x: __m256d) -> __m256d {
        let (p, q, r) = (_mm256_mul_pd(b[0], x), _mm256_mul_pd(b[1], x), _mm256_mul_pd(b[2], x));
        // [p0+p1, q0+q1, p2+p3, q2+q3], and the same of r with itself.
        let pq = _mm256_hadd_pd(p, q);
        let rr = _mm256_hadd_pd(r, r);
        // Low halves hold the sums of the first two, high halves the third (plus a zero).
        let low = _mm256_permute2f128_pd::<0x20>(pq, rr);
        let high = _mm256_permute2f128_pd::<0x31>(pq, rr);
        _mm256_add_pd(low, high)
    }
}
