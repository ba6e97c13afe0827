//! Impulses of many contacts at once, by Jacobi's iteration.
//!
//! Each contact has a wish for the way that its two sides move against each other: at least so far along the normal,
//! exactly so far across it. Its push along the normal never pulls and has a limit; its push across is limited by the
//! one along. All pushes of a sweep are found from the same positions and made together.
//!
//! W 3.3.3 divides what a vertex gets by the number of its contacts. That takes from one side of a contact what
//! it does not take from the other, and momentum is lost. Here each contact's push is scaled *as a whole*, by the largest
//! number of contacts that one of its vertices has. That is also what makes the sweeps converge: with k
//! contacts at a vertex, |Σ aₖ|² ≤ k Σ |aₖ|², so the scaled iteration has no eigenvalue above 1. What the scale holds back
//! in one sweep, the next ones give.

use super::{
    Motion,
    sliding::{Grip, Line, Sliding},
};
use crate::contact::Contact;
use glam::DVec3;

/// What a contact wishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish<'a> {
    /// Least way along the normal [m].
    pub along: f64,
    /// Way across the normal [m].
    pub across: DVec3,
    /// What limits the push along the normal.
    pub limit: Limit,
    /// What limits the push across.
    pub grip: Grip<'a>,
}

/// What limits a push along the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    /// Nothing.
    None,
    /// A spring: h² k [kg] times what is left of an overlap [m] at the end of the step.
    Spring {
        /// h² k [kg].
        strength: f64,
        /// The overlap when the step begins [m].
        overlap: f64,
    },
}

impl Limit {
    /// The most that may be pushed in all [kg·m], where so much has been and the way is so long; a push more of 1 kg·m
    /// makes it longer by 1/give.
    fn most(self, pushed: f64, along: f64, give: f64) -> f64 {
        match self {
            Limit::None => f64::INFINITY,
            Limit::Spring { strength, overlap } => {
                strength * (overlap - along + pushed / give) / (1.0 + strength / give)
            }
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Sweeps.
    pub sweeps: usize,
    /// Largest change of a contact's way in a sweep, as a part of its range [-].
    pub tolerance: f64,
}

/// Pushes of a contact [kg·m].
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    along: f64,
    across: DVec3,
}

/// The vertices of some contacts that can move, and where each contact finds its own among them.
pub(super) struct Crowd {
    vertices: Vec<u32>,
    /// Places in the list with the factor w/m of each corner [1/kg]; a corner that cannot move has the factor 0.
    corners: Vec<[(usize, f64); 4]>,
    /// How many contacts the busiest vertex of each contact has [-].
    pub most_contacts: Vec<f64>,
}

impl Crowd {
    pub fn new(motion: &Motion, contacts: &[Contact]) -> Self {
        let factor =
            |contact: &Contact, k: usize| contact.weights[k] * motion.inverse_mass[contact.vertices[k] as usize];
        let mut vertices: Vec<u32> = Vec::with_capacity(4 * contacts.len());
        for contact in contacts {
            vertices.extend((0..4).filter(|&k| factor(contact, k) != 0.0).map(|k| contact.vertices[k]));
        }
        vertices.sort_unstable();
        let mut counts: Vec<f64> = Vec::new();
        let mut last = None;
        for &v in &vertices {
            if last != Some(v) {
                counts.push(0.0);
            }
            last = Some(v);
            *counts.last_mut().expect("one was pushed for the first vertex") += 1.0;
        }
        vertices.dedup();
        let corner = |contact: &Contact, k: usize| match vertices.binary_search(&contact.vertices[k]) {
            Ok(place) => (place, factor(contact, k)),
            Err(_) => (0, 0.0),
        };
        let corners: Vec<_> = contacts.iter().map(|c| std::array::from_fn(|k| corner(c, k))).collect();
        let most = |corners: &[(usize, f64); 4]| {
            corners.iter().filter(|c| c.1 != 0.0).map(|c| counts[c.0]).fold(1.0, f64::max)
        };
        let most_contacts = corners.iter().map(most).collect();
        Crowd { vertices, corners, most_contacts }
    }

    /// No pushes yet.
    pub fn at_rest(&self) -> Vec<DVec3> {
        vec![DVec3::ZERO; self.vertices.len()]
    }

    /// Adds a push [kg·m] on side a of a contact, and its opposite on side b, to some shifts [m].
    pub fn push(&self, contact: usize, by: DVec3, shifts: &mut [DVec3]) {
        for &(place, factor) in self.corners[contact].iter().filter(|corner| corner.1 != 0.0) {
            shifts[place] += by * factor;
        }
    }

    /// Moves the ends of all vertices by the shifts.
    pub fn shift(&self, motion: &mut Motion, shifts: &[DVec3]) {
        for (&v, &by) in self.vertices.iter().zip(shifts).filter(|(_, by)| **by != DVec3::ZERO) {
            let end = motion.end[v as usize] + by;
            motion.place(v, end);
        }
    }
}

/// Fulfils wishes; returns the sweeps that it took.
pub(super) fn relax(motion: &mut Motion, contacts: &[Contact], wishes: &[Wish], patience: Patience) -> usize {
    let crowd = Crowd::new(motion, contacts);
    let mut pushes = vec![Push::default(); contacts.len()];
    let laws = wishes.iter().any(|wish| matches!(wish.grip, Grip::Law(..)));
    let mut lines = vec![Line::default(); if laws { contacts.len() } else { 0 }];
    let mut shifts = crowd.at_rest();
    let mut sweeps = 0;
    while sweeps < patience.sweeps {
        sweeps += 1;
        let mut worst = 0.0f64;
        for (k, (contact, wish)) in contacts.iter().zip(wishes).enumerate() {
            let Some(mass) = motion.mass(contact) else { continue };
            let before = pushes[k];
            let way = motion.relative(contact);
            let along = way.dot(contact.normal);
            let give = mass / crowd.most_contacts[k];
            let most = wish.limit.most(before.along, along, give);
            let next = (before.along + (wish.along - along) * give).min(most).max(0.0);
            let across = before.across + (wish.across - (way - contact.normal * along)) * give;
            let across = match wish.grip {
                Grip::Fixed(coefficient) => across.clamp_length_max(coefficient * next),
                Grip::Law(law, part) => {
                    let sliding = Sliding { stop: across, along: next, give, step: motion.step.length };
                    sliding.push(law, part, &mut lines[k])
                }
            };
            pushes[k] = Push { along: next, across };
            let more = contact.normal * (next - before.along) + (pushes[k].across - before.across);
            crowd.push(k, more, &mut shifts);
            worst = worst.max(more.length() / (mass * contact.range));
        }
        crowd.shift(motion, &shifts);
        shifts.fill(DVec3::ZERO);
        if worst < patience.tolerance {
            break;
        }
    }
    sweeps
}
