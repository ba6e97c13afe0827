//! Smoothed aggregation (Vaněk, Mandel and Brezina 1996): a V-cycle over coarser and coarser aggregates of
//! vertices, in single precision, as preconditioner.
//!
//! Patterns are made at the first matrix, numbers at each. The coarsest level is factorised.

use super::{
    BlockMatrix, Bridges, Pattern, Preconditioner,
    aggregation::Aggregates,
    cholesky::Cholesky,
    dissection::dissect,
    factor_memory::{flags, put_flags},
    factor_solve::SolveWork,
    fronts::Fronts,
    graph::Graph,
    places::{Places, skew},
    rows::Rows,
    smoother::Smoother,
    sparsify::Sparsity,
    transfer::{MODES, Modes, Transfer},
};
use crate::{Domains, constraints::Constraints, interrupt::Interrupt};
use glam::{DMat3, DVec3};
use muslin_model::{Archive, ArchiveError, parallel};
use std::sync::Arc;

/// Levels are made until one has at most this many nodes; it is factorised. Few levels are better: at 400² a
/// fourth costs 8 iterations more.
const COARSEST: usize = 4000;
/// A level that shrinks by less than this factor is the last [-].
const LEAST_COARSENING: f64 = 1.5;
/// Couplings weaker than this part of the diagonal blocks do not bind aggregates [-].
const WEAK: f64 = 1e-3;
/// Vertices of the coarsest level that are eliminated together.
const LEAF: usize = 8;

/// Name of the pattern's source in a checkpoint.
const KEPT: &str = "multilevel.kept";

/// One level and the way down from it.
#[derive(Debug)]
struct Level<const B: usize> {
    a: Rows<B>,
    graph: Graph,
    aggregates: Aggregates,
    transfer: Transfer<B>,
    smoother: Smoother<B>,
    modes: Vec<Modes<B>>,
    b: Vec<[f32; B]>,
    x: Vec<[f32; B]>,
    r: Vec<[f32; B]>,
    t: Vec<[f32; B]>,
}

/// The coarsest level.
#[derive(Debug)]
struct Bottom {
    a: Rows<MODES>,
    matrix: BlockMatrix,
    cholesky: Cholesky,
    work: SolveWork,
    b: Vec<[f32; MODES]>,
    x: Vec<[f32; MODES]>,
    r3: Vec<DVec3>,
    x3: Vec<DVec3>,
}

#[derive(Debug)]
struct Hierarchy {
    /// The slots of the first matrix whose couplings bind aggregates.
    kept: Vec<bool>,
    fine: Level<3>,
    coarse: Vec<Level<MODES>>,
    bottom: Bottom,
}

/// A multilevel preconditioner.
#[derive(Debug, Default)]
pub struct Multilevel {
    layout: Vec<DVec3>,
    positions: Vec<DVec3>,
    hierarchy: Option<Hierarchy>,
    /// Scales the matrix to about 1; a power of two.
    scale: f64,
    /// Whether the hierarchy was there at the last mark.
    marked: bool,
}

impl Multilevel {
    /// A preconditioner without a hierarchy yet. `layout` are positions to use for rigid motions until
    /// [`Preconditioner::place`] tells better ones [m].
    pub fn new(layout: Vec<DVec3>) -> Self {
        Multilevel { layout, ..Multilevel::default() }
    }

    /// Nodes of each level, finest first.
    pub fn level_sizes(&self) -> Vec<usize> {
        self.hierarchy.as_ref().map_or(Vec::new(), |h| {
            let coarse = h.coarse.iter().map(|level| level.a.count());
            std::iter::once(h.fine.a.count()).chain(coarse).chain([h.bottom.a.count()]).collect()
        })
    }
}

impl<const B: usize> Level<B> {
    /// Plans a level; returns it with the pattern of the next.
    fn new(a: Rows<B>, graph: Graph) -> (Self, Rows<MODES>) {
        let aggregates = Aggregates::new(&graph);
        let transfer = Transfer::new(&graph, &aggregates);
        let coarse = transfer.coarse_pattern(&a);
        let n = a.count();
        let zero = || vec![[0.0; B]; n];
        let modes = vec![[[0.0; MODES]; B]; n];
        let (b, x, r, t) = (zero(), zero(), zero(), zero());
        (Level { a, graph, aggregates, transfer, smoother: Smoother::default(), modes, b, x, r, t }, coarse)
    }

    /// Learns the numbers in `a` and `modes`, and computes the next level's matrix.
    fn refresh(&mut self, coarse: &mut Rows<MODES>) {
        self.smoother.prepare(&self.a, &mut self.x, &mut self.r);
        self.transfer.smooth(&self.a, &self.graph, &self.aggregates, &self.modes);
        self.transfer.galerkin(&self.a, coarse);
    }

    /// The first half of a V-cycle for `b`: smooths from zero and hands the rest down.
    fn descend(&mut self, coarse_b: &mut [[f32; MODES]]) {
        self.smoother.apply(&self.a, &self.b, &mut self.x);
        self.a.residual(&self.b, &self.x, &mut self.r);
        self.transfer.restrict(&self.r, coarse_b);
    }

    /// The second half: takes the coarse correction in and smooths again.
    fn ascend(&mut self, coarse_x: &[[f32; MODES]]) {
        self.transfer.prolong(coarse_x, &mut self.x);
        self.a.residual(&self.b, &self.x, &mut self.r);
        self.smoother.apply(&self.a, &self.r, &mut self.t);
        let t = &self.t;
        parallel::update(&mut self.x, |i, x| std::array::from_fn(|k| x[k] + t[i][k]));
    }
}

impl Level<3> {
    /// Copies a matrix, scaled, from its upper half.
    fn load(&mut self, matrix: &BlockMatrix, scale: f64) {
        let pattern = &matrix.pattern;
        // Rows are filled from the left: first what earlier rows mirror, then their own half.
        let mut next: Vec<u32> = self.a.starts[..self.a.count()].to_vec();
        for row in 0..pattern.rows() {
            for slot in pattern.row(row) {
                let block = matrix.blocks[slot] * scale;
                let column = pattern.columns[slot] as usize;
                let lines = block.transpose().to_cols_array_2d().map(|line| line.map(|v| v as f32));
                self.a.blocks[next[row] as usize] = lines;
                next[row] += 1;
                if column != row {
                    self.a.blocks[next[column] as usize] = block.to_cols_array_2d().map(|line| line.map(|v| v as f32));
                    next[column] += 1;
                }
            }
        }
    }
}

impl Bottom {
    fn new(a: Rows<MODES>) -> Self {
        let mut pairs: Vec<[u32; 4]> = Vec::new();
        for row in 0..a.count() as u32 {
            for k in a.row(row as usize) {
                let column = a.columns[k];
                if column >= row {
                    pairs.push([2 * row, 2 * row + 1, 2 * column, 2 * column + 1]);
                }
            }
        }
        let pattern = Arc::new(Pattern::new(Domains::new(2 * a.count()), pairs.iter().map(|p| p.as_slice())));
        let graph = Graph::new(&pattern, |_| true);
        let fronts = Fronts::new(&pattern, &Bridges::default(), &graph, dissect(&graph, &[], LEAF), |_| true);
        let n = a.count();
        Bottom {
            matrix: BlockMatrix::new(pattern),
            cholesky: Cholesky::new(fronts),
            work: SolveWork::default(),
            b: vec![[0.0; MODES]; n],
            x: vec![[0.0; MODES]; n],
            r3: vec![DVec3::ZERO; 2 * n],
            x3: vec![DVec3::ZERO; 2 * n],
            a,
        }
    }

    fn refresh(&mut self) {
        let pattern = self.matrix.pattern.clone();
        for row in 0..pattern.rows() {
            for slot in pattern.row(row) {
                let column = pattern.columns[slot] as usize;
                let block = &self.a.blocks[self.a.find(row / 2, column as u32 / 2)];
                let (top, left) = (3 * (row % 2), 3 * (column % 2));
                let at = |i: usize, j: usize| f64::from(block[top + i][left + j]);
                self.matrix.blocks[slot] =
                    DMat3::from_cols_array_2d(&std::array::from_fn(|j| std::array::from_fn(|i| at(i, j))));
            }
        }
        // The coarsest matrix is small: nobody waits for it.
        let whole = self.cholesky.factorise(&self.matrix, &[], |_| DMat3::ZERO, &Interrupt::default());
        debug_assert!(whole.is_ok(), "nobody can ask");
    }

    fn solve(&mut self) {
        for (k, r) in self.r3.iter_mut().enumerate() {
            let b = &self.b[k / 2][3 * (k % 2)..];
            *r = DVec3::new(b[0].into(), b[1].into(), b[2].into());
        }
        self.cholesky.solve(&self.r3, &mut self.x3, &mut self.work);
        for (k, x) in self.x3.iter().enumerate() {
            self.x[k / 2][3 * (k % 2)..3 * (k % 2) + 3].copy_from_slice(&[x.x as f32, x.y as f32, x.z as f32]);
        }
    }
}

impl Hierarchy {
    fn new(pattern: &Pattern, kept: Vec<bool>) -> Self {
        let strong = Graph::new(pattern, |slot| kept[slot]);
        let all = Graph::new(pattern, |_| true);
        let mut rows = Rows { starts: vec![0], columns: Vec::new(), blocks: Vec::new() };
        for v in 0..all.vertices() as u32 {
            let near = all.of(v);
            let before = near.partition_point(|&w| w < v);
            rows.columns.extend(near[..before].iter().chain([&v]).chain(&near[before..]));
            rows.starts.push(rows.columns.len() as u32);
        }
        rows.blocks = vec![[[0.0; 3]; 3]; rows.columns.len()];
        let (fine, mut next) = Level::new(rows, strong);
        let mut coarse = Vec::new();
        let mut last = fine.a.count();
        let mut touching = fine.aggregates.touching(&fine.graph);
        while next.count() > COARSEST && (next.count() as f64) * LEAST_COARSENING < last as f64 {
            last = next.count();
            let (level, after) = Level::new(next, touching);
            touching = level.aggregates.touching(&level.graph);
            coarse.push(level);
            next = after;
        }
        Hierarchy { kept, fine, coarse, bottom: Bottom::new(next) }
    }

    fn refresh(&mut self, matrix: &BlockMatrix, scale: f64, positions: &[DVec3], constraints: &Constraints) {
        self.fine.load(matrix, scale);
        let mut places = Places { centres: positions.to_vec(), radii: vec![0.0; positions.len()] };
        let coarser = places.gather(&self.fine.aggregates);
        for (v, modes) in self.fine.modes.iter_mut().enumerate() {
            let a = self.fine.aggregates.of[v] as usize;
            let arm = skew((places.centres[v] - coarser.centres[a]) / coarser.radii[a]);
            *modes = std::array::from_fn(|i| {
                std::array::from_fn(|m| if m < 3 { f32::from(u8::from(m == i)) } else { -arm.col(m - 3)[i] as f32 })
            });
        }
        // Held directions do not move with their aggregate.
        for (&v, free) in constraints.vertices.iter().zip(&constraints.free) {
            let modes = self.fine.modes[v as usize];
            self.fine.modes[v as usize] = std::array::from_fn(|i| {
                std::array::from_fn(|m| (0..3).map(|j| free.col(j)[i] as f32 * modes[j][m]).sum())
            });
        }
        places = coarser;
        let target = self.coarse.first_mut().map_or(&mut self.bottom.a, |level| &mut level.a);
        self.fine.refresh(target);
        for k in 0..self.coarse.len() {
            let (above, below) = self.coarse.split_at_mut(k + 1);
            let level = &mut above[k];
            let coarser = places.gather(&level.aggregates);
            for (node, modes) in level.modes.iter_mut().enumerate() {
                let a = level.aggregates.of[node] as usize;
                let arm = skew((places.centres[node] - coarser.centres[a]) / coarser.radii[a]);
                let turn = (places.radii[node] / coarser.radii[a]) as f32;
                *modes = std::array::from_fn(|i| {
                    std::array::from_fn(|m| match (i < 3, m < 3) {
                        (true, false) => -arm.col(m - 3)[i] as f32,
                        (false, true) => 0.0,
                        (top, _) => {
                            if i != m {
                                0.0
                            } else if top {
                                1.0
                            } else {
                                turn
                            }
                        }
                    })
                });
            }
            places = coarser;
            let target = below.first_mut().map_or(&mut self.bottom.a, |level| &mut level.a);
            level.refresh(target);
        }
        self.bottom.refresh();
    }

    /// One V-cycle: from `fine.b` to `fine.x`.
    fn cycle(&mut self) {
        let Hierarchy { fine, coarse, bottom, .. } = self;
        fine.descend(coarse.first_mut().map_or(&mut bottom.b, |level| &mut level.b));
        for k in 0..coarse.len() {
            let (above, below) = coarse.split_at_mut(k + 1);
            above[k].descend(below.first_mut().map_or(&mut bottom.b, |level| &mut level.b));
        }
        bottom.solve();
        for k in (0..coarse.len()).rev() {
            let (above, below) = coarse.split_at_mut(k + 1);
            above[k].ascend(below.first().map_or(&bottom.x, |level| &level.x));
        }
        fine.ascend(coarse.first().map_or(&bottom.x, |level| &level.x));
    }
}

impl Preconditioner for Multilevel {
    fn name(&self) -> &'static str {
        "multilevel"
    }

    fn place(&mut self, positions: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn prepare(&mut self, matrix: &BlockMatrix, constraints: &Constraints) {
        let positions = if self.positions.is_empty() { &self.layout } else { &self.positions };
        let stiffest = (0..matrix.pattern.rows()).fold(0.0_f64, |most, row| {
            let d = matrix.diagonal(row);
            most.max(d.x_axis.x).max(d.y_axis.y).max(d.z_axis.z)
        });
        self.scale = if stiffest > 0.0 { (-stiffest.log2().floor()).exp2() } else { 1.0 };
        let hierarchy = self.hierarchy.get_or_insert_with(|| {
            let sparsity = Sparsity::new(matrix, WEAK);
            Hierarchy::new(&matrix.pattern, sparsity.kept)
        });
        hierarchy.refresh(matrix, self.scale, positions, constraints);
    }

    fn apply(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        let hierarchy = self.hierarchy.as_mut().expect("prepared before applied");
        let largest = r.iter().fold(0.0_f64, |most, r| most.max(r.abs().max_element()));
        if !(largest > 0.0 && largest.is_finite()) {
            return out.fill(DVec3::splat(if largest == 0.0 { 0.0 } else { f64::NAN }));
        }
        // A power of two, so that scaling is exact.
        let down = (-largest.log2().floor()).exp2();
        parallel::fill(&mut hierarchy.fine.b, |i| (r[i] * down).to_array().map(|v| v as f32));
        hierarchy.cycle();
        let (x, up) = (&hierarchy.fine.x, self.scale / down);
        parallel::fill(out, |i| DVec3::from_array(x[i].map(f64::from)) * up);
    }

    fn save(&self, archive: &mut Archive) {
        if let Some(hierarchy) = &self.hierarchy {
            put_flags(archive, KEPT, &hierarchy.kept);
        }
    }

    fn mark(&mut self) {
        self.marked = self.hierarchy.is_some();
    }

    fn save_marked(&self, archive: &mut Archive) {
        if self.marked {
            self.save(archive);
        }
    }

    fn restore(&mut self, pattern: &Pattern, archive: &Archive) -> Result<(), ArchiveError> {
        self.hierarchy = match archive.has(KEPT) {
            true => Some(Hierarchy::new(pattern, flags(archive, KEPT, pattern.columns.len())?)),
            false => None,
        };
        Ok(())
    }
}
