//! The order of primitives along a space-filling curve.
//!
//! Neighbours on the curve are neighbours in space, so eight in a row make a tight block and no tree has to
//! be searched for a good split. The order depends on the positions alone; equal keys keep their index order.

use super::lanes::WIDTH;

/// Bits per axis. 2^10 cells along each side are finer than the blocks of meshes up to some million triangles.
const BITS: u32 = 10;

/// Spreads ten bits to every third place.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = x & 0x3ff;
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Where eight points of the unit cube [-1, 1]³ lie on the curve.
pub fn keys(points: [[f32; WIDTH]; 3]) -> [u32; WIDTH] {
    const CELLS: f32 = (1u32 << BITS) as f32;
    let cell = |x: f32| ((x * 0.5 + 0.5) * CELLS).clamp(0.0, CELLS - 1.0) as i32 as u32;
    hilbert(points.map(|axis| axis.map(cell)), BITS)
}

/// Where cells of a cube of 2^bits cells a side lie on Hilbert's curve, by Skilling's transform (AIP Conf.
/// Proc. 707, 381, 2004). Morton's curve costs less to compute but jumps: a search along it makes a quarter
/// more tests. Each operation is done for eight cells in a row, which compilers turn into vector instructions.
#[inline(always)]
fn hilbert(cells: [[u32; WIDTH]; 3], bits: u32) -> [u32; WIDTH] {
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
    let [a, b, c] = x;
    let place = |v: [u32; WIDTH], lane: usize| spread(v[lane] ^ turned[lane]);
    std::array::from_fn(|lane| place(a, lane) << 2 | place(b, lane) << 1 | place(c, lane))
}

/// The indices 0..keys.len() in ascending order of their keys, by a radix sort.
pub fn order(keys: &[u32]) -> Vec<u32> {
    const DIGIT: u32 = 10;
    const BUCKETS: usize = 1 << DIGIT;
    let mut from: Vec<u32> = (0..keys.len() as u32).collect();
    let mut to = vec![0; keys.len()];
    for pass in 0..3 {
        let digit = |i: u32| (keys[i as usize] >> (pass * DIGIT)) as usize & (BUCKETS - 1);
        let mut starts = [0u32; BUCKETS];
        for &i in &from {
            starts[digit(i)] += 1;
        }
        let mut sum = 0;
        for s in &mut starts {
            (*s, sum) = (sum, sum + *s);
        }
        for &i in &from {
            let slot = &mut starts[digit(i)];
            to[*slot as usize] = i;
            *slot += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
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
                        let places = hilbert([[x; WIDTH], [y; WIDTH], row], bits);
                        for (z, place) in row.into_iter().zip(places).filter(|&(z, _)| z < side) {
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
    fn the_order_is_that_of_a_stable_sort() {
        let keys: Vec<u32> = (0..5000u32).map(|k| k.wrapping_mul(2_654_435_761) >> 20 << 7 & 0x3fff_ffff).collect();
        let mut expected: Vec<u32> = (0..5000).collect();
        expected.sort_by_key(|&i| keys[i as usize]);
        assert_eq!(order(&keys), expected);
    }
}
