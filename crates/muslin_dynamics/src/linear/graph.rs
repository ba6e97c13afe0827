//! Which rows of a matrix are coupled, both ways, as lists of neighbours.

use super::Pattern;

/// An undirected graph without loops in compressed rows; neighbours ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// First neighbour of each vertex, and their number at the end.
    pub starts: Vec<u32>,
    /// Neighbours.
    pub neighbours: Vec<u32>,
}

impl Graph {
    /// The couplings of a pattern whose slot `keep` accepts.
    pub fn new(pattern: &Pattern, keep: impl Fn(usize) -> bool) -> Self {
        let rows = pattern.rows();
        let mut starts = vec![0_u32; rows + 1];
        let each = |body: &mut dyn FnMut(usize, usize)| {
            for row in 0..rows {
                for slot in pattern.row(row).skip(1) {
                    if keep(slot) {
                        body(row, pattern.columns[slot] as usize);
                    }
                }
            }
        };
        each(&mut |i, j| {
            starts[i + 1] += 1;
            starts[j + 1] += 1;
        });
        for v in 0..rows {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[rows] as usize];
        // Rows ascend, so each list gets its smaller neighbours first, then its larger ones: sorted.
        each(&mut |i, j| {
            neighbours[next[j] as usize] = i as u32;
            next[j] += 1;
        });
        each(&mut |i, j| {
            neighbours[next[i] as usize] = j as u32;
            next[i] += 1;
        });
        Graph { starts, neighbours }
    }

    /// The graph with further pairs coupled.
    pub fn bridged(&self, pairs: &[[u32; 2]]) -> Self {
        let mut lists: Vec<Vec<u32>> = (0..self.vertices()).map(|v| self.of(v as u32).to_vec()).collect();
        for &[i, j] in pairs {
            lists[i as usize].push(j);
            lists[j as usize].push(i);
        }
        let mut graph =
            Graph { starts: vec![0], neighbours: Vec::with_capacity(self.neighbours.len() + 2 * pairs.len()) };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            graph.neighbours.append(&mut list);
            graph.starts.push(graph.neighbours.len() as u32);
        }
        graph
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Neighbours of a vertex.
    #[inline]
    pub fn of(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }
}
