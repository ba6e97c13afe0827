//! Forces of hinges: whatever two neighbours resist with that depends on the one angle θ between them.
//!
//! The loops over hinges, their geometry, their viscosity and its incremental potential are here, once; what a hinge
//! resists with at an angle comes from its [`Moments`]: elastic laws ([`super::Hinges`]) or laws with a memory
//! ([`super::RememberingHinges`]). f = −U′ ∇θ, and each wing has its own weights in ∇θ.
//!
//! The projected Hessian is the Gauss–Newton part (U″ + D″) ∇θ∇θᵀ: U′∇²θ has eigenvalues of both signs for every moment but
//! 0, and is small beside the membrane's stiffness.

use super::{
    Bend, Effort, Force, HessianKind, Layout, dihedral,
    dihedral::Dihedral,
    elements::{Elements, outer, placed_by},
    hinge_lanes::each_hinge,
    springs_mesh::membership,
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::DVec3;
use muslin_model::{Crease, Model, parallel, topology::NONE, topology::opposite_corner};
use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// What a hinge resists with at an angle, without viscosity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Energy whose derivative is the moment, within a step [J].
    pub potential: f64,
    /// Part of it that is stored [J].
    pub stored: f64,
    /// U′ [N·m].
    pub moment: f64,
    /// U″ [N·m].
    pub slope: f64,
    /// What stands for U″ in a matrix that must not foresee too little [N·m].
    pub chord: f64,
    /// Part of the moment that is not elastic [N·m].
    pub lost: f64,
}

/// The law behind all hinges of a force.
pub trait Moments: Send + Sync {
    /// One word for reports.
    fn name(&self) -> &'static str;

    /// What a hinge resists with at an angle [rad].
    fn answer(&self, hinge: usize, angle: f64) -> Answer;

    /// Moment of a hinge per rate of its angle [N·m·s].
    fn viscosity(&self, hinge: usize) -> f64;

    /// An angle within ±π [rad], counted on through full turns by those that remember.
    fn counted(&self, _hinge: usize, angle: f64) -> f64 {
        angle
    }

    /// The counted angle at the last Commit [rad], of those that remember.
    fn committed(&self, _hinge: usize) -> Option<f64> {
        None
    }

    /// As [`Force::is_explicit`].
    fn is_explicit(&self) -> bool {
        false
    }

    /// As [`Force::crease_count`].
    fn crease_count(&self) -> usize {
        0
    }

    /// As [`Force::untouched`].
    fn untouched(&self, _creases: &mut [Crease]) {}

    /// As [`Force::admit`].
    fn admit(&self, _creases: &mut [Crease]) {}

    /// As [`Force::recall`].
    fn recall(&mut self, _creases: &[Crease]) {}

    /// As [`Force::remember`], from the angle of each hinge [rad].
    fn remember(&mut self, _angle: impl Fn(usize) -> f64 + Sync, _creases: &mut [Crease]) -> f64 {
        0.0
    }

    /// As [`Force::bend`].
    fn bend(&self, _hinge: usize) -> Option<Bend> {
        None
    }
}

/// A hinge between two neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    /// The corners opposite to the edge, then its ends.
    pub stencil: [u32; 4],
    /// The two triangles.
    pub sides: [u32; 2],
}

impl Neighbours {
    /// The ends of the edge.
    pub fn ends(&self) -> [u32; 2] {
        [self.stencil[2], self.stencil[3]]
    }
}

/// All hinges between neighbours among some faces of the model, in ascending order of edges.
pub(super) fn neighbours(model: &Model, faces: &[u32]) -> Vec<Neighbours> {
    let member = membership(model, faces);
    let mut all = Vec::new();
    for (e, &ends) in model.topology.edges.iter().enumerate() {
        let sides = model.topology.edge_triangles[e];
        if sides.iter().any(|&t| t == NONE || !member[t as usize]) {
            continue;
        }
        let corner = |t: u32| {
            let triangle = model.mesh.triangles[t as usize];
            triangle[opposite_corner(triangle, ends)]
        };
        let [a, b] = sides.map(corner);
        all.push(Neighbours { stencil: [a, b, ends[0], ends[1]], sides });
    }
    all
}

/// Hinges as one force.
pub struct HingeForce<M> {
    moments: M,
    elements: Elements<4>,
    /// θ̂: the past angle of each [rad].
    past: Vec<f64>,
    /// Where hinges that remember were at the last Commit [m]: a step that starts there knows its angles. Empty if unknown.
    at_commit: Vec<DVec3>,
    /// Where their gradient was last asked for [m], and the bits of the angles there [rad]: a Commit there knows its angles. Empty if unknown.
    /// A gradient is asked for by many threads at once and changes nothing else; so these are cells behind a lock and atomics, each of which one
    /// thread writes. Nothing is added up in them, and what they hold is what a Commit would find anew.
    seen_at: Mutex<Vec<DVec3>>,
    seen: Vec<AtomicU64>,
    /// 1/τ [1/s].
    per_tau: f64,
}

impl<M: Moments> HingeForce<M> {
    /// Places hinges; `moments` gets their order of storage: for each, its place in the list.
    pub(super) fn place(hinges: &[Neighbours], layout: &Layout, moments: impl FnOnce(&[u32]) -> M) -> Self {
        let stencils: Vec<[u32; 4]> = hinges.iter().map(|hinge| hinge.stencil).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        let past = vec![0.0; order.len()];
        let moments = moments(&order);
        let seen = if moments.crease_count() > 0 { order.len() } else { 0 };
        HingeForce {
            moments,
            elements,
            past,
            at_commit: Vec::new(),
            seen_at: Mutex::default(),
            seen: (0..seen).map(|_| AtomicU64::default()).collect(),
            per_tau: 0.0,
        }
    }

    /// Viscosity over τ [N·m].
    #[inline(always)]
    fn eta(&self, hinge: usize) -> f64 {
        self.moments.viscosity(hinge) * self.per_tau
    }

    /// The change of angle since the past state [rad], and viscosity over τ [N·m].
    #[inline(always)]
    fn change(&self, hinge: usize, angle: f64) -> (f64, f64) {
        (dihedral::difference(angle, self.past[hinge]), self.eta(hinge))
    }

    /// Calls a function with each of some hinges, its angle [rad] and the angle's gradient [1/m].
    #[inline(always)]
    fn each(&self, elements: Range<usize>, positions: &[DVec3], visit: impl FnMut(usize, f64, [DVec3; 4])) {
        each_hinge(&self.elements.stencils, elements, positions, visit);
    }

    /// Those of some elements that the scheme itself advances.
    fn of_scheme(&self, elements: Range<usize>) -> Range<usize> {
        if self.moments.is_explicit() { 0..0 } else { elements }
    }
}

impl<M: Moments> Force for HingeForce<M> {
    fn name(&self) -> &'static str {
        self.moments.name()
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements.map(|h| self.moments.answer(h, dihedral::angle(self.elements.gather(h, positions))).stored).sum()
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        self.each(elements, positions, |h, angle, gradient| {
            let velocity = self.elements.gather(h, velocities);
            let rate: f64 = (0..4).map(|k| gradient[k].dot(velocity[k])).sum();
            let (answer, viscous) = (self.moments.answer(h, angle), self.moments.viscosity(h) * rate);
            let moment = answer.moment + viscous;
            power -= (answer.lost + viscous) * rate;
            self.elements.scatter(h, gradient.map(|g| -g * moment), out);
        });
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.per_tau = 1.0 / past.tau;
        let (elements, moments) = (&self.elements, &self.moments);
        let from_commit = self.at_commit == past.start;
        parallel::fill(&mut self.past, |h| {
            let at = |x: &[DVec3]| dihedral::angle(elements.gather(h, x));
            let known = if from_commit { moments.committed(h) } else { None };
            let start = known.unwrap_or_else(|| moments.counted(h, at(past.start)));
            // A hinge that passed ±π in the last step is unwound first.
            if past.two_steps() {
                past.combine(start, start + dihedral::difference(at(past.before), start))
            } else {
                start
            }
        });
    }

    fn look_at(&self, positions: &[DVec3]) {
        if !self.seen.is_empty() && !self.is_explicit() {
            // A thread that died here has left positions that no Commit will ask for.
            let mut seen_at = self.seen_at.lock().unwrap_or_else(PoisonError::into_inner);
            seen_at.clear();
            seen_at.extend_from_slice(positions);
        }
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        self.each(self.of_scheme(elements), positions, |h, angle, gradient| {
            if let Some(seen) = self.seen.get(h) {
                seen.store(angle.to_bits(), Ordering::Relaxed);
            }
            let answer = self.moments.answer(h, angle);
            let (change, eta) = self.change(h, angle);
            effort.potential += answer.potential + 0.5 * eta * change * change;
            effort.power -= (eta * change + answer.lost) * change * self.per_tau;
            let slope = answer.moment + eta * change;
            self.elements.scatter(h, gradient.map(|g| g * slope), out);
        });
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        let elements = self.of_scheme(elements);
        if kind == HessianKind::Exact {
            for h in elements {
                let x = self.elements.gather(h, positions);
                let local = Dihedral::of(x);
                let answer = self.moments.answer(h, local.angle);
                let (change, eta) = self.change(h, local.angle);
                let gradient = local.gradient().map(|g| g.spread()(0));
                let (second, curve, slope) = (local.hessian(x), answer.slope + eta, answer.moment + eta * change);
                let block = |i: usize, j: usize| outer(gradient[i], gradient[j]) * curve + second[i][j] * slope;
                self.elements.scatter_blocks(h, block, out);
            }
            return;
        }
        self.each(elements, positions, |h, angle, gradient| {
            let answer = self.moments.answer(h, angle);
            let curve = self.eta(h) + if kind == HessianKind::CarriedExact { answer.slope } else { answer.chord };
            let times = gradient.map(|g| g * curve);
            self.elements.scatter_blocks(h, |i: usize, j: usize| outer(times[i], gradient[j]), out);
        });
    }

    fn is_explicit(&self) -> bool {
        self.moments.is_explicit()
    }

    fn crease_count(&self) -> usize {
        self.moments.crease_count()
    }

    fn untouched(&self, creases: &mut [Crease]) {
        self.moments.untouched(creases);
    }

    fn admit(&self, creases: &mut [Crease]) {
        self.moments.admit(creases);
    }

    fn recall(&mut self, creases: &[Crease]) {
        self.at_commit.clear();
        self.seen_at.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.moments.recall(creases);
    }

    fn remember(&mut self, positions: &[DVec3], creases: &mut [Crease]) -> f64 {
        if self.moments.crease_count() > 0 {
            self.at_commit.clear();
            self.at_commit.extend_from_slice(positions);
        }
        let (elements, seen) = (&self.elements, &self.seen);
        let seen_at = self.seen_at.get_mut().unwrap_or_else(PoisonError::into_inner);
        let bits = |x: &DVec3| x.to_array().map(f64::to_bits);
        // By their bits: the angle of a hinge that is folded flat has the sign of a zero.
        let known = seen_at.len() == positions.len() && seen_at.iter().zip(positions).all(|(a, b)| bits(a) == bits(b));
        let angle = |h: usize| match known {
            true => f64::from_bits(seen[h].load(Ordering::Relaxed)),
            false => dihedral::angle(elements.gather(h, positions)),
        };
        self.moments.remember(angle, creases)
    }

    fn bend(&self, element: usize) -> Option<Bend> {
        self.moments.bend(element)
    }
}
