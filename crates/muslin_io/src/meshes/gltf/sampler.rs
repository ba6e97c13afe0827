//! A curve of an animation: keys in time and the three ways of glTF to go between them.

use glam::DQuat;

/// How values change between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Evenly; rotations along the shortest arc.
    Linear,
    /// They keep the value of the key before.
    Step,
    /// A cubic Hermite spline with given tangents.
    Cubic,
}

/// A curve with `width` numbers per key; cubic curves hold tangent, value, tangent.
#[derive(Clone, Debug)]
pub struct Curve {
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    pub width: usize,
    pub interpolation: Interpolation,
}

impl Curve {
    /// Writes the value at a time; before the first and after the last key it holds.
    pub fn sample(&self, time: f64, out: &mut [f64]) {
        let next = self.times.partition_point(|&t| t <= time);
        let (a, b) = (next.saturating_sub(1), next.min(self.times.len() - 1));
        let span = self.times[b] - self.times[a];
        let s = if a != b && span > 0.0 { ((time - self.times[a]) / span).clamp(0.0, 1.0) } else { 0.0 };
        match self.interpolation {
            Interpolation::Step => out.copy_from_slice(self.row(a, 0)),
            Interpolation::Linear => {
                for (k, x) in out.iter_mut().enumerate() {
                    *x = self.row(a, 0)[k] + (self.row(b, 0)[k] - self.row(a, 0)[k]) * s;
                }
            }
            Interpolation::Cubic => {
                let (s2, s3) = (s * s, s * s * s);
                for (k, x) in out.iter_mut().enumerate() {
                    let (p, m) = (self.row(a, 1)[k], span * self.row(a, 2)[k]);
                    let (q, n) = (self.row(b, 1)[k], span * self.row(b, 0)[k]);
                    *x = (2.0 * s3 - 3.0 * s2 + 1.0) * p
                        + (s3 - 2.0 * s2 + s) * m
                        + (3.0 * s2 - 2.0 * s3) * q
                        + (s3 - s2) * n;
                }
            }
        }
    }

    /// The rotation at a time: linear curves take the shortest arc at a steady rate.
    pub fn sample_rotation(&self, time: f64) -> DQuat {
        if self.interpolation == Interpolation::Linear {
            let next = self.times.partition_point(|&t| t <= time);
            let (a, b) = (next.saturating_sub(1), next.min(self.times.len() - 1));
            let span = self.times[b] - self.times[a];
            let s = if a != b && span > 0.0 { ((time - self.times[a]) / span).clamp(0.0, 1.0) } else { 0.0 };
            return unit(self.row(a, 0)).slerp(unit(self.row(b, 0)), s);
        }
        let mut out = [0.0; 4];
        self.sample(time, &mut out);
        unit(&out)
    }

    fn row(&self, key: usize, part: usize) -> &[f64] {
        let parts = if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let start = (key * parts + part) * self.width;
        &self.values[start..start + self.width]
    }
}

/// A rotation from x, y, z, w; nothing for zero.
fn unit(q: &[f64]) -> DQuat {
    let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
    let length = q.length();
    if length > 0.0 && length.is_finite() { q * (1.0 / length) } else { DQuat::IDENTITY }
}
