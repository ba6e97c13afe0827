//! Even distribution of pair tests over workers (W 5.3.4).
//!
//! Cells hold very different numbers of pairs, so that a worker per cell would mostly wait. The numbers of
//! pairs are summed up over the cells; the pairs then have numbers 0, 1, 2, … across all cells. They are cut
//! into equal portions, and a worker finds the cell of its first pair by a search in the sums. W gives each
//! GPU thread one pair; a CPU worker gets a portion, long enough to forget the search and short enough to
//! balance. Portions depend on the data alone and their results are strung together in order, so the outcome is the
//! same for any number of workers.

use crate::Candidates;
use muslin_model::parallel;

/// Pairs per portion: some 100 µs of work.
const PORTION: u64 = 1 << 14;

/// Lists of entries, one list per cell, and how many at the front of each lead a pair.
///
/// The pairs of a cell are (i, j) with i < j and i a leader.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Where each cell's entries begin.
    pub starts: Vec<u32>,
    /// Where they end.
    pub ends: Vec<u32>,
    /// How many of them lead pairs.
    pub leaders: Vec<u32>,
}

impl Cells {
    /// Forgets all cells and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.leaders.clear();
    }

    /// Adds a cell; one without pairs is left out.
    pub fn push(&mut self, entries: std::ops::Range<usize>, leaders: usize) {
        if entries.len() > 1 && leaders > 0 {
            self.starts.push(entries.start as u32);
            self.ends.push(entries.end as u32);
            self.leaders.push(leaders as u32);
        }
    }

    fn pairs_of(&self, cell: usize) -> u64 {
        pairs_before_row(u64::from(self.ends[cell] - self.starts[cell]), u64::from(self.leaders[cell]))
    }

    /// The sums of pairs before each cell, and behind the last.
    fn sums(&self) -> Vec<u64> {
        let mut sums = Vec::with_capacity(self.starts.len() + 1);
        let mut sum = 0;
        sums.push(0);
        for cell in 0..self.starts.len() {
            sum += self.pairs_of(cell);
            sums.push(sum);
        }
        sums
    }

    /// Runs `test(cell, entry i, entry j, out)` for every pair, in even portions. The outcomes are in the order
    /// of pairs.
    pub fn for_all_pairs<T: Default + Send>(&self, test: impl Fn(usize, usize, usize, &mut T) + Sync + Send) -> Vec<T> {
        let sums = self.sums();
        let total = *sums.last().unwrap_or(&0);
        parallel::map(total.div_ceil(PORTION) as usize, |portion| {
            let mut out = T::default();
            let (mut at, end) = (portion as u64 * PORTION, ((portion as u64 + 1) * PORTION).min(total));
            let mut cell = sums.partition_point(|&sum| sum <= at) - 1;
            while at < end {
                let upto = end.min(sums[cell + 1]);
                self.run(cell, at - sums[cell]..upto - sums[cell], |i, j| test(cell, i, j, &mut out));
                at = upto;
                cell += 1;
            }
            out
        })
    }

    /// Runs the pairs of one cell whose numbers lie in a range.
    fn run(&self, cell: usize, range: std::ops::Range<u64>, mut test: impl FnMut(usize, usize)) {
        let (start, end) = (self.starts[cell] as usize, self.ends[cell] as usize);
        let size = (end - start) as u64;
        let (mut low, mut high) = (0, u64::from(self.leaders[cell]));
        // The last row that begins at or before the first pair.
        while high - low > 1 {
            let middle = (low + high) / 2;
            if pairs_before_row(size, middle) <= range.start { low = middle } else { high = middle }
        }
        let mut left = range.end - range.start;
        let mut column = low + 1 + range.start - pairs_before_row(size, low);
        let mut row = low;
        while left > 0 {
            let run = left.min(size - column);
            let i = start + row as usize;
            for j in start + column as usize..start + (column + run) as usize {
                test(i, j);
            }
            left -= run;
            row += 1;
            column = row + 1;
        }
    }
}

/// Pairs in the first `row` rows of the upper triangle of a table of `size` entries.
fn pairs_before_row(size: u64, row: u64) -> u64 {
    row * size - row * (row + 1) / 2
}

/// Strings lists together, in order, in parallel.
pub(super) fn concatenate(parts: Vec<Candidates>, out: &mut Candidates) {
    out.clear();
    string_together(&mut out.vertex_face, parts.iter().map(|part| &part.vertex_face[..]).collect());
    string_together(&mut out.edge_edge, parts.iter().map(|part| &part.edge_edge[..]).collect());
}

fn string_together(out: &mut Vec<[u32; 2]>, parts: Vec<&[[u32; 2]]>) {
    out.resize(parts.iter().map(|part| part.len()).sum(), [0; 2]);
    let mut jobs = Vec::with_capacity(parts.len());
    let mut rest = &mut out[..];
    for part in parts {
        let (target, tail) = rest.split_at_mut(part.len());
        jobs.push((target, part));
        rest = tail;
    }
    parallel::for_each(jobs, |(target, part)| target.copy_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_with_a_leader_is_met_once_and_in_order_across_portions() {
        let mut cells = Cells::default();
        let mut expected = Vec::new();
        let mut at = 0;
        for (size, leaders) in [(5, 5), (1, 1), (7, 2), (900, 40), (4, 0), (3, 1), (400, 400)] {
            cells.push(at..at + size, leaders);
            for i in 0..leaders {
                expected.extend((i + 1..size).map(|j| (at + i, at + j)));
            }
            at += size;
        }
        assert!(expected.len() as u64 > 3 * PORTION);
        let run = |threads| {
            parallel::with_threads(threads, || cells.for_all_pairs(|_, i, j, out: &mut Vec<_>| out.push((i, j))))
        };
        assert_eq!(run(1).concat(), expected);
        assert_eq!(run(1), run(4));
    }

    #[test]
    fn portions_of_pairs_are_even() {
        let mut cells = Cells::default();
        cells.push(0..2, 2);
        cells.push(2..1002, 1000);
        let counts: Vec<u64> = cells.for_all_pairs(|_, _, _, count: &mut u64| *count += 1);
        let (last, full) = counts.split_last().unwrap();
        assert!(full.iter().all(|&count| count == PORTION));
        assert_eq!(full.len() as u64 * PORTION + last, 1 + 1000 * 999 / 2);
    }
}
