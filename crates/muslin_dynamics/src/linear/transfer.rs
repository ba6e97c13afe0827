//! Between two levels: smoothed prolongation, restriction and the coarse matrix.
//!
//! An aggregate has six unknowns, its rigid motions; they are what a piece of cloth does at no cost, so a
//! coarse level that has them can take over all slow errors. The tentative prolongation T moves each vertex
//! rigidly with its aggregate; P = (I − ω D⁻¹ A) T smooths the jumps between aggregates. Weak couplings are
//! left out of that A and put on its diagonal, which keeps P sparse and rigid translations exact.

use super::{
    aggregation::Aggregates,
    graph::Graph,
    rows::{Rows, inverse},
};
use muslin_model::parallel;

/// Unknowns of an aggregate: three translations and three rotations.
pub const MODES: usize = 6;
/// ω: about 4/3 over the largest eigenvalue of D⁻¹ A, which is between 2 and 3 for the block diagonal D [-].
const PROLONGATION_SMOOTHING: f64 = 0.5;

/// What the motions of an aggregate do to one of its members.
pub type Modes<const B: usize> = [[f32; MODES]; B];

/// The transfer from a level with B unknowns per node to the next coarser one.
#[derive(Clone, Debug, Default)]
pub struct Transfer<const B: usize> {
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Modes<B>>,
    /// For each aggregate, which (node, entry of `blocks`) reach it.
    back_starts: Vec<u32>,
    back: Vec<(u32, u32)>,
}

impl<const B: usize> Transfer<B> {
    /// Finds which aggregates each node moves with. `graph` has the strong couplings.
    pub fn new(graph: &Graph, aggregates: &Aggregates) -> Self {
        let mut transfer = Transfer { starts: vec![0], ..Transfer::default() };
        for v in 0..graph.vertices() as u32 {
            let first = transfer.columns.len();
            transfer.columns.push(aggregates.of[v as usize]);
            transfer.columns.extend(graph.of(v).iter().map(|&w| aggregates.of[w as usize]));
            let mut list = transfer.columns.split_off(first);
            list.sort_unstable();
            list.dedup();
            transfer.columns.append(&mut list);
            transfer.starts.push(transfer.columns.len() as u32);
        }
        transfer.blocks = vec![[[0.0; MODES]; B]; transfer.columns.len()];
        transfer.back_starts = vec![0; aggregates.count + 1];
        transfer.columns.iter().for_each(|&c| transfer.back_starts[c as usize + 1] += 1);
        for a in 0..aggregates.count {
            transfer.back_starts[a + 1] += transfer.back_starts[a];
        }
        let mut next = transfer.back_starts.clone();
        transfer.back = vec![(0, 0); transfer.columns.len()];
        for v in 0..graph.vertices() {
            for k in transfer.row(v) {
                let slot = &mut next[transfer.columns[k] as usize];
                transfer.back[*slot as usize] = (v as u32, k as u32);
                *slot += 1;
            }
        }
        transfer
    }

    fn row(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Computes P for a matrix.
    pub fn smooth(&mut self, a: &Rows<B>, graph: &Graph, aggregates: &Aggregates, modes: &[Modes<B>]) {
        let (starts, columns) = (&self.starts, &self.columns);
        let rows = parallel::map(a.count().div_ceil(parallel::CHUNK), |chunk| {
            let nodes = chunk * parallel::CHUNK..((chunk + 1) * parallel::CHUNK).min(a.count());
            let first = starts[nodes.start] as usize;
            let mut blocks = vec![[[0.0_f32; MODES]; B]; starts[nodes.end] as usize - first];
            for node in nodes {
                let own = starts[node] as usize..starts[node + 1] as usize;
                smooth_row(
                    a,
                    graph,
                    aggregates,
                    modes,
                    node,
                    |aggregate| own.start - first + columns[own.clone()].partition_point(|&c| c < aggregate),
                    &mut blocks,
                );
            }
            blocks
        });
        self.blocks.clear();
        rows.into_iter().for_each(|mut blocks| self.blocks.append(&mut blocks));
    }

    /// out = Pᵀ r.
    pub fn restrict(&self, r: &[[f32; B]], out: &mut [[f32; MODES]]) {
        parallel::fill(out, |aggregate| {
            let mut sum = [0.0; MODES];
            for &(node, entry) in
                &self.back[self.back_starts[aggregate] as usize..self.back_starts[aggregate + 1] as usize]
            {
                for i in 0..B {
                    for m in 0..MODES {
                        sum[m] += self.blocks[entry as usize][i][m] * r[node as usize][i];
                    }
                }
            }
            sum
        });
    }

    /// x += P c.
    pub fn prolong(&self, c: &[[f32; MODES]], x: &mut [[f32; B]]) {
        parallel::update(x, |node, x| {
            let mut sum = *x;
            for k in self.row(node) {
                let coarse = &c[self.columns[k] as usize];
                for i in 0..B {
                    for m in 0..MODES {
                        sum[i] += self.blocks[k][i][m] * coarse[m];
                    }
                }
            }
            sum
        });
    }

    /// The pattern of Pᵀ A P.
    pub fn coarse_pattern(&self, a: &Rows<B>) -> Rows<MODES> {
        let count = self.back_starts.len() - 1;
        let mut coarse = Rows { starts: vec![0], columns: Vec::new(), blocks: Vec::new() };
        let mut seen = vec![u32::MAX; count];
        for aggregate in 0..count {
            let mut list = Vec::new();
            for &(node, _) in &self.back[self.back_starts[aggregate] as usize..self.back_starts[aggregate + 1] as usize]
            {
                for k in a.row(node as usize) {
                    for q in self.row(a.columns[k] as usize) {
                        let column = self.columns[q];
                        if seen[column as usize] != aggregate as u32 {
                            seen[column as usize] = aggregate as u32;
                            list.push(column);
                        }
                    }
                }
            }
            list.sort_unstable();
            coarse.columns.append(&mut list);
            coarse.starts.push(coarse.columns.len() as u32);
        }
        coarse.blocks = vec![[[0.0; MODES]; MODES]; coarse.columns.len()];
        coarse
    }

    /// coarse = Pᵀ A P. The upper half is summed node by node in order, the lower one mirrored.
    pub fn galerkin(&self, a: &Rows<B>, coarse: &mut Rows<MODES>) {
        coarse.blocks.fill([[0.0; MODES]; MODES]);
        let mut reached: Vec<u32> = Vec::new();
        let mut sums: Vec<Modes<B>> = Vec::new();
        for node in 0..a.count() {
            reached.clear();
            for k in a.row(node) {
                reached.extend_from_slice(&self.columns[self.row(a.columns[k] as usize)]);
            }
            reached.sort_unstable();
            reached.dedup();
            sums.clear();
            sums.resize(reached.len(), [[0.0; MODES]; B]);
            for k in a.row(node) {
                let block = &a.blocks[k];
                for q in self.row(a.columns[k] as usize) {
                    let at = reached.partition_point(|&c| c < self.columns[q]);
                    let (sum, p) = (&mut sums[at], &self.blocks[q]);
                    for i in 0..B {
                        for j in 0..B {
                            for m in 0..MODES {
                                sum[i][m] += block[i][j] * p[j][m];
                            }
                        }
                    }
                }
            }
            for k in self.row(node) {
                let (p, row) = (&self.blocks[k], self.columns[k]);
                let mut target = coarse.find(row as usize, row);
                for (sum, &column) in sums.iter().zip(&reached).filter(|&(_, &column)| column >= row) {
                    while coarse.columns[target] < column {
                        target += 1;
                    }
                    let block = &mut coarse.blocks[target];
                    for n in 0..MODES {
                        for i in 0..B {
                            for m in 0..MODES {
                                block[n][m] += p[i][n] * sum[i][m];
                            }
                        }
                    }
                }
            }
        }
        for row in 0..coarse.count() {
            for k in coarse.row(row) {
                let column = coarse.columns[k] as usize;
                if column > row {
                    let mirror = coarse.find(column, row as u32);
                    let block = coarse.blocks[k];
                    coarse.blocks[mirror] = std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]));
                }
            }
            // A motion that moves nothing (a lone vertex does not rotate) must not make the matrix singular.
            let own = coarse.find(row, row as u32);
            let block = &mut coarse.blocks[own];
            let largest = (0..MODES).fold(0.0_f32, |most, m| most.max(block[m][m]));
            for m in 0..MODES {
                if !(block[m][m] > LEAST_STIFFNESS * largest) {
                    block[m][m] += if largest > 0.0 { largest } else { 1.0 };
                }
            }
        }
    }
}

/// Motions of an aggregate with less than this part of its largest stiffness count as none [-]: rounding.
const LEAST_STIFFNESS: f32 = 1e-12;

/// Adds one row of P to `blocks`, whose entry for an aggregate `place` gives.
fn smooth_row<const B: usize>(
    a: &Rows<B>,
    graph: &Graph,
    aggregates: &Aggregates,
    modes: &[Modes<B>],
    node: usize,
    place: impl Fn(u32) -> usize,
    blocks: &mut [Modes<B>],
) {
    let strong = graph.of(node as u32);
    let mut diagonal = [[0.0_f64; B]; B];
    let mut own = [[0.0_f64; B]; B];
    for k in a.row(node) {
        let column = a.columns[k];
        if strong.binary_search(&column).is_err() {
            for i in 0..B {
                for j in 0..B {
                    let value = f64::from(a.blocks[k][i][j]);
                    diagonal[i][j] += value;
                    own[i][j] += if column as usize == node { value } else { 0.0 };
                }
            }
        }
    }
    let inverted = inverse(&own).unwrap_or([[0.0; B]; B]);
    let mut add = |column: u32, block: &dyn Fn(usize, usize) -> f64| {
        let target = &mut blocks[place(aggregates.of[column as usize])];
        let mode = &modes[column as usize];
        for i in 0..B {
            for j in 0..B {
                let weight: f64 = (0..B).map(|m| inverted[i][m] * block(m, j)).sum::<f64>() * -PROLONGATION_SMOOTHING;
                for m in 0..MODES {
                    target[i][m] += (weight * f64::from(mode[j][m])) as f32;
                }
            }
        }
    };
    add(node as u32, &|i, j| diagonal[i][j]);
    for k in a.row(node) {
        if strong.binary_search(&a.columns[k]).is_ok() {
            add(a.columns[k], &|i, j| f64::from(a.blocks[k][i][j]));
        }
    }
    let target = &mut blocks[place(aggregates.of[node])];
    for i in 0..B {
        for m in 0..MODES {
            target[i][m] += modes[node][i][m];
        }
    }
}
