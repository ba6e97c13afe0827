//! Keyframed motion of obstacles and pins: translation, rotation and scale, exact at every time.

use glam::{DMat3, DQuat, DVec3};

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// When [s].
    pub time: f64,
    /// Displacement from the start pose [m].
    pub translation: DVec3,
    /// Rotation about the track's pivot as axis times angle [rad]; any number of turns.
    pub rotation: DVec3,
    /// Scale about the pivot along the axes [-].
    pub scale: DVec3,
}

impl Keyframe {
    /// The start pose.
    pub const fn rest(time: f64) -> Self {
        Keyframe { time, translation: DVec3::ZERO, rotation: DVec3::ZERO, scale: DVec3::ONE }
    }
}

/// Keyframes about a pivot. Before the first and after the last the pose holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Centre of rotation and scale [m].
    pub pivot: DVec3,
    /// Poses in ascending order of time, at least one.
    pub keys: Vec<Keyframe>,
}

/// Two rotation vectors count as parallel when the sine of their angle is below this [-]; then angles are
/// interpolated linearly, which is exact for steady rotation over any number of turns.
const PARALLEL_SINE: f64 = 1e-9;

impl Track {
    /// Where a point that is at `rest` in the start pose is at a time [m].
    pub fn apply(&self, rest: DVec3, time: f64) -> DVec3 {
        let (linear, translation) = self.pose(time);
        linear * (rest - self.pivot) + self.pivot + translation
    }

    /// The pose at a time: the linear map about the pivot and the translation [m].
    pub fn pose(&self, time: f64) -> (DMat3, DVec3) {
        let next = self.keys.partition_point(|key| key.time <= time);
        let (a, b) = match next {
            0 => (self.keys[0], self.keys[0]),
            n if n == self.keys.len() => (self.keys[n - 1], self.keys[n - 1]),
            n => (self.keys[n - 1], self.keys[n]),
        };
        let s = if b.time > a.time { (time - a.time) / (b.time - a.time) } else { 0.0 };
        let linear = rotation_between(a.rotation, b.rotation, s) * DMat3::from_diagonal(a.scale.lerp(b.scale, s));
        (linear, a.translation.lerp(b.translation, s))
    }
}

/// Rotation at a fraction between two rotation vectors.
fn rotation_between(a: DVec3, b: DVec3, s: f64) -> DMat3 {
    if a.cross(b).length() <= PARALLEL_SINE * a.length() * b.length() {
        DMat3::from_quat(DQuat::from_scaled_axis(a.lerp(b, s)))
    } else {
        DMat3::from_quat(DQuat::from_scaled_axis(a).slerp(DQuat::from_scaled_axis(b), s))
    }
}
