//! Which vertex pairs have a block: the upper half of a symmetric matrix, row by row.

use super::product::Ghosts;
use crate::domains::{Domains, Slot, Stored};

/// The pattern of the upper triangle: each row begins with its diagonal block, then the columns ascend.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// First slot of each row, and the number of slots at the end.
    pub row_starts: Vec<u32>,
    /// Column of each slot.
    pub columns: Vec<u32>,
    /// The vertex ranges that rows are grouped in.
    pub domains: Domains,
    /// Columns that rows reach in later domains.
    pub ghosts: Ghosts,
}

impl Pattern {
    /// Collects all pairs inside the stencils, and every diagonal.
    pub fn new<'a>(domains: Domains, stencils: impl Iterator<Item = &'a [u32]>) -> Self {
        let rows = *domains.starts.last().expect("domains end with the vertex count") as usize;
        let mut upper: Vec<Vec<u32>> = vec![Vec::new(); rows];
        for stencil in stencils {
            for &i in stencil {
                for &j in stencil {
                    // Short lists: a linear search beats sorting duplicates away later.
                    if i < j && !upper[i as usize].contains(&j) {
                        upper[i as usize].push(j);
                    }
                }
            }
        }
        let mut row_starts = Vec::with_capacity(rows + 1);
        let mut columns = Vec::new();
        for (i, list) in upper.iter_mut().enumerate() {
            list.sort_unstable();
            row_starts.push(columns.len() as u32);
            columns.push(i as u32);
            columns.append(list);
        }
        row_starts.push(columns.len() as u32);
        let ghosts = Ghosts::new(&row_starts, &columns, &domains);
        Pattern { row_starts, columns, domains, ghosts }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Slots of a row.
    #[inline]
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.row_starts[row] as usize..self.row_starts[row + 1] as usize
    }

    /// The place of the block of a row and a column that is no smaller, if there is one.
    pub fn place(&self, row: u32, column: u32) -> Option<usize> {
        let slots = self.row(row as usize);
        self.columns[slots.clone()].binary_search(&column).ok().map(|k| slots.start + k)
    }

    /// The slot of the block that couples vertex `i` (rows of the block) with `j` (its columns).
    ///
    /// # Panics
    /// If no stencil of the pattern holds both.
    pub fn slot(&self, i: u32, j: u32) -> Slot {
        let (row, column) = (i.min(j), i.max(j));
        let slots = self.row(row as usize);
        let k =
            self.columns[slots.clone()].binary_search(&column).expect("a force binds only pairs of its own stencils");
        Slot::new((slots.start + k) as u32, if i > j { Stored::Transposed } else { Stored::AsGiven })
    }

    /// Slots of all pairs (a ≤ b) of a stencil: (0,0), (0,1), …, (1,1), …
    pub fn stencil_slots(&self, stencil: &[u32], out: &mut Vec<Slot>) {
        for a in 0..stencil.len() {
            for b in a..stencil.len() {
                out.push(self.slot(stencil[a], stencil[b]));
            }
        }
    }
}
