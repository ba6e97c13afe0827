//! The order of primitives along a space-filling curve.
//!
//! Neighbours on the curve are neighbours in space, so eight in a row make a tight block and no tree has to
//! be searched for a good split. The order depends on the positions alone; equal keys keep their index order.

use glam::DVec3;

/// Bits per axis. 2^10 cells along each side are finer than the blocks of meshes up to some million triangles.
const BITS: u32 = 10;

/// Spreads ten bits to every third place.
fn spread(x: u32) -> u32 {
    let x = x & 0x3ff;
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Where a point of the unit cube [-1, 1]³ lies on Morton's curve.
pub fn key(point: DVec3) -> u32 {
    let cells = (1u32 << BITS) as f64;
    let cell = |x: f64| ((x * 0.5 + 0.5) * cells).clamp(0.0, cells - 1.0) as u32;
    spread(cell(point.x)) << 2 | spread(cell(point.y)) << 1 | spread(cell(point.z))
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
