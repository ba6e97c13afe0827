//! Realignment of the vertices between two held ones A and E (V 7.5.2), which orthogonal resistance assumes.
//!
//! * Ends as far apart as at rest, or further: every vertex is drawn to its place on the straight line between the ends
//!   as they will stand after the step, the further they are apart the more strongly (V fig. 7.57).
//! * Ends nearer: from both ends towards the middle each vertex is drawn onto the line between its two neighbours, at the
//!   length at rest from the one that was drawn before (V fig. 7.58).
//!
//! V makes them springs "set to realign within a very few time steps". Here vertex and place are joined by a spring
//! of (1/n)²/h² per mass, n the number of steps, with the critical damping that V uses elsewhere. It acts on the true mass: a vertex
//! that resists must still be able to come back. Vertices that are on the line only by rounding to the grid are left
//! alone, because their place at rest is beside it.

use super::lines::Line;
use glam::DVec3;

/// Choices for realignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealignOptions {
    /// n: steps in which the distance to the line falls to a few tenths; at least 2 [-].
    pub steps: f64,
}

/// Largest strength (1/n)² [-]: with critical damping explicit steps are stable up to n = 2.
const MOST_STRENGTH: f64 = 0.25;

/// A vertex and where it is drawn.
#[derive(Clone, Copy, Debug)]
struct Draw {
    vertex: u32,
    /// Its place at the end of the step, and how that moves.
    place: DVec3,
    velocity: DVec3,
    /// (h/n)² times stiffness over mass [-].
    strength: f64,
}

/// All that is drawn in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Realignment {
    draws: Vec<Draw>,
    /// Places along a line from both ends [m].
    places: Vec<DVec3>,
    step: f64,
}

impl Realignment {
    pub fn clear(&mut self, step: f64) {
        self.step = step;
        self.draws.clear();
    }

    /// Draws the vertices of a line whose ends go from somewhere to somewhere [m].
    pub fn add(&mut self, line: &Line, options: RealignOptions, ends: [(DVec3, DVec3); 2], positions: &[DVec3]) {
        let [(x, a), (y, e)] = ends;
        let speeds = [(a - x) / self.step, (e - y) / self.step];
        let elongation = a.distance(e) / line.length - 1.0;
        let base = options.steps.powi(-2);
        if elongation >= 0.0 {
            let strength = (base * (1.0 + elongation)).min(MOST_STRENGTH);
            for inner in line.inner.iter().filter(|inner| inner.aligned) {
                let t = inner.from_first / line.length;
                let (place, velocity) = (a.lerp(e, t), speeds[0].lerp(speeds[1], t));
                self.draws.push(Draw { vertex: inner.vertex, place, velocity, strength });
            }
        } else if line.inner.iter().all(|inner| inner.aligned) {
            let strength = base.min(MOST_STRENGTH);
            self.straighten(line, [a, e], positions);
            for (k, inner) in line.inner.iter().enumerate() {
                let t = inner.from_first / line.length;
                let velocity = speeds[0].lerp(speeds[1], t);
                self.draws.push(Draw { vertex: inner.vertex, place: self.places[k], velocity, strength });
            }
        }
    }

    /// Sets the places of a slack line, from both ends inwards.
    fn straighten(&mut self, line: &Line, ends: [DVec3; 2], positions: &[DVec3]) {
        let count = line.inner.len();
        self.places.clear();
        self.places.extend(line.inner.iter().map(|inner| positions[inner.vertex as usize]));
        let mut before = [ends[0], ends[1]];
        for k in 0..count.div_ceil(2) {
            for (side, at) in [k, count - 1 - k].into_iter().enumerate() {
                // The middle of an odd number belongs to the first end.
                if side == 1 && at == k {
                    continue;
                }
                let beyond = if side == 0 { at + 1 } else { at.wrapping_sub(1) };
                let next = self.places.get(beyond).copied().unwrap_or(ends[1 - side]);
                let way = (next - before[side]).normalize_or_zero();
                self.places[at] = before[side] + way * edge(line, at, side);
                before[side] = self.places[at];
            }
        }
    }

    /// Draws; returns the power [W].
    pub fn pull(&self, masses: &[f64], positions: &[DVec3], velocities: &[DVec3], accelerations: &mut [DVec3]) -> f64 {
        let mut power = 0.0;
        for draw in &self.draws {
            let v = draw.vertex as usize;
            let rate = draw.strength.sqrt() / self.step;
            let change = (draw.place - positions[v]) * (rate * rate) - (velocities[v] - draw.velocity) * (2.0 * rate);
            accelerations[v] += change;
            power += masses[v] * change.dot(velocities[v]);
        }
        power
    }
}

/// Length at rest of the edge from a vertex to the one before it, seen from an end [m].
fn edge(line: &Line, at: usize, side: usize) -> f64 {
    let from = |k: usize| line.inner[k].from_first;
    match side {
        0 if at == 0 => from(0),
        0 => from(at) - from(at - 1),
        _ if at + 1 == line.inner.len() => line.length - from(at),
        _ => from(at + 1) - from(at),
    }
}
