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
//! **Again, where something changed.** Within a step with contact the cloth's part of the matrix stays, and only what
//! presses changes. So the updates of some sub-trees are kept ([`Fronts::kept`]), and a sub-tree whose source has the
//! bits that it had is left as it is, with what it left to its parent. The result has the bits of a whole
//! factorisation. Keeping every update would take four times the memory of the factor; those of three sizes take
//! as much as it.
//!
//! At 500² vertices a factorisation takes seconds, so it looks between fronts whether somebody asked to stop. The
//! largest front is a few tenths of a second.

use super::{
    BlockMatrix,
    elimination::eliminate,
    fronts::{Entry, Front, Fronts, Task},
    updates::{Stack, Updates},
};
use crate::interrupt::{GivenUp, Interrupt};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// A pivot below this part of the unit diagonal is lost in rounding [-], and is replaced by the second.
pub(super) const LEAST_PIVOT: f32 = 1e-7;
pub(super) const REPLACED_PIVOT: f32 = 1.0;

/// A factor L with L Lᵀ ≈ D⁻½ A D⁻½.
#[derive(Debug, Default)]
pub struct Cholesky {
    pub(super) fronts: Fronts,
    /// L front by front, the triangles of eight columns on its diagonal inverted and mirrored; see [`super::triangular`].
    pub(super) values: Vec<f32>,
    /// D⁻½ of each vertex, by position in the order of elimination.
    pub(super) scales: Vec<DVec3>,
    /// The blocks that the factor is made of, scaled, column by column; in the order of the plan's entries.
    pub(super) source: Vec<[f32; 9]>,
    /// How the last factorisation went.
    pub pivots: Pivots,
    /// What each task's fronts leave to their parents, and each front of the top.
    task_updates: Vec<Updates>,
    top_updates: Vec<Vec<f32>>,
    /// How the elimination of each front went.
    front_pivots: Vec<Pivots>,
    /// For each block of the source, whether it has other bits than in the last factorisation.
    moved: Vec<bool>,
    /// For each front, whether it and all below it are as they were in the last factorisation.
    same: Vec<bool>,
}

/// How an elimination went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pivots {
    /// Pivots that were replaced.
    pub replaced: usize,
    /// Fronts with numbers that are not finite.
    pub lost_fronts: usize,
}

impl std::ops::AddAssign for Pivots {
    fn add_assign(&mut self, other: Self) {
        self.replaced += other.replaced;
        self.lost_fronts += other.lost_fronts;
    }
}

impl Cholesky {
    /// Prepares for a planned factorisation.
    pub fn new(fronts: Fronts) -> Self {
        let mut cholesky = Cholesky::default();
        cholesky.replan(fronts);
        cholesky
    }

    /// Prepares for another plan, in the same memory as far as it goes: fresh pages cost as much as a tenth of a
    /// factorisation.
    pub fn replan(&mut self, fronts: Fronts) {
        self.values.resize(fronts.factor_len, 0.0);
        self.scales.resize(fronts.order.len(), DVec3::ONE);
        self.source.resize(fronts.entries.len(), [0.0; 9]);
        self.pivots = Pivots::default();
        self.task_updates.resize_with(fronts.tasks.len(), Updates::default);
        for (task, updates) in fronts.tasks.iter().zip(&mut self.task_updates) {
            updates.kept.resize_with(task.kept.len(), Vec::new);
        }
        self.top_updates.resize_with(fronts.top.len(), Vec::new);
        self.moved.resize(fronts.entries.len(), true);
        self.front_pivots.resize(fronts.fronts.len(), Pivots::default());
        self.same.clear();
        self.fronts = fronts;
    }

    /// The plan.
    pub fn fronts(&self) -> &Fronts {
        &self.fronts
    }

    /// Whether all numbers of the factor are finite.
    pub fn is_finite(&self) -> bool {
        self.pivots.lost_fronts == 0
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
        parallel::update_pair(&mut self.source, &mut self.moved, |k, before, _| {
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
            let now: [f32; 9] = std::array::from_fn(|i| scaled[i / 3][i % 3] as f32);
            (now, now.map(f32::to_bits) != before.map(f32::to_bits))
        });
        self.find_same();
        self.eliminate_all(interrupt)
    }

    /// Makes the factor from its source, all of it.
    pub(super) fn remake(&mut self, interrupt: &Interrupt) -> Result<(), GivenUp> {
        self.same.clear();
        self.find_same();
        self.eliminate_all(interrupt)
    }

    /// Learns from what moved in the source which sub-trees are as they were. There are none before the first
    /// factorisation has come to its end.
    fn find_same(&mut self) {
        let fronts = &self.fronts.fronts;
        let known = !self.same.is_empty();
        self.same.clear();
        for front in fronts {
            let own = known && !self.moved[front.entries.clone()].contains(&true);
            self.same.push(own && front.children.iter().all(|&child| self.same[child]));
        }
    }

    /// Eliminates the fronts that are not as they were: the two halves below a separator at the same time, then the separator.
    fn eliminate_all(&mut self, interrupt: &Interrupt) -> Result<(), GivenUp> {
        let same = std::mem::take(&mut self.same);
        let fronts = &self.fronts;
        let assembly = Assembly { fronts, source: &self.source, same: &same, interrupt };
        let (mut rest, top) = self.values.split_at_mut(fronts.top_values);
        let mut pivots = self.front_pivots.as_mut_slice();
        let mut passed = 0;
        let mut tasks = Vec::with_capacity(fronts.tasks.len());
        for (task, updates) in fronts.tasks.iter().zip(&mut self.task_updates) {
            let (part, tail) = rest.split_at_mut(task.values.len());
            let (own, others) = pivots[task.fronts.start - passed..].split_at_mut(task.fronts.len());
            (rest, pivots, passed) = (tail, others, task.fronts.end);
            tasks.push(TaskWork { task, part, updates, pivots: own });
        }
        let mut tops = Vec::with_capacity(fronts.top.len());
        let mut rest = top;
        for (&index, update) in fronts.top.iter().zip(&mut self.top_updates) {
            let front = &fronts.fronts[index];
            let (panel, tail) = rest.split_at_mut(front.rows() * front.columns());
            rest = tail;
            tops.push(TopWork { index, panel, update, pivots: None });
        }
        assembly.sub_tree(&mut tasks, &mut tops);
        let found: Vec<_> = tops.into_iter().map(|work| (work.index, work.pivots)).collect();
        drop(tasks);
        interrupt.check()?;
        for (index, pivots) in found {
            self.front_pivots[index] = pivots.unwrap_or(self.front_pivots[index]);
        }
        self.pivots = Pivots::default();
        self.front_pivots.iter().for_each(|&pivots| self.pivots += pivots);
        self.same = same;
        Ok(())
    }
}

/// A task and what it writes.
struct TaskWork<'a> {
    task: &'a Task,
    part: &'a mut [f32],
    updates: &'a mut Updates,
    pivots: &'a mut [Pivots],
}

/// A front of the top and what it writes.
struct TopWork<'a> {
    index: usize,
    panel: &'a mut [f32],
    update: &'a mut Vec<f32>,
    /// How it went, unless it was left as it is.
    pivots: Option<Pivots>,
}

struct Assembly<'a> {
    fronts: &'a Fronts,
    source: &'a [[f32; 9]],
    same: &'a [bool],
    interrupt: &'a Interrupt,
}

impl Assembly<'_> {
    /// A sub-tree of the top with the tasks below it; its root comes last. Without a top there is one task.
    fn sub_tree(&self, tasks: &mut [TaskWork], tops: &mut [TopWork]) {
        let Some((root, below)) = tops.split_last_mut() else {
            tasks.iter_mut().for_each(|work| self.task(work));
            return;
        };
        if self.same[root.index] {
            return;
        }
        let front = &self.fronts.fronts[root.index];
        self.children(&front.children, tasks, below);
        if self.interrupt.check().is_ok() {
            root.pivots = Some(self.front_of_top(front, root.panel, root.update, (tasks, below)));
        }
    }

    /// Some children of a front and all below them.
    fn children(&self, children: &[usize], tasks: &mut [TaskWork], tops: &mut [TopWork]) {
        let [first, rest @ ..] = children else { return };
        if rest.is_empty() {
            return self.sub_tree(tasks, tops);
        }
        // Sub-trees follow each other, each with its root at its end.
        let own_tasks = tasks.partition_point(|work| work.task.fronts.end <= first + 1);
        let own_tops = tops.partition_point(|work| work.index <= *first);
        let (own_tasks, other_tasks) = tasks.split_at_mut(own_tasks);
        let (own_tops, other_tops) = tops.split_at_mut(own_tops);
        parallel::join(|| self.sub_tree(own_tasks, own_tops), || self.children(rest, other_tasks, other_tops));
    }

    /// The fronts of a task.
    fn task(&self, work: &mut TaskWork) {
        let TaskWork { task, part, updates, pivots } = work;
        updates.stacks.iter_mut().for_each(Stack::clear);
        let _ = task.fronts_but(self.same).try_for_each(|index| {
            pivots[index - task.fronts.start] = self.front_on_stack(&self.fronts.fronts[index], part, updates);
            self.interrupt.check()
        });
    }

    /// One front of the top, above some tasks and other fronts of the top.
    fn front_of_top(
        &self,
        front: &Front,
        panel: &mut [f32],
        update: &mut Vec<f32>,
        (tasks, tops): (&[TaskWork], &[TopWork]),
    ) -> Pivots {
        update.resize(front.boundary_rows() * front.boundary_rows(), 0.0);
        panel.fill(0.0);
        update.fill(0.0);
        self.add_entries(front, panel);
        for &index in &front.children {
            let child = &self.fronts.fronts[index];
            let below = match tops.binary_search_by_key(&index, |work| work.index) {
                Ok(k) => tops[k].update.as_slice(),
                Err(_) => {
                    // The root of a task is kept.
                    let k = tasks.partition_point(|work| work.task.fronts.end <= index);
                    tasks[k].updates.kept[child.kept.unwrap_or_default()].as_slice()
                }
            };
            self.add_update(front, child, below, panel, update);
        }
        eliminate(front, panel, update)
    }

    /// One front of a task: takes its children's updates off their stack and puts its own on the other.
    fn front_on_stack(&self, front: &Front, part: &mut [f32], updates: &mut Updates) -> Pivots {
        let panel = &mut part[front.values..front.values + front.rows() * front.columns()];
        panel.fill(0.0);
        self.add_entries(front, panel);
        let Updates { stacks: [first, second], kept } = updates;
        let (own, others) = if front.stack == 0 { (first, second) } else { (second, first) };
        let rows = front.boundary_rows();
        let mut again = front.kept.map(|k| std::mem::take(&mut kept[k]));
        let update = match &mut again {
            Some(update) => {
                update.resize(rows * rows, 0.0);
                update.as_mut_slice()
            }
            None => own.push(rows * rows),
        };
        // A front without children replaces what is there.
        if !front.children.is_empty() {
            (0..rows).for_each(|column| update[column * rows + column..(column + 1) * rows].fill(0.0));
        }
        let child = |&index: &usize| &self.fronts.fronts[index];
        let waiting = front.children.iter().filter(|&index| child(index).kept.is_none()).count();
        let mut waiting = others.pop(waiting);
        for child in front.children.iter().map(child) {
            let below = match child.kept {
                Some(k) => kept[k].as_slice(),
                None => waiting.next().expect("every child that is not kept has left an update"),
            };
            self.add_update(front, child, below, panel, update);
        }
        let pivots = eliminate(front, panel, update);
        if let (Some(k), Some(update)) = (front.kept, again) {
            drop(waiting);
            kept[k] = update;
        }
        pivots
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

    /// Adds the lower half of a child's update, run by run. Places ascend, so that it stays a lower half.
    fn add_update(&self, front: &Front, child: &Front, below: &[f32], panel: &mut [f32], update: &mut [f32]) {
        let runs = &self.fronts.runs[child.runs.clone()];
        let (rows, columns, update_rows, child_rows) =
            (front.rows(), front.columns(), front.boundary_rows(), child.boundary_rows());
        for (k, run) in runs.iter().enumerate() {
            for c in 0..3 * run.len as usize {
                let (from, column) = (3 * run.first as usize + c, 3 * run.place as usize + c);
                // Rows of the target column, counted so that a row's place in the front is its index.
                let (target, skip) = if column < columns {
                    (&mut panel[column * rows..(column + 1) * rows], 0)
                } else {
                    (&mut update[(column - columns) * update_rows..(column - columns + 1) * update_rows], columns)
                };
                let source = &below[from * child_rows..(from + 1) * child_rows];
                add(&mut target[column - skip..3 * run.place as usize - skip + 3 * run.len as usize], &source[from..]);
                for run in &runs[k + 1..] {
                    let at = 3 * run.place as usize - skip;
                    add(&mut target[at..at + 3 * run.len as usize], &source[3 * run.first as usize..]);
                }
            }
        }
    }
}

#[inline]
fn add(target: &mut [f32], source: &[f32]) {
    target.iter_mut().zip(source).for_each(|(t, s)| *t += s);
}
