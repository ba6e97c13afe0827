//! Viscous drag on each vertex, −c v (V 4.3). It brakes falling as well as shaking, as V 7.1 notes; internal
//! damping does not.
//!
//! In an implicit step it derives from D = c/(2τ) ‖x − x̂‖².

use super::{
    Account, Effort, Force, HessianKind, Layout,
    elements::{Elements, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec3};
use muslin_model::{Model, parallel};
use std::ops::Range;

/// Drag of all vertices given to it.
pub struct Drag {
    elements: Elements<1>,
    /// c of each [kg/s].
    coefficients: Vec<f64>,
    /// x̂ of each [m].
    reference: Vec<DVec3>,
    tau: f64,
}

/// The coefficient that damps a mass on a spring critically, √(4mk) (V 7.1) [kg/s], from kg and N/m.
pub fn critical_damping(mass: f64, stiffness: f64) -> f64 {
    (4.0 * mass * stiffness).sqrt()
}

impl Drag {
    /// The environment's drag, c = rate · mass, on the vertices of some faces of the model.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let mut vertices: Vec<u32> = faces.iter().flat_map(|&f| model.mesh.triangles[f as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let rate = model.environment.viscous_drag;
        let coefficients: Vec<(u32, f64)> =
            vertices.into_iter().map(|v| (v, rate * model.masses[v as usize])).collect();
        Drag::with_coefficients(&coefficients, layout)
    }

    /// Drag with a coefficient [kg/s] for each of some vertices of the model.
    pub fn with_coefficients(coefficients: &[(u32, f64)], layout: &Layout) -> Self {
        let stencils: Vec<[u32; 1]> = coefficients.iter().map(|&(v, _)| [v]).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        Drag {
            coefficients: order.iter().map(|&k| coefficients[k as usize].1).collect(),
            reference: vec![DVec3::ZERO; elements.len()],
            elements,
            tau: f64::INFINITY,
        }
    }
}

impl Force for Drag {
    fn name(&self) -> &'static str {
        "drag"
    }

    placed_by!(elements);

    fn is_external(&self) -> bool {
        true
    }

    fn account(&self) -> Account {
        Account::Drag
    }

    fn add_force(&self, elements: Range<usize>, _: &[DVec3], velocities: &[DVec3], out: &mut VertexPart) -> f64 {
        let mut power = 0.0;
        for k in elements {
            let [v] = self.elements.gather(k, velocities);
            power -= self.coefficients[k] * v.length_squared();
            self.elements.scatter(k, [v * -self.coefficients[k]], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let elements = &self.elements;
        parallel::fill(&mut self.reference, |k| {
            let [start] = elements.gather(k, past.start);
            if past.two_steps() { past.combine(start, elements.gather(k, past.before)[0]) } else { start }
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for k in elements {
            let [x] = self.elements.gather(k, positions);
            let (way, stiffness) = (x - self.reference[k], self.coefficients[k] / self.tau);
            effort.potential += 0.5 * stiffness * way.length_squared();
            effort.power -= stiffness * way.length_squared() / self.tau;
            self.elements.scatter(k, [way * stiffness], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, _: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for k in elements {
            let block = DMat3::from_diagonal(DVec3::splat(self.coefficients[k] / self.tau));
            self.elements.scatter_blocks(k, |_, _| block, out);
        }
    }
}
