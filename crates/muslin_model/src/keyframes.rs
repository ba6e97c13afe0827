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

/// Keyframes about a pivot. Before the first and after the last the pose holds; without any it is the
/// start pose.
///
/// Between two keys translation and scale change steadily. So does the angle when both rotations have the
/// same axis: three turns are three turns. Between different axes the rotation takes the shortest way at
/// a steady rate; whole turns mean nothing there.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Centre of rotation and scale [m].
    pub pivot: DVec3,
    /// Poses in ascending order of time.
    pub keys: Vec<Keyframe>,
}

/// Why a track cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// Time stands still or runs backwards.
    #[error("keyframe {key} is at {time} s, not after the one before it at {before} s; sort them by time")]
    Order {
        /// Index of the key.
        key: usize,
        /// Its time [s].
        time: f64,
        /// The time of the key before [s].
        before: f64,
    },
    /// A number that is not finite.
    #[error("keyframe {key} or the pivot has a value that is not finite; correct it")]
    NotFinite {
        /// Index of the key.
        key: usize,
    },
    /// A scale that flattens or mirrors.
    #[error("keyframe {key} has the scale {scale}; each of its three values must be greater than 0")]
    Scale {
        /// Index of the key.
        key: usize,
        /// Its scale.
        scale: DVec3,
    },
}

/// Two rotation vectors count as parallel when the sine of their angle is below this [-]; then angles are
/// interpolated linearly, which is exact for steady rotation over any number of turns.
const PARALLEL_SINE: f64 = 1e-9;

impl Track {
    /// Refuses keys out of order, values that are not finite and scales that are not positive.
    pub fn check(&self) -> Result<(), TrackError> {
        for (key, k) in self.keys.iter().enumerate() {
            let vectors = [self.pivot, k.translation, k.rotation, k.scale];
            if !(k.time.is_finite() && vectors.iter().all(|v| v.is_finite())) {
                return Err(TrackError::NotFinite { key });
            }
            if k.scale.min_element() <= 0.0 {
                return Err(TrackError::Scale { key, scale: k.scale });
            }
            if key > 0 && k.time <= self.keys[key - 1].time {
                return Err(TrackError::Order { key, time: k.time, before: self.keys[key - 1].time });
            }
        }
        Ok(())
    }

    /// Where a point that is at `rest` in the start pose is at a time [m].
    pub fn apply(&self, rest: DVec3, time: f64) -> DVec3 {
        let (linear, translation) = self.pose(time);
        linear * (rest - self.pivot) + self.pivot + translation
    }

    /// The pose at a time: the linear map about the pivot and the translation [m].
    pub fn pose(&self, time: f64) -> (DMat3, DVec3) {
        let next = self.keys.partition_point(|key| key.time <= time);
        let (before, after) = (next.checked_sub(1).and_then(|k| self.keys.get(k)), self.keys.get(next));
        let (a, b) = match (before, after) {
            (Some(&a), Some(&b)) => (a, b),
            (Some(&only), None) | (None, Some(&only)) => (only, only),
            (None, None) => return (DMat3::IDENTITY, DVec3::ZERO),
        };
        let s = if b.time > a.time { (time - a.time) / (b.time - a.time) } else { 0.0 };
        let linear = rotation_between(a.rotation, b.rotation, s) * DMat3::from_diagonal(a.scale.lerp(b.scale, s));
        (linear, a.translation.lerp(b.translation, s))
    }
}

impl Track {
    /// Velocities at the two ends of a span of time [s] of a point that is at `rest` in the start pose [m/s]; `None` if
    /// a key lies within the span, where the velocity jumps. An end on a key belongs to the span's side.
    pub fn velocities(&self, rest: DVec3, span: [f64; 2]) -> Option<[DVec3; 2]> {
        if self.keys.iter().any(|key| span[0] < key.time && key.time < span[1]) {
            return None;
        }
        let middle = 0.5 * (span[0] + span[1]);
        let next = self.keys.partition_point(|key| key.time <= middle);
        let (Some(&a), Some(&b)) = (next.checked_sub(1).and_then(|k| self.keys.get(k)), self.keys.get(next)) else {
            return Some([DVec3::ZERO; 2]);
        };
        let pace = 1.0 / (b.time - a.time);
        let (turn, arm) = (turn_between(a.rotation, b.rotation) * pace, rest - self.pivot);
        Some(span.map(|time| {
            let s = (time - a.time) * pace;
            let rotation = rotation_between(a.rotation, b.rotation, s);
            let grown = rotation * (a.scale.lerp(b.scale, s) * arm);
            let growth = rotation * ((b.scale - a.scale) * pace * arm);
            turn.cross(grown) + growth + (b.translation - a.translation) * pace
        }))
    }
}

/// The rotation vector that leads from one rotation to another the way [`rotation_between`] goes [rad].
fn turn_between(a: DVec3, b: DVec3) -> DVec3 {
    if a.cross(b).length() <= PARALLEL_SINE * a.length() * b.length() {
        return b - a;
    }
    let turn = DQuat::from_scaled_axis(b) * DQuat::from_scaled_axis(a).inverse();
    (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis()
}

/// Rotation at a fraction between two rotation vectors.
fn rotation_between(a: DVec3, b: DVec3, s: f64) -> DMat3 {
    if a.cross(b).length() <= PARALLEL_SINE * a.length() * b.length() {
        DMat3::from_quat(DQuat::from_scaled_axis(a.lerp(b, s)))
    } else {
        DMat3::from_quat(DQuat::from_scaled_axis(a).slerp(DQuat::from_scaled_axis(b), s))
    }
}
