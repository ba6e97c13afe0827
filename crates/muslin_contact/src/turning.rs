//! Contacts that turn a motion aside, and what is foreseen beyond them.
//!
//! A motion that is foreseen without forces goes through what will stop it, and beyond that it brings pairs within their range that
//! will never meet: an edge comes to another one from behind, after the vertex at its end has gone through the face beside. As
//! supports such pairs hold the cloth in a wedge.

use crate::{
    contact::Contact,
    gaps::{TARGET, side_a},
};
use glam::DVec3;

/// Contacts whose directions are within this cosine of each other hold the same way [-]: 45°. At 90° wedges were left in which a sheet was caught.
const ALIKE: f64 = 0.7;

/// The contacts of a motion that turn it aside, by the pairs of vertices that they join.
#[derive(Clone, Debug, Default)]
pub struct Turning {
    /// Two vertices, the lower one first; the time; the direction from the lower one's side to the other one's.
    list: Vec<(u64, f64, DVec3)>,
}

impl Turning {
    /// Takes the contacts that the motion to an end would go through.
    pub fn note<'a>(&mut self, contacts: impl Iterator<Item = &'a Contact>, end: &[DVec3]) {
        self.list.clear();
        for contact in contacts.filter(|contact| contact.gap(end) < TARGET * contact.range) {
            self.list.extend(joined(contact).map(|(pair, direction)| (pair, contact.time, direction)));
        }
        // Equal ones are alike in what is asked of them.
        self.list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    }

    /// Whether a contact of the motion lies beyond one that turns it aside, and holds another way.
    pub fn comes_before(&self, contact: &Contact) -> bool {
        contact.time > 0.0
            && joined(contact).any(|(pair, direction)| {
                let first = self.list.partition_point(|entry| entry.0 < pair);
                let same = self.list[first..].iter().take_while(|entry| entry.0 == pair);
                same.take_while(|entry| entry.1 < contact.time).any(|entry| entry.2.dot(direction) < ALIKE)
            })
    }
}

/// The pairs of vertices that a contact joins, and its direction as each sees it.
fn joined(contact: &Contact) -> impl Iterator<Item = (u64, DVec3)> {
    let (a, b) = contact.vertices.split_at(side_a(contact.key.kind()));
    let normal = contact.normal;
    a.iter().flat_map(move |&p| {
        b.iter().map(move |&q| {
            let pair = (u64::from(p.min(q)) << 32) | u64::from(p.max(q));
            (pair, if p < q { -normal } else { normal })
        })
    })
}
