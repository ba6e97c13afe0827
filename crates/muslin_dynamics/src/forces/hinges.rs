//! Bending by the angles of hinges: the bend condition of Baraff and Witkin (D3) and the bending element of
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
//! rigidity, weighted by area over the two faces; the bias rigidity is not used. The projected Hessian is the
//! Gauss–Newton part (U″+D″)∇θ∇θᵀ: U′∇²θ has eigenvalues of both signs for every moment but 0, and is small
//! beside the membrane's stiffness.

use super::{
    Effort, Force, HessianKind, Layout, dihedral,
    dihedral::Dihedral,
    elements::{Elements, outer, placed_by},
    springs_mesh::membership,
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::DVec3;
use muslin_model::{Model, parallel, topology::NONE, topology::opposite_corner};
use std::ops::Range;

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

/// The hinges between some faces as one force.
pub struct Hinges {
    law: HingeLaw,
    elements: Elements<4>,
    hinges: Vec<Hinge>,
    /// θ̂: the past angle of each [rad].
    past: Vec<f64>,
    tau: f64,
}

impl Hinges {
    /// All hinges between neighbours among some faces of the model.
    pub fn new(model: &Model, faces: &[u32], law: HingeLaw, layout: &Layout) -> Self {
        let member = membership(model, faces);
        let (mut stencils, mut unsorted) = (Vec::new(), Vec::new());
        for (e, &ends) in model.topology.edges.iter().enumerate() {
            let sides = model.topology.edge_triangles[e];
            if sides.iter().any(|&t| t == NONE || !member[t as usize]) {
                continue;
            }
            let [a, b] = sides
                .map(|t| model.mesh.triangles[t as usize][opposite_corner(model.mesh.triangles[t as usize], ends)]);
            stencils.push([a, b, ends[0], ends[1]]);
            unsorted.push(Hinge::new(model, sides, ends));
        }
        let (elements, order) = Elements::new(&stencils, layout);
        let hinges: Vec<Hinge> = order.iter().map(|&k| unsorted[k as usize]).collect();
        Hinges { law, elements, past: vec![0.0; hinges.len()], hinges, tau: f64::INFINITY }
    }

    /// U, U′, U″ of a hinge at an angle.
    #[inline]
    fn elastic(&self, hinge: usize, angle: f64) -> [f64; 3] {
        let b = self.hinges[hinge].rigidity;
        match self.law {
            HingeLaw::Angle => [0.5 * b * angle * angle, b * angle, b],
            HingeLaw::HalfSine => {
                let (sine, cosine) = (0.5 * angle).sin_cos();
                // 1 − cos(θ/2) = 2 sin²(θ/4), without the cancellation.
                let quarter = (0.25 * angle).sin();
                [8.0 * b * quarter * quarter, 2.0 * b * sine, b * cosine]
            }
        }
    }

    /// The change of angle since the past state, and η w/τ.
    #[inline]
    fn change(&self, hinge: usize, angle: f64) -> (f64, f64) {
        (dihedral::difference(angle, self.past[hinge]), self.hinges[hinge].viscosity / self.tau)
    }
}

impl Hinge {
    fn new(model: &Model, sides: [u32; 2], ends: [u32; 2]) -> Self {
        let [a, b] = sides.map(|t| t as usize);
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

impl Force for Hinges {
    fn name(&self) -> &'static str {
        match self.law {
            HingeLaw::Angle => "baraff-witkin-bend",
            HingeLaw::HalfSine => "bending-modes",
        }
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements.map(|h| self.elastic(h, dihedral::angle(self.elements.gather(h, positions)))[0]).sum()
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        for h in elements {
            let local = Dihedral::new(self.elements.gather(h, positions));
            let gradient = local.gradient();
            let velocity = self.elements.gather(h, velocities);
            let rate: f64 = (0..4).map(|k| gradient[k].dot(velocity[k])).sum();
            let viscous = self.hinges[h].viscosity * rate;
            let moment = self.elastic(h, local.angle)[1] + viscous;
            power -= viscous * rate;
            self.elements.scatter(h, gradient.map(|g| -g * moment), out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let elements = &self.elements;
        parallel::fill(&mut self.past, |h| {
            let at = |x: &[DVec3]| dihedral::angle(elements.gather(h, x));
            let start = at(past.start);
            // A hinge that passed ±π in the last step is unwound first.
            if past.two_steps() {
                past.combine(start, start + dihedral::difference(at(past.before), start))
            } else {
                start
            }
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for h in elements {
            let local = Dihedral::new(self.elements.gather(h, positions));
            let [energy, slope, _] = self.elastic(h, local.angle);
            let (change, eta) = self.change(h, local.angle);
            effort.potential += energy + 0.5 * eta * change * change;
            effort.power -= eta * change * change / self.tau;
            self.elements.scatter(h, local.gradient().map(|g| g * (slope + eta * change)), out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for h in elements {
            let local = Dihedral::new(self.elements.gather(h, positions));
            let [_, slope, curve] = self.elastic(h, local.angle);
            let (change, eta) = self.change(h, local.angle);
            let (gradient, curve, slope) = (local.gradient(), curve + eta, slope + eta * change);
            match kind {
                HessianKind::Exact => {
                    let second = local.hessian();
                    let block = |i: usize, j: usize| outer(gradient[i], gradient[j]) * curve + second[i][j] * slope;
                    self.elements.scatter_blocks(h, block, out);
                }
                HessianKind::Projected | HessianKind::Carried | HessianKind::CarriedExact => {
                    // The half sine stays convex up to θ = ±π, so `curve` is never negative.
                    let block = |i: usize, j: usize| outer(gradient[i], gradient[j]) * curve;
                    self.elements.scatter_blocks(h, block, out);
                }
            }
        }
    }
}
