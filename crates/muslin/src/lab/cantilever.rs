//! Peirce's cantilever: the overhang of a strip whose chord falls by 41.5°. For a linear fabric it is twice the bending
//! length (B/(σg))^⅓.

use crate::{error::Error, simulation::Simulation};
use muslin_io::fabrics::Fabric;
use serde::Serialize;

/// The angle of the test [°].
const ANGLE: f64 = 41.5;
/// Vertices along the strip.
const RESOLUTION: usize = 27;
/// The overhang is known when the angle is this near [°]: a hundredth of the overhang changes it by 0.6°.
const NEAR: f64 = 0.03;
/// Most overhangs to try.
const TRIES: usize = 12;
/// Gravity of the scene [m/s²].
const GRAVITY: f64 = 9.81;

/// A strip's overhang.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cantilever {
    /// Angle between the strip and the warp [°].
    pub direction_degrees: f64,
    /// Overhang [m].
    pub length: f64,
    /// Rigidity that Peirce's formula gives, σ g (length/2)³ [N·m].
    pub rigidity: f64,
    /// Twice the bending length of the fabric's rigidity at rest [m].
    pub law: f64,
}

/// Does the test for a strip cut at 0° or 90° to the warp.
pub fn measure(fabric: &Fabric, degrees: f64) -> Result<Cantilever, Error> {
    let value = |key| fabric.value(key).unwrap_or(f64::NAN);
    let rigidity = value(if degrees == 0.0 { "bend_warp" } else { "bend_weft" });
    let weight = value("area_density") * GRAVITY;
    let law = 2.0 * (rigidity / weight).cbrt();
    // The angle grows with the overhang; a bracket first, then the secant kept inside of it.
    let (mut low, mut high): ([f64; 2], [f64; 2]) = ([0.0, 0.0], [f64::INFINITY, 90.0]);
    let mut length = law;
    for _ in 0..TRIES {
        let angle = chord_angle(fabric, degrees, length)?;
        if (angle - ANGLE).abs() < NEAR {
            break;
        }
        if angle < ANGLE {
            low = [length, angle]
        } else {
            high = [length, angle]
        }
        length = match (low[0] > 0.0, high[0].is_finite()) {
            (false, _) => length * 0.8,
            (_, false) => length * 1.25,
            _ => low[0] + (high[0] - low[0]) * ((ANGLE - low[1]) / (high[1] - low[1])).clamp(0.05, 0.95),
        };
    }
    Ok(Cantilever { direction_degrees: degrees, length, rigidity: weight * (0.5 * length).powi(3), law })
}

/// How far the chord from the clamp to the tip falls [°].
fn chord_angle(fabric: &Fabric, degrees: f64, length: f64) -> Result<f64, Error> {
    let width = 0.2 * length;
    let set = [
        format!("resolution={RESOLUTION}"),
        format!("length={length:?}"),
        format!("width={width:?}"),
        format!("warp_degrees={degrees:?}"),
    ];
    let mut scene = muslin_io::load("cantilever", &set)?.scene;
    super::clothe(fabric, &mut scene);
    let mut simulation = Simulation::new(&scene)?;
    let mut end = Vec::new();
    while simulation.frame() < simulation.frames() {
        end = simulation.next_frame()?;
    }
    let rows = end.len() / RESOLUTION;
    let tip = end[(RESOLUTION - 1) * rows..].iter().sum::<glam::DVec3>() / rows as f64;
    Ok((-tip.z).atan2(tip.x).to_degrees())
}
