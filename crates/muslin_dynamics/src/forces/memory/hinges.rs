//! The hinges of a cloth under a law that remembers.
//!
//! f = −M ‖e‖ ∇θ with K = (θ − θ_r)/h̄ and h̄ = (A₁+A₂)/‖e‖ of the pattern (errata of W 4.3.1: M is a moment per width, the
//! hinge's work is M ‖e‖ δθ, and each wing has its own weights, which ∇θ has). The rigidity is that of the fabric across
//! the edge, so that strips along warp and weft have their own; friction is the same in all directions. Beside the law
//! there is the fabric's viscosity, as in [`crate::forces::Hinges`].
//!
//! The projected Hessian is Gauss–Newton, as there, with the law's chord instead of its slope, unless the exact one is
//! asked for: a hinge that slid in the first guess and turns back in the solution meets up to 2M₀ that its slope does not
//! foresee. The chord makes the quadratic model an upper bound on the way back to the committed state, which keeps the
//! scheme of one iteration calm at 1/60 s.
//!
//! Memories live in the state, in ascending order of edges. What is here is a copy in the order of storage, made when a state
//! is taken up and at every Commit: 56 bytes per hinge. A step reads three numbers of each per evaluation and pays one angle
//! per hinge more, at Commit.

use super::{BendingLaw, Response, curvature};
use crate::{
    domains::{BlockPart, VertexPart},
    forces::{
        Bend, Effort, Force, HessianKind, Layout, dihedral,
        dihedral::Dihedral,
        elements::{Elements, outer, placed_by},
        springs_mesh::{edge_uv, membership, rigidity_along},
    },
    system::Past,
};
use glam::DVec3;
use muslin_model::{Crease, Model, parallel, topology::NONE, topology::opposite_corner};
use std::ops::Range;

/// The shape that hinges are at rest in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestShape {
    /// Flat, as the pattern.
    Flat,
    /// As at the start.
    Start,
}

/// Who advances bending within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// The scheme, as all other forces.
    OfScheme,
    /// Explicit steps within those of the scheme.
    Explicit,
}

/// One hinge.
#[derive(Clone, Copy, Debug)]
struct Hinge<L> {
    law: L,
    /// h̄ [m].
    height: f64,
    /// ‖e‖ [m].
    length: f64,
    /// η ‖e‖/h̄ [N·m·s].
    viscosity: f64,
}

/// The hinges between some faces as one force with a memory.
pub struct RememberingHinges<L> {
    rate: Rate,
    elements: Elements<4>,
    hinges: Vec<Hinge<L>>,
    /// Memory of each, in the order of storage.
    creases: Vec<Crease>,
    /// Its place in the state.
    places: Vec<u32>,
    /// Angles of rest of an untouched cloth [rad].
    rest: Vec<f64>,
    /// θ̂: the past angle of each [rad].
    past: Vec<f64>,
    /// Angles to commit [rad].
    angles: Vec<f64>,
    tau: f64,
}

impl<L: BendingLaw> RememberingHinges<L> {
    /// All hinges between neighbours among some faces of the model, untouched.
    pub fn new(model: &Model, faces: &[u32], shape: RestShape, rate: Rate, layout: &Layout) -> Self {
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
            unsorted.push(Hinge::<L>::new(model, sides, ends));
        }
        let (elements, places) = Elements::new(&stencils, layout);
        let hinges: Vec<Hinge<L>> = places.iter().map(|&k| unsorted[k as usize]).collect();
        let at_start = |k: &u32| dihedral::angle(stencils[*k as usize].map(|v| model.mesh.positions[v as usize]));
        let rest: Vec<f64> = match shape {
            RestShape::Flat => vec![0.0; hinges.len()],
            RestShape::Start => places.iter().map(at_start).collect(),
        };
        let creases = hinges.iter().zip(&rest).map(|(hinge, &rest)| hinge.law.untouched(rest)).collect();
        let zero = vec![0.0; hinges.len()];
        RememberingHinges {
            rate,
            elements,
            creases,
            places,
            rest,
            past: zero.clone(),
            angles: zero,
            hinges,
            tau: f64::INFINITY,
        }
    }

    /// The angle of a hinge, counted on from the committed one [rad].
    #[inline]
    fn unwound(&self, hinge: usize, angle: f64) -> f64 {
        let committed = self.creases[hinge].angle;
        committed + dihedral::difference(angle, committed)
    }

    /// What the law of a hinge says at an angle [rad].
    #[inline]
    fn respond(&self, h: usize, angle: f64) -> Response {
        let (hinge, crease) = (&self.hinges[h], &self.creases[h]);
        let change = dihedral::difference(angle, crease.angle) / hinge.height;
        hinge.law.respond(crease, curvature(crease, hinge.height) + change, change)
    }

    /// The change of angle since the past state [rad], and η ‖e‖/(h̄ τ) [N·m].
    #[inline]
    fn viscous(&self, h: usize, angle: f64) -> (f64, f64) {
        (dihedral::difference(angle, self.past[h]), self.hinges[h].viscosity / self.tau)
    }
}

impl<L: BendingLaw> Hinge<L> {
    fn new(model: &Model, sides: [u32; 2], ends: [u32; 2]) -> Self {
        let areas = sides.map(|t| model.mesh.rest_area(t as usize));
        let weight = areas[0] / (areas[0] + areas[1]);
        let mean = |v: [f64; 2]| v[0] * weight + v[1] * (1.0 - weight);
        let along = sides.map(|t| edge_uv(model, t, ends));
        // The two pattern edges of a seam may differ a little.
        let length = 0.5 * (along[0].length() + along[1].length());
        let materials = sides.map(|t| &model.materials[t as usize]);
        let rigidity =
            mean(std::array::from_fn(|k| rigidity_along(materials[k], along[k].perp().normalize_or_zero()).max(0.0)));
        let height = (areas[0] + areas[1]) / length;
        Hinge {
            law: L::of(rigidity, materials, weight),
            height,
            length,
            viscosity: mean(materials.map(|m| m.damping_bend)) * length / height,
        }
    }
}

impl<L: BendingLaw> Force for RememberingHinges<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        let stored = |h: usize| {
            let area = self.hinges[h].height * self.hinges[h].length;
            area * self.respond(h, dihedral::angle(self.elements.gather(h, positions))).stored
        };
        elements.map(stored).sum()
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
            let (response, length) = (self.respond(h, local.angle), self.hinges[h].length);
            let viscous = self.hinges[h].viscosity * rate;
            let moment = length * response.moment + viscous;
            power -= (length * response.lost + viscous) * rate;
            self.elements.scatter(h, gradient.map(|g| -g * moment), out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let (elements, creases) = (&self.elements, &self.creases);
        parallel::fill(&mut self.past, |h| {
            let at = |x: &[DVec3]| dihedral::angle(elements.gather(h, x));
            let committed = creases[h].angle;
            let start = committed + dihedral::difference(at(past.start), committed);
            if past.two_steps() {
                past.combine(start, start + dihedral::difference(at(past.before), start))
            } else {
                start
            }
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        let elements = if self.rate == Rate::Explicit { 0..0 } else { elements };
        for h in elements {
            let local = Dihedral::new(self.elements.gather(h, positions));
            let (response, hinge) = (self.respond(h, local.angle), &self.hinges[h]);
            let (change, eta) = self.viscous(h, local.angle);
            effort.potential += hinge.length * hinge.height * response.potential + 0.5 * eta * change * change;
            effort.power -= (eta * change + hinge.length * response.lost) * change / self.tau;
            let slope = hinge.length * response.moment + eta * change;
            self.elements.scatter(h, local.gradient().map(|g| g * slope), out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        let elements = if self.rate == Rate::Explicit { 0..0 } else { elements };
        for h in elements {
            let local = Dihedral::new(self.elements.gather(h, positions));
            let (response, hinge) = (self.respond(h, local.angle), &self.hinges[h]);
            let (change, eta) = self.viscous(h, local.angle);
            let (gradient, weight) = (local.gradient(), hinge.length / hinge.height);
            match kind {
                HessianKind::Exact => {
                    let (second, curve) = (local.hessian(), weight * response.slope + eta);
                    let slope = hinge.length * response.moment + eta * change;
                    let block = |i: usize, j: usize| outer(gradient[i], gradient[j]) * curve + second[i][j] * slope;
                    self.elements.scatter_blocks(h, block, out);
                }
                HessianKind::Projected | HessianKind::Carried | HessianKind::CarriedExact => {
                    let exact = kind == HessianKind::CarriedExact;
                    let curve = weight * if exact { response.slope } else { response.chord } + eta;
                    let block = |i: usize, j: usize| outer(gradient[i], gradient[j]) * curve;
                    self.elements.scatter_blocks(h, block, out);
                }
            }
        }
    }

    fn is_explicit(&self) -> bool {
        self.rate == Rate::Explicit
    }

    fn crease_count(&self) -> usize {
        self.creases.len()
    }

    fn untouched(&self, creases: &mut [Crease]) {
        for (h, hinge) in self.hinges.iter().enumerate() {
            creases[self.places[h] as usize] = hinge.law.untouched(self.rest[h]);
        }
    }

    fn admit(&self, creases: &mut [Crease]) {
        for (hinge, &place) in self.hinges.iter().zip(&self.places) {
            hinge.law.admit(&mut creases[place as usize]);
        }
    }

    fn recall(&mut self, creases: &[Crease]) {
        for (crease, &place) in self.creases.iter_mut().zip(&self.places) {
            *crease = creases[place as usize];
        }
    }

    fn remember(&mut self, positions: &[DVec3], creases: &mut [Crease]) -> f64 {
        let mut angles = std::mem::take(&mut self.angles);
        let this = &*self;
        parallel::fill(&mut angles, |h| this.unwound(h, dihedral::angle(this.elements.gather(h, positions))));
        let mut released = 0.0;
        for (h, hinge) in self.hinges.iter().enumerate() {
            let crease = &mut self.creases[h];
            released += hinge.height * hinge.length * hinge.law.commit(crease, hinge.height, angles[h]);
            creases[self.places[h] as usize] = *crease;
        }
        self.angles = angles;
        released
    }

    fn bend(&self, element: usize) -> Option<Bend> {
        let (hinge, crease) = (&self.hinges[element], &self.creases[element]);
        let curvature = curvature(crease, hinge.height);
        let moment = hinge.law.respond(crease, curvature, 0.0).moment;
        let residual = crease.rest - self.rest[element];
        // The bend that is seen, from the shape of the start's rest, not from the present one.
        Some(Bend { curvature: curvature + residual / hinge.height, moment, residual })
    }
}
