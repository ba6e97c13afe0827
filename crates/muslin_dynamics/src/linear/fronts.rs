//! The symbolic half of the Cholesky factorisation: which dense fronts the factor consists of.
//!
//! Each piece of a [`Dissection`] is one front: its own vertices, eliminated together, and its boundary, the
//! later vertices that elimination couples them with. Own and boundary vertices form a dense symmetric
//! matrix; eliminating the own ones leaves an update on the boundary, which the parent front takes in.
//! Everything is counted in vertices here, three rows each.

use super::{Pattern, bridges::Bridges, dissection::Dissection, graph::Graph};
use crate::domains::{Slot, Stored};
use muslin_model::parallel;
use std::ops::Range;

/// Rows of a piece of parallel work.
const ROWS: usize = 1024;

/// Sub-trees that are factorised at the same time hold at most this share of all vertices [-]: small enough
/// to keep several cores busy, large enough that borders between tasks cost nothing.
const TASK_SHARE: f64 = 0.15;

/// Vertices of the sub-trees whose updates are kept, at most: the largest ones below each of these. Updates of one size
/// take about two fifths of the factor's memory.
const KEPT: [usize; 3] = [64, 256, 1024];

/// One dense front.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// Own vertices, as positions in the order of elimination.
    pub own: Range<usize>,
    /// Boundary vertices: a range of [`Fronts::boundary`].
    pub boundary: Range<usize>,
    /// Where its update goes in the parent's front: a range of [`Fronts::runs`].
    pub runs: Range<usize>,
    /// Which of two stacks its update waits on for the parent: never that of its children.
    pub stack: usize,
    /// Where the update is kept instead, within its task, if it is.
    pub kept: Option<usize>,
    /// Fronts whose updates this one takes in.
    pub children: Vec<usize>,
    /// Entries of the matrix that land in this front: a range of [`Fronts::entries`].
    pub entries: Range<usize>,
    /// First number of its columns within the factor's part of its task, or of the top.
    pub values: usize,
    /// Place of its first own vertex within the vectors of its task, or of the top.
    pub own_place: usize,
}

/// A sub-tree that is worked on alone. Its vectors hold its own vertices and behind them its *ghosts*, the
/// vertices of the top that it touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its fronts.
    pub fronts: Range<usize>,
    /// Its vertices, as positions in the order of elimination.
    pub positions: Range<usize>,
    /// The place of each ghost within the vectors of the top.
    pub ghosts: Vec<u32>,
    /// Its numbers in the factor.
    pub values: Range<usize>,
    /// The fronts of each sub-tree whose update is kept, the last one its root; larger ones before those within.
    pub kept: Vec<Range<usize>>,
}

impl Task {
    /// Its fronts, without the kept sub-trees whose roots are the `same` as they were.
    pub fn fronts_but(&self, same: &[bool]) -> impl Iterator<Item = usize> {
        let mut kept = self.kept.iter().peekable();
        let (mut next, end) = (self.fronts.start, self.fronts.end);
        std::iter::from_fn(move || {
            while let Some(tree) = kept.next_if(|tree| tree.start <= next) {
                if tree.start == next && same[tree.end - 1] {
                    next = tree.end;
                }
            }
            next += 1;
            (next <= end).then_some(next - 1)
        })
    }
}

impl Front {
    /// Columns that are eliminated.
    pub fn columns(&self) -> usize {
        3 * self.own.len()
    }

    /// Rows of the boundary.
    pub fn boundary_rows(&self) -> usize {
        3 * self.boundary.len()
    }

    /// All rows.
    pub fn rows(&self) -> usize {
        self.columns() + self.boundary_rows()
    }
}

/// Boundary vertices that also follow each other in the parent's front, counted in vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Place of the first within the boundary.
    pub first: u32,
    /// Its place within the parent's front.
    pub place: u32,
    /// How many.
    pub len: u32,
}

/// A block of the matrix and where it goes in its front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The slot; transposed if the front needs the block of (column vertex, row vertex) the other way round. Behind the
    /// pattern's slots come the bridges.
    pub slot: Slot,
    /// Row within the front, in vertices.
    pub row: u32,
    /// Column within the front, in vertices.
    pub column: u32,
    /// Positions in the order of elimination of its column and its row.
    pub positions: [u32; 2],
}

/// All fronts, children before parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fronts {
    /// The vertex eliminated at each position.
    pub order: Vec<u32>,
    /// The position of each vertex.
    pub positions: Vec<u32>,
    /// The fronts.
    pub fronts: Vec<Front>,
    /// Boundary vertices of all fronts, as positions in the order of elimination, ascending within a front.
    pub boundary: Vec<u32>,
    /// Places of the boundaries in the parents' fronts.
    pub runs: Vec<Run>,
    /// Entries of the matrix.
    pub entries: Vec<Entry>,
    /// Numbers in the factor.
    pub factor_len: usize,
    /// Multiplications of one factorisation.
    pub multiplications: f64,
    /// For each of `boundary`, its place within the vectors of its front's task, or of the top.
    pub boundary_places: Vec<u32>,
    /// Sub-trees that may run at the same time.
    pub tasks: Vec<Task>,
    /// The fronts above all tasks, in order.
    pub top: Vec<usize>,
    /// Own vertices of those.
    pub top_vertices: usize,
    /// First number of the top in the factor.
    pub top_values: usize,
}

impl Fronts {
    /// Plans the factorisation of a matrix. Slots that `keep` refuses are left out. The graph holds the couplings of
    /// the other slots and of the bridges.
    pub fn new(
        pattern: &Pattern,
        bridges: &Bridges,
        graph: &Graph,
        dissection: Dissection,
        keep: impl Fn(usize) -> bool + Sync + Send,
    ) -> Self {
        let Dissection { order, pieces } = dissection;
        let mut position = vec![0_u32; order.len()];
        order.iter().enumerate().for_each(|(p, &v)| position[v as usize] = p as u32);
        let mut plan = Fronts { order, ..Fronts::default() };
        let mut seen = vec![usize::MAX; position.len()];
        for (index, piece) in pieces.into_iter().enumerate() {
            let first = plan.boundary.len();
            let mut boundary = Vec::new();
            let mut visit = |p: u32| {
                if p as usize >= piece.range.end && seen[p as usize] != index {
                    seen[p as usize] = index;
                    boundary.push(p);
                }
            };
            for own in piece.range.clone() {
                graph.of(plan.order[own]).iter().for_each(|&w| visit(position[w as usize]));
            }
            for &child in &piece.children {
                plan.boundary[plan.fronts[child].boundary.clone()].iter().for_each(|&p| visit(p));
            }
            boundary.sort_unstable();
            plan.boundary.append(&mut boundary);
            let front = Front {
                own: piece.range,
                boundary: first..plan.boundary.len(),
                runs: 0..0,
                stack: 0,
                kept: None,
                children: piece.children,
                entries: 0..0,
                values: 0,
                own_place: 0,
            };
            let (columns, rows) = (front.columns() as f64, front.rows() as f64);
            plan.multiplications += columns * (rows * rows - rows * columns + columns * columns / 3.0) / 2.0;
            plan.factor_len += front.rows() * front.columns();
            plan.fronts.push(front);
        }
        let (updates, (entries, ranges)) =
            parallel::join(|| plan.place_updates(), || plan.place_entries(pattern, bridges, &position, keep));
        for (front, (runs, stack)) in plan.fronts.iter_mut().zip(updates.1) {
            (front.runs, front.stack) = (runs, stack);
        }
        plan.fronts.iter_mut().zip(ranges).for_each(|(front, range)| front.entries = range);
        (plan.runs, plan.entries) = (updates.0, entries);
        plan.positions = position;
        plan.choose_tasks();
        plan
    }

    /// The place of a position within a front, in vertices.
    fn local(&self, front: &Front, position: u32) -> u32 {
        if (position as usize) < front.own.end {
            return position - front.own.start as u32;
        }
        let boundary = &self.boundary[front.boundary.clone()];
        (front.own.len() + boundary.partition_point(|&p| p < position)) as u32
    }

    /// Where the updates go: all runs, and those of each front with the stack on which its update waits.
    fn place_updates(&self) -> (Vec<Run>, Vec<(Range<usize>, usize)>) {
        let mut runs: Vec<Run> = Vec::new();
        let mut of_fronts = vec![(0..0, 0); self.fronts.len()];
        // Parents come after their children: from the roots down.
        for index in (0..self.fronts.len()).rev() {
            let parent = &self.fronts[index];
            for &child in &parent.children {
                let start = runs.len();
                for (k, at) in self.fronts[child].boundary.clone().enumerate() {
                    let (first, place) = (k as u32, self.local(parent, self.boundary[at]));
                    match runs[start..].last_mut() {
                        Some(run) if run.place + run.len == place => run.len += 1,
                        _ => runs.push(Run { first, place, len: 1 }),
                    }
                }
                of_fronts[child] = (start..runs.len(), 1 - of_fronts[index].1);
            }
        }
        (runs, of_fronts)
    }

    /// Where the matrix's blocks go: all entries, front by front, and those of each front.
    fn place_entries(
        &self,
        pattern: &Pattern,
        bridges: &Bridges,
        position: &[u32],
        keep: impl Fn(usize) -> bool + Sync + Send,
    ) -> (Vec<Entry>, Vec<Range<usize>>) {
        let mut front_of = vec![0_u32; position.len()];
        for (index, front) in self.fronts.iter().enumerate() {
            front_of[front.own.clone()].fill(index as u32);
        }
        let slots = pattern.columns.len();
        let place = |slot: usize, row: usize, column: usize| {
            let (p, q) = (position[row], position[column]);
            let (early, late) = (p.min(q), p.max(q));
            let home = front_of[early as usize];
            let front = &self.fronts[home as usize];
            let (a, b) = (self.local(front, early), self.local(front, late));
            // The stored block has the row's vertex on its rows; the front wants the later one there.
            let stored = if p < q { Stored::Transposed } else { Stored::AsGiven };
            let slot = Slot::new(slot as u32, stored);
            (home, Entry { slot, row: b, column: a, positions: [early, late] })
        };
        let rows = pattern.rows();
        let mut found = parallel::map(rows.div_ceil(ROWS), |piece| {
            let mut found = Vec::new();
            for row in piece * ROWS..((piece + 1) * ROWS).min(rows) {
                let kept = pattern.row(row).filter(|&slot| slot == pattern.row_starts[row] as usize || keep(slot));
                found.extend(kept.map(|slot| place(slot, row, pattern.columns[slot] as usize)));
            }
            found
        });
        let pairs = bridges.pairs().iter().enumerate();
        found.push(pairs.map(|(k, &[row, column])| place(slots + k, row as usize, column as usize)).collect());
        // Counted, and then each put where its front's begin: in the order in which they were found.
        let mut next = vec![0_usize; self.fronts.len()];
        found.iter().flatten().for_each(|&(home, _)| next[home as usize] += 1);
        let mut ranges = Vec::with_capacity(next.len());
        let mut first = 0;
        for next in &mut next {
            let end = first + *next;
            ranges.push(first..end);
            (*next, first) = (first, end);
        }
        let nothing = Entry { slot: Slot::new(0, Stored::AsGiven), row: 0, column: 0, positions: [0; 2] };
        let mut entries = vec![nothing; first];
        for (home, entry) in found.into_iter().flatten() {
            entries[next[home as usize]] = entry;
            next[home as usize] += 1;
        }
        (entries, ranges)
    }

    /// Cuts off the largest sub-trees that are small enough, and lays out the factor and the vectors of a
    /// solve so that each task has one contiguous part of both.
    fn choose_tasks(&mut self) {
        let most = (TASK_SHARE * self.order.len() as f64) as usize;
        let mut first_front = vec![0; self.fronts.len()];
        for (index, front) in self.fronts.iter().enumerate() {
            first_front[index] = front.children.first().map_or(index, |&child| first_front[child]);
        }
        let size = |index: usize| self.fronts[index].own.end - self.fronts[first_front[index]].own.start;
        let mut ranges = Vec::new();
        let mut stack: Vec<usize> = if self.fronts.is_empty() { vec![] } else { vec![self.fronts.len() - 1] };
        while let Some(index) = stack.pop() {
            if size(index) <= most {
                ranges.push(first_front[index]..index + 1);
            } else {
                self.top.push(index);
                stack.extend(&self.fronts[index].children);
            }
        }
        self.top.sort_unstable();
        ranges.sort_by_key(|range| range.start);
        self.boundary_places = vec![0; self.boundary.len()];
        let mut values = 0;
        let mut top_place = vec![0_u32; self.order.len()];
        let mut top_len = 0;
        for &index in &self.top {
            let own = self.fronts[index].own.clone();
            self.fronts[index].own_place = top_len as usize;
            for position in own {
                top_place[position] = top_len;
                top_len += 1;
            }
        }
        self.top_vertices = top_len as usize;
        for range in ranges {
            let base = self.fronts[range.start].own.start;
            let root = self.fronts[range.end - 1].clone();
            let first_value = values;
            for index in range.clone() {
                let front = &mut self.fronts[index];
                front.own_place = front.own.start - base;
                front.values = values - first_value;
                values += front.rows() * front.columns();
                let ghosts = &self.boundary[root.boundary.clone()];
                for k in front.boundary.clone() {
                    let position = self.boundary[k];
                    self.boundary_places[k] = if (position as usize) < root.own.end {
                        position - base as u32
                    } else {
                        (root.own.end - base + ghosts.partition_point(|&g| g < position)) as u32
                    };
                }
            }
            let ghosts = self.boundary[root.boundary.clone()].iter().map(|&p| top_place[p as usize]).collect();
            let kept = self.choose_kept(range.clone(), &first_front);
            let (positions, values) = (base..root.own.end, first_value..values);
            self.tasks.push(Task { fronts: range, positions, ghosts, values, kept });
        }
        self.top_values = values;
        for &index in &self.top {
            let front = &mut self.fronts[index];
            front.values = values - self.top_values;
            values += front.rows() * front.columns();
            for k in front.boundary.clone() {
                self.boundary_places[k] = top_place[self.boundary[k] as usize];
            }
        }
    }

    /// Chooses the sub-trees of a task whose updates are kept: its root and those of the sizes in [`KEPT`]. A sub-tree
    /// begins with the first of its fronts.
    fn choose_kept(&mut self, task: Range<usize>, first_front: &[usize]) -> Vec<Range<usize>> {
        let size = |index: usize| self.fronts[index].own.end - self.fronts[first_front[index]].own.start;
        let root = task.end - 1;
        let mut kept: Vec<Range<usize>> = Vec::new();
        kept.push(first_front[root]..root + 1);
        for parent in task {
            let below = |child: &usize| KEPT.iter().any(|most| (size(*child)..size(parent)).contains(most));
            kept.extend(
                self.fronts[parent].children.iter().filter(|&child| below(child)).map(|&c| first_front[c]..c + 1),
            );
        }
        kept.sort_unstable_by_key(|tree| (tree.start, std::cmp::Reverse(tree.end)));
        for (k, tree) in kept.iter().enumerate() {
            self.fronts[tree.end - 1].kept = Some(k);
        }
        kept
    }
}
