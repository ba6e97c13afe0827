//! Where the nodes of a level of the multilevel preconditioner are.

use super::aggregation::Aggregates;
use glam::{DMat3, DVec3};

/// Where the nodes of a level are, and how large: what its rigid motions refer to.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// [m]
    pub(super) centres: Vec<DVec3>,
    /// [m]
    pub(super) radii: Vec<f64>,
}

impl Places {
    /// Centres and radii of aggregates.
    pub(super) fn gather(&self, aggregates: &Aggregates) -> Places {
        let mut centres = vec![DVec3::ZERO; aggregates.count];
        let mut members = vec![0.0; aggregates.count];
        for (v, &a) in aggregates.of.iter().enumerate() {
            centres[a as usize] += self.centres[v];
            members[a as usize] += 1.0;
        }
        centres.iter_mut().zip(&members).for_each(|(c, n)| *c /= *n);
        let mut radii = vec![0.0_f64; aggregates.count];
        for (v, &a) in aggregates.of.iter().enumerate() {
            let radius = &mut radii[a as usize];
            *radius = radius.max((self.centres[v] - centres[a as usize]).length() + self.radii[v]);
        }
        radii.iter_mut().filter(|r| !(**r > 0.0)).for_each(|r| *r = 1.0);
        Places { centres, radii }
    }
}

/// The matrix of w ↦ v × w.
pub(super) fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
