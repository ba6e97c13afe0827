//! D13: proximity-induced curvature, "push and curve" (V 7.4).
//!
//! A structural or shear spring AB that is longer than at rest pulls as ever. A shortened one pushes with k₁ times its
//! force and lifts both ends off the surface with k₂ times as much (V 7.13):
//!
//! F_A = k₁ p (−u) + k₂ p N_A,  F_B = k₁ p u + k₂ p N_B,  p = k (l₀ − l),
//!
//! u the unit vector from A to B, N the unit normals with the sign of the theta rule. V's "scaled" normal has the length of
//! the edge, so that both parts have the same size whatever the mesh.
//!
//! # The length condition (V 7.15)
//! k₂ = c k₁ with c a property of the fabric. k₁ is such that after one step from rest AB is as long as pushing alone would
//! have made it: no more stretch than before. V writes it for h² = m only; a vertex moves by h²/m times the force, and a held one not
//! at all. With w the way per force of each, a = p (w_A + w_B) and d = c p (w_B N_B − w_A N_A):
//!
//! |u l + k₁ (a u + d)| = l + a,  a quadratic equation with one positive root.
//!
//! # What it is not
//! No gradient of an energy, and no internal force either: nothing takes back what the normals get, so that free cloth
//! flies off when it is compressed (see the errata). Only explicit schemes can use it; to others it is the plain springs.

use super::{
    Effort, Force, GridError, GridOptions, HessianKind, Layout, Springs, fans::Fans, grid_cells, theta_rule::ThetaRule,
};
use crate::{
    domains::{BlockPart, ElementRanges, VertexPart},
    linear::Pattern,
    system::{Beginning, Past},
};
use glam::{DMat3, DVec3};
use muslin_model::Model;
use std::ops::Range;

/// Largest k₁ [-]. It grows without bound where normals lie along the edge, in folds so sharp that the surface has no
/// normal; beyond this the edge stays shorter than the condition asks.
const MOST_PUSH: f64 = 4.0;

/// Choices for curving under compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveOptions {
    /// c = k₂/k₁ [-].
    pub ratio: f64,
    /// How far at rest a vertex's choice of side reaches [m]; 0 is the strict theta rule.
    pub range: f64,
}

/// Structural and shear springs that curve.
pub struct PushAndCurve {
    springs: Springs,
    families: Vec<u8>,
    rule: ThetaRule,
    ratio: f64,
    masses: Vec<f64>,
    /// w: way within the step per force [m/N], zero for held vertices.
    ways: Vec<f64>,
}

impl PushAndCurve {
    /// The springs of cloths that are grids; `loaded` are the model's vertices that loads act on.
    pub fn new(
        model: &Model,
        faces: &[u32],
        options: (GridOptions, CurveOptions),
        loaded: &[u32],
        layout: &Layout,
    ) -> Result<Self, GridError> {
        let grids = grid_cells::find(model, faces)?;
        grid_cells::check_lines(&grids)?;
        let springs = Springs::on_grid(model, faces, options.0, layout)?;
        let loaded = loaded.iter().map(|&v| layout.solver_from_model[v as usize]).collect();
        let rule = ThetaRule::new(&grids, Fans::new(model, faces, layout), options.1.range, loaded, layout);
        let family = |ends: &[u32; 2]| rule.yarns.family(*ends).expect("springs join neighbours on a line") as u8;
        let mut masses = vec![0.0; layout.solver_from_model.len()];
        layout.solver_from_model.iter().enumerate().for_each(|(m, &s)| masses[s as usize] = model.masses[m]);
        Ok(PushAndCurve {
            families: springs.elements.stencils.iter().map(family).collect(),
            ways: vec![0.0; masses.len()],
            springs,
            rule,
            ratio: options.1.ratio,
            masses,
        })
    }

    /// The forces on the ends of a shortened spring that pushes with p [N].
    fn curved(&self, s: usize, push: f64, positions: &[DVec3]) -> [DVec3; 2] {
        let ends = self.springs.elements.stencils[s];
        let (u, length, _) = self.springs.local(s, positions);
        let sides = ends.map(|v| self.rule.direction(self.families[s] as usize, v, positions));
        let ways = ends.map(|v| self.ways[v as usize]);
        let k1 = push_factor(u, length, push, ways, sides.map(|side| side * self.ratio));
        let curve = sides.map(|side| side * (k1 * self.ratio * push));
        [curve[0] - u * (k1 * push), curve[1] + u * (k1 * push)]
    }
}

/// k₁ [-] for an edge of a direction and length [m] whose ends go so far per force [m/N], pushed by p [N]; `curves` are
/// c N of both ends.
pub fn push_factor(direction: DVec3, length: f64, push: f64, ways: [f64; 2], curves: [DVec3; 2]) -> f64 {
    let a = push * (ways[0] + ways[1]);
    let d = (curves[1] * ways[1] - curves[0] * ways[0]) * push;
    let way = direction * a + d;
    let (square, b, c) = (way.length_squared(), length * way.dot(direction), a * (2.0 * length + a));
    let root = (b * b + square * c).sqrt();
    // The form of the root that does not cancel.
    let k1 = if b >= 0.0 { c / (b + root) } else { (root - b) / square };
    // Two held ends: nothing moves, and the spring pushes as ever.
    if k1.is_nan() { 1.0 } else { k1.min(MOST_PUSH) }
}

impl Force for PushAndCurve {
    fn name(&self) -> &'static str {
        "push-and-curve"
    }

    fn elements(&self) -> &ElementRanges {
        self.springs.elements()
    }

    fn stencil(&self, element: usize) -> &[u32] {
        self.springs.stencil(element)
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.springs.bind(pattern);
    }

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        self.springs.energy(elements, positions)
    }

    fn prepare(&mut self, start: &Beginning) {
        for (way, mass) in self.ways.iter_mut().zip(&self.masses) {
            *way = start.step * start.step / mass;
        }
        for (&v, &free) in start.held.vertices.iter().zip(&start.held.free) {
            if free == DMat3::ZERO {
                self.ways[v as usize] = 0.0;
            }
        }
        self.rule.lead(&start.held.vertices);
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
            let (n, length, c) = self.springs.local(s, positions);
            if c >= 0.0 || length == 0.0 {
                power += self.springs.add_force(s..s + 1, positions, velocities, out);
                continue;
            }
            let spring = &self.springs.springs()[s];
            let [va, vb] = self.springs.elements.gather(s, velocities);
            let viscous = n * (spring.viscosity * (vb - va).dot(n));
            let push = -spring.stiffness * c;
            let [fa, fb] = self.curved(s, push, positions);
            let [fa, fb] = [fa + viscous, fb - viscous];
            // All but what the spring's energy gives.
            power += (fa + n * push).dot(va) + (fb - n * push).dot(vb);
            self.springs.elements.scatter(s, [fa, fb], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.springs.begin_step(past);
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        self.springs.add_gradient(elements, positions, out)
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        self.springs.add_hessian(elements, positions, kind, out);
    }
}
