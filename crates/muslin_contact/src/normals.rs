//! On which side of a surface something was when a step began.
//!
//! A motion that is foreseen without forces goes through what will stop it. Where a sheet has gone through another one, pairs come within
//! their range from behind; as supports they would pull the sheet through.

use crate::contact::Contact;
use glam::DVec3;

/// A surface says on which side of it something is that is off it in a direction with at least this cosine to its normal [-]; beside a sheet
/// there is no side of it.
const FLAT: f64 = 0.5;

/// The surface when a step began.
#[derive(Clone, Debug, Default)]
pub struct Normals {
    /// Normals at the vertices [-].
    list: Vec<DVec3>,
}

impl Normals {
    /// Takes the surface of some positions.
    pub fn take(&mut self, triangles: &[[u32; 3]], positions: &[DVec3]) {
        self.list.clear();
        self.list.resize(positions.len(), DVec3::ZERO);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let area = (b - a).cross(c - a);
            triangle.iter().for_each(|&v| self.list[v as usize] += area);
        }
        self.list.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    }

    /// Whether both surfaces say that the sides of a contact were the other way round.
    pub fn are_behind(&self, contact: &Contact, start: &[DVec3]) -> bool {
        let (before, now) = (contact.difference(start), contact.normal);
        let normal = |side: f64| -> DVec3 {
            let all = contact.vertices.iter().zip(contact.weights);
            let of = |v: u32| self.list.get(v as usize).copied().unwrap_or_default();
            all.filter(|(_, w)| w * side > 0.0).map(|(&v, w)| of(v) * w.abs()).sum()
        };
        [1.0, -1.0]
            .map(normal)
            .into_iter()
            .all(|surface| surface.dot(now) * surface.dot(before) < 0.0 && surface.dot(now).abs() > FLAT)
    }
}
