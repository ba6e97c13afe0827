//! The order of primitives along a space-filling curve.
//!
//! Neighbours on the curve are neighbours in space, so eight in a row make a tight block and no tree has to
//! be searched for a good split. The order depends on the positions alone; equal keys keep their index order.

use super::lanes::WIDTH;
use super::pages;
use muslin_model::parallel;

/// Bits per axis. 2^11 cells along the scene's longest side are finer than the blocks of meshes up to some million
/// triangles: with cells wider than a block, the primitives of a cell stand in the order of the mesh and blocks
/// reach across each other.
const BITS: u32 = 11;

/// Spreads ten bits to every third place.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = x & 0x3ff;
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Where eight points of the cube [0, 1]³ lie on the curve: the upper 32 of the 33 bits of their places.
pub fn keys(points: [[f32; WIDTH]; 3]) -> [u32; WIDTH] {
    const CELLS: f32 = (1u32 << BITS) as f32;
    let cell = |x: f32| (x * CELLS).clamp(0.0, CELLS - 1.0) as i32 as u32;
    let [a, b, c] = hilbert(points.map(|axis| axis.map(cell)), BITS);
    std::array::from_fn(|lane| {
        let [a, b, c] = [a[lane], b[lane], c[lane]];
        (spread(a >> 1) << 2 | spread(b >> 1) << 1 | spread(c >> 1)) << 2 | (a & 1) << 1 | b & 1
    })
}

/// Where cells of a cube of 2^bits cells a side lie on Hilbert's curve, by Skilling's transform (AIP Conf.
/// Proc. 707, 381, 2004). Morton's curve costs less to compute but jumps: a search along it makes a quarter
/// more tests. Each operation is done for eight cells in a row, which compilers turn into vector instructions.
/// The bits of a place are dealt out to three numbers, the highest to the first.
#[inline(always)]
fn hilbert(cells: [[u32; WIDTH]; 3], bits: u32) -> [[u32; WIDTH]; 3] {
    let mut x = cells;
    for place in (1..bits).rev() {
        let below = (1 << place) - 1;
        for k in 0..3 {
            for lane in 0..WIDTH {
                // Without branches, as the bits are as good as random: a set bit turns the lower bits of the first
                // axis around, a clear one swaps them with this axis.
                let set = x[k][lane] >> place & 1;
                let swap = (x[0][lane] ^ x[k][lane]) & below & set.wrapping_sub(1);
                x[0][lane] ^= (below & set.wrapping_neg()) ^ swap;
                x[k][lane] ^= swap;
            }
        }
    }
    let mut turned = [0; WIDTH];
    for lane in 0..WIDTH {
        x[1][lane] ^= x[0][lane];
        x[2][lane] ^= x[1][lane];
        for place in (1..bits).rev() {
            turned[lane] ^= ((1 << place) - 1) & (x[2][lane] >> place & 1).wrapping_neg();
        }
    }
    x.map(|axis| std::array::from_fn(|lane| axis[lane] ^ turned[lane]))
}

/// Bits of a digit of the sort: three make a key. Two thousand buckets are what caches and page tables still hold.
const DIGIT: u32 = 11;
const BUCKETS: usize = 1 << DIGIT;

/// A radix sort of keys with their indices, and its memory. Keys travel with their indices: to look them up in each
/// pass would miss the caches on large meshes.
#[derive(Clone, Debug, Default)]
pub struct Sorter {
    /// Keys and indices in groups as they are computed; then a work array of the sort.
    entries: Vec<[[u32; 2]; WIDTH]>,
    other: Vec<[u32; 2]>,
}

impl Sorter {
    /// Makes `order` the indices 0..count in ascending order of their keys; `keys(group)` are those of eight.
    pub fn order(&mut self, count: usize, keys: impl Fn(usize) -> [u32; WIDTH] + Sync + Send, order: &mut Vec<u32>) {
        const PIECE: usize = 512;
        pages::make_room(&mut self.entries, count.div_ceil(WIDTH));
        parallel::refill(&mut self.entries, count.div_ceil(WIDTH), PIECE, |group| {
            let keys = keys(group);
            std::array::from_fn(|lane| [keys[lane], (group * WIDTH + lane) as u32])
        });
        pages::make_room(&mut self.other, count);
        self.other.resize(count, [0; 2]);
        pages::make_room(order, count);
        order.resize(count, 0);
        sort(&mut self.entries.as_flattened_mut()[..count], &mut self.other, order);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<[[u32; 2]; WIDTH]>() + self.other.capacity() * size_of::<[u32; 2]>()
    }
}

/// Makes `order` the second of each entry, in ascending order of the first; all three are equally long.
fn sort(entries: &mut [[u32; 2]], other: &mut [[u32; 2]], order: &mut [u32]) {
    let digit = |key: u32, pass: u32| (key >> (pass * DIGIT)) as usize & (BUCKETS - 1);
    let mut starts = [[0u32; BUCKETS]; 3];
    for &[key, _] in &*entries {
        for (pass, starts) in (0..).zip(&mut starts) {
            starts[digit(key, pass)] += 1;
        }
    }
    for starts in &mut starts {
        let mut sum = 0;
        for start in starts {
            (*start, sum) = (sum, sum + *start);
        }
    }
    let mut next = |key: u32, pass: u32| {
        let slot = &mut starts[pass as usize][digit(key, pass)];
        *slot += 1;
        *slot as usize - 1
    };
    for &[key, index] in &*entries {
        other[next(key, 0)] = [key, index];
    }
    for &[key, index] in &*other {
        entries[next(key, 1)] = [key, index];
    }
    for &[key, index] in &*entries {
        order[next(key, 2)] = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        for bits in [1, 2, 3, 5] {
            let side = 1u32 << bits;
            let mut cells = vec![None; (side * side * side) as usize];
            for x in 0..side {
                for y in 0..side {
                    for first in (0..side).step_by(WIDTH) {
                        let row: [u32; WIDTH] = std::array::from_fn(|lane| first + lane as u32);
                        let [a, b, c] = hilbert([[x; WIDTH], [y; WIDTH], row], bits);
                        let place = |lane: usize| spread(a[lane]) << 2 | spread(b[lane]) << 1 | spread(c[lane]);
                        for (z, place) in row.into_iter().zip((0..WIDTH).map(place)).filter(|&(z, _)| z < side) {
                            let slot = &mut cells[place as usize];
                            assert_eq!(*slot, None, "two cells on one place of the curve");
                            *slot = Some([x, y, z]);
                        }
                    }
                }
            }
            let cells: Vec<[u32; 3]> = cells.into_iter().map(|c| c.expect("a place without a cell")).collect();
            for pair in cells.windows(2) {
                let distance: u32 = (0..3).map(|k| pair[0][k].abs_diff(pair[1][k])).sum();
                assert_eq!(distance, 1, "{pair:?} are not neighbours");
            }
        }
    }

    #[test]
    fn keys_are_the_upper_bits_of_places() {
        let mut state = 1u32;
        let mut coordinate = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1u32 << 24) as f32
        };
        for _ in 0..100 {
            let points: [[f32; WIDTH]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| coordinate()));
            let cells = points.map(|axis| axis.map(|x| (x * 2048.0) as u32));
            let dealt = hilbert(cells, BITS);
            for (lane, key) in keys(points).into_iter().enumerate() {
                let place = (0..BITS).rev().flat_map(|bit| dealt.map(|axis| axis[lane] >> bit & 1));
                let place = place.fold(0u64, |place, bit| place << 1 | u64::from(bit));
                assert_eq!(u64::from(key), place >> 1);
            }
        }
    }

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let (mut sorter, mut order) = (Sorter::default(), Vec::new());
        // The second is shorter, so that what the first left behind would show.
        for count in [5000, 3333] {
            let key = |k: u32| (k.wrapping_mul(2_654_435_761) >> 20 << 20) | (k % 3);
            let mut expected: Vec<u32> = (0..count).collect();
            expected.sort_by_key(|&i| key(i));
            let keys = |group: usize| std::array::from_fn(|lane| key((group * WIDTH + lane) as u32));
            sorter.order(count as usize, keys, &mut order);
            assert_eq!(order, expected);
        }
    }
}
