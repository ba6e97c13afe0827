//! Non-linear impact zones (I 4): an augmented Lagrangian minimised by preconditioned, accelerated gradient descent.
//!
//! g(X) = ½ Σ mᵢ ‖xᵢ − x̂ᵢ‖² with c(X) = aim − C(X) ≤ 0 becomes f(X) = g(X) + µ/2 Σ max(c + λ/µ, 0)² − ‖λ‖²/2µ (I 6), and
//! λ ← max(µ c + λ, 0) (I 6). C's normals turn with the iterate ([`super::Separation`]), which is what makes the
//! zone non-linear: a pair whose face turns is pushed along where the face is now. One worker solves one zone.
//! Vertices that the scene moves are corners of contacts like any other and stay where they are.
//!
//! Deviations from the paper, each with its reason:
//! - lengths are in ranges and masses in the zone's mean mass, so that µ = 10³ means the same at every scale;
//! - with Jacobi's preconditioner the decrease that the line search asks for is α s ∇f·ΔX and not α s ‖ΔX‖²;
//! - the diagonal is that of a matrix that lies above the Hessian of the penalties. The Hessian's own diagonal, which Jacobi would
//!   take, counts each corner of a face alone: together they overshoot by three, and the soft way back takes all iterations;
//! - X′ in Chebyshev's update (I 8) is the iterate before the last, not the start of the step. An update that would
//!   not descend is dropped and the acceleration begins anew, as it does when λ changes: its ω belongs to one function;
//! - λ is renewed when descent has slowed down, and not in each iteration: the line search would compare values of
//!   two different functions;
//! - a zone is done when its contacts are ("until the VF/EE pairs for that impact zone are non-overlapping", I 4.2) and descent has
//!   slowed down: it takes the stiff directions first, and the soft ones, which only bring it nearer to x̂, need hundreds of
//!   iterations. The cost of the end is up to twice the least.

use super::{ContactResponse, Motion, Response, Separation, Takes, aim};
use crate::{
    contact::Contact,
    zones::{Zone, zones},
};
use glam::DVec3;
use muslin_model::parallel;

/// µ of I 4.1, in units of the zone's mean mass and the contacts' range [-].
const PENALTY: f64 = 1e3;
/// Iterations of a zone (I 4.1).
const MOST_ITERATIONS: usize = 100;
/// Shortest step of the line search (I 4.1) [-].
const SHORTEST_STEP: f64 = 1e-12;
/// ρ of I 8 [-].
const SPECTRAL_RADIUS: f64 = 0.9992;
/// Iterations before Chebyshev's acceleration begins (I 8).
const DELAY: usize = 10;
/// α of I 7: the part of the foretold decrease that is asked for [-].
const SUFFICIENT: f64 = 1e-3;
/// Relative decrease of f below which descent has slowed down and λ is renewed [-].
const SLOW: f64 = 1e-2;
/// A contact is done when it is this part of its range below the aim [-].
const TOLERANCE: f64 = 0.02;

/// Non-linear impact zones.
#[derive(Clone, Copy, Debug, Default)]
pub struct NonLinearZones;

impl ContactResponse for NonLinearZones {
    fn name(&self) -> &'static str {
        "non-linear-zones"
    }

    fn takes(&self) -> Takes {
        Takes::Accumulated
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let zones = zones(contacts, motion.inverse_mass);
        self.respond_in(motion, contacts, &zones)
    }
}

impl NonLinearZones {
    /// Solves some zones.
    pub(super) fn respond_in(&self, motion: &mut Motion, contacts: &[Contact], zones: &[Zone]) -> Response {
        let solved = parallel::map(zones.len(), |z| Problem::new(motion, contacts, &zones[z]).solve());
        let mut response = Response { zones: zones.len(), ..Response::default() };
        for (zone, solution) in zones.iter().zip(solved) {
            zone.vertices.iter().zip(solution.ends).for_each(|(&v, x)| motion.place(v, x));
            response.iterations = response.iterations.max(solution.iterations);
            response.left += solution.left;
        }
        response
    }
}

/// A contact within a zone.
struct Corner {
    separation: Separation,
    /// Places among the zone's vertices; beyond them for a corner that cannot move.
    places: [usize; 4],
    /// Where those stay [m].
    fixed: [DVec3; 4],
    range: f64,
    aim: f64,
    multiplier: f64,
}

/// One zone's problem, in metres and mean masses.
struct Problem {
    corners: Vec<Corner>,
    /// Masses over their mean [-].
    masses: Vec<f64>,
    wanted: Vec<DVec3>,
    ends: Vec<DVec3>,
    /// Length in which f is measured [m].
    unit: f64,
    /// Whether all corners can move.
    free: bool,
}

/// What became of it.
struct Solution {
    ends: Vec<DVec3>,
    iterations: usize,
    left: usize,
}

impl Corner {
    fn points(&self, x: &[DVec3]) -> [DVec3; 4] {
        std::array::from_fn(|k| x.get(self.places[k]).copied().unwrap_or(self.fixed[k]))
    }

    /// max(c + λ/µ, 0) at a separation, in ranges [-].
    fn excess(&self, separation: f64) -> f64 {
        f64::max((self.aim - separation) / self.range + self.multiplier / PENALTY, 0.0)
    }
}

impl Problem {
    fn new(motion: &Motion, contacts: &[Contact], zone: &Zone) -> Self {
        let place = |v: u32| zone.vertices.binary_search(&v).unwrap_or(usize::MAX);
        let corner = |&c: &u32| {
            let contact = &contacts[c as usize];
            let at = |v: u32| motion.start[v as usize].lerp(motion.end[v as usize], contact.time);
            Corner {
                separation: Separation::new(contact, contact.vertices.map(at)),
                places: contact.vertices.map(place),
                fixed: contact.vertices.map(|v| motion.end[v as usize]),
                range: contact.range,
                aim: aim(contact),
                multiplier: 0.0,
            }
        };
        let corners: Vec<Corner> = zone.contacts.iter().map(corner).collect();
        let masses: Vec<f64> = zone.vertices.iter().map(|&v| 1.0 / motion.inverse_mass[v as usize]).collect();
        let mean = masses.iter().sum::<f64>() / masses.len() as f64;
        Problem {
            masses: masses.iter().map(|m| m / mean).collect(),
            wanted: zone.vertices.iter().map(|&v| motion.wanted[v as usize]).collect(),
            ends: zone.vertices.iter().map(|&v| motion.end[v as usize]).collect(),
            unit: corners.iter().map(|c| c.range).fold(f64::INFINITY, f64::min),
            free: corners.iter().all(|corner| corner.places.iter().all(|&p| p != usize::MAX)),
            corners,
        }
    }

    /// Moves a free zone as a whole so that its momentum is that of the wanted ends. No separation changes, and g
    /// becomes less; Jacobi's diagonal alone would reach that only in the limit.
    fn keep_momentum(&self, x: &mut [DVec3]) {
        if self.free {
            let moved = |i: usize| (x[i] - self.wanted[i]) * self.masses[i];
            let drift = (0..x.len()).map(moved).sum::<DVec3>() / self.masses.iter().sum::<f64>();
            x.iter_mut().for_each(|x| *x -= drift);
        }
    }

    /// f, but for its constant term.
    fn value(&self, x: &[DVec3]) -> f64 {
        let away = |i: usize| 0.5 * self.masses[i] * ((x[i] - self.wanted[i]) / self.unit).length_squared();
        let inertia: f64 = (0..x.len()).map(away).sum();
        let excess = |corner: &Corner| corner.excess(corner.separation.value(&corner.points(x)));
        inertia + self.corners.iter().map(|corner| 0.5 * PENALTY * excess(corner).powi(2)).sum::<f64>()
    }

    /// ΔX, the gradient over Jacobi's diagonal [m], and ∇f·ΔX [-].
    fn direction(&self, x: &[DVec3], diagonal: &mut [f64], out: &mut [DVec3]) -> f64 {
        diagonal.copy_from_slice(&self.masses);
        for (i, d) in out.iter_mut().enumerate() {
            *d = (x[i] - self.wanted[i]) * (self.masses[i] / self.unit);
        }
        for corner in &self.corners {
            let (separation, gradient) = corner.separation.gradient(&corner.points(x));
            let excess = corner.excess(separation);
            if excess == 0.0 {
                continue;
            }
            let scale = self.unit / corner.range;
            // g gᵀ ≼ diag(|gᵢ| Σⱼ |gⱼ|): with it a full step does not overshoot.
            let reach: f64 =
                corner.places.iter().zip(&gradient).filter(|(p, _)| **p < x.len()).map(|(_, g)| g.length()).sum();
            for (&place, g) in corner.places.iter().zip(gradient) {
                if let Some(d) = out.get_mut(place) {
                    *d -= g * (PENALTY * excess * scale);
                    diagonal[place] += PENALTY * scale * scale * g.length() * reach;
                }
            }
        }
        let mut slope = 0.0;
        for (d, m) in out.iter_mut().zip(diagonal.iter()) {
            slope += d.length_squared() / m;
            *d *= self.unit / m;
        }
        slope
    }

    fn left(&self, x: &[DVec3]) -> usize {
        let short = |c: &&Corner| c.separation.value(&c.points(x)) < c.aim - TOLERANCE * c.range;
        self.corners.iter().filter(short).count()
    }

    /// λ ← max(µ c + λ, 0).
    fn renew_multipliers(&mut self, x: &[DVec3]) {
        for corner in &mut self.corners {
            corner.multiplier = PENALTY * corner.excess(corner.separation.value(&corner.points(x)));
        }
    }

    fn solve(mut self) -> Solution {
        let mut x = std::mem::take(&mut self.ends);
        let mut before = x.clone();
        let (mut trial, mut fast) = (x.clone(), x.clone());
        let mut direction = vec![DVec3::ZERO; x.len()];
        let mut diagonal = vec![0.0; x.len()];
        let (mut omega, mut since) = (1.0, 0);
        let mut value = self.value(&x);
        let mut iterations = 0;
        while iterations < MOST_ITERATIONS {
            iterations += 1;
            let slope = self.direction(&x, &mut diagonal, &mut direction);
            let mut step = 1.0;
            let mut trial_value;
            loop {
                trial.iter_mut().zip(&x).zip(&direction).for_each(|((t, x), d)| *t = *x - *d * step);
                trial_value = self.value(&trial);
                if trial_value <= value - SUFFICIENT * step * slope || step < SHORTEST_STEP {
                    break;
                }
                step *= 0.5;
            }
            since += 1;
            omega = chebyshev(since, omega);
            if omega > 1.0 {
                fast.iter_mut().zip(&trial).zip(&before).for_each(|((f, t), b)| *f = *b + (*t - *b) * omega);
                let fast_value = self.value(&fast);
                if fast_value <= trial_value {
                    std::mem::swap(&mut fast, &mut trial);
                    trial_value = fast_value;
                } else {
                    (omega, since) = (1.0, 0);
                }
            }
            std::mem::swap(&mut before, &mut x);
            std::mem::swap(&mut x, &mut trial);
            let slow = value - trial_value <= SLOW * value;
            value = trial_value;
            if slow || step < SHORTEST_STEP {
                if self.left(&x) == 0 {
                    break;
                }
                self.renew_multipliers(&x);
                (omega, since) = (1.0, 0);
                value = self.value(&x);
            }
        }
        self.keep_momentum(&mut x);
        let left = self.left(&x);
        Solution { ends: x, iterations, left }
    }
}

/// ω of I 8 in the k-th iteration.
fn chebyshev(k: usize, omega: f64) -> f64 {
    let radius = SPECTRAL_RADIUS * SPECTRAL_RADIUS;
    match k {
        k if k < DELAY => 1.0,
        DELAY => 2.0 / (2.0 - radius),
        _ => 4.0 / (4.0 - radius * omega),
    }
}
