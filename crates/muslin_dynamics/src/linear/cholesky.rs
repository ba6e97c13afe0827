//! Sparse Cholesky factorisation in single precision, front by front.
//!
//! The multifrontal method: each front is a small dense matrix, so that nearly all arithmetic is dense
//! factorisation and multiplication. (The one-column-at-a-time method has the same count of operations but
//! waits for memory.) The factor is only ever used as a preconditioner of a double-precision iteration;
//! single precision halves its memory and doubles its speed. Rows are scaled to a unit diagonal first, so
//! the range of single precision is no concern. Where rounding (or a matrix that is indefinite) still makes a
//! pivot too small, it is replaced by a large one: the factor stays positive definite, at the price of about
//! one more iteration per replaced pivot.
//!
//! The factor is made of few numbers: the matrix's blocks, scaled and rounded to single precision. They are
//! kept, 36 bytes for each beside some 450 of the factor, because a checkpoint that holds them need not hold the
//! factor: [`Cholesky::remake`] gives the same bits.
//!
//! At 500² vertices a factorisation takes seconds, so it looks between fronts whether somebody asked to stop. The
//! largest front is a few tenths of a second.

use super::{
    BlockMatrix,
    fronts::{Entry, Front, Fronts},
};
use crate::interrupt::{GivenUp, Interrupt};
use faer::{
    Accum, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch},
        matmul::triangular::{BlockStructure, matmul},
        triangular_solve::solve_lower_triangular_in_place,
    },
    prelude::{Reborrow, ReborrowMut},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// A pivot below this part of the unit diagonal is lost in rounding [-], and is replaced by the second.
const LEAST_PIVOT: f32 = 1e-7;
const REPLACED_PIVOT: f32 = 1.0;

/// A factor L with L Lᵀ ≈ D⁻½ A D⁻½.
#[derive(Debug, Default)]
pub struct Cholesky {
    pub(super) fronts: Fronts,
    pub(super) values: Vec<f32>,
    /// D⁻½ of each vertex, by position in the order of elimination.
    pub(super) scales: Vec<DVec3>,
    /// The blocks that the factor is made of, scaled, column by column; in the order of the plan's entries.
    pub(super) source: Vec<[f32; 9]>,
    /// Pivots replaced in the last factorisation.
    pub replaced_pivots: usize,
    /// What each task's fronts leave to their parents, and each front of the top.
    task_updates: Vec<Updates>,
    top_updates: Vec<Vec<f32>>,
}

/// The stack of updates that wait for their parents, and the starts of those on it.
#[derive(Debug, Default)]
struct Updates {
    stack: Vec<f32>,
    starts: Vec<usize>,
}

impl Cholesky {
    /// Prepares for a planned factorisation.
    pub fn new(fronts: Fronts) -> Self {
        Cholesky {
            values: vec![0.0; fronts.factor_len],
            scales: vec![DVec3::ONE; fronts.order.len()],
            source: vec![[0.0; 9]; fronts.entries.len()],
            replaced_pivots: 0,
            task_updates: fronts.tasks.iter().map(|_| Updates::default()).collect(),
            top_updates: vec![Vec::new(); fronts.top.len()],
            fronts,
        }
    }

    /// The plan.
    pub fn fronts(&self) -> &Fronts {
        &self.fronts
    }

    /// Whether all numbers of the factor are finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }

    /// Factorises a matrix with the blocks of the plan's bridges. `extra` is added to the diagonal block of a vertex.
    /// A factor that was given up is none.
    pub fn factorise(
        &mut self,
        matrix: &BlockMatrix,
        bridges: &[DMat3],
        extra: impl Fn(usize) -> DMat3 + Sync + Send,
        interrupt: &Interrupt,
    ) -> Result<(), GivenUp> {
        let order = &self.fronts.order;
        parallel::fill(&mut self.scales, |p| {
            let v = order[p] as usize;
            let d = matrix.diagonal(v) + extra(v);
            // A direction without any stiffness or mass is left alone; a negative one (of a matrix that is
            // indefinite) is scaled all the same, to stay in range.
            DVec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z).map(|d| if d == 0.0 { 1.0 } else { 1.0 / d.abs().sqrt() })
        });
        let (entries, scales) = (&self.fronts.entries, &self.scales);
        parallel::fill(&mut self.source, |k| {
            let Entry { slot, positions: [early, late], .. } = entries[k];
            let index = slot.index() as usize;
            let mut block = match index.checked_sub(matrix.blocks.len()) {
                None => matrix.blocks[index],
                Some(bridge) => bridges[bridge],
            };
            if slot.transposed() {
                block = block.transpose();
            }
            if early == late {
                block += extra(order[early as usize] as usize);
            }
            let (left, right) = (scales[late as usize], scales[early as usize]);
            let columns = [block.x_axis, block.y_axis, block.z_axis];
            let scaled: [DVec3; 3] = std::array::from_fn(|k| left * columns[k] * right[k]);
            std::array::from_fn(|i| scaled[i / 3][i % 3] as f32)
        });
        self.remake(interrupt)
    }

    /// Makes the factor from its source.
    pub(super) fn remake(&mut self, interrupt: &Interrupt) -> Result<(), GivenUp> {
        let fronts = &self.fronts;
        let assembly = Assembly { fronts, source: &self.source };
        let (mut rest, top) = self.values.split_at_mut(fronts.top_values);
        let mut replaced = vec![0; fronts.tasks.len()];
        let mut jobs = Vec::with_capacity(fronts.tasks.len());
        for ((task, updates), replaced) in fronts.tasks.iter().zip(&mut self.task_updates).zip(&mut replaced) {
            let (part, tail) = rest.split_at_mut(task.values.len());
            rest = tail;
            jobs.push((task, part, updates, replaced));
        }
        parallel::for_each(jobs, |(task, part, updates, replaced)| {
            updates.stack.clear();
            updates.starts.clear();
            let mut own = fronts.fronts[task.fronts.clone()].iter();
            let _ = own.try_for_each(|front| {
                *replaced += assembly.front_on_stack(front, part, updates);
                interrupt.check()
            });
        });
        self.replaced_pivots = replaced.iter().sum();
        for (k, &index) in fronts.top.iter().enumerate() {
            // Also tells of a task that was given up.
            interrupt.check()?;
            let front = &fronts.fronts[index];
            let (done, open) = self.top_updates.split_at_mut(k);
            let update = &mut open[0];
            update.resize(front.boundary_rows() * front.boundary_rows(), 0.0);
            let panel = &mut top[front.values..front.values + front.rows() * front.columns()];
            panel.fill(0.0);
            update.fill(0.0);
            assembly.add_entries(front, panel);
            for &child in &front.children {
                let below = match fronts.top.binary_search(&child) {
                    Ok(k) => &done[k],
                    Err(_) => {
                        let k = fronts.tasks.partition_point(|task| task.fronts.end <= child);
                        &self.task_updates[k].stack
                    }
                };
                assembly.add_update(front, &fronts.fronts[child], below, panel, update);
            }
            self.replaced_pivots += eliminate(front, panel, update);
        }
        interrupt.check()
    }
}

struct Assembly<'a> {
    fronts: &'a Fronts,
    source: &'a [[f32; 9]],
}

impl Assembly<'_> {
    /// One front of a task: its children's updates are on top of the stack and are replaced by its own.
    fn front_on_stack(&self, front: &Front, part: &mut [f32], updates: &mut Updates) -> usize {
        let panel = &mut part[front.values..front.values + front.rows() * front.columns()];
        panel.fill(0.0);
        self.add_entries(front, panel);
        let Updates { stack, starts } = updates;
        let below = starts.len() - front.children.len();
        let old = stack.len();
        let len = front.boundary_rows() * front.boundary_rows();
        stack.resize(old + len, 0.0);
        let (waiting, update) = stack.split_at_mut(old);
        for (&child, &start) in front.children.iter().zip(&starts[below..]) {
            self.add_update(front, &self.fronts.fronts[child], &waiting[start..], panel, update);
        }
        let replaced = eliminate(front, panel, update);
        let target = if front.children.is_empty() { old } else { starts[below] };
        stack.copy_within(old.., target);
        stack.truncate(target + len);
        starts.truncate(below);
        starts.push(target);
        replaced
    }

    /// Adds the matrix's own blocks.
    fn add_entries(&self, front: &Front, panel: &mut [f32]) {
        let rows = front.rows();
        let blocks = &self.source[front.entries.clone()];
        for (entry, block) in self.fronts.entries[front.entries.clone()].iter().zip(blocks) {
            for (k, column) in block.chunks_exact(3).enumerate() {
                let at = (3 * entry.column as usize + k) * rows + 3 * entry.row as usize;
                panel[at..at + 3].iter_mut().zip(column).for_each(|(target, value)| *target += value);
            }
        }
    }

    /// Adds a child's update. Places ascend, so lower halves stay lower halves.
    fn add_update(&self, front: &Front, child: &Front, below: &[f32], panel: &mut [f32], update: &mut [f32]) {
        let places = &self.fronts.in_parent[child.boundary.clone()];
        let (rows, columns, update_rows, child_rows) =
            (front.rows(), front.columns(), front.boundary_rows(), child.boundary_rows());
        for (c, &place) in places.iter().enumerate() {
            for k in 0..3 {
                let column = 3 * place as usize + k;
                // Rows of the target column, counted so that a row's place in the front is its index.
                let (target, skip) = if column < columns {
                    (&mut panel[column * rows..(column + 1) * rows], 0)
                } else {
                    (&mut update[(column - columns) * update_rows..(column - columns + 1) * update_rows], columns)
                };
                let source = &below[(3 * c + k) * child_rows..(3 * c + k + 1) * child_rows];
                for (r, &row_place) in places.iter().enumerate().skip(c) {
                    let at = 3 * row_place as usize - skip;
                    let (target, source) = (&mut target[at..at + 3], &source[3 * r..3 * r + 3]);
                    target[0] += source[0];
                    target[1] += source[1];
                    target[2] += source[2];
                }
            }
        }
    }
}

/// Eliminates a front's own columns: factorises them and subtracts their part from the update. Leaves the
/// reciprocals of the pivots on the diagonal. Returns how many pivots were replaced.
fn eliminate(front: &Front, panel: &mut [f32], update: &mut [f32]) -> usize {
    let (rows, columns, below) = (front.rows(), front.columns(), front.boundary_rows());
    let whole = MatMut::from_column_major_slice_mut(&mut *panel, rows, columns);
    let (mut pivots, mut lower) = whole.split_at_row_mut(columns);
    let mut buffer =
        MemBuffer::new(cholesky_in_place_scratch::<f32>(columns, Par::Seq, Spec::<LltParams, f32>::default()));
    let regularization =
        LltRegularization { dynamic_regularization_delta: REPLACED_PIVOT, dynamic_regularization_epsilon: LEAST_PIVOT };
    let stack = MemStack::new(&mut buffer);
    let Ok(info) = cholesky_in_place(pivots.rb_mut(), regularization, Par::Seq, stack, Spec::default()) else {
        // Only a matrix that is not finite comes here; its solver will notice. Leave a front of the identity.
        panel.fill(0.0);
        (0..columns).for_each(|k| panel[k * rows + k] = 1.0);
        return columns;
    };
    if below > 0 {
        solve_lower_triangular_in_place(pivots.rb(), lower.rb_mut().transpose_mut(), Par::Seq);
        let target = MatMut::from_column_major_slice_mut(update, below, below);
        let lower: MatRef<f32> = lower.rb();
        matmul(
            target,
            BlockStructure::TriangularLower,
            Accum::Add,
            lower,
            BlockStructure::Rectangular,
            lower.transpose(),
            BlockStructure::Rectangular,
            -1.0_f32,
            Par::Seq,
        );
    }
    for k in 0..columns {
        let pivot = &mut panel[k * rows + k];
        *pivot = 1.0 / *pivot;
    }
    info.dynamic_regularization_count
}
