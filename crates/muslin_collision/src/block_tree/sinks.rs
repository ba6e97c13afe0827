//! What happens to box pairs as they are found: they are kept, or filtered at once.

use super::hull_filter::{FIRST_ROUNDS, LAST_ROUNDS, surely_apart};
use super::lanes::{Lanes, WIDTH};
use super::leaves::Points;
use super::plane_filter::surely_off_plane;
use super::search::{Rows, Sink};
use std::time::{Duration, Instant};

/// Keeps all pairs.
pub struct Keep<E: Fn(u32, u32) -> bool> {
    /// Whether the true boxes of two slots overlap.
    pub overlap: E,
    /// Slots of the pairs.
    pub pairs: Vec<[u32; 2]>,
}

impl<const M: usize, E: Fn(u32, u32) -> bool> Sink<M> for Keep<E> {
    fn overlap(&self, a: u32, b: u32) -> bool {
        (self.overlap)(a, b)
    }
    #[inline(always)]
    fn take<L: Lanes>(&mut self, rows: &Rows<M>) {
        for k in 0..WIDTH {
            self.pairs.extend(rows.row(k).iter().map(|&b| [rows.first + k as u32, b]));
        }
    }
}

/// Keeps the pairs that the hull filter cannot reject.
///
/// `N`, `M`: corners of a primitive; `PA`, `PB`: points, twice the corners.
pub struct Filter<'a, const N: usize, const M: usize, const PA: usize, const PB: usize, E: Fn(u32, u32) -> bool> {
    /// Points of side a.
    pub a: Points<'a, N>,
    /// Points of side b.
    pub b: Points<'a, M>,
    /// How far apart the pairs must stay, in units [-].
    pub separation: f32,
    /// Whether the true boxes of two slots overlap.
    pub overlap: E,
    /// Slots of the pairs that are left.
    pub left: Vec<[u32; 2]>,
    /// Slots of the pairs that the first rounds left; a work array.
    pub doubtful: Vec<[u32; 2]>,
    /// Time spent here, for the report only.
    pub spent: Duration,
}

impl<const N: usize, const M: usize, const PA: usize, const PB: usize, E> Sink<M> for Filter<'_, N, M, PA, PB, E>
where
    E: Fn(u32, u32) -> bool,
{
    fn overlap(&self, a: u32, b: u32) -> bool {
        (self.overlap)(a, b)
    }

    #[inline(always)]
    fn take<L: Lanes>(&mut self, rows: &Rows<M>) {
        let begin = Instant::now();
        self.doubtful.clear();
        for k in 0..WIDTH {
            let row = rows.range(k);
            if row.is_empty() {
                continue;
            }
            let a = rows.first + k as u32;
            let own: [[L; 3]; PA] = self.a.same(a);
            for first in row.clone().step_by(WIDTH) {
                let (slots, corners) = rows.group(first);
                let counted = 0xff >> WIDTH.saturating_sub(row.end - first);
                let others: [[L; 3]; PB] = self.b.of(corners);
                let mut rest = counted & !surely_apart(&own, &others, (self.separation, counted), FIRST_ROUNDS);
                while rest != 0 {
                    self.doubtful.push([a, slots[rest.trailing_zeros() as usize]]);
                    rest &= rest - 1;
                }
            }
        }
        for first in (0..self.doubtful.len()).step_by(WIDTH) {
            let (pairs, counted) = group(&self.doubtful, first);
            let p: [[L; 3]; PA] = self.a.at(&pairs.map(|p| p[0]));
            let q: [[L; 3]; PB] = self.b.at(&pairs.map(|p| p[1]));
            let off = surely_off_plane(&p, &q, self.separation);
            let mut rest = !off & counted;
            if rest != 0 {
                rest &= !surely_apart(&p, &q, (self.separation, rest), LAST_ROUNDS);
            }
            while rest != 0 {
                self.left.push(pairs[rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
        self.spent += begin.elapsed();
    }
}

/// Eight entries from `first` on, and one bit for each that exists; the rest repeat the last.
#[inline(always)]
fn group<T: Copy>(from: &[T], first: usize) -> ([T; WIDTH], u32) {
    match from[first..].first_chunk() {
        Some(all) => (*all, 0xff),
        None => {
            let last = from.len() - 1;
            (std::array::from_fn(|k| from[(first + k).min(last)]), (1 << (from.len() - first)) - 1)
        }
    }
}
