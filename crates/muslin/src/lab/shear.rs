//! Kawabata's shear test: two long jaws, one of which moves on the arc of yarns that keep their length.
//!
//! The tester pulls the jaws apart with a constant weight and corrects the shear force by its share along the sheared yarns.
//! Here the jaw follows the arc of the pre-stretched yarns and the correction uses the tension that is found: F − T tan φ. With
//! yarns that keep their length that leaves C₃₃ λ sin φ, λ the stretch of the tension, and the friction between the yarns. Fabrics
//! with a measured 2HG are tested with that friction (`stretch = "hysteresis"`); the shear over which it builds up is assumed, 0.5°, where the
//! test reads the width. The shear of all others is elastic and their loop has no width.

use super::measured;
use crate::{error::Error, simulation::Simulation};
use glam::DVec3;
use muslin_io::fabrics::Fabric;
use serde::Serialize;

/// Length of the jaws and their distance [m].
const SIZE: [f64; 2] = [0.2, 0.05];
const VERTICES: [usize; 2] = [41, 11];
/// Largest angle [°].
const MOST_DEGREES: i32 = 8;
/// Tension per width between the jaws [N/m]: Kawabata's 10 gf/cm.
const TENSION: f64 = 9.80665;
/// Stretch of the yarns that stands for the tension is at most this [-]: knits would be drawn out of shape.
const MOST_PRESTRETCH: f64 = 0.02;
/// Between these angles the stiffness is read [°].
const READ: [f64; 2] = [0.5, 2.5];
/// Angle at which the width of the loop is read [°].
const WIDTH_AT: f64 = 0.5;

/// A shear loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shear {
    /// Shear force per width and angle [N/m], between 0.5° and 2.5°.
    pub stiffness: f64,
    /// What the law gives for yarns that keep their length [N/m].
    pub law: f64,
    /// Width of the loop at 0.5°, 2HG [N/m].
    pub hysteresis_2hg: f64,
    /// Angle [°], force per width [N/m], around the loop.
    pub points: Vec<[f64; 2]>,
    /// The same on the lines of the measured G and 2HG, where Kawabata reads G; empty where nobody measured them.
    pub measured: Vec<[f64; 2]>,
}

/// Does the test.
pub fn measure(fabric: &Fabric) -> Result<Shear, Error> {
    let most = MOST_DEGREES;
    // In half degrees, so that the angles of the readings are among them.
    let angles: Vec<f64> = (0..=2 * most)
        .chain((-2 * most..2 * most).rev())
        .chain(-2 * most + 1..=0)
        .map(|k| 0.5 * f64::from(k))
        .collect();
    let weft = fabric.value("stretch_weft").unwrap_or(f64::NAN);
    let height = SIZE[1] * (1.0 + (TENSION / weft).min(MOST_PRESTRETCH));
    let keys: Vec<String> = angles
        .iter()
        .enumerate()
        .map(|(k, degrees)| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let (x, y) = (height * sin, height * cos - SIZE[1]);
            format!("{{ time = {:?}, translation = [{x:?}, {y:?}, 0] }}", (k + 1) as f64)
        })
        .collect();
    let text = format!(
        "duration = {}\nframes_per_second = 1\n[settings]\nstep = 0.5\ncontact = {{ method = \"none\" }}\n[environment]\ngravity = [0, 0, 0]\n[[cloth]]\n\
         shape = {{ kind = \"grid\", size = [{}, {}], vertices = [{}, {}], triangulation = \"alternating\" }}\n\
         [[cloth.pin]]\nplaces = \"bottom\"\n[[cloth.pin]]\nplaces = \"top\"\nkeyframes = [{{ time = 0 }}, {}]\n",
        angles.len(),
        SIZE[0],
        SIZE[1],
        VERTICES[0],
        VERTICES[1],
        keys.join(", ")
    );
    let mut scene = super::scene(fabric, &text)?;
    super::rub(fabric, &mut scene);
    let mut simulation = Simulation::new(&scene)?;
    let top: Vec<usize> = (0..VERTICES[0]).map(|k| k * VERTICES[1] + VERTICES[1] - 1).collect();
    let mut points = Vec::new();
    for degrees in angles {
        simulation.next_frame()?;
        let force = top.iter().map(|&v| super::force_on(&simulation, v..v + 1)).sum::<DVec3>() * (-1.0 / SIZE[0]);
        points.push([degrees, force.x - force.y * degrees.to_radians().tan()]);
    }
    let at = |degrees: f64| {
        let both: Vec<f64> = points.iter().filter(|p| p[0] == degrees).map(|p| p[1]).collect();
        [both.first().copied().unwrap_or(0.0), both.get(1).copied().unwrap_or(0.0)]
    };
    let stiffness = (at(READ[1])[0] - at(READ[0])[0]) / (READ[1] - READ[0]).to_radians();
    let [low, high] = READ.map(|degrees| law_force(fabric, height / SIZE[1], degrees));
    let law = (high - low) / (READ[1] - READ[0]).to_radians();
    let hysteresis_2hg = (at(WIDTH_AT)[0] - at(WIDTH_AT)[1]).abs();
    // Fabrics have G per radian, the loop is drawn over degrees.
    let numbers = measured::number(fabric, "shear").zip(measured::number(fabric, "shear_hysteresis"));
    let lines = |(g, width): (f64, f64)| measured::lines(g.to_radians(), width, READ);
    let measured = numbers.map_or_else(Vec::new, lines);
    Ok(Shear { stiffness, law, hysteresis_2hg, points, measured })
}

/// Shear force per width of yarns with a stretch that turn by an angle [°], the others at rest [N/m]: E₁₁ = 0,
/// E₂₂ = ½(λ² − 1), γ = λ sin φ and S₁₂ = C₃₃ γ.
fn law_force(fabric: &Fabric, stretch: f64, degrees: f64) -> f64 {
    let strain = DVec3::new(0.0, 0.5 * (stretch * stretch - 1.0), stretch * degrees.to_radians().sin());
    let table = fabric.stretch_table.as_ref();
    let modulus = table.map_or_else(|| fabric.value("shear").unwrap_or(f64::NAN), |t| t.table.at(strain)[3]);
    modulus * strain.z
}
