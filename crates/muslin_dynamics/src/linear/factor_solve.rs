//! Applying a Cholesky factor: forward and backward substitution over the tree of fronts.
//!
//! Tasks run at the same time on vectors of their own; what they owe to the vertices of the top is added in
//! the order of the tasks.

use super::{
    cholesky::Cholesky,
    fronts::{Front, Fronts},
    triangular::{self, Panel, SPARE},
};
use glam::DVec3;
use muslin_model::parallel;

/// Vectors of a solve: one part per task (its vertices, then its ghosts), then the top.
#[derive(Clone, Debug, Default)]
pub struct SolveWork {
    tasks: Vec<Vec<f32>>,
    top: Vec<f32>,
    /// Rows of one front, one buffer per task and one for the top.
    local: Vec<Vec<f32>>,
    /// The solution by position in the order of elimination.
    solved: Vec<DVec3>,
}

/// Vertices of a piece of parallel work.
const PIECE: usize = 2048;

impl Cholesky {
    /// out = D⁻½ (L Lᵀ)⁻¹ D⁻½ r.
    pub fn solve(&self, r: &[DVec3], out: &mut [DVec3], work: &mut SolveWork) {
        let fronts = &self.fronts;
        work.tasks.resize_with(fronts.tasks.len(), Vec::new);
        work.local.resize_with(fronts.tasks.len() + 1, Vec::new);
        // Far from 1 the numbers would leave the range of single precision; a power of two scales exactly.
        let count = fronts.order.len();
        let pieces = parallel::map(count.div_ceil(PIECE), |piece| {
            let positions = piece * PIECE..((piece + 1) * PIECE).min(count);
            let of = |p: usize| (r[fronts.order[p] as usize] * self.scales[p]).abs().max_element();
            positions.fold(0.0_f64, |m, p| m.max(of(p)))
        });
        let largest = pieces.into_iter().fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            out.fill(DVec3::splat(if largest == 0.0 { 0.0 } else { f64::NAN }));
            return;
        }
        let down = (-largest.log2().floor()).clamp(-1000.0, 1000.0).exp2();
        let up = 1.0 / down;
        let load = |position: usize, target: &mut [f32]| {
            let scaled = r[fronts.order[position] as usize] * self.scales[position] * down;
            target.iter_mut().zip(scaled.to_array()).for_each(|(t, s)| *t = s as f32);
        };

        let (top_local, task_locals) = work.local.split_last_mut().expect("one buffer for the top");
        let jobs: Vec<_> = fronts.tasks.iter().zip(&mut work.tasks).zip(&mut *task_locals).collect();
        parallel::for_each(jobs, |((task, w), local)| {
            w.resize(3 * (task.positions.len() + task.ghosts.len()), 0.0);
            let (own, ghosts) = w.split_at_mut(3 * task.positions.len());
            task.positions.clone().zip(own.chunks_exact_mut(3)).for_each(|(p, target)| load(p, target));
            ghosts.fill(0.0);
            let values = &self.values[task.values.clone()];
            fronts.fronts[task.fronts.clone()].iter().for_each(|f| forward(fronts, f, values, w, local));
        });
        let top = &mut work.top;
        top.resize(3 * fronts.top_vertices, 0.0);
        for &index in &fronts.top {
            let front = &fronts.fronts[index];
            for (k, position) in front.own.clone().enumerate() {
                let at = 3 * (front.own_place + k);
                load(position, &mut top[at..at + 3]);
            }
        }
        for (task, w) in fronts.tasks.iter().zip(&work.tasks) {
            let owed = w[3 * task.positions.len()..].chunks_exact(3);
            for (&ghost, owed) in task.ghosts.iter().zip(owed) {
                top[3 * ghost as usize..][..3].iter_mut().zip(owed).for_each(|(t, o)| *t += o);
            }
        }
        let values = &self.values[fronts.top_values..];
        fronts.top.iter().for_each(|&f| forward(fronts, &fronts.fronts[f], values, top, top_local));
        fronts.top.iter().rev().for_each(|&f| backward(fronts, &fronts.fronts[f], values, top, top_local));
        let top = &*top;
        let store =
            |position: usize, x: &[f32]| DVec3::new(x[0].into(), x[1].into(), x[2].into()) * self.scales[position] * up;
        work.solved.resize(count, DVec3::ZERO);
        let mut jobs = Vec::with_capacity(fronts.tasks.len());
        let (mut rest, mut passed) = (work.solved.as_mut_slice(), 0);
        for ((task, w), local) in fronts.tasks.iter().zip(&mut work.tasks).zip(task_locals) {
            let (own, tail) = rest[task.positions.start - passed..].split_at_mut(task.positions.len());
            (rest, passed) = (tail, task.positions.end);
            jobs.push((task, w, local, own));
        }
        parallel::for_each(jobs, |(task, w, local, own)| {
            let ghosts = w[3 * task.positions.len()..].chunks_exact_mut(3);
            for (&ghost, target) in task.ghosts.iter().zip(ghosts) {
                target.copy_from_slice(&top[3 * ghost as usize..][..3]);
            }
            let values = &self.values[task.values.clone()];
            fronts.fronts[task.fronts.clone()].iter().rev().for_each(|f| backward(fronts, f, values, w, local));
            let solved = task.positions.clone().zip(w.chunks_exact(3)).map(|(p, x)| store(p, x));
            own.iter_mut().zip(solved).for_each(|(own, x)| *own = x);
        });
        for &index in &fronts.top {
            let front = &fronts.fronts[index];
            for (p, x) in front.own.clone().zip(top[3 * front.own_place..].chunks_exact(3)) {
                work.solved[p] = store(p, x);
            }
        }
        let (solved, positions) = (&work.solved, &fronts.positions);
        parallel::fill(out, |v| solved[positions[v] as usize]);
    }
}

/// Copies a front's rows out of the vectors of its task, and what spare rows they need.
fn gather(fronts: &Fronts, front: &Front, w: &[f32], local: &mut Vec<f32>) {
    local.clear();
    local.extend_from_slice(&w[3 * front.own_place..3 * front.own_place + front.columns()]);
    for &place in &fronts.boundary_places[front.boundary.clone()] {
        local.extend_from_slice(&w[3 * place as usize..3 * place as usize + 3]);
    }
    local.extend_from_slice(&[0.0; SPARE]);
}

/// A front of a task, or of the top.
fn panel<'a>(front: &Front, values: &'a [f32]) -> Panel<'a> {
    let (rows, columns) = (front.rows(), front.columns());
    Panel { values: &values[front.values..front.values + rows * columns], columns, rows }
}

fn forward(fronts: &Fronts, front: &Front, values: &[f32], w: &mut [f32], local: &mut Vec<f32>) {
    gather(fronts, front, w, local);
    let columns = front.columns();
    triangular::forward(panel(front, values), local);
    let (own, below) = local.split_at(columns);
    w[3 * front.own_place..3 * front.own_place + columns].copy_from_slice(own);
    for (&place, value) in fronts.boundary_places[front.boundary.clone()].iter().zip(below.chunks_exact(3)) {
        w[3 * place as usize..3 * place as usize + 3].copy_from_slice(value);
    }
}

fn backward(fronts: &Fronts, front: &Front, values: &[f32], w: &mut [f32], local: &mut Vec<f32>) {
    gather(fronts, front, w, local);
    let columns = front.columns();
    triangular::backward(panel(front, values), local);
    w[3 * front.own_place..3 * front.own_place + columns].copy_from_slice(&local[..columns]);
}
