//! What happens to box pairs as they are found: they are kept, or filtered at once.

use super::hull_filter::surely_apart;
use super::lanes::{Lanes, WIDTH};
use super::records::Record;
use super::search::Sink;
use std::time::{Duration, Instant};

/// Keeps all pairs.
pub struct Keep<E: Fn(u32, u32) -> bool> {
    /// Whether the true boxes of two slots overlap.
    pub overlap: E,
    /// Slots of the pairs.
    pub pairs: Vec<[u32; 2]>,
}

impl<E: Fn(u32, u32) -> bool> Sink for Keep<E> {
    fn overlap(&self, a: u32, b: u32) -> bool {
        (self.overlap)(a, b)
    }
    #[inline(always)]
    fn take<L: Lanes>(&mut self, a: &[u32], b: &[u32]) {
        self.pairs.extend(a.iter().zip(b).map(|(&a, &b)| [a, b]));
    }
}

/// Keeps the pairs that the hull filter cannot reject.
///
/// `FA`, `FB`: groups of numbers per record; `PA`, `PB`: points per record, twice the corners of a primitive.
pub struct Filter<'a, const FA: usize, const FB: usize, const PA: usize, const PB: usize, E>
where
    E: Fn(u32, u32) -> bool,
{
    /// Records of side a.
    pub a: &'a [Record<FA>],
    /// Records of side b.
    pub b: &'a [Record<FB>],
    /// How far apart the pairs must stay, in units [-].
    pub separation: f32,
    /// Whether the true boxes of two slots overlap.
    pub overlap: E,
    /// Slots of the pairs that are left.
    pub left: Vec<[u32; 2]>,
    /// Time spent here, for the report only.
    pub spent: Duration,
}

/// The filter of vertices against faces.
pub type VertexFaceFilter<'a, E> = Filter<'a, 2, 5, 2, 6, E>;

/// The filter of edges against edges.
pub type EdgeEdgeFilter<'a, E> = Filter<'a, 3, 3, 4, 4, E>;

impl<const FA: usize, const FB: usize, const PA: usize, const PB: usize, E> Sink for Filter<'_, FA, FB, PA, PB, E>
where
    E: Fn(u32, u32) -> bool,
{
    fn overlap(&self, a: u32, b: u32) -> bool {
        (self.overlap)(a, b)
    }

    #[inline(always)]
    fn take<L: Lanes>(&mut self, a: &[u32], b: &[u32]) {
        let begin = Instant::now();
        let count = a.len();
        for first in (0..count).step_by(WIDTH) {
            // The last group is filled up with its last pair, whose copies do not count.
            let fill = |from: &[u32]| -> [u32; WIDTH] { std::array::from_fn(|k| from[(first + k).min(count - 1)]) };
            let (slots_a, slots_b) = match (a[first..].first_chunk(), b[first..].first_chunk()) {
                (Some(a), Some(b)) => (*a, *b),
                _ => (fill(a), fill(b)),
            };
            let counted = if count - first < WIDTH { (1 << (count - first)) - 1 } else { 0xff };
            let p: [[L; 3]; PA] = points(self.a, &slots_a);
            let q: [[L; 3]; PB] = points(self.b, &slots_b);
            let mut rest = !surely_apart(&p, &q, self.separation) & counted;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.left.push([slots_a[lane], slots_b[lane]]);
            }
        }
        self.spent += begin.elapsed();
    }
}

/// The points of eight records, side by side.
#[inline(always)]
fn points<L: Lanes, const F: usize, const P: usize>(records: &[Record<F>], slots: &[u32; WIDTH]) -> [[L; 3]; P] {
    let rows: [&Record<F>; WIDTH] = slots.map(|s| &records[s as usize]);
    let mut groups = [[L::splat(0.0); 4]; F];
    for (g, group) in groups.iter_mut().enumerate() {
        *group = L::transpose(rows.map(|r| &r.points[g]));
    }
    let flat = groups.as_flattened();
    std::array::from_fn(|k| [flat[3 * k], flat[3 * k + 1], flat[3 * k + 2]])
}
