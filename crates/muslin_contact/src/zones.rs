//! Impact zones: contacts that share a vertex which can move are solved together.

use crate::contact::Contact;

/// A zone: its contacts and its vertices that can move, both ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zone {
    /// Indices of its contacts.
    pub contacts: Vec<u32>,
    /// Vertices that can move.
    pub vertices: Vec<u32>,
    /// Whether a contact also touches a vertex that the scene moves.
    pub kinematic: bool,
}

/// Groups contacts into zones, numbered by their lowest vertex. A vertex with no inverse mass joins nothing.
pub fn zones(contacts: &[Contact], inverse_mass: &[f64]) -> Vec<Zone> {
    let moves = |v: u32| inverse_mass[v as usize] > 0.0;
    let mut vertices: Vec<u32> = contacts.iter().flat_map(|c| c.vertices).filter(|&v| moves(v)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |v: u32| vertices.binary_search(&v).ok();
    // Union–find whose roots are the lowest vertices.
    let mut parent: Vec<usize> = (0..vertices.len()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    for contact in contacts {
        let mut members = contact.vertices.iter().filter_map(|&v| place(v));
        let Some(first) = members.next() else { continue };
        for other in members {
            let (a, b) = (root(&mut parent, first), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut zone_of_root = vec![usize::MAX; vertices.len()];
    let mut zones: Vec<Zone> = Vec::new();
    for k in 0..vertices.len() {
        let r = root(&mut parent, k);
        if zone_of_root[r] == usize::MAX {
            zone_of_root[r] = zones.len();
            zones.push(Zone::default());
        }
        zones[zone_of_root[r]].vertices.push(vertices[k]);
    }
    for (c, contact) in contacts.iter().enumerate() {
        let Some(k) = contact.vertices.iter().find_map(|&v| place(v)) else { continue };
        let zone = &mut zones[zone_of_root[root(&mut parent, k)]];
        zone.contacts.push(c as u32);
        zone.kinematic |= contact.vertices.iter().zip(contact.weights).any(|(&v, w)| w != 0.0 && !moves(v));
    }
    zones
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::PairKey;
    use glam::DVec3;
    use muslin_collision::PairKind;

    fn contact(vertices: [u32; 4]) -> Contact {
        let weights = [1.0, -0.5, -0.25, -0.25];
        let key = PairKey::new(PairKind::VertexFace, vertices[0], 0);
        Contact { key, vertices, weights, normal: DVec3::Z, time: 0.0, range: 1e-3 }
    }

    #[test]
    fn contacts_join_through_what_moves_and_not_through_obstacles() {
        let mut inverse_mass = vec![1.0; 12];
        inverse_mass[9] = 0.0;
        let contacts = [contact([7, 5, 6, 8]), contact([0, 1, 2, 9]), contact([3, 4, 2, 10]), contact([11, 9, 9, 9])];
        let zones = zones(&contacts, &inverse_mass);
        assert_eq!(zones.len(), 3);
        assert_eq!(zones[0].vertices, [0, 1, 2, 3, 4, 10]);
        assert_eq!(zones[0].contacts, [1, 2]);
        assert!(zones[0].kinematic);
        assert_eq!((&zones[1].vertices[..], &zones[1].contacts[..]), (&[5, 6, 7, 8][..], &[0][..]));
        assert!(!zones[1].kinematic);
        assert_eq!((&zones[2].vertices[..], &zones[2].contacts[..]), (&[11][..], &[3][..]));
    }
}
