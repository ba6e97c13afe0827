//! How stiffly a triangle bends: constant, or from a measured table over curvature and direction (D4).
//!
//! A table has the secant rigidity M/κ along the warp, at 45° and along the weft over the curvature. Within a triangle the
//! three make an orthotropic rigidity D whose every direction is smooth, so that only the size of the curvature has to be
//! looked up: the larger principal curvature. As with the membrane ([`super::membrane`]) the law M = D(|κ|) κ has no
//! potential; a step takes D from the two last committed states and keeps it.

use glam::{DMat3, DVec3};
use muslin_model::{BendTable, FaceMaterial};
use std::sync::Arc;

/// D for (κ₁₁, κ₂₂, 2κ₁₂) from the rigidities along warp, at 45° and along weft, and the coupling of the two axes [N·m].
pub(super) fn rigidity([warp, bias, weft]: [f64; 3], coupling: f64) -> DMat3 {
    let twist = (bias - 0.25 * (warp + weft + 2.0 * coupling)).max(0.0);
    DMat3::from_cols(DVec3::new(warp, coupling, 0.0), DVec3::new(coupling, weft, 0.0), DVec3::new(0.0, 0.0, twist))
}

/// D of a fabric without a table [N·m].
pub(super) fn constant_rigidity(m: &FaceMaterial) -> DMat3 {
    rigidity([m.bend_warp, m.bend_bias, m.bend_weft], m.bend_poisson * (m.bend_warp * m.bend_weft).sqrt())
}

/// The stiffness that is left when the slopes of free sides minimise the energy.
pub(super) fn relax(mut stiffness: DMat3, borders: &[DVec3]) -> DMat3 {
    for &b in borders {
        let d = stiffness * b;
        let own = d.dot(b);
        // A second free side finds what the first has left; nothing, if they see the same curvature.
        if own > 1e-12 * (b.length_squared() * stiffness.x_axis.x.abs().max(stiffness.y_axis.y.abs())) {
            stiffness -= DMat3::from_cols(d * d.x, d * d.y, d * d.z) * (1.0 / own);
        }
    }
    stiffness
}

/// A triangle whose rigidity follows a table.
#[derive(Clone, Debug)]
pub(super) struct BendLaw {
    /// The table.
    pub(super) table: Arc<BendTable>,
    /// Rest area [m²].
    pub(super) area: f64,
    /// Curvature per slope of each side on the border.
    pub(super) borders: Vec<DVec3>,
}

impl BendLaw {
    /// Area times D at a curvature's size [N·m³].
    fn at(&self, size: f64) -> DMat3 {
        relax(rigidity(self.table.at(size).to_array(), 0.0) * self.area, &self.borders)
    }

    /// Area times D of a step after two states with these curvatures (κ₁₁, κ₂₂, 2κ₁₂) [N·m³].
    pub(super) fn after(&self, start: DVec3, before: DVec3) -> DMat3 {
        (self.at(size(start)) + self.at(size(before))) * 0.5
    }

    /// Area times D at a curvature [N·m³].
    pub(super) fn now(&self, curvature: DVec3) -> DMat3 {
        self.at(size(curvature))
    }

    /// Work along the straight path to a curvature [J].
    pub(super) fn work(&self, curvature: DVec3) -> f64 {
        let size = size(curvature);
        self.table.along(size, |t| (self.at(t * size) * curvature).dot(curvature) * t)
    }
}

/// The larger principal curvature of (κ₁₁, κ₂₂, 2κ₁₂), without its sign [1/m].
fn size(k: DVec3) -> f64 {
    (0.5 * (k.x + k.y)).abs() + (0.5 * (k.x - k.y)).hypot(0.5 * k.z)
}
