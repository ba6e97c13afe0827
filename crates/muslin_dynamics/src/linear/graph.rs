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

    /// The graph with further pairs coupled, which ascend and have their smaller vertex first.
    pub fn bridged(&self, pairs: &[[u32; 2]]) -> Self {
        let vertices = self.vertices();
        let mut starts = vec![0_u32; vertices + 1];
        pairs.iter().flatten().for_each(|&v| starts[v as usize + 1] += 1);
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut further = vec![0; 2 * pairs.len()];
        let mut add = |v: u32, w: u32| {
            further[next[v as usize] as usize] = w;
            next[v as usize] += 1;
        };
        // Smaller neighbours first: sorted, as the pairs are.
        pairs.iter().for_each(|&[i, j]| add(j, i));
        pairs.iter().for_each(|&[i, j]| add(i, j));
        let mut graph =
            Graph { starts: vec![0], neighbours: Vec::with_capacity(self.neighbours.len() + further.len()) };
        for v in 0..vertices {
            let more = &further[starts[v] as usize..starts[v + 1] as usize];
            merge(self.of(v as u32), more, &mut graph.neighbours);
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

/// Appends the union of two ascending lists.
fn merge(mut a: &[u32], mut b: &[u32], out: &mut Vec<u32>) {
    while let (Some(&i), Some(&j)) = (a.first(), b.first()) {
        out.push(i.min(j));
        a = &a[usize::from(i <= j)..];
        b = &b[usize::from(j <= i)..];
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
}
