//! Passes over edges that move ends towards or away from each other: Gauss–Seidel in a fixed order.
//!
//! A correction of an edge by s along its direction n moves its ends by ∓W n s/(nᵀ(W_a + W_b)n), where W is
//! the inverse mass times the projector of free directions. Free ends thus share it by inverse mass (V takes
//! half each, the same for V's equal masses), a held end leaves all of it to the other.
//!
//! * Order: edges near held vertices first, since those are sure where they are, then outward by the number
//!   of edges between. One thread: the order is part of the result, and a pass is cheap beside a solve.
//! * After the first pass only edges with an end that has moved since are looked at, as V 7.2.4 suggests.
//! * V's plain passes need the square of the number of edges in a row: a chain of 100 edges is not done after
//!   10,000. Passes *until the limits are met* therefore solve the real problem, the state within all limits
//!   that is nearest in the metric of masses, by successive over-relaxation on its multipliers (Hildreth's
//!   method): each edge remembers its total correction and may take it back when its neighbours have done
//!   their part. The passes grow like the number of edges in a row, and (as long as edges keep their
//!   directions) no iterate is further than the candidate from a start within the limits.
//! * Limits that contradict each other (held vertices too far apart) make the multipliers grow without end
//!   while the positions repeat. That is noticed, and plain passes leave a sensible state.

use super::{LIMIT_TOLERANCE, LimitedEdges};
use crate::constraints::Constraints;
use glam::{DMat3, DVec3};
use std::collections::VecDeque;

/// Passes between two looks at the progress.
const PROGRESS_WINDOW: usize = 64;
/// If a pass leaves every vertex within this part of the pass's largest correction of where it was before,
/// corrections undo each other and the limits contradict themselves [-]. Slow progress moves vertices by
/// about one part in the number of edges across the cloth.
const PROGRESS: f64 = 1e-4;
/// Plain passes over limits that contradict each other: they even out the excess.
const CONTRADICTION_PASSES: usize = 64;
/// Marks a vertex that is not held, or not reached.
const NONE: u32 = u32::MAX;

/// How often to pass over the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// So many plain ones.
    Counted(usize),
    /// Until all limits are met, at most so many.
    UntilMet(usize),
}

/// How long an edge may be at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    /// [m]
    pub low: f64,
    /// [m]
    pub high: f64,
    /// Length beyond which it is not pushed, however short [m].
    pub push_reach: f64,
}

/// Edges in their order of processing, and work arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    pub(super) edges: LimitedEdges,
    order: Vec<u32>,
    /// The held vertices that the order was made for, and whether each is held fully.
    ordered_for: Vec<(u32, bool)>,
    /// Index into the constraints of each vertex.
    held: Vec<u32>,
    /// Pass in which a vertex moved last.
    moved: Vec<u32>,
    /// Total correction of each edge so far, negative if it was shortened [m].
    totals: Vec<f64>,
    /// Positions one pass before a look at the progress.
    earlier: Vec<DVec3>,
    /// Positions before the first pass.
    candidate: Vec<DVec3>,
    /// Over-relaxation of passes until the limits are met [-].
    relaxation: f64,
}

impl Sweep {
    pub(super) fn new(edges: LimitedEdges) -> Self {
        let vertices = edges.inverse_masses.len();
        Sweep {
            order: (0..edges.ends.len() as u32).collect(),
            totals: vec![0.0; edges.ends.len()],
            held: vec![NONE; vertices],
            moved: vec![0; vertices],
            edges,
            ..Default::default()
        }
    }

    /// Corrects edges; returns the passes taken. `bounds(edge, rest length, direction)` says how long an edge
    /// may be.
    pub(super) fn run(
        &mut self,
        constraints: &Constraints,
        positions: &mut [DVec3],
        passes: Passes,
        bounds: impl Fn(usize, f64, DVec3) -> Bounds,
    ) -> usize {
        self.arrange(constraints);
        self.moved.fill(0);
        self.totals.fill(0.0);
        let most_passes = match passes {
            Passes::Counted(count) => {
                let mut passes = 1..=count;
                let done = passes.find(|&k| self.pass(constraints, positions, k, Correction::Plain, &bounds) == 0.0);
                return done.unwrap_or(count);
            }
            Passes::UntilMet(most) => most,
        };
        copy(positions, &mut self.candidate);
        let relaxed = Correction::Relaxed(self.relaxation);
        for pass in 1..=most_passes {
            let look = pass % PROGRESS_WINDOW == 0;
            if look {
                copy(positions, &mut self.earlier);
            }
            let largest = self.pass(constraints, positions, pass, relaxed, &bounds);
            if largest == 0.0 {
                return pass;
            }
            if look && largest_distance(positions, &self.earlier) <= PROGRESS * largest {
                positions.copy_from_slice(&self.candidate);
                for plain in pass + 1..=pass + CONTRADICTION_PASSES {
                    self.moved.fill(plain as u32);
                    self.pass(constraints, positions, plain, Correction::Plain, &bounds);
                }
                return pass + CONTRADICTION_PASSES;
            }
        }
        most_passes
    }

    /// One pass over the edges; returns the largest correction [m].
    fn pass(
        &mut self,
        constraints: &Constraints,
        positions: &mut [DVec3],
        pass: usize,
        kind: Correction,
        bounds: &impl Fn(usize, f64, DVec3) -> Bounds,
    ) -> f64 {
        let mut largest = 0.0f64;
        for k in 0..self.order.len() {
            let edge = self.order[k] as usize;
            let [a, b] = self.edges.ends[edge].map(|v| v as usize);
            let recent = self.moved[a].max(self.moved[b]) as usize;
            let along = positions[b] - positions[a];
            let length = along.length();
            // Coincident ends have no direction; no limit on stretch concerns them.
            if (pass > 1 && recent + 1 < pass) || !(length > 0.0) {
                continue;
            }
            let (rest, direction) = (self.edges.rest_lengths[edge], along / length);
            let correction = kind.of(bounds(edge, rest, direction), length, self.totals[edge]);
            if correction.abs() > LIMIT_TOLERANCE * rest
                && self.shift(edge, constraints, positions, direction * correction)
            {
                self.totals[edge] += correction;
                self.moved[a] = pass as u32;
                self.moved[b] = pass as u32;
                largest = largest.max(correction.abs());
            }
        }
        largest
    }

    /// Makes an edge longer by a vector along it; `false` if neither end can move that way.
    fn shift(&self, edge: usize, constraints: &Constraints, positions: &mut [DVec3], by: DVec3) -> bool {
        let [a, b] = self.edges.ends[edge].map(|v| v as usize);
        let answer = |v: usize| {
            let free = if self.held[v] == NONE { by } else { constraints.free[self.held[v] as usize] * by };
            free * self.edges.inverse_masses[v]
        };
        let (move_a, move_b) = (answer(a), answer(b));
        let share = by.length_squared() / (by.dot(move_a) + by.dot(move_b));
        if !share.is_finite() {
            return false;
        }
        positions[a] -= move_a * share;
        positions[b] += move_b * share;
        true
    }

    /// Notes who is held, and orders the edges outward from them if those have changed.
    fn arrange(&mut self, constraints: &Constraints) {
        let now = || constraints.vertices.iter().zip(&constraints.free).map(|(&v, free)| (v, *free == DMat3::ZERO));
        if self.relaxation > 0.0 && now().eq(self.ordered_for.iter().copied()) {
            return;
        }
        self.held.fill(NONE);
        for (k, &v) in constraints.vertices.iter().enumerate() {
            self.held[v as usize] = k as u32;
        }
        self.ordered_for.clear();
        self.ordered_for.extend(now());
        let vertices = self.edges.inverse_masses.len();
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); vertices];
        for &[a, b] in &self.edges.ends {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        // Breadth first from all fully held vertices, or across from the first edge if there are none.
        let mut depth = vec![NONE; vertices];
        let mut queue: VecDeque<u32> = now().filter(|&(_, fully)| fully).map(|(v, _)| v).collect();
        let across = if queue.is_empty() { 0.5 } else { 1.0 };
        if queue.is_empty() {
            queue.extend(self.edges.ends.first().map(|e| e[0]));
        }
        queue.iter().for_each(|&v| depth[v as usize] = 0);
        while let Some(v) = queue.pop_front() {
            for &next in &neighbours[v as usize] {
                if depth[next as usize] == NONE {
                    depth[next as usize] = depth[v as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        // The best relaxation for a row of so many edges from its held end (Young's formula).
        let row = depth.iter().filter(|&&d| d != NONE).max().map_or(1.0, |&d| (across * d as f64).max(1.0));
        self.relaxation = 2.0 / (1.0 + (0.5 * std::f64::consts::PI / row).sin());
        let ends = &self.edges.ends;
        self.order.sort_unstable_by_key(|&e| {
            let [a, b] = ends[e as usize].map(|v| depth[v as usize]);
            (a.min(b), a.max(b), e)
        });
    }
}

fn copy(from: &[DVec3], to: &mut Vec<DVec3>) {
    to.clear();
    to.extend_from_slice(from);
}

fn largest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}

/// How an edge is corrected.
#[derive(Clone, Copy, Debug)]
enum Correction {
    /// To its bound.
    Plain,
    /// By so much over [-], taking back what is no longer needed.
    Relaxed(f64),
}

impl Correction {
    /// By how much an edge becomes longer now [m], given its total correction so far.
    fn of(self, bounds: Bounds, length: f64, total: f64) -> f64 {
        let (long, short, push) = (bounds.high - length, bounds.low - length, (bounds.push_reach - length).max(0.0));
        match self {
            Correction::Plain if short > 0.0 => short.min(push),
            Correction::Plain => long.min(0.0),
            Correction::Relaxed(factor) if total < 0.0 || long < 0.0 => (total + factor * long).min(0.0) - total,
            Correction::Relaxed(factor) if total > 0.0 || short > 0.0 => {
                (total + (factor * short).min(push)).max(0.0) - total
            }
            Correction::Relaxed(_) => 0.0,
        }
    }
}
