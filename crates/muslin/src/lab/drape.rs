//! Cusick's drape test: a round sample of 30 cm, clamped between two discs of 18 cm, hangs down over their edge. The drape
//! coefficient is the share of the overhanging ring that is left in the shadow.
//!
//! The mesh is a disc whose rings are spaced so that the clamp, which acts midway between the last two held rings, is at the edge of
//! the discs. The sample starts flat with noise of some hundredths of a millimetre, is let go and comes to rest. Contact
//! keeps its folds apart, at the fabric's thickness and with its friction; the space below the discs is free. The report counts
//! the crossings of the final shape by the exact test: 0.
//!
//! Fabrics with a measured 2HB or 2HG drape with that friction. It matters: the moment of friction of a denim, 2HB/2, is twice
//! what its rigidity bears at the curvature of a fold, 20 1/m. Hinges then bend the cloth; on the nearly equilateral triangles of the sample their
//! energy is that of the fabric: with a curvature κ at an angle φ to the normal of an edge a hinge shows κ(1 + 2 cos 2φ)/3, and the
//! squares of three hinges 60° apart sum up to κ².

use super::{Bench, Detail, shadow};
use crate::{error::Error, simulation::Simulation};
use glam::{DVec2, DVec3};
use muslin_model::{Mesh, shapes};
use muslin_sim::scene::{ClothShape, PinHold, PinSelect, PinSpec};
use serde::Serialize;
use std::f64::consts::PI;

/// Radii of the discs and of the sample [m].
pub const RADII: [f64; 2] = [0.09, 0.15];
/// A wave of the outline counts as a fold from this height [m]: 5 % of the overhang.
const FOLD: f64 = 0.05 * (RADII[1] - RADII[0]);
/// The sample rests when no vertex is faster [m/s]: a millimetre in two seconds.
pub const RESTING: f64 = 5e-4;
/// It is looked at this often [1/s], for at least and at most so many seconds.
const FRAMES_PER_SECOND: usize = 10;
const LEAST: usize = 1;
const MOST: usize = 15;

/// A draped sample.
#[derive(Clone, Debug, Serialize)]
pub struct Drape {
    /// Drape coefficient [%].
    pub coefficient: f64,
    /// Folds of the outline.
    pub folds: usize,
    /// Seconds until it rested.
    pub time: f64,
    /// Fastest vertex at the end [m/s].
    pub speed: f64,
    /// Pairs of triangles of the final shape that pass through each other.
    pub crossings: usize,
    /// Distance of the outline from the axis in each degree [m].
    pub outline: Vec<f64>,
    /// The final shape [m].
    #[serde(skip)]
    pub positions: Vec<DVec3>,
    /// The flat sample [m].
    #[serde(skip)]
    pub rest: Vec<DVec3>,
    /// Its triangles.
    #[serde(skip)]
    pub triangles: Vec<[u32; 3]>,
}

/// The sample's mesh, and how many of its vertices, from the first, are clamped.
pub fn sample(detail: Detail) -> Result<(Mesh, usize), shapes::ShapeError> {
    // Free rings; the spacing follows, and the clamped rings fill the disc.
    let free = match detail {
        Detail::Full => 16,
        Detail::Coarse => 8,
    };
    let spacing = (RADII[1] - RADII[0]) / (free as f64 + 0.5);
    let held = (RADII[0] / spacing + 0.5).floor() as usize;
    let mut mesh = shapes::disc(1.0, held + free)?;
    // Ring k at the disc's edge + (k − held + ½) spacings.
    let radius = |unit: f64| {
        let ring = (unit * (held + free) as f64).round();
        if ring == 0.0 { 0.0 } else { RADII[0] + (ring - held as f64 + 0.5) * spacing }
    };
    let scale = |p: DVec2| if p == DVec2::ZERO { p } else { p * (radius(p.length()) / p.length()) };
    mesh.positions.iter_mut().for_each(|p| *p = scale(p.truncate()).extend(0.0));
    mesh.uv.iter_mut().flatten().for_each(|p| *p = scale(*p));
    Ok((mesh, 1 + 3 * held * (held + 1)))
}

/// Does the test.
pub fn measure(bench: &mut Bench, detail: Detail) -> Result<Drape, Error> {
    let text = format!(
        "duration = {MOST}\nframes_per_second = {FRAMES_PER_SECOND}\n[settings]\nstep = \"1/60\"\nintegrator = \"linear-backward-euler\"\ncontact = {{ friction_cloth = {} }}\n\
         [environment]\nviscous_drag = 2\n[[cloth]]\nname = \"sample\"\nperturbation = 2e-5\n\
         shape = {{ kind = \"disc\", radius = {}, rings = 4 }}\n",
        super::friction(bench.fabric),
        RADII[1]
    );
    let mut scene = super::scene(bench.fabric, &text)?;
    super::rub(bench.fabric, &mut scene);
    let shape = |source| muslin_sim::simulation::SimError::Shape { body: "sample".into(), source };
    let (mesh, held) = sample(detail).map_err(shape)?;
    let (triangles, rest) = (mesh.triangles.clone(), mesh.positions.clone());
    let cloth = &mut scene.cloths[0];
    cloth.shape = ClothShape::Mesh(mesh);
    cloth.pins = vec![PinSpec {
        select: PinSelect::Vertices((0..held as u32).collect()),
        axes: vec![DVec3::X, DVec3::Y, DVec3::Z],
        motion: muslin_model::PinMotion::Fixed,
        release: f64::INFINITY,
        hold: PinHold::Exact,
    }];
    let mut simulation = Simulation::new(&scene)?;
    let (mut positions, mut speed) = (Vec::new(), f64::INFINITY);
    while simulation.frame() < simulation.frames() {
        let frame = simulation.frame();
        (bench.say)(&format!("Cusick drape, {:.1} s", frame as f64 / FRAMES_PER_SECOND as f64));
        positions = simulation.next_frame()?;
        speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        if frame >= LEAST * FRAMES_PER_SECOND && speed < RESTING {
            break;
        }
    }
    let time = simulation.frame() as f64 / FRAMES_PER_SECOND as f64;
    let rim = rim(&positions);
    let outline = shadow::outline(rim);
    let [disc, whole] = RADII.map(|r| PI * r * r);
    Ok(Drape {
        coefficient: 100.0 * (shadow::area(&triangles, &positions) - disc) / (whole - disc),
        folds: shadow::folds(&outline, FOLD),
        time,
        speed,
        crossings: crossings(&simulation),
        outline,
        positions,
        rest,
        triangles,
    })
}

/// The vertices of the outermost ring: the last 6n of 1 + 3n(n + 1).
fn rim(positions: &[DVec3]) -> &[DVec3] {
    let rings = ((positions.len() as f64 / 3.0).sqrt()).floor() as usize;
    &positions[positions.len() - 6 * rings..]
}

fn crossings(simulation: &Simulation) -> usize {
    let model = simulation.model();
    // A mesh of a few thousand triangles can always be searched, and a state that was committed is finite.
    let surface = muslin_collision::Surface::new(model.mesh.positions.len(), &model.mesh.triangles);
    let found =
        surface.map(|surface| muslin_collision::intersections::intersections(&surface, &simulation.state().positions));
    found.expect("a small mesh").expect("finite positions").len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clamp_acts_at_the_edge_of_the_discs_and_the_rim_is_the_sample_s() {
        for detail in [Detail::Full, Detail::Coarse] {
            let (mesh, held) = sample(detail).unwrap();
            let radius = |v: usize| mesh.positions[v].length();
            // The bend at the last ring that is held spreads over half a spacing to either side.
            let spacing = radius(held) - radius(held - 1);
            assert!((radius(held - 1) - 0.5 * spacing - RADII[0]).abs() < 1e-12);
            assert!(rim(&mesh.positions).iter().all(|p| (p.length() - RADII[1]).abs() < 1e-12));
            assert!(mesh.check_cloth().is_ok());
            // A flat sample has lost nothing; that of the mesh is a polygon of many sides.
            let whole = shadow::area(&mesh.triangles, &mesh.positions) / (PI * RADII[1] * RADII[1]);
            assert!((whole - 1.0).abs() < 0.002, "{whole}");
        }
    }
}
