//! Repulsion springs (V appendix B), as a named law: nodes push each other away, with no thought of faces.
//!
//! A spring stands between each node and every other one that is neither its neighbour nor the neighbour across a
//! diagonal. It only pushes, and only when it is shorter than its reach. A node that heads for the middle of a face is held off by
//! the springs to its three corners, so the reach is a mean edge: the middle of an equilateral face is 0.58 edges
//! from its corners, and the nearest node that has a spring is more than one edge away at rest. V gives the
//! springs a second office, against buckling, which is not collision response and is left out here.
//!
//! V lists all N (N − 9) springs. Only those shorter than the reach do anything, and a sorted list of cells as wide
//! as the reach finds them.
//!
//! "This preventive approach cannot guarantee to catch or prevent every collision": a link of the cascade after it must.
//! Each spring is implicit in itself, like [`super::DampedSprings`] without damping.

use super::{ContactResponse, Motion, Response, Takes};
use crate::contact::Contact;
use glam::{DVec3, I64Vec3};
use muslin_collision::Surface;

/// Repulsion springs.
#[derive(Clone, Debug)]
pub struct RepulsionSprings {
    /// Length below which a spring pushes [m].
    reach: f64,
    /// Spring constant [N/m].
    stiffness: f64,
    /// Pairs without a spring, lower node first, ascending.
    without: Vec<[u32; 2]>,
}

impl RepulsionSprings {
    /// Springs that reach over a mean edge of a surface at rest [m] and push with a force [N] at half of it.
    pub fn new(surface: &Surface, rest: &[DVec3], strength: f64) -> Self {
        let lengths = surface.edges().iter().map(|&[a, b]| rest[a as usize].distance(rest[b as usize]));
        let reach = lengths.sum::<f64>() / surface.edges().len().max(1) as f64;
        let mut across: Vec<([u32; 2], u32)> = Vec::new();
        let mut without: Vec<[u32; 2]> = surface.edges().iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        for &[a, b, c] in surface.triangles() {
            across.extend([([a, b], c), ([b, c], a), ([c, a], b)].map(|([p, q], r)| ([p.min(q), p.max(q)], r)));
        }
        across.sort_unstable();
        for pair in across.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            without.push([pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1)]);
        }
        without.sort_unstable();
        without.dedup();
        RepulsionSprings { reach, stiffness: 2.0 * strength / reach, without }
    }

    /// Length below which a spring pushes [m].
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The springs shorter than their reach at some positions, of which the scene does not move both ends.
    fn short(&self, positions: &[DVec3], inverse_mass: &[f64]) -> Vec<[u32; 2]> {
        let cell = |p: DVec3| (p / self.reach).floor().as_i64vec3();
        let mut cells: Vec<([i64; 3], u32)> =
            positions.iter().enumerate().map(|(v, &p)| (cell(p).to_array(), v as u32)).collect();
        cells.sort_unstable();
        let mut springs = Vec::new();
        for &(home, a) in cells.iter().filter(|(_, a)| inverse_mass[*a as usize] > 0.0) {
            for k in 0..27 {
                let there = I64Vec3::from(home) + I64Vec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
                let begin = cells.partition_point(|(cell, _)| *cell < there.to_array());
                for &(_, b) in cells[begin..].iter().take_while(|(cell, _)| *cell == there.to_array()) {
                    // Of two nodes that move the lower asks.
                    let asks = a < b || inverse_mass[b as usize] == 0.0;
                    let near = positions[a as usize].distance(positions[b as usize]) < self.reach;
                    let pair = [a.min(b), a.max(b)];
                    if asks && a != b && near && self.without.binary_search(&pair).is_err() {
                        springs.push(pair);
                    }
                }
            }
        }
        springs.sort_unstable();
        springs
    }
}

impl ContactResponse for RepulsionSprings {
    fn name(&self) -> &'static str {
        "repulsion-springs"
    }

    fn takes(&self) -> Takes {
        Takes::Proximity
    }

    fn most_rounds(&self) -> usize {
        1
    }

    fn respond(&mut self, motion: &mut Motion, _: &[Contact]) -> Response {
        let springs = self.short(motion.start, motion.inverse_mass);
        let (h, k) = (motion.step.length, self.stiffness);
        let mut nodes: Vec<u32> = springs.iter().flatten().copied().collect();
        nodes.sort_unstable();
        let count = |v: u32| (nodes.partition_point(|&u| u <= v) - nodes.partition_point(|&u| u < v)) as f64;
        let pushes: Vec<DVec3> = springs
            .iter()
            .map(|&[a, b]| {
                let [i, j] = [a as usize, b as usize];
                let away = motion.start[i] - motion.start[j];
                let Some(direction) = away.try_normalize() else { return DVec3::ZERO };
                let velocity = (motion.end[i] - motion.start[i] - motion.end[j] + motion.start[j]) / h;
                // Each spring has its share of the busier node's mass.
                let crowd = f64::max(count(a), count(b));
                let share = 1.0 / ((motion.inverse_mass[i] + motion.inverse_mass[j]) * crowd);
                let force =
                    (k * (self.reach - away.length()) - h * k * velocity.dot(direction)) / (1.0 + h * h * k / share);
                direction * (h * h * force.max(0.0))
            })
            .collect();
        for (&[a, b], push) in springs.iter().zip(pushes) {
            for (v, by) in [(a, push), (b, -push)] {
                if motion.inverse_mass[v as usize] > 0.0 {
                    let end = motion.end[v as usize] + by * motion.inverse_mass[v as usize];
                    motion.place(v, end);
                }
            }
        }
        Response { iterations: 1, ..Response::default() }
    }
}
