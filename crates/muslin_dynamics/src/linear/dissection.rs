//! Nested dissection: an order of elimination with little fill, and the tree that comes with it.
//!
//! A set of vertices is cut in two halves; the vertices of one half that touch the other are the separator,
//! eliminated after both. For cloth, a surface, the separator of N vertices has about √N, and the factor
//! about N log N entries; no local rule such as minimum degree does better by more than a constant. Each
//! cut is tried along the axes of a layout (the rest positions), and unless one of these cuts is as good as on a flat
//! sheet along the distance in the graph itself, and the smallest separator wins: the layout gives straight cuts on grids,
//! the graph copes with layouts that mean nothing.

use super::graph::Graph;
use glam::DVec3;
use muslin_model::parallel;
use std::ops::Range;

/// A cut may leave at most this share of the vertices on one side [-].
const MOST_ON_ONE_SIDE: f64 = 0.62;

/// A separator of at most this many times √N of N vertices is good enough [-]: a straight cut through a grid has 1.
const GOOD: f64 = 1.2;

/// Sets of more vertices, and of more than this part of all, are cut with arrays of their own, so that two can be at the same time;
/// arrays for smaller parts would cost more than they save [-].
const ALONE: usize = 1024;
const SMALLEST_ALONE: f64 = 1.0 / 64.0;

/// A piece of the elimination order: a separator, or a set too small to cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Positions in the order of elimination.
    pub range: Range<usize>,
    /// The two halves that this separator parts; indices into the list of pieces, both smaller.
    pub children: Vec<usize>,
}

/// An order of elimination and its tree, children before parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dissection {
    /// The vertex eliminated at each position.
    pub order: Vec<u32>,
    /// The pieces in order of elimination; the last is the root.
    pub pieces: Vec<Piece>,
}

/// A way to part a set.
struct Cut {
    separator: Vec<u32>,
    /// Of each vertex of the set; below the threshold is one side.
    keys: Vec<f64>,
    threshold: f64,
}

struct Cutter<'a> {
    graph: &'a Graph,
    layout: &'a [DVec3],
    leaf: usize,
    /// The set that a vertex belongs to at the moment; a fresh number for each set.
    owner: Vec<u32>,
    sets: u32,
    distance: Vec<u32>,
    result: Dissection,
}

/// Orders a graph; sets of at most `leaf` vertices are not cut. `layout` has one point per vertex or is empty.
pub fn dissect(graph: &Graph, layout: &[DVec3], leaf: usize) -> Dissection {
    dissect_set(graph, layout, leaf.max(1), (0..graph.vertices() as u32).collect())
}

/// Orders a set of a graph's vertices.
fn dissect_set(graph: &Graph, layout: &[DVec3], leaf: usize, set: Vec<u32>) -> Dissection {
    let (owner, distance) = (vec![0; graph.vertices()], vec![0; graph.vertices()]);
    let mut cutter = Cutter { graph, layout, leaf, owner, sets: 0, distance, result: Dissection::default() };
    if !set.is_empty() {
        cutter.cut(set);
    }
    cutter.result
}

impl Cutter<'_> {
    /// Orders a set; returns the index of its last piece.
    fn cut(&mut self, set: Vec<u32>) -> usize {
        if set.len() <= self.leaf {
            return self.finish(set, Vec::new());
        }
        let number = self.claim(&set);
        let mut best: Option<Cut> = None;
        for axis in 0..3 {
            if let Some(keys) = self.axis_keys(&set, axis) {
                self.try_keys(&set, keys, &mut best);
            }
        }
        let good = GOOD * (set.len() as f64).sqrt();
        if best.as_ref().is_none_or(|cut| cut.separator.len() as f64 > good) {
            let keys = self.distance_keys(&set, number);
            self.try_keys(&set, keys, &mut best);
        }
        let cut = best.unwrap_or_else(|| {
            // No candidate parts the set (all keys equal): cut the list itself.
            let keys: Vec<f64> = (0..set.len()).map(|k| k as f64).collect();
            let threshold = 0.5 * keys.len() as f64;
            Cut { separator: self.separator(&set, &keys, threshold), keys, threshold }
        });
        self.split(set, cut)
    }

    /// Keeps the cut along some keys if it has the smallest separator so far.
    fn try_keys(&mut self, set: &[u32], keys: Vec<f64>, best: &mut Option<Cut>) {
        let Some(threshold) = balanced_threshold(&keys) else { return };
        let separator = self.separator(set, &keys, threshold);
        if best.as_ref().is_none_or(|b| separator.len() < b.separator.len()) {
            *best = Some(Cut { separator, keys, threshold });
        }
    }

    fn split(&mut self, set: Vec<u32>, cut: Cut) -> usize {
        let Cut { separator, keys, threshold } = cut;
        let number = self.claim(&separator);
        let part = |below: bool| -> Vec<u32> {
            let inside = |(k, v): (usize, &u32)| {
                ((keys[k] < threshold) == below && self.owner[*v as usize] != number).then_some(*v)
            };
            set.iter().enumerate().filter_map(inside).collect()
        };
        let halves = [part(true), part(false)];
        let least = ALONE.max((SMALLEST_ALONE * self.owner.len() as f64) as usize);
        if halves.iter().all(|half| half.len() > least) {
            let (graph, layout, leaf) = (self.graph, self.layout, self.leaf);
            let [first, second] = halves.map(|half| move || dissect_set(graph, layout, leaf, half));
            let (first, second) = parallel::join(first, second);
            let children = vec![self.append(first), self.append(second)];
            return self.finish(separator, children);
        }
        let children = halves.into_iter().filter(|half| !half.is_empty()).map(|half| self.cut(half)).collect();
        self.finish(separator, children)
    }

    fn finish(&mut self, set: Vec<u32>, children: Vec<usize>) -> usize {
        let first = self.result.order.len();
        self.result.order.extend(&set);
        self.result.pieces.push(Piece { range: first..first + set.len(), children });
        self.result.pieces.len() - 1
    }

    /// Takes the order of a set that was cut by itself; returns the index of its last piece.
    fn append(&mut self, part: Dissection) -> usize {
        let (first, before) = (self.result.order.len(), self.result.pieces.len());
        self.result.order.extend(part.order);
        self.result.pieces.extend(part.pieces.into_iter().map(|piece| Piece {
            range: first + piece.range.start..first + piece.range.end,
            children: piece.children.into_iter().map(|child| before + child).collect(),
        }));
        self.result.pieces.len() - 1
    }

    /// Marks a set's vertices as its own.
    fn claim(&mut self, set: &[u32]) -> u32 {
        self.sets += 1;
        set.iter().for_each(|&v| self.owner[v as usize] = self.sets);
        self.sets
    }

    /// The vertices of one side that touch the other; of the side that has fewer of them.
    fn separator(&mut self, set: &[u32], keys: &[f64], threshold: f64) -> Vec<u32> {
        let number = self.owner[set[0] as usize];
        // The side of each vertex, in the distance array that is free at this point.
        set.iter().zip(keys).for_each(|(&v, &key)| self.distance[v as usize] = u32::from(key < threshold));
        let touching = |side: u32| -> Vec<u32> {
            let crosses = |v: &&u32| {
                self.distance[**v as usize] == side
                    && self
                        .graph
                        .of(**v)
                        .iter()
                        .any(|&w| self.owner[w as usize] == number && self.distance[w as usize] != side)
            };
            set.iter().filter(crosses).copied().collect()
        };
        let (above, below) = (touching(0), touching(1));
        if below.len() < above.len() { below } else { above }
    }

    /// A coordinate of the layout along which to cut, unless the set is short along it: such a cut never wins.
    fn axis_keys(&self, set: &[u32], axis: usize) -> Option<Vec<f64>> {
        if self.layout.is_empty() {
            return None;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &v in set {
            low = low.min(self.layout[v as usize]);
            high = high.max(self.layout[v as usize]);
        }
        let extent = high - low;
        let long = extent[axis] > 0.5 * extent.max_element();
        long.then(|| set.iter().map(|&v| self.layout[v as usize][axis]).collect())
    }

    /// The difference of the distances from two far ends of the set.
    fn distance_keys(&mut self, set: &[u32], number: u32) -> Vec<f64> {
        let start = self.farthest(set, number, set[0]);
        let from = self.farthest(set, number, start);
        let near: Vec<u32> = set.iter().map(|&v| self.distance[v as usize]).collect();
        self.farthest(set, number, from);
        let difference = |(&v, &d): (&u32, &u32)| f64::from(d) - f64::from(self.distance[v as usize]);
        set.iter().zip(&near).map(difference).collect()
    }

    /// Sets the distances from a vertex within its set (others' vertices count as walls, unreached ones as
    /// far away) and returns the last one reached.
    fn farthest(&mut self, set: &[u32], number: u32, from: u32) -> u32 {
        set.iter().for_each(|&v| self.distance[v as usize] = u32::MAX);
        self.distance[from as usize] = 0;
        let mut queue = Vec::with_capacity(set.len());
        queue.push(from);
        let mut k = 0;
        while k < queue.len() {
            let v = queue[k];
            k += 1;
            for &w in self.graph.of(v) {
                if self.owner[w as usize] == number && self.distance[w as usize] == u32::MAX {
                    self.distance[w as usize] = self.distance[v as usize] + 1;
                    queue.push(w);
                }
            }
        }
        *queue.last().expect("the first vertex is in the queue")
    }
}

/// A value that parts the keys into "below" and "not below", neither much larger than half.
fn balanced_threshold(keys: &[f64]) -> Option<f64> {
    let count_where = |wanted: &dyn Fn(f64) -> bool| keys.iter().filter(|&&k| wanted(k)).count();
    let mut list = keys.to_vec();
    let half = list.len() / 2;
    let (_, &mut middle, above) = list.select_nth_unstable_by(half, f64::total_cmp);
    let next = above.iter().copied().filter(|&k| k > middle).min_by(f64::total_cmp);
    // Keys equal to the median go up, or, if that is more even, down.
    let below = count_where(&|k| k < middle);
    let upto = count_where(&|k| k <= middle);
    let uneven = |count: usize| (count as f64 / keys.len() as f64 - 0.5).abs();
    let (threshold, count) = match next {
        Some(next) if uneven(upto) < uneven(below) => (next, upto),
        _ => (middle, below),
    };
    let share = count as f64 / keys.len() as f64;
    (count > 0 && share.max(1.0 - share) <= MOST_ON_ONE_SIDE).then_some(threshold)
}
