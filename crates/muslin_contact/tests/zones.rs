//! Impact zones on random stacks: gaps kept, momentum kept, little moved.

use glam::DVec3;
use muslin_collision::PairKind;
use muslin_contact::{
    Contact, PairKey, TARGET,
    responses::{ContactResponse, LinearZones, Motion},
};

const RANGE: f64 = 5e-4;

/// Numbers in −1..1 that look random (a linear congruence, Knuth's constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Triangles in layers, each vertex of one over a face of the next, some pressed into each other.
fn stack(layers: usize, seed: u64) -> (Vec<DVec3>, Vec<DVec3>, Vec<Contact>, Vec<f64>) {
    let mut random = Random(seed);
    let corner = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(0.01, 0.0, 0.0), DVec3::new(0.0, 0.01, 0.0)];
    let (mut start, mut end, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
    for layer in 0..layers {
        for c in corner {
            let place = c + DVec3::new(random.next(), random.next(), 0.0) * 1e-3 + DVec3::Z * (RANGE * layer as f64);
            start.push(place);
            end.push(place + DVec3::new(random.next(), random.next(), random.next()) * 1e-3);
        }
    }
    for layer in 1..layers as u32 {
        for k in 0..3 {
            let (vertex, face) = (3 * layer + k, 3 * (layer - 1));
            let mut b = [0.2 + 0.1 * random.next(), 0.3 + 0.1 * random.next(), 0.0];
            b[2] = 1.0 - b[0] - b[1];
            contacts.push(Contact {
                key: PairKey::new(PairKind::VertexFace, vertex, layer - 1),
                vertices: [vertex, face, face + 1, face + 2],
                weights: [1.0, -b[0], -b[1], -b[2]],
                normal: DVec3::Z,
                time: 0.0,
                range: RANGE,
            });
        }
    }
    let inverse_mass = (0..end.len()).map(|_| 1e5 * (1.5 + random.next())).collect();
    (start, end, contacts, inverse_mass)
}

/// What a response makes of a stack.
fn respond(response: &mut dyn ContactResponse, layers: usize, seed: u64, held: usize) -> (f64, f64, DVec3, Vec<f64>) {
    let (start, wanted, contacts, mut inverse_mass) = stack(layers, seed);
    inverse_mass[..held].fill(0.0);
    let mut end = wanted.clone();
    let before: f64 = contacts.iter().map(|c| c.gap(&wanted)).fold(f64::INFINITY, f64::min);
    assert!(before < TARGET * RANGE, "nothing to do for seed {seed}");
    let mut motion = Motion { start: &start, wanted: &wanted, end: &mut end, inverse_mass: &inverse_mass };
    let answer = response.respond(&mut motion, &contacts);
    assert_eq!(answer.left, 0, "{} left contacts, seed {seed}", response.name());
    assert_eq!(end[..held], wanted[..held], "held vertices stay");
    let mut cost = 0.0;
    let mut momentum = DVec3::ZERO;
    for ((x, w), inverse) in end.iter().zip(&wanted).zip(&inverse_mass).filter(|(_, inverse)| **inverse > 0.0) {
        cost += 0.5 * (*x - *w).length_squared() / inverse;
        momentum += (*x - *w) / *inverse;
    }
    (contacts.iter().map(|c| c.gap(&end)).fold(f64::INFINITY, f64::min), cost, momentum, inverse_mass)
}

#[test]
fn zones_leave_every_contact_at_its_target() {
    for seed in 0..40 {
        for held in [0, 3] {
            let (gap, ..) = respond(&mut LinearZones, 6, seed, held);
            assert!(gap >= TARGET * RANGE, "linear, seed {seed}: {gap}");
        }
    }
}

#[test]
fn free_zones_conserve_momentum() {
    for seed in 0..40 {
        let (_, cost, momentum, inverse) = respond(&mut LinearZones, 6, seed, 0);
        let size = (2.0 * cost * inverse.iter().map(|i| 1.0 / i).sum::<f64>()).sqrt();
        assert!(momentum.length() < 1e-9 * size, "seed {seed}: {momentum}");
    }
}

/// Solves a small dense system by elimination with pivots; none if it is singular.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k].abs() < 1e-9 {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

/// The nearest end at which all gaps are at least 0.3 ranges, by trying every set of contacts that may press: the one
/// whose multipliers push and whose other gaps are kept is the solution (Karush, Kuhn and Tucker).
fn nearest(wanted: &[DVec3], contacts: &[Contact], inverse_mass: &[f64]) -> Vec<DVec3> {
    let aim = 0.3 * RANGE;
    let weight = |c: usize, v: u32| -> f64 {
        let at = contacts[c].vertices.iter().position(|&u| u == v);
        at.map_or(0.0, |k| contacts[c].weights[k])
    };
    let couple = |c: usize, d: usize| -> f64 {
        // Normals are all vertical.
        (0..wanted.len()).map(|v| weight(c, v as u32) * weight(d, v as u32) * inverse_mass[v]).sum()
    };
    for set in 0..1usize << contacts.len() {
        let pressing: Vec<usize> = (0..contacts.len()).filter(|c| set >> c & 1 == 1).collect();
        let scale = couple(0, 0);
        let matrix = pressing.iter().map(|&c| pressing.iter().map(|&d| couple(c, d) / scale).collect()).collect();
        let lacking = pressing.iter().map(|&c| aim - contacts[c].gap(wanted)).collect();
        let Some(push) = solve(matrix, lacking) else { continue };
        let mut end = wanted.to_vec();
        for (&c, push) in pressing.iter().zip(&push) {
            for (v, x) in end.iter_mut().enumerate() {
                *x += contacts[c].normal * (push / scale * weight(c, v as u32) * inverse_mass[v]);
            }
        }
        let kept = contacts.iter().all(|c| c.gap(&end) >= aim - 1e-12);
        if kept && push.iter().all(|&p| p >= 0.0) {
            return end;
        }
    }
    panic!("a quadratic programme has a solution");
}

#[test]
fn a_linear_zone_is_the_nearest_end_that_keeps_the_gaps() {
    for seed in 0..40 {
        let (start, wanted, contacts, inverse_mass) = stack(4, seed);
        let mut end = wanted.clone();
        let mut motion = Motion { start: &start, wanted: &wanted, end: &mut end, inverse_mass: &inverse_mass };
        LinearZones.respond(&mut motion, &contacts);
        let exact = nearest(&wanted, &contacts, &inverse_mass);
        let far = end.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let moved = exact.iter().zip(&wanted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(moved > 0.1 * RANGE, "seed {seed} has something to move");
        // A sweep ends when no contact is off by more than 0.02 ranges; errors of a stack add up.
        assert!(far < 0.1 * moved, "seed {seed}: {far} m off, of {moved} m");
    }
}
