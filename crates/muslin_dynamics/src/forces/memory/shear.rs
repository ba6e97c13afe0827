//! Shear hysteresis: friction between warp and weft yarns that turn against each other, the width 2HG of the Kawabata shear
//! loop. It stands beside the membrane, whose shear stays elastic.
//!
//! Each triangle has the shear γ = f_u·f_v of its deformation (the membrane's measure) and the energy per area of
//! [`InternalFriction`] over it, F₀ = 2HG/2 with the transition shear γ₀. As with bending, the branch of a step is chosen by the
//! sign of the change since the last Commit, so a step has a convex C¹ potential in γ; the memory changes in Commit only.
//! Of the Hessian F′ ∂γ∂γᵀ + F ∂²γ the projected kinds take the first part with the chord instead of the slope, for the reason that hinges
//! have; the second has eigenvalues of both signs, ±F, a few N/m at most.
//!
//! A memory is a [`muslin_model::Crease`] whose angle is γ, one per triangle, in the order of the faces.

use super::{Branches, InternalFriction, Slid};
use crate::{
    domains::{BlockPart, VertexPart},
    forces::{
        Effort, Force, HessianKind, Layout,
        elements::{Elements, outer, placed_by},
    },
    system::Past,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::{Crease, Model, parallel};
use std::ops::Range;

/// One triangle.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Gradients of the barycentric coordinates in material coordinates [1/m].
    gradients: [DVec2; 3],
    /// Rest area [m²].
    area: f64,
    friction: InternalFriction,
}

/// γ of a triangle, and what its derivatives need.
struct Shear {
    fu: DVec3,
    fv: DVec3,
    /// γ [-].
    value: f64,
}

impl Element {
    fn new(model: &Model, face: usize) -> Self {
        let [p0, p1, p2] = model.mesh.uv[face];
        let (a, b) = (p1 - p0, p2 - p0);
        let det = a.perp_dot(b);
        let (g1, g2) = (DVec2::new(b.y, -b.x) / det, DVec2::new(-a.y, a.x) / det);
        let material = &model.materials[face];
        Element {
            gradients: [-(g1 + g2), g1, g2],
            area: 0.5 * det,
            friction: InternalFriction {
                limit: 0.5 * material.shear_hysteresis,
                transition: material.shear_transition,
            },
        }
    }

    /// What a step reads of a memory.
    fn branches(&self, crease: &Crease) -> Branches {
        self.friction.branches(crease, 1.0, self.area)
    }

    #[inline]
    fn shear(&self, x: [DVec3; 3]) -> Shear {
        let ([_, g1, g2], d1, d2) = (self.gradients, x[1] - x[0], x[2] - x[0]);
        let (fu, fv) = (d1 * g1.x + d2 * g2.x, d1 * g1.y + d2 * g2.y);
        Shear { fu, fv, value: fu.dot(fv) }
    }

    /// ∂γ/∂x of the three corners [1/m].
    #[inline]
    fn gradient(&self, shear: &Shear) -> [DVec3; 3] {
        self.gradients.map(|g| shear.fv * g.x + shear.fu * g.y)
    }
}

/// The friction between the yarns of some faces as one force.
pub struct ShearFriction {
    faces: Elements<3>,
    triangles: Vec<Element>,
    /// Memory of each, in the order of storage.
    creases: Vec<Crease>,
    /// What follows from it for a step: forces times the area [N·m].
    branches: Vec<Branches>,
    /// Its place in the state.
    places: Vec<u32>,
    /// Shears to commit [-].
    shears: Vec<f64>,
    tau: f64,
}

impl ShearFriction {
    /// The friction of some faces of the model, untouched.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let stencils: Vec<[u32; 3]> = faces.iter().map(|&f| model.mesh.triangles[f as usize]).collect();
        let (elements, places) = Elements::new(&stencils, layout);
        let triangles: Vec<Element> = places.iter().map(|&k| Element::new(model, faces[k as usize] as usize)).collect();
        let creases: Vec<Crease> = triangles.iter().map(untouched).collect();
        let branches = triangles.iter().zip(&creases).map(|(triangle, crease)| triangle.branches(crease)).collect();
        let shears = vec![0.0; triangles.len()];
        ShearFriction { faces: elements, triangles, creases, branches, places, shears, tau: f64::INFINITY }
    }

    /// Friction of a whole triangle at a shear, and the change since the last Commit.
    #[inline]
    fn slid(&self, t: usize, shear: &Shear) -> (Slid, f64) {
        let change = shear.value - self.creases[t].angle;
        (self.branches[t].after(change), change)
    }
}

/// The memory of a triangle that was never sheared.
fn untouched(triangle: &Element) -> Crease {
    let way = triangle.friction.transition;
    Crease { angle: 0.0, rest: 0.0, friction: 0.0, way, turn: 0.0, open: 0.0, fresh: 1.0 }
}

impl Force for ShearFriction {
    fn name(&self) -> &'static str {
        "shear-hysteresis"
    }

    placed_by!(faces);

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        for t in elements {
            let triangle = &self.triangles[t];
            let shear = triangle.shear(self.faces.gather(t, positions));
            let (gradient, velocity) = (triangle.gradient(&shear), self.faces.gather(t, velocities));
            let rate: f64 = (0..3).map(|k| gradient[k].dot(velocity[k])).sum();
            let force = self.slid(t, &shear).0.friction;
            power -= force * rate;
            self.faces.scatter(t, gradient.map(|g| -g * force), out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for t in elements {
            let triangle = &self.triangles[t];
            let shear = triangle.shear(self.faces.gather(t, positions));
            let (slid, change) = self.slid(t, &shear);
            let force = slid.friction;
            effort.potential += slid.potential;
            effort.power -= force * change / self.tau;
            self.faces.scatter(t, triangle.gradient(&shear).map(|g| g * force), out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for t in elements {
            let triangle = &self.triangles[t];
            let shear = triangle.shear(self.faces.gather(t, positions));
            let (slid, gradient, g) = (self.slid(t, &shear).0, triangle.gradient(&shear), triangle.gradients);
            match kind {
                HessianKind::Exact => {
                    let (curve, force) = (slid.slope, slid.friction);
                    let second = |i: usize, j: usize| force * (g[i].x * g[j].y + g[i].y * g[j].x);
                    let block = |i: usize, j: usize| {
                        outer(gradient[i], gradient[j]) * curve + DMat3::from_diagonal(DVec3::splat(second(i, j)))
                    };
                    self.faces.scatter_blocks(t, block, out);
                }
                HessianKind::Projected | HessianKind::Carried | HessianKind::CarriedExact => {
                    let exact = kind == HessianKind::CarriedExact;
                    let curve = if exact { slid.slope } else { slid.chord };
                    self.faces.scatter_blocks(t, |i, j| outer(gradient[i], gradient[j]) * curve, out);
                }
            }
        }
    }

    fn crease_count(&self) -> usize {
        self.creases.len()
    }

    fn untouched(&self, creases: &mut [Crease]) {
        for (triangle, &place) in self.triangles.iter().zip(&self.places) {
            creases[place as usize] = untouched(triangle);
        }
    }

    fn admit(&self, creases: &mut [Crease]) {
        for (triangle, &place) in self.triangles.iter().zip(&self.places) {
            triangle.friction.admit(&mut creases[place as usize]);
        }
    }

    fn recall(&mut self, creases: &[Crease]) {
        for (t, &place) in self.places.iter().enumerate() {
            self.creases[t] = creases[place as usize];
            self.branches[t] = self.triangles[t].branches(&self.creases[t]);
        }
    }

    fn remember(&mut self, positions: &[DVec3], creases: &mut [Crease]) -> f64 {
        let (faces, triangles) = (&self.faces, &self.triangles);
        parallel::fill(&mut self.shears, |t| triangles[t].shear(faces.gather(t, positions)).value);
        for (t, triangle) in self.triangles.iter().enumerate() {
            let crease = &mut self.creases[t];
            triangle.friction.slide(crease, self.shears[t] - crease.angle);
            crease.angle = self.shears[t];
            self.branches[t] = triangle.branches(crease);
            creases[self.places[t] as usize] = *crease;
        }
        0.0
    }
}
