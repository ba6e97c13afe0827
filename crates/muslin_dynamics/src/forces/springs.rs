//! Linear springs with dashpots between pairs of vertices: the base of D1 and D2.
//!
//! A spring's measure is its elongation C = l − l₀ [m]; it stores ½ k C² and dissipates η Ċ². This is W 3.1
//! and 3.2 with the damping along the spring, where W prints k_d (v_j − v_i) n; V 4.2 has the opposite sign,
//! A eq. 3 ties a particle to a fixed place, L eq. 1 damps with C instead of Ċ. Along the unit vector n the Hessian is
//! (k + η/τ) n nᵀ + (t/l)(I − n nᵀ) with t the tension; its two parts are orthogonal, so clamping t at 0 is
//! the exact projection.
//!
//! A tension-only spring (L eq. 1) is slack below its rest length. Its dashpot acts only where it was taut
//! in the past state: a dashpot that switched within the step would put a concave kink into the potential.

use super::{
    Effort, Force, HessianKind, Layout,
    elements::{Elements, outer, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;
use std::ops::Range;

/// What a spring resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resistance {
    /// Elongation and shortening.
    Both,
    /// Elongation only; a shortened spring is slack.
    TensionOnly,
}

/// One spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its ends, vertices of the model.
    pub ends: [u32; 2],
    /// Length without tension [m].
    pub rest_length: f64,
    /// Tension per elongation [N/m].
    pub stiffness: f64,
    /// Tension per rate of elongation [N·s/m].
    pub viscosity: f64,
}

/// A set of springs as one force.
pub struct Springs {
    name: &'static str,
    resistance: Resistance,
    pub(super) elements: Elements<2>,
    springs: Vec<Spring>,
    /// Ĉ: the past elongation of each [m].
    past: Vec<f64>,
    tau: f64,
}

impl Springs {
    /// Makes a force of given springs; `name` is its word in reports.
    pub fn new(name: &'static str, springs: &[Spring], resistance: Resistance, layout: &Layout) -> Self {
        let stencils: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        let springs: Vec<Spring> = order.iter().map(|&k| springs[k as usize]).collect();
        Springs { name, resistance, elements, past: vec![0.0; springs.len()], springs, tau: f64::INFINITY }
    }

    /// The springs, in storage order; `ends` are still the model's.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    fn slack(&self, elongation: f64) -> bool {
        self.resistance == Resistance::TensionOnly && elongation <= 0.0
    }

    fn stiffness(&self, spring: usize, elongation: f64) -> f64 {
        if self.slack(elongation) { 0.0 } else { self.springs[spring].stiffness }
    }

    fn viscosity(&self, spring: usize, past: f64) -> f64 {
        if self.slack(past) { 0.0 } else { self.springs[spring].viscosity }
    }

    /// Direction from end 0 to end 1, length, elongation. Ends in one place have no direction: the zero
    /// vector stands for it, and the spring then pulls nowhere.
    #[inline]
    pub(super) fn local(&self, spring: usize, x: &[DVec3]) -> (DVec3, f64, f64) {
        let [a, b] = self.elements.gather(spring, x);
        let length = (b - a).length();
        let direction = if length > 0.0 { (b - a) / length } else { DVec3::ZERO };
        (direction, length, length - self.springs[spring].rest_length)
    }
}

impl Force for Springs {
    fn name(&self) -> &'static str {
        self.name
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements
            .map(|s| {
                let (_, _, c) = self.local(s, positions);
                0.5 * self.stiffness(s, c) * c * c
            })
            .sum()
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        for s in elements {
            let (n, _, c) = self.local(s, positions);
            let [va, vb] = self.elements.gather(s, velocities);
            let rate = (vb - va).dot(n);
            let viscous = self.viscosity(s, c) * rate;
            let tension = self.stiffness(s, c) * c + viscous;
            power -= viscous * rate;
            self.elements.scatter(s, [n * tension, -n * tension], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let mut kept = std::mem::take(&mut self.past);
        parallel::fill(&mut kept, |s| {
            let at = |x: &[DVec3]| self.local(s, x).2;
            if past.two_steps() { past.combine(at(past.start), at(past.before)) } else { at(past.start) }
        });
        self.past = kept;
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for s in elements {
            let (n, _, c) = self.local(s, positions);
            let (k, change) = (self.stiffness(s, c), c - self.past[s]);
            let eta = self.viscosity(s, self.past[s]) / self.tau;
            effort.potential += 0.5 * (k * c * c + eta * change * change);
            effort.power -= eta * change * change / self.tau;
            let tension = k * c + eta * change;
            self.elements.scatter(s, [-n * tension, n * tension], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for s in elements {
            let (n, length, c) = self.local(s, positions);
            let k = self.stiffness(s, c);
            let eta = self.viscosity(s, self.past[s]) / self.tau;
            let across = if length > 0.0 { (k * c + eta * (c - self.past[s])) / length } else { 0.0 };
            let across = if kind != HessianKind::Exact { across.max(0.0) } else { across };
            let along = outer(n, n);
            let block = along * (k + eta) + (DMat3::IDENTITY - along) * across;
            self.elements.scatter_blocks(s, |i, j| if i == j { block } else { -block }, out);
        }
    }
}
