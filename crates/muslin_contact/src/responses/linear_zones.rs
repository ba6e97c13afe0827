//! Linear impact zones (Harmon et al. 2008): the nearest end of the motion, weighted by mass, at which all
//! contacts of a zone keep their distance along fixed normals.
//!
//! min ½ Σ mᵢ ‖xᵢ − x̂ᵢ‖² with n·Σ wᵢ xᵢ ≥ aim is a quadratic programme. It is solved in its multipliers, one
//! contact after the other (projected Gauss–Seidel): each sweep makes every contact exact in turn, multipliers
//! never pull, and the iterates stay momentum-conserving. The published method assumes that all constraints
//! hold as equations; then contacts stick together. As inequalities they do not.

use super::{ContactResponse, Motion, Response, Takes, aim};
use crate::{contact::Contact, zones::zones};
use glam::DVec3;
use muslin_model::parallel;

/// Sweeps before a zone is left as it is.
const MOST_SWEEPS: usize = 2000;

/// A contact is done when it is this part of its range below the aim [-].
const TOLERANCE: f64 = 0.02;

/// Linear impact zones.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearZones;

impl ContactResponse for LinearZones {
    fn name(&self) -> &'static str {
        "linear-zones"
    }

    fn takes(&self) -> Takes {
        Takes::Accumulated
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let zones = zones(contacts, motion.inverse_mass);
        let solved = parallel::map(zones.len(), |z| {
            let own: Vec<&Contact> = zones[z].contacts.iter().map(|&c| &contacts[c as usize]).collect();
            solve(motion, &own, &zones[z].vertices)
        });
        let mut response = Response { zones: zones.len(), ..Response::default() };
        for (zone, (positions, sweeps, left)) in zones.iter().zip(solved) {
            zone.vertices.iter().zip(positions).for_each(|(&v, x)| motion.place(v, x));
            response.iterations = response.iterations.max(sweeps);
            response.left += left;
        }
        response
    }
}

fn solve(motion: &Motion, contacts: &[&Contact], vertices: &[u32]) -> (Vec<DVec3>, usize, usize) {
    let mut x: Vec<DVec3> = vertices.iter().map(|&v| motion.wanted[v as usize]).collect();
    let places: Vec<[usize; 4]> =
        contacts.iter().map(|c| c.vertices.map(|v| vertices.binary_search(&v).unwrap_or(usize::MAX))).collect();
    let stiffness: Vec<f64> = contacts
        .iter()
        .map(|c| c.vertices.iter().zip(c.weights).map(|(&v, w)| w * w * motion.inverse_mass[v as usize]).sum())
        .collect();
    let mut multipliers = vec![0.0; contacts.len()];
    let gap = |c: usize, x: &[DVec3]| {
        let contact = contacts[c];
        let point = |k: usize| match places[c][k] {
            usize::MAX => motion.end[contact.vertices[k] as usize],
            place => x[place],
        };
        contact.normal.dot((0..4).map(|k| point(k) * contact.weights[k]).sum())
    };
    for sweep in 1..=MOST_SWEEPS {
        let mut worst = 0.0f64;
        for (c, contact) in contacts.iter().enumerate() {
            if !(stiffness[c] > 0.0) {
                continue;
            }
            let lacking = aim(contact) - gap(c, &x);
            let next = f64::max(multipliers[c] + lacking / stiffness[c], 0.0);
            let push = next - multipliers[c];
            multipliers[c] = next;
            for k in 0..4 {
                if places[c][k] != usize::MAX {
                    let inverse = motion.inverse_mass[contact.vertices[k] as usize];
                    x[places[c][k]] += contact.normal * (push * contact.weights[k] * inverse);
                }
            }
            worst = worst.max(push.abs() * stiffness[c] / contact.range);
        }
        if worst < TOLERANCE {
            return (x, sweep, 0);
        }
    }
    let left = (0..contacts.len()).filter(|&c| gap(c, &x) < (1.0 - TOLERANCE) * aim(contacts[c])).count();
    (x, MOST_SWEEPS, left)
}
