//! Where a picture is taken from.

use crate::error::RenderError;
use glam::DVec3;
use std::f64::consts::PI;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is [m].
    pub position: DVec3,
    /// What it looks at [m].
    pub target: DVec3,
    /// What is up in the picture [-]; any length.
    pub up: DVec3,
    /// Vertical angle of view [rad].
    pub field_of_view: f64,
}

/// The camera's own axes in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
}

/// Below this sine between the view and the up direction the latter says nothing [-].
const PARALLEL_SINE: f64 = 1e-6;

impl Camera {
    /// A camera with z upwards in the picture, or y if it looks along z.
    pub fn new(position: DVec3, target: DVec3, field_of_view: f64) -> Self {
        let view = (target - position).normalize_or_zero();
        let up = if view.cross(DVec3::Z).length() > PARALLEL_SINE { DVec3::Z } else { DVec3::Y };
        Camera { position, target, up, field_of_view }
    }

    /// The axes, or why there are none.
    pub(crate) fn axes(&self) -> Result<Axes, RenderError> {
        let refuse = |reason| Err(RenderError::Camera { reason });
        if !(self.position.is_finite() && self.target.is_finite() && self.up.is_finite()) {
            return refuse("has a coordinate that is not finite");
        }
        if !(self.field_of_view > 0.0 && self.field_of_view < PI) {
            return refuse("has an angle of view that is not between 0 and π");
        }
        let Some(forward) = (self.target - self.position).try_normalize() else {
            return refuse("stands on its target; move one of them");
        };
        let right = forward.cross(self.up.normalize_or_zero());
        if right.length() <= PARALLEL_SINE {
            return refuse("looks along its up direction; choose another one");
        }
        let right = right.normalize();
        Ok(Axes { right, up: right.cross(forward), forward })
    }
}
