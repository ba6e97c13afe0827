//! Elastic bending by the angles of hinges: the bend condition of Baraff and Witkin (D3) and the bending element of
//! L 2.1 (D5). Both are functions of the one angle θ between two neighbours, flat at rest.
//!
//! With w = ‖e‖²/(A₁+A₂) from the rest shape (errata of W 3.9; a curvature θ‖e‖/(A₁+A₂) over the area
//! A₁+A₂) and the fabric's rigidity B and viscosity η
//!
//! | law | energy | moment −U′ |
//! |---|---|---|
//! | angle (W 3.9, V 4.22) | ½ B w θ² | −B w θ |
//! | half sine (L eq. 2) | 4 B w (1 − cos θ/2) | −2 B w sin θ/2 |
//!
//! L writes k_e ‖E‖²/(‖N₁‖+‖N₂‖) sin(θ/2) u with current lengths, which derives from no energy; rest lengths
//! do (errata). ‖N₁‖+‖N₂‖ is 2(A₁+A₂), so k_e = 4B, and the two laws agree at small angles. L's damping
//! −k_d ‖E‖ (u⊗u) v is −k_d ‖E‖ θ̇ u: with k_d = η‖E‖/(A₁+A₂) it dissipates η w θ̇² as D3's does.
//!
//! A hinge knows one direction of bending, so an anisotropic fabric enters with the mean of its warp and weft
//! rigidity, weighted by area over the two faces; the bias rigidity is not used.

use super::{
    Layout,
    hinges::{Answer, HingeForce, Moments, Neighbours, neighbours},
};
use muslin_model::{Model, topology::opposite_corner};

/// How the moment of a hinge follows from its angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HingeLaw {
    /// Proportional to θ: the bend condition C = θ.
    Angle,
    /// Proportional to 2 sin(θ/2): the bending element of L 2.1.
    HalfSine,
}

/// One hinge.
#[derive(Clone, Copy, Debug)]
struct Hinge {
    /// B w [N·m].
    rigidity: f64,
    /// η w [N·m·s].
    viscosity: f64,
}

/// The elastic moments of hinges.
pub struct ElasticMoments {
    law: HingeLaw,
    hinges: Vec<Hinge>,
}

/// The hinges between some faces as one elastic force.
pub type Hinges = HingeForce<ElasticMoments>;

impl Hinges {
    /// All hinges between neighbours among some faces of the model.
    pub fn new(model: &Model, faces: &[u32], law: HingeLaw, layout: &Layout) -> Self {
        let all = neighbours(model, faces);
        HingeForce::place(&all, layout, |order| ElasticMoments {
            law,
            hinges: order.iter().map(|&k| Hinge::new(model, &all[k as usize])).collect(),
        })
    }
}

impl Hinge {
    fn new(model: &Model, hinge: &Neighbours) -> Self {
        let ([a, b], ends) = (hinge.sides.map(|t| t as usize), hinge.ends());
        let (area_a, area_b) = (model.mesh.rest_area(a), model.mesh.rest_area(b));
        let length = |t: usize| {
            let corner = opposite_corner(model.mesh.triangles[t], ends);
            model.mesh.uv[t][(corner + 1) % 3].distance(model.mesh.uv[t][(corner + 2) % 3])
        };
        // The two pattern edges of a seam may differ a little.
        let edge = 0.5 * (length(a) + length(b));
        let weight = edge * edge / (area_a + area_b);
        let mean = |va: f64, vb: f64| (va * area_a + vb * area_b) / (area_a + area_b);
        let (ma, mb) = (&model.materials[a], &model.materials[b]);
        Hinge {
            rigidity: weight * mean(0.5 * (ma.bend_warp + ma.bend_weft), 0.5 * (mb.bend_warp + mb.bend_weft)),
            viscosity: weight * mean(ma.damping_bend, mb.damping_bend),
        }
    }
}

impl Moments for ElasticMoments {
    fn name(&self) -> &'static str {
        match self.law {
            HingeLaw::Angle => "baraff-witkin-bend",
            HingeLaw::HalfSine => "bending-modes",
        }
    }

    #[inline]
    fn answer(&self, hinge: usize, angle: f64) -> Answer {
        let b = self.hinges[hinge].rigidity;
        let [energy, moment, slope] = match self.law {
            HingeLaw::Angle => [0.5 * b * angle * angle, b * angle, b],
            HingeLaw::HalfSine => {
                let (sine, cosine) = (0.5 * angle).sin_cos();
                // 1 − cos(θ/2) = 2 sin²(θ/4), without the cancellation. Convex up to θ = ±π: the slope is never negative.
                let quarter = (0.25 * angle).sin();
                [8.0 * b * quarter * quarter, 2.0 * b * sine, b * cosine]
            }
        };
        Answer { potential: energy, stored: energy, moment, slope, chord: slope, lost: 0.0 }
    }

    #[inline]
    fn viscosity(&self, hinge: usize) -> f64 {
        self.hinges[hinge].viscosity
    }
}
