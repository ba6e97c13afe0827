//! Grouping vertices into aggregates, the unknowns of the next coarser level.

use super::graph::Graph;

/// The aggregate of each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aggregates {
    /// Aggregate of each vertex.
    pub of: Vec<u32>,
    /// Number of aggregates.
    pub count: usize,
}

const NONE: u32 = u32::MAX;

impl Aggregates {
    /// Vaněk, Mandel and Brezina (1996): every vertex whose neighbours are all free founds an aggregate with
    /// them; the rest join a neighbour's, the smallest first; who has no neighbours stays alone.
    pub fn new(graph: &Graph) -> Self {
        let vertices = graph.vertices();
        let mut of = vec![NONE; vertices];
        let mut sizes: Vec<u32> = Vec::new();
        for v in 0..vertices as u32 {
            let near = graph.of(v);
            if of[v as usize] == NONE && near.iter().all(|&w| of[w as usize] == NONE) {
                let number = sizes.len() as u32;
                of[v as usize] = number;
                near.iter().for_each(|&w| of[w as usize] = number);
                sizes.push(near.len() as u32 + 1);
            }
        }
        let founded = of.clone();
        for v in 0..vertices as u32 {
            if of[v as usize] != NONE {
                continue;
            }
            let joined = graph.of(v).iter().map(|&w| founded[w as usize]).filter(|&a| a != NONE);
            if let Some(a) = joined.min_by_key(|&a| (sizes[a as usize], a)) {
                of[v as usize] = a;
                sizes[a as usize] += 1;
            }
        }
        // What is left has only neighbours that joined late; it goes with one of them.
        for v in 0..vertices as u32 {
            if of[v as usize] == NONE {
                let late = graph.of(v).iter().map(|&w| of[w as usize]).find(|&a| a != NONE);
                of[v as usize] = late.unwrap_or_else(|| {
                    sizes.push(1);
                    sizes.len() as u32 - 1
                });
            }
        }
        Aggregates { of, count: sizes.len() }
    }

    /// Which aggregates have coupled members: the graph to aggregate again by. The coarse matrix itself couples more of
    /// them, because smoothed prolongations overlap: aggregates of five a side instead of three, which costs twice the
    /// iterations at 200² vertices.
    pub fn touching(&self, graph: &Graph) -> Graph {
        let mut pairs: Vec<[u32; 2]> = (0..graph.vertices() as u32)
            .flat_map(|v| graph.of(v).iter().map(move |&w| [self.of[v as usize], self.of[w as usize]]))
            .filter(|[a, b]| a != b)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; self.count + 1];
        pairs.iter().for_each(|[a, _]| starts[*a as usize + 1] += 1);
        (0..self.count).for_each(|a| starts[a + 1] += starts[a]);
        Graph { starts, neighbours: pairs.into_iter().map(|[_, b]| b).collect() }
    }
}
