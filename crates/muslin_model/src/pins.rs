//! Vertices that the scene holds: which ones, in which directions, and where they go.

use crate::keyframes::Track;
use glam::{DMat3, DVec3};

/// How firmly a pin holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Hold {
    /// Exactly: a held vertex is where the pin wants it.
    Exact,
    /// By a spring on each vertex; its stiffness [N/m], in the order of the pin's vertices.
    Springs(Vec<f64>),
}

/// A group of cloth vertices held in 1 to 3 directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Vertices of the model's mesh.
    pub vertices: Vec<u32>,
    /// Projector onto the held directions [-]: the identity holds a vertex fully, `n nᵀ` holds it in a
    /// plane with the normal n.
    pub held: DMat3,
    /// How firmly.
    pub hold: Hold,
    /// Where the held directions go.
    pub motion: PinMotion,
    /// When the pin lets go [s]: it is free in every step that ends later. Infinity for never.
    pub release: f64,
}

/// Where a pinned vertex goes.
#[derive(Clone, Debug, PartialEq)]
pub enum PinMotion {
    /// Stays where it started.
    Fixed,
    /// Moves with a rigid (or scaled) frame that is the identity where its keyframes say so.
    Keyframes(Track),
    /// Moves at a constant velocity [m/s].
    Velocity(DVec3),
}

impl Pin {
    /// Where a vertex that started at `rest` is held at a time [m].
    pub fn target(&self, rest: DVec3, time: f64) -> DVec3 {
        match &self.motion {
            PinMotion::Fixed => rest,
            PinMotion::Keyframes(track) => track.apply(rest, time),
            PinMotion::Velocity(velocity) => rest + *velocity * time,
        }
    }

    /// Velocities at the two ends of a span of time [s] of a vertex that started at `rest` [m/s]; `None` if its velocity
    /// jumps in between.
    pub fn velocities(&self, rest: DVec3, span: [f64; 2]) -> Option<[DVec3; 2]> {
        match &self.motion {
            PinMotion::Fixed => Some([DVec3::ZERO; 2]),
            PinMotion::Keyframes(track) => track.velocities(rest, span),
            PinMotion::Velocity(velocity) => Some([*velocity; 2]),
        }
    }
}
