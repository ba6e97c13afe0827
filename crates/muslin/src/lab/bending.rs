//! Kawabata's pure bending test: a sheet that is rolled to one curvature all over, up to ±2.5 1/cm.
//!
//! The rolled shape is imposed; the moment is what the cloth's own forces do against a change of the curvature (virtual work
//! per area), taken over triangles that no border is near. The default and the tabulated bending are elastic: their loop
//! has no width. Fabrics with a measured 2HB go through [`crate::kes_bending`] along warp and weft, with the bending model
//! that has a loop; the curvature over which its friction builds up is assumed.

use super::measured;
use crate::{
    error::Error,
    kes_bending::{Along, BendingTest},
    simulation::Simulation,
};
use glam::{DVec2, DVec3};
use muslin_dynamics::domains::VertexPart;
use muslin_io::fabrics::Fabric;
use muslin_sim::scene::{BendMemory, BendModel, RestShape};
use serde::Serialize;

/// Side of the sample [m] and its vertices along each side: at the largest curvature a cell turns by 0.06 rad.
const SIDE: f64 = 0.004;
const VERTICES: usize = 17;
/// Largest curvature [1/m], Kawabata's 2.5 1/cm.
const MOST: f64 = 250.0;
/// Steps from 0 to the largest curvature.
const STEPS: i32 = 25;
/// Kawabata reads the rigidity between these curvatures [1/m].
const KAWABATA: [f64; 2] = [50.0, 150.0];
/// Draping cloth bends less; the rigidity of the report is read between these [1/m].
const GENTLE: [f64; 2] = [0.0, 20.0];
/// Step of the virtual bend, as a part of the largest curvature [-].
const VIRTUAL: f64 = 1e-5;

/// Bending in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bending {
    /// Angle between the bend and the warp [°].
    pub direction_degrees: f64,
    /// Slope of the moment per width between 0 and 0.2 1/cm [N·m]; with a loop, as Kawabata reads it.
    pub rigidity: f64,
    /// The same between 0.5 and 1.5 1/cm, as Kawabata reads it [N·m].
    pub rigidity_kawabata: f64,
    /// Width of the loop at 1 1/cm, 2HB [N].
    pub hysteresis_2hb: f64,
    /// Curvature [1/m], moment per width [N], around the loop.
    pub points: Vec<[f64; 2]>,
    /// The same on the lines of the measured B and 2HB, where Kawabata reads B; empty where nobody measured them.
    pub measured: Vec<[f64; 2]>,
}

/// Does the test along warp, at 45° and along weft.
pub fn measure(fabric: &Fabric) -> Result<Vec<Bending>, Error> {
    let text = format!(
        "duration = 1\n[[cloth]]\nshape = {{ kind = \"grid\", size = [{SIDE}, {SIDE}], vertices = [{VERTICES}, {VERTICES}], triangulation = \"alternating\" }}\n"
    );
    let simulation = Simulation::new(&super::scene(fabric, &text)?)?;
    let sample = Sample::new(&simulation);
    let mut all: Vec<Bending> = [0.0, 45.0, 90.0].into_iter().map(|degrees| bend(&sample, degrees)).collect();
    if fabric.value("bend_hysteresis").is_some() {
        all[0] = kawabata_loop(fabric, Along::Warp)?;
        all[2] = kawabata_loop(fabric, Along::Weft)?;
    }
    for (k, key) in [(0, "bend_warp"), (2, "bend_weft")] {
        let numbers = measured::number(fabric, key).zip(measured::number(fabric, "bend_hysteresis"));
        all[k].measured = numbers.map_or_else(Vec::new, |(b, width)| measured::lines(b, width, KAWABATA));
    }
    Ok(all)
}

/// The loop of a strip between clamps, with internal friction.
fn kawabata_loop(fabric: &Fabric, along: Along) -> Result<Bending, Error> {
    let bend = BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps: 0 };
    let measured = BendingTest { along, ..BendingTest::new(fabric.material(), bend) }.run()?;
    Ok(Bending {
        direction_degrees: if along == Along::Warp { 0.0 } else { 90.0 },
        rigidity: measured.rigidity(),
        rigidity_kawabata: measured.rigidity(),
        hysteresis_2hb: measured.hysteresis(),
        points: measured.points.iter().map(|p| [p.curvature, p.moment]).collect(),
        measured: Vec::new(),
    })
}

fn bend(sample: &Sample, degrees: f64) -> Bending {
    let loop_steps = (0..=STEPS).chain((-STEPS..STEPS).rev()).chain(-STEPS + 1..=STEPS);
    let curvatures = loop_steps.map(|k| MOST * f64::from(k) / f64::from(STEPS));
    let points: Vec<[f64; 2]> = curvatures.map(|k| [k, sample.moment(degrees, k)]).collect();
    let first = |k: f64| points.iter().find(|p| (p[0] - k).abs() < 1e-9 * MOST).map_or(f64::NAN, |p| p[1]);
    let slope = |[low, high]: [f64; 2]| (first(high) - first(low)) / (high - low);
    // At 1 1/cm the loop is passed on the way up and on the way down.
    let at: Vec<f64> = points.iter().filter(|p| (p[0] - 100.0).abs() < 1e-9 * MOST).map(|p| p[1]).collect();
    Bending {
        direction_degrees: degrees,
        rigidity: slope(GENTLE),
        rigidity_kawabata: slope(KAWABATA),
        hysteresis_2hb: (at[0] - at[1]).abs(),
        points,
        measured: Vec::new(),
    }
}

/// A flat sample and its bending force.
struct Sample<'a> {
    simulation: &'a Simulation,
    /// Positions in the solver's order [m].
    flat: Vec<DVec3>,
    /// Index of the bending force, and its elements that no border is near.
    force: usize,
    inside: Vec<usize>,
}

impl<'a> Sample<'a> {
    fn new(simulation: &'a Simulation) -> Self {
        let system = simulation.system();
        let mut flat = Vec::new();
        system.gather(&simulation.state().positions, &mut flat);
        let force = system.forces.iter().position(|f| f.name() == "curvature").unwrap_or(0);
        let bending = &system.forces[force];
        // Four cells away from every border.
        let reach = SIDE * (0.5 - 4.0 / (VERTICES - 1) as f64) + 1e-9;
        let inner =
            |e: &usize| bending.stencil(*e).iter().all(|&v| flat[v as usize].truncate().abs().max_element() < reach);
        let inside = (0..bending.elements().crossing.end).filter(inner).collect();
        Sample { simulation, flat, force, inside }
    }

    /// The sample on a cylinder whose arc runs at an angle to the warp [m].
    fn rolled(&self, degrees: f64, curvature: f64) -> Vec<DVec3> {
        if curvature == 0.0 {
            return self.flat.clone();
        }
        let direction = DVec2::from_angle(degrees.to_radians());
        let roll = |p: &DVec3| {
            let (along, across) = (p.truncate().dot(direction), p.truncate().dot(direction.perp()));
            let angle = curvature * along;
            let plane = direction * (angle.sin() / curvature) + direction.perp() * across;
            // 1 − cos, without losing digits where it is small.
            DVec3::new(plane.x, plane.y, 2.0 * (0.5 * angle).sin().powi(2) / curvature)
        };
        self.flat.iter().map(roll).collect()
    }

    /// Moment per width at a curvature [N].
    fn moment(&self, degrees: f64, curvature: f64) -> f64 {
        let delta = VIRTUAL * MOST;
        let [low, at, high] = [curvature - delta, curvature, curvature + delta].map(|k| self.rolled(degrees, k));
        let still = vec![DVec3::ZERO; at.len()];
        let mut forces = still.clone();
        let bending = &self.simulation.system().forces[self.force];
        for &e in &self.inside {
            bending.add_force(e..e + 1, &at, &still, &mut VertexPart { first: 0, values: &mut forces });
        }
        let work: f64 = (0..at.len()).map(|v| forces[v].dot(high[v] - low[v])).sum();
        let cell = SIDE / (VERTICES - 1) as f64;
        -work / (2.0 * delta) / (0.5 * cell * cell * self.inside.len() as f64)
    }
}
