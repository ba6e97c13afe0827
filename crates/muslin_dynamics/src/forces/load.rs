//! Loads: constant forces on single vertices during a span of time, as something outside would push them.

use super::{
    Account, Effort, Force, HessianKind, Layout,
    elements::{Elements, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// A load on one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPoint {
    /// Vertex of the model.
    pub vertex: u32,
    /// Force [N].
    pub force: DVec3,
    /// When it begins and ends [s]; it acts in steps, or stages of steps, that begin at `span[0]` or later and before
    /// `span[1]`.
    pub span: [f64; 2],
}

/// Loads on some vertices.
pub struct Load {
    elements: Elements<1>,
    points: Vec<LoadPoint>,
    time: f64,
    /// Positions at the start of an implicit step [m], for the work.
    start: Vec<DVec3>,
    tau: f64,
}

/// Times this close [s] are the same: the round-off of a sum of steps.
const SAME_TIME: f64 = 1e-9;

impl Load {
    /// Name of the force.
    pub const NAME: &'static str = "load";

    /// Loads at these points.
    pub fn new(points: &[LoadPoint], layout: &Layout) -> Self {
        let stencils: Vec<[u32; 1]> = points.iter().map(|p| [p.vertex]).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        let points = order.iter().map(|&k| points[k as usize]).collect();
        Load { elements, points, time: 0.0, start: Vec::new(), tau: f64::INFINITY }
    }

    /// The force of a load now [N].
    #[inline]
    fn now(&self, k: usize) -> DVec3 {
        let LoadPoint { force, span: [begin, end], .. } = self.points[k];
        if self.time >= begin - SAME_TIME && self.time < end - SAME_TIME { force } else { DVec3::ZERO }
    }
}

impl Force for Load {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    placed_by!(elements);

    fn account(&self) -> Account {
        Account::Pins
    }

    fn is_external(&self) -> bool {
        true
    }

    fn set_time(&mut self, time: f64) {
        self.time = time;
    }

    fn add_force(&self, elements: Range<usize>, _: &[DVec3], velocities: &[DVec3], out: &mut VertexPart) -> f64 {
        let mut power = 0.0;
        for k in elements {
            let force = self.now(k);
            power += force.dot(self.elements.gather(k, velocities)[0]);
            self.elements.scatter(k, [force], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        // An implicit step of length h has the load of its start; τ is h or a little less.
        self.time = past.time_end - past.tau;
        self.tau = past.tau;
        self.start.clear();
        self.start.extend((0..self.points.len()).map(|k| {
            let [start, before] = [past.start, past.before].map(|x| self.elements.gather(k, x)[0]);
            past.combine(start, before)
        }));
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for k in elements {
            let force = self.now(k);
            let way = self.elements.gather(k, positions)[0] - self.start[k];
            effort.potential -= force.dot(way);
            effort.power += force.dot(way) / self.tau;
            self.elements.scatter(k, [-force], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, _: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for k in elements {
            self.elements.scatter_blocks(k, |_, _| DMat3::ZERO, out);
        }
    }
}
