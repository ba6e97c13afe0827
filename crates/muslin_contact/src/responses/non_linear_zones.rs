//! Non-linear impact zones (I 4): an augmented Lagrangian minimised by preconditioned gradient descent.
//!
//! g(X) = ½ Σ mᵢ ‖xᵢ − x̂ᵢ‖² with c(X) = aim − n(X)·Σ wᵢ xᵢ ≤ 0 becomes
//! f(X) = g(X) + µ/2 Σ max(c + λ/µ, 0)² − ‖λ‖²/2µ (I 6), and λ ← max(µ c + λ, 0) after each descent. The normals
//! turn with the iterate, which is what makes the zone non-linear: a pair whose face turns is pushed along
//! where the face is now.
//!
//! Deviations from the paper, each with its reason (see the errata):
//! - lengths are in ranges and masses in the zone's mean mass, so that µ = 10³ means the same at every scale;
//! - with Jacobi's preconditioner the decrease that the line search asks for is α s ∇f·ΔX and not α s ‖ΔX‖²;
//! - X′ in Chebyshev's update is the iterate before the last; the update is dropped where it does not descend;
//! - λ is renewed once descent has stalled and not in each iteration: renewing it in between makes the line
//!   search compare values of two different functions.

use super::{ContactResponse, Motion, Response, aim, turned_normal};
use crate::{contact::Contact, zones::zones};
use glam::DVec3;
use muslin_model::parallel;

/// µ of I 4.1, in units of the zone's mean mass and the contacts' range [-].
const PENALTY: f64 = 1e3;
/// Iterations of a zone (I 4.1).
const MOST_ITERATIONS: usize = 100;
/// Shortest step of the line search (I 4.1).
const SHORTEST_STEP: f64 = 1e-12;
/// ρ of I 8.
const SPECTRAL_RADIUS: f64 = 0.9992;
/// Iterations before Chebyshev's acceleration begins (I 8).
const DELAY: usize = 10;
/// α of I 7: the part of the foretold decrease that is asked for [-].
const SUFFICIENT: f64 = 1e-3;
/// Relative decrease of f below which descent has stalled and λ is renewed [-].
const STALLED: f64 = 1e-4;
/// A contact is done when it is this part of its range below the aim [-].
const TOLERANCE: f64 = 0.02;

/// Non-linear impact zones.
#[derive(Clone, Copy, Debug, Default)]
pub struct NonLinearZones;

impl ContactResponse for NonLinearZones {
    fn name(&self) -> &'static str {
        "non-linear-zones"
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let zones = zones(contacts, motion.inverse_mass);
        let solved = parallel::map(zones.len(), |z| {
            let own: Vec<Contact> = zones[z].contacts.iter().map(|&c| contacts[c as usize]).collect();
            Zone::new(motion, own, &zones[z].vertices).solve(motion)
        });
        let mut response = Response { zones: zones.len(), ..Response::default() };
        for (zone, (positions, iterations, left)) in zones.iter().zip(solved) {
            zone.vertices.iter().zip(positions).for_each(|(&v, x)| motion.end[v as usize] = x);
            response.iterations = response.iterations.max(iterations);
            response.left += left;
        }
        response
    }
}

/// One zone's problem.
struct Zone<'a> {
    contacts: Vec<Contact>,
    vertices: &'a [u32],
    places: Vec<[usize; 4]>,
    /// Masses over their mean [-].
    masses: Vec<f64>,
    multipliers: Vec<f64>,
    /// The work array that `turned_normal` reads: all vertices.
    points: Vec<[DVec3; 4]>,
}

impl<'a> Zone<'a> {
    fn new(motion: &Motion, contacts: Vec<Contact>, vertices: &'a [u32]) -> Self {
        let place = |v: u32| vertices.binary_search(&v).unwrap_or(usize::MAX);
        let places = contacts.iter().map(|c| c.vertices.map(place)).collect();
        let masses: Vec<f64> = vertices.iter().map(|&v| 1.0 / motion.inverse_mass[v as usize]).collect();
        let mean = masses.iter().sum::<f64>() / masses.len() as f64;
        Zone {
            multipliers: vec![0.0; contacts.len()],
            points: contacts.iter().map(|c| c.vertices.map(|v| motion.end[v as usize])).collect(),
            masses: masses.iter().map(|m| m / mean).collect(),
            contacts,
            vertices,
            places,
        }
    }

    /// The corners of a contact at an iterate.
    fn corners(&self, c: usize, x: &[DVec3]) -> [DVec3; 4] {
        std::array::from_fn(|k| match self.places[c][k] {
            usize::MAX => self.points[c][k],
            place => x[place],
        })
    }

    /// Turns the normals to an iterate.
    fn turn(&mut self, x: &[DVec3]) {
        for c in 0..self.contacts.len() {
            let corners = self.corners(c, x);
            let local = Contact { vertices: [0, 1, 2, 3], ..self.contacts[c] };
            self.contacts[c].normal = turned_normal(&local, &corners);
        }
    }

    fn gap(&self, c: usize, x: &[DVec3]) -> f64 {
        let contact = &self.contacts[c];
        let corners = self.corners(c, x);
        contact.normal.dot((0..4).map(|k| corners[k] * contact.weights[k]).sum())
    }

    /// max(c + λ/µ, 0), in ranges.
    fn excess(&self, c: usize, x: &[DVec3]) -> f64 {
        let contact = &self.contacts[c];
        f64::max((aim(contact) - self.gap(c, x)) / contact.range + self.multipliers[c] / PENALTY, 0.0)
    }

    /// f, but for its constant term; in squared ranges of the first contact.
    fn value(&self, x: &[DVec3], wanted: &[DVec3]) -> f64 {
        let unit = self.contacts[0].range;
        let away = |i: usize| 0.5 * self.masses[i] * (x[i] - wanted[i]).length_squared() / (unit * unit);
        let inertia: f64 = (0..x.len()).map(away).sum();
        let penalty: f64 = (0..self.contacts.len()).map(|c| 0.5 * PENALTY * self.excess(c, x).powi(2)).sum();
        inertia + penalty
    }

    /// Gradient over Jacobi's diagonal, as a length, and the slope along its negative.
    fn direction(&self, x: &[DVec3], wanted: &[DVec3], out: &mut [DVec3]) -> f64 {
        let unit = self.contacts[0].range;
        let mut diagonal = self.masses.clone();
        for (i, d) in out.iter_mut().enumerate() {
            *d = (x[i] - wanted[i]) * (self.masses[i] / unit);
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let excess = self.excess(c, x);
            if excess == 0.0 {
                continue;
            }
            for k in 0..4 {
                if let Some(d) = out.get_mut(self.places[c][k]) {
                    // Lengths of this contact are in its own range.
                    let w = contact.weights[k] * unit / contact.range;
                    *d -= contact.normal * (PENALTY * excess * w);
                    diagonal[self.places[c][k]] += PENALTY * w * w;
                }
            }
        }
        let mut slope = 0.0;
        for (d, m) in out.iter_mut().zip(diagonal) {
            slope += d.length_squared() / m;
            *d *= unit / m;
        }
        slope
    }

    fn left(&self, x: &[DVec3]) -> usize {
        let short = |c: usize| self.gap(c, x) < aim(&self.contacts[c]) - TOLERANCE * self.contacts[c].range;
        (0..self.contacts.len()).filter(|&c| short(c)).count()
    }

    fn solve(mut self, motion: &Motion) -> (Vec<DVec3>, usize, usize) {
        let wanted: Vec<DVec3> = self.vertices.iter().map(|&v| motion.wanted[v as usize]).collect();
        let mut x: Vec<DVec3> = self.vertices.iter().map(|&v| motion.end[v as usize]).collect();
        let mut before = x.clone();
        let mut direction = vec![DVec3::ZERO; x.len()];
        let (mut omega, mut since) = (1.0, 0);
        let mut value = self.value(&x, &wanted);
        for iteration in 1..=MOST_ITERATIONS {
            let slope = self.direction(&x, &wanted, &mut direction);
            let mut step = 1.0;
            let (next, next_value) = loop {
                let trial: Vec<DVec3> = x.iter().zip(&direction).map(|(x, d)| *x - *d * step).collect();
                let trial_value = self.value(&trial, &wanted);
                if trial_value <= value - SUFFICIENT * step * slope || step < SHORTEST_STEP {
                    break (trial, trial_value);
                }
                step *= 0.5;
            };
            since += 1;
            omega = match since {
                k if k < DELAY => 1.0,
                DELAY => 2.0 / (2.0 - SPECTRAL_RADIUS * SPECTRAL_RADIUS),
                _ => 4.0 / (4.0 - SPECTRAL_RADIUS * SPECTRAL_RADIUS * omega),
            };
            let fast: Vec<DVec3> = next.iter().zip(&before).map(|(n, b)| *b + (*n - *b) * omega).collect();
            let fast_value = self.value(&fast, &wanted);
            let (next, next_value) = if fast_value <= next_value {
                (fast, fast_value)
            } else {
                (omega, since) = (1.0, 0);
                (next, next_value)
            };
            before = std::mem::replace(&mut x, next);
            let stalled = value - next_value <= STALLED * value;
            value = next_value;
            if stalled || step < SHORTEST_STEP {
                self.turn(&x);
                if self.left(&x) == 0 {
                    return (x, iteration, 0);
                }
                for c in 0..self.contacts.len() {
                    self.multipliers[c] = PENALTY * self.excess(c, &x);
                }
                (omega, since) = (1.0, 0);
                value = self.value(&x, &wanted);
            }
        }
        self.turn(&x);
        let left = self.left(&x);
        (x, MOST_ITERATIONS, left)
    }
}
