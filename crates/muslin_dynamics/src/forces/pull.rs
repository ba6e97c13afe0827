//! Soft pulls on single vertices: a spring to a place, whose force never exceeds a limit.
//!
//! It is the hand in an interactive session. A hard pin would drag the cloth anywhere at any cost; a spring of bounded
//! force only asks, and whatever resists more strongly wins. The potential is Huber's: quadratic near the target,
//! linear beyond, so it is convex and its Hessian needs no projection.
//!
//! The spring's energy is the hand's and not the cloth's, so [`Force::energy`] gives 0.

use super::{
    Effort, Force, HessianKind, Layout,
    elements::{Elements, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// A pull on one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PullPoint {
    /// Vertex of the model.
    pub vertex: u32,
    /// Where it is pulled [m].
    pub target: DVec3,
    /// Spring constant near the target [N/m].
    pub stiffness: f64,
    /// Largest force [N].
    pub most_force: f64,
}

/// Pulls on some vertices.
pub struct Pull {
    elements: Elements<1>,
    points: Vec<PullPoint>,
}

impl Pull {
    /// Name of the force, by which it is found among others.
    pub const NAME: &'static str = "pull";

    /// Pulls at these points.
    pub fn new(points: &[PullPoint], layout: &Layout) -> Self {
        let stencils: Vec<[u32; 1]> = points.iter().map(|p| [p.vertex]).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        Pull { elements, points: order.iter().map(|&k| points[k as usize]).collect() }
    }
}

impl PullPoint {
    /// Potential [J] and its gradient [N] at a place.
    fn potential(&self, place: DVec3) -> (f64, DVec3) {
        let way = place - self.target;
        let distance = way.length();
        if self.stiffness * distance <= self.most_force {
            return (0.5 * self.stiffness * distance * distance, way * self.stiffness);
        }
        let force = self.most_force;
        (force * distance - 0.5 * force * force / self.stiffness, way * (force / distance))
    }

    /// Second derivative of the potential [N/m].
    fn hessian(&self, place: DVec3) -> DMat3 {
        let way = place - self.target;
        let distance = way.length();
        if self.stiffness * distance <= self.most_force {
            return DMat3::from_diagonal(DVec3::splat(self.stiffness));
        }
        let direction = way / distance;
        (DMat3::IDENTITY - super::elements::outer(direction, direction)) * (self.most_force / distance)
    }
}

impl Force for Pull {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    placed_by!(elements);

    fn is_external(&self) -> bool {
        true
    }

    fn add_force(&self, elements: Range<usize>, positions: &[DVec3], _: &[DVec3], out: &mut VertexPart) -> f64 {
        for k in elements {
            let [x] = self.elements.gather(k, positions);
            self.elements.scatter(k, [-self.points[k].potential(x).1], out);
        }
        0.0
    }

    fn begin_step(&mut self, _: &Past) {}

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for k in elements {
            let [x] = self.elements.gather(k, positions);
            let (potential, gradient) = self.points[k].potential(x);
            effort.potential += potential;
            self.elements.scatter(k, [gradient], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for k in elements {
            let [x] = self.elements.gather(k, positions);
            let block = self.points[k].hessian(x);
            self.elements.scatter_blocks(k, |_, _| block, out);
        }
    }
}
