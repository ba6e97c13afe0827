//! Soft pins: a spring between each of some vertices and the place where its pin wants it.
//!
//! U = ½ k (x − t)·P(x − t), with k the spring's stiffness, t(time) its place and P the projector onto the held
//! directions. The Hessian k P is constant and positive semi-definite, so that there is nothing to project.
//!
//! The place moves with the pin. What that brings into the cloth, ∂U/∂time = −k P(x − t)·dt/dtime, is the pin's
//! work. The energy left in a spring when its pin lets go is lost.

use super::{
    Account, Effort, Force, HessianKind, Layout,
    elements::{Elements, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec3};
use muslin_model::{Hold, Pin, parallel};
use std::ops::Range;

/// Half of the time over which the velocity of a place is taken [s]: far below any step, far above the round-off of
/// places [m] over a velocity that matters.
const MOMENT: f64 = 1e-6;

/// A spring; its place follows its pin.
#[derive(Clone, Copy, Debug)]
struct Spring {
    /// Its pin, in the list of soft ones.
    pin: u32,
    /// Where its vertex started [m].
    rest: DVec3,
    /// k [N/m].
    stiffness: f64,
}

/// Where a spring pulls now, and how.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    place: DVec3,
    velocity: DVec3,
    /// k P [N/m]; zero after the pin has let go.
    stiffness: DMat3,
}

impl Anchor {
    /// Of a pin that has let go.
    const NONE: Anchor = Anchor { place: DVec3::ZERO, velocity: DVec3::ZERO, stiffness: DMat3::ZERO };
}

/// The springs of all soft pins.
pub struct SoftPins {
    elements: Elements<1>,
    pins: Vec<Pin>,
    springs: Vec<Spring>,
    anchors: Vec<Anchor>,
}

impl SoftPins {
    /// One word for reports.
    pub const NAME: &str = "soft pins";

    /// The springs of some pins at time zero; `None` if none of them is soft. `rest` are the places where the model's
    /// vertices started [m].
    pub fn new(all: &[Pin], rest: &[DVec3], layout: &Layout) -> Option<Self> {
        let (mut pins, mut stencils, mut springs) = (Vec::new(), Vec::new(), Vec::new());
        for pin in all {
            let Hold::Springs(stiffnesses) = &pin.hold else { continue };
            for (&v, &stiffness) in pin.vertices.iter().zip(stiffnesses) {
                stencils.push([v]);
                springs.push(Spring { pin: pins.len() as u32, rest: rest[v as usize], stiffness });
            }
            pins.push(Pin { vertices: Vec::new(), hold: Hold::Exact, ..pin.clone() });
        }
        if springs.is_empty() {
            return None;
        }
        let (elements, order) = Elements::new(&stencils, layout);
        let springs: Vec<Spring> = order.iter().map(|&k| springs[k as usize]).collect();
        let anchors = vec![Anchor::NONE; springs.len()];
        let mut soft = SoftPins { elements, pins, springs, anchors };
        soft.set_time(0.0);
        Some(soft)
    }

    /// Way from its place, and force of a spring.
    #[inline]
    fn pull(&self, k: usize, positions: &[DVec3]) -> (DVec3, DVec3) {
        let way = self.elements.gather(k, positions)[0] - self.anchors[k].place;
        (way, self.anchors[k].stiffness * way)
    }
}

impl Force for SoftPins {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    placed_by!(elements);

    fn is_external(&self) -> bool {
        true
    }

    fn account(&self) -> Account {
        Account::Pins
    }

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements.map(|k| self.pull(k, positions)).map(|(way, pull)| 0.5 * way.dot(pull)).sum()
    }

    fn set_time(&mut self, time: f64) {
        let (pins, springs) = (&self.pins, &self.springs);
        parallel::fill(&mut self.anchors, |k| {
            let Spring { pin, rest, stiffness } = springs[k];
            let pin = &pins[pin as usize];
            if time > pin.release {
                return Anchor::NONE;
            }
            let velocity = (pin.target(rest, time + MOMENT) - pin.target(rest, time - MOMENT)) / (2.0 * MOMENT);
            Anchor { place: pin.target(rest, time), velocity, stiffness: pin.held * stiffness }
        });
    }

    fn add_force(&self, elements: Range<usize>, positions: &[DVec3], _: &[DVec3], out: &mut VertexPart) -> f64 {
        let mut power = 0.0;
        for k in elements {
            let (_, pull) = self.pull(k, positions);
            power -= pull.dot(self.anchors[k].velocity);
            self.elements.scatter(k, [-pull], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.set_time(past.time_end);
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for k in elements {
            let (way, pull) = self.pull(k, positions);
            effort.potential += 0.5 * way.dot(pull);
            effort.power -= pull.dot(self.anchors[k].velocity);
            self.elements.scatter(k, [pull], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, _: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for k in elements {
            self.elements.scatter_blocks(k, |_, _| self.anchors[k].stiffness, out);
        }
    }
}
