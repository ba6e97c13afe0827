//! Sparse Cholesky factorisation in single precision, front by front.
//!
//! The multifrontal method: each front is a small dense matrix, so that nearly all arithmetic is dense
//! factorisation and multiplication. (The one-column-at-a-time method has the same count of operations but
//! waits for memory.) The factor is only ever used as a preconditioner of a double-precision iteration;
//! single precision halves its memory and doubles its speed. Rows are scaled to a unit diagonal first, so
//! the range of single precision is no concern; should rounding still make a pivot negative, the diagonal is
//! raised a little and the factorisation repeated.

use super::{
    BlockMatrix,
    fronts::{Front, Fronts},
};
use faer::{
    Accum, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch},
        matmul::triangular::{BlockStructure, matmul},
        triangular_solve::solve_lower_triangular_in_place,
    },
    prelude::{Reborrow, ReborrowMut},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// What is added to the unit diagonal when a pivot is not positive, at first [-]: some rounding errors of
/// single precision.
const FIRST_SHIFT: f32 = 1e-5;
/// Factor by which the shift grows until all pivots are positive [-].
const SHIFT_GROWTH: f32 = 10.0;

/// A factor L with L Lᵀ ≈ D⁻½ A D⁻½.
#[derive(Debug, Default)]
pub struct Cholesky {
    pub(super) fronts: Fronts,
    pub(super) values: Vec<f32>,
    /// D⁻½ of each vertex, by position in the order of elimination.
    pub(super) scales: Vec<DVec3>,
    /// Added to the unit diagonal in the last factorisation [-].
    pub shift: f32,
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

/// A pivot was not positive.
struct NotPositive;

impl Cholesky {
    /// Prepares for a planned factorisation.
    pub fn new(fronts: Fronts) -> Self {
        Cholesky {
            values: vec![0.0; fronts.factor_len],
            scales: vec![DVec3::ONE; fronts.order.len()],
            shift: 0.0,
            task_updates: fronts.tasks.iter().map(|_| Updates::default()).collect(),
            top_updates: vec![Vec::new(); fronts.top.len()],
            fronts,
        }
    }

    /// The plan.
    pub fn fronts(&self) -> &Fronts {
        &self.fronts
    }

    /// Factorises a matrix. `extra` is added to the diagonal block of a vertex.
    pub fn factorise(&mut self, matrix: &BlockMatrix, extra: impl Fn(usize) -> DMat3 + Sync + Send) {
        let order = &self.fronts.order;
        parallel::fill(&mut self.scales, |p| {
            let v = order[p] as usize;
            let d = matrix.diagonal(v) + extra(v);
            // A direction without any stiffness or mass is left alone.
            DVec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z).map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 })
        });
        self.shift = 0.0;
        while self.attempt(matrix, &extra).is_err() {
            self.shift = if self.shift == 0.0 { FIRST_SHIFT } else { self.shift * SHIFT_GROWTH };
        }
    }

    fn attempt(
        &mut self,
        matrix: &BlockMatrix,
        extra: &(impl Fn(usize) -> DMat3 + Sync + Send),
    ) -> Result<(), NotPositive> {
        let fronts = &self.fronts;
        let assembly = Assembly { fronts, scales: &self.scales, shift: self.shift, matrix, extra };
        let (mut rest, top) = self.values.split_at_mut(fronts.top_values);
        let mut results: Vec<Result<(), NotPositive>> = fronts.tasks.iter().map(|_| Ok(())).collect();
        let mut jobs = Vec::with_capacity(fronts.tasks.len());
        for ((task, updates), result) in fronts.tasks.iter().zip(&mut self.task_updates).zip(&mut results) {
            let (part, tail) = rest.split_at_mut(task.values.len());
            rest = tail;
            jobs.push((task, part, updates, result));
        }
        parallel::for_each(jobs, |(task, part, updates, result)| {
            (updates.stack.clear(), updates.starts.clear());
            *result = task.fronts.clone().try_for_each(|f| assembly.front_on_stack(&fronts.fronts[f], part, updates));
        });
        results.into_iter().collect::<Result<(), _>>()?;
        for (k, &index) in fronts.top.iter().enumerate() {
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
            eliminate(front, panel, update)?;
        }
        Ok(())
    }
}

struct Assembly<'a, E> {
    fronts: &'a Fronts,
    scales: &'a [DVec3],
    shift: f32,
    matrix: &'a BlockMatrix,
    extra: &'a E,
}

impl<E: Fn(usize) -> DMat3 + Sync> Assembly<'_, E> {
    /// One front of a task: its children's updates are on top of the stack and are replaced by its own.
    fn front_on_stack(&self, front: &Front, part: &mut [f32], updates: &mut Updates) -> Result<(), NotPositive> {
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
        let result = eliminate(front, panel, update);
        let target = if front.children.is_empty() { old } else { starts[below] };
        stack.copy_within(old.., target);
        stack.truncate(target + len);
        starts.truncate(below);
        starts.push(target);
        result
    }

    /// Adds the matrix's own blocks, scaled.
    fn add_entries(&self, front: &Front, panel: &mut [f32]) {
        let rows = front.rows();
        for entry in &self.fronts.entries[front.entries.clone()] {
            let mut block = self.matrix.blocks[entry.slot.index() as usize];
            if entry.slot.transposed() {
                block = block.transpose();
            }
            let early = front.own.start + entry.column as usize;
            let own = front.own.len();
            let late = match (entry.row as usize).checked_sub(own) {
                None => front.own.start + entry.row as usize,
                Some(k) => self.fronts.boundary[front.boundary.start + k] as usize,
            };
            if early == late {
                block += (self.extra)(self.fronts.order[early] as usize);
            }
            let (left, right) = (self.scales[late], self.scales[early]);
            for (k, column) in [block.x_axis, block.y_axis, block.z_axis].into_iter().enumerate() {
                let at = (3 * entry.column as usize + k) * rows + 3 * entry.row as usize;
                let scaled = left * column * right[k];
                for (target, value) in panel[at..at + 3].iter_mut().zip(scaled.to_array()) {
                    *target += value as f32;
                }
                if early == late {
                    panel[at + k] += self.shift;
                }
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
/// reciprocals of the pivots on the diagonal.
fn eliminate(front: &Front, panel: &mut [f32], update: &mut [f32]) -> Result<(), NotPositive> {
    let (rows, columns, below) = (front.rows(), front.columns(), front.boundary_rows());
    let whole = MatMut::from_column_major_slice_mut(&mut *panel, rows, columns);
    let (mut pivots, mut lower) = whole.split_at_row_mut(columns);
    let mut buffer =
        MemBuffer::new(cholesky_in_place_scratch::<f32>(columns, Par::Seq, Spec::<LltParams, f32>::default()));
    cholesky_in_place(pivots.rb_mut(), Default::default(), Par::Seq, MemStack::new(&mut buffer), Spec::default())
        .map_err(|_| NotPositive)?;
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
        if !pivot.is_finite() {
            return Err(NotPositive);
        }
    }
    Ok(())
}
