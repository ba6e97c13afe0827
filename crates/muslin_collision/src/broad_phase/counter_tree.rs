//! The counter tree of the octree grid: where to subdivide (W 6.3.1).
//!
//! Items are registered in the cells of the finest level only. For coarser cells it is enough to count: an item
//! that meets several fine cells of one coarse cell counts once, in the lowest of them, its *token*. Along each axis a fine
//! cell is the token in the coarse cell around it if the item begins there or if the coarse cell does; the second
//! holds for as many levels as the index has trailing zeros. So each registration has a *height*, the number of
//! levels up to which it is a token, and counting is a comparison.
//!
//! W keeps the whole hierarchy as a table, 512 MB for nine levels. Here only occupied cells exist: registrations
//! sorted along a Morton curve hold each cell of each level as one run.
//!
//! A cell of n items costs n(n − 1)/2 tests. The *one-stage* scheme goes down from the top and stops where
//! subdivision does not pay at once. The *two-stage* scheme goes up first and gives each cell the lesser of its own
//! tests and those of its best subdivision, then takes the highest cells that pay. That is the minimum over
//! all subdivisions.

/// An item in a cell of the finest level. Sorted by cell, then item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Registration {
    /// Number of the cell along the Morton curve.
    pub code: u64,
    /// The item.
    pub item: u32,
    /// Levels up to which this cell is the item's token.
    pub height: u32,
}

/// Height of a registration from the cell's index and the item's first index along each axis.
pub(super) fn height(cell: &[u32], first: &[u32]) -> u32 {
    let along = |(&index, &first): (&u32, &u32)| if index == first { u32::MAX } else { index.trailing_zeros() };
    cell.iter().zip(first).map(along).min().unwrap_or(u32::MAX)
}

/// How the octree is made from the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Down from the top, until subdividing a cell does not pay at once.
    OneStage,
    /// Up to the top, then down to the highest cells that pay.
    TwoStage,
}

/// A cell that is not subdivided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Levels above the finest.
    pub up: u32,
    /// Number of the cell on its level's Morton curve.
    pub code: u64,
}

#[derive(Clone, Debug, Default)]
struct Level {
    codes: Vec<u64>,
    /// Tests in each cell if it is a leaf.
    tests: Vec<u64>,
    /// Where each cell's children begin in the level below; one more at the end.
    children: Vec<u32>,
}

/// Occupied cells of all levels with their numbers of tests; the finest first.
#[derive(Clone, Debug, Default)]
pub(super) struct CounterTree {
    levels: Vec<Level>,
}

impl CounterTree {
    /// Counts the items of all cells on `levels` levels; a cell has 2^`bits` children.
    pub fn new(registrations: &[Registration], bits: u32, levels: u32) -> Self {
        let mut tree = CounterTree::default();
        let mut tokens: Vec<(u64, u32)> = registrations.iter().map(|r| (r.code, r.height)).collect();
        for up in 0..levels {
            tokens.retain(|&(_, height)| height >= up);
            let mut level = Level::default();
            let below = tree.levels.last();
            let mut child = 0;
            for cell in tokens.chunk_by(|a, b| a.0 >> (bits * up) == b.0 >> (bits * up)) {
                let (code, count) = (cell[0].0 >> (bits * up), cell.len() as u64);
                level.codes.push(code);
                level.tests.push(count * (count - 1) / 2);
                level.children.push(child);
                if let Some(below) = below {
                    while below.codes.get(child as usize).is_some_and(|c| c >> bits == code) {
                        child += 1;
                    }
                }
            }
            level.children.push(child);
            tree.levels.push(level);
        }
        tree
    }

    /// The leaves of the octree, along the Morton curve.
    pub fn leaves(&self, scheme: Scheme) -> Vec<Leaf> {
        let divided = match scheme {
            Scheme::OneStage => self.divided_at_once(),
            Scheme::TwoStage => self.bottom_up(),
        };
        let mut leaves = Vec::new();
        if let Some(top) = self.levels.len().checked_sub(1) {
            (0..self.levels[top].codes.len()).for_each(|cell| self.descend(top, cell, &divided, &mut leaves));
        }
        leaves
    }

    /// The top-down stage: the first cell on each branch that is not divided is a leaf.
    fn descend(&self, level: usize, cell: usize, divided: &[Vec<bool>], leaves: &mut Vec<Leaf>) {
        if divided[level][cell] {
            let children = &self.levels[level].children;
            (children[cell]..children[cell + 1])
                .for_each(|child| self.descend(level - 1, child as usize, divided, leaves));
        } else {
            leaves.push(Leaf { up: level as u32, code: self.levels[level].codes[cell] });
        }
    }

    /// The bottom-up stage: which cells are better divided, counting each child at its best.
    fn bottom_up(&self) -> Vec<Vec<bool>> {
        let mut best: Vec<u64> = Vec::new();
        let mut divided = Vec::new();
        for (up, level) in self.levels.iter().enumerate() {
            let below = std::mem::replace(&mut best, level.tests.clone());
            let mut marks = vec![false; level.codes.len()];
            for cell in (0..level.codes.len()).filter(|_| up > 0) {
                let sum = self.sum_of_children(up, cell, &below);
                if sum < level.tests[cell] {
                    (marks[cell], best[cell]) = (true, sum);
                }
            }
            divided.push(marks);
        }
        divided
    }

    /// Which cells have more tests than their children together.
    fn divided_at_once(&self) -> Vec<Vec<bool>> {
        let mut divided = vec![vec![false; self.levels.first().map_or(0, |base| base.codes.len())]];
        for up in 1..self.levels.len() {
            let (level, below) = (&self.levels[up], &self.levels[up - 1].tests);
            let pays = |cell: usize| self.sum_of_children(up, cell, below) < level.tests[cell];
            divided.push((0..level.codes.len()).map(pays).collect());
        }
        divided
    }

    fn sum_of_children(&self, up: usize, cell: usize, below: &[u64]) -> u64 {
        let children = &self.levels[up].children;
        below[children[cell] as usize..children[cell + 1] as usize].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen intervals on sixteen cells. The drawing of W fig. 6.6 is a picture and its intervals are not listed; these
    /// have the totals and all marks that its caption and text name.
    const FIRST_CELLS: [u32; 16] = [0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 9, 11, 14, 14, 15];
    const LAST_CELLS: [u32; 16] = [0, 1, 4, 3, 5, 5, 3, 4, 5, 8, 8, 10, 11, 14, 15, 15];

    fn intervals() -> impl Iterator<Item = (u32, u32)> {
        FIRST_CELLS.into_iter().zip(LAST_CELLS)
    }

    fn figure() -> CounterTree {
        let mut registrations: Vec<Registration> = Vec::new();
        for (item, (first, last)) in intervals().enumerate() {
            registrations.extend((first..=last).map(|cell| Registration {
                code: u64::from(cell),
                item: item as u32,
                height: height(&[cell], &[first]),
            }));
        }
        registrations.sort();
        CounterTree::new(&registrations, 1, 5)
    }

    /// The figure numbers cells level by level from the root, 0, to the base, 15 to 30.
    fn id(up: usize, code: u64) -> u64 {
        (1 << (4 - up)) - 1 + code
    }

    fn tests_of(tree: &CounterTree, leaves: &[Leaf]) -> u64 {
        let tests = |leaf: &Leaf| {
            let level = &tree.levels[leaf.up as usize];
            level.tests[level.codes.binary_search(&leaf.code).unwrap()]
        };
        leaves.iter().map(tests).sum()
    }

    #[test]
    fn counts_are_those_of_the_intervals_on_every_level() {
        let tree = figure();
        for (up, level) in tree.levels.iter().enumerate() {
            for (&code, &tests) in level.codes.iter().zip(&level.tests) {
                let (low, high) = ((code << up) as u32, ((code + 1) << up) as u32 - 1);
                let count = intervals().filter(|(a, b)| *a <= high && *b >= low).count() as u64;
                assert_eq!(tests, count * (count - 1) / 2, "cell {}", id(up, code));
            }
        }
    }

    #[test]
    fn the_two_stage_scheme_reduces_the_tests_of_figure_6_6_from_120_to_41() {
        let tree = figure();
        assert_eq!(tree.levels[4].tests, [120]);
        let divided = tree.bottom_up();
        let marked = |up: usize, mark: bool| -> Vec<u64> {
            let cells = tree.levels[up].codes.iter().zip(&divided[up]);
            cells.filter(|(_, divided)| **divided == mark).map(|(&code, _)| id(up, code)).collect()
        };
        // Pass 1: leaves and normal cells of the caption; cell 13 is empty. Pass 2: cell 4 is merged again.
        assert_eq!((marked(1, false), marked(1, true)), (vec![8, 10], vec![7, 9, 11, 12, 14]));
        assert!(marked(2, false).contains(&4));
        let leaves = tree.leaves(Scheme::TwoStage);
        assert!(leaves.contains(&Leaf { up: 2, code: 1 }), "cell 4 is a leaf after the top-down stage");
        assert_eq!(tests_of(&tree, &leaves), 41);
        assert!(tests_of(&tree, &tree.leaves(Scheme::OneStage)) > 41, "one stage stops too early");
    }

    #[test]
    fn no_subdivision_at_all_has_fewer_tests_than_the_two_stage_scheme() {
        // All subdivisions, by enumeration: a cell is a leaf, or its halves are subdivided in every way.
        fn totals(tree: &CounterTree, up: usize, code: u64) -> Vec<u64> {
            let Ok(cell) = tree.levels[up].codes.binary_search(&code) else { return vec![0] };
            let mut all = vec![tree.levels[up].tests[cell]];
            if up > 0 {
                let (left, right) = (totals(tree, up - 1, 2 * code), totals(tree, up - 1, 2 * code + 1));
                all.extend(left.iter().flat_map(|a| right.iter().map(move |b| a + b)));
            }
            all
        }
        let tree = figure();
        let all = totals(&tree, 4, 0);
        assert!(all.len() > 300);
        assert_eq!(all.iter().min(), Some(&41));
    }
}
