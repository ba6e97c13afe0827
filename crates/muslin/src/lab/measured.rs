//! What Kawabata's testers say of a measured loop, as points to draw beside a virtual one.
//!
//! A study prints two numbers of a loop: its slope and its width. Each is read over a range of small curvatures or angles, and in that range
//! the numbers stand for two parallel lines, y = slope · x ± width / 2, one for each way. Nothing is known of the turns at the ends of the loop
//! or of its way through zero, so nothing is drawn there.

use muslin_io::fabrics::{Fabric, How};

/// Points on each of the lines, on each side of zero.
const POINTS: usize = 5;

/// The lines over a range, on both sides and both ways.
pub(super) fn lines(slope: f64, width: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    for side in [-1.0, 1.0] {
        for way in [1.0, -1.0] {
            for k in 0..POINTS {
                let x = side * (from + (to - from) * k as f64 / (POINTS - 1) as f64);
                points.push([x, slope * x + way * 0.5 * width]);
            }
        }
    }
    points
}

/// A number of a fabric, if somebody measured it on that fabric.
pub(super) fn number(fabric: &Fabric, key: &str) -> Option<f64> {
    fabric.stated(key).filter(|v| v.how == How::Measured).map(|v| v.value)
}
