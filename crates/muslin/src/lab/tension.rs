//! Uniaxial tension: a strip between jaws, pulled in steps and left to rest at each.

use crate::{error::Error, simulation::Simulation};
use glam::{DVec2, DVec3};
use muslin_io::fabrics::Fabric;
use muslin_model::fabric_table::Stiffness;
use serde::Serialize;

/// Free length and width of the strip [m]: twice as long as ISO 13934-1 has it. Jaws keep cloth that is cut on the bias from shearing, and that
/// of a shorter strip shows in its middle: up to 5 % of the load of the library's knits, against 1 % here.
const SIZE: [f64; 2] = [0.4, 0.05];
/// Vertices along and across.
const VERTICES: [usize; 2] = [81, 11];
/// Steps of the pull.
const STATIONS: usize = 8;
/// Where the pull ends: at this load per width [N/m], that of the Kawabata test, …
const MOST_LOAD: f64 = 490.0;
/// … or at this elongation [-], near the end of measured tables.
const MOST_ELONGATION: f64 = 0.15;
/// Substitutions for the law's own curve; each at least halves the error.
const SUBSTITUTIONS: usize = 200;

/// A difference of elongation that shows whether the load grows [-].
const SLIGHTLY: f64 = 1e-5;

/// One point of a pull.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Elongation of the middle half of the strip [-].
    pub elongation: f64,
    /// Force per width [N/m].
    pub load: f64,
    /// What the law gives at that elongation under uniaxial stress [N/m].
    pub law: f64,
}

/// A strip pulled in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tension {
    /// Angle between the pull and the warp [°].
    pub direction_degrees: f64,
    /// Load over elongation at the first step [N/m].
    pub stiffness: f64,
    /// The curve.
    pub points: Vec<Point>,
    /// Largest deviation of a load from the law's [-].
    pub worst_deviation: f64,
    /// Whether the pull ended early, because the law bears less load at larger elongations: a strip then gives way in one place.
    pub softens: bool,
}

/// Pulls a strip cut at an angle to the warp [°].
pub fn pull(fabric: &Fabric, degrees: f64) -> Result<Tension, Error> {
    let law = Law::new(fabric, degrees);
    let most = law.elongation_at(MOST_LOAD, MOST_ELONGATION);
    let [length, width] = SIZE;
    // Each station: half a second to go there, half a second to rest.
    let stop = |k: usize| length * most * k as f64 / STATIONS as f64;
    let keys: Vec<String> = (1..=STATIONS)
        .flat_map(|k| [(k as f64 - 0.5, stop(k)), (k as f64, stop(k))])
        .map(|(time, way)| format!("{{ time = {time:?}, translation = [{way:?}, 0, 0] }}"))
        .collect();
    let text = format!(
        "duration = {STATIONS}\nframes_per_second = 1\n[settings]\nstep = 0.125\ncontact = {{ method = \"none\" }}\n[environment]\ngravity = [0, 0, 0]\n\
         [[cloth]]\nshape = {{ kind = \"grid\", size = [{length}, {width}], vertices = [{}, {}], triangulation = \"alternating\" }}\n\
         warp_degrees = {degrees:?}\n[[cloth.pin]]\nplaces = \"left\"\n[[cloth.pin]]\nplaces = \"right\"\n\
         keyframes = [{{ time = 0 }}, {}]\n",
        VERTICES[0],
        VERTICES[1],
        keys.join(", ")
    );
    let mut simulation = Simulation::new(&super::scene(fabric, &text)?)?;
    let column = |positions: &[DVec3], k: usize| {
        positions[k * VERTICES[1]..(k + 1) * VERTICES[1]].iter().map(|p| p.x).sum::<f64>() / VERTICES[1] as f64
    };
    let (from, to) = (VERTICES[0] / 4, VERTICES[0] - 1 - VERTICES[0] / 4);
    let gauge = length * (to - from) as f64 / (VERTICES[0] - 1) as f64;
    let jaw = (VERTICES[0] - 1) * VERTICES[1]..VERTICES[0] * VERTICES[1];
    let (mut points, mut softens) = (Vec::new(), false);
    while points.len() < STATIONS && !softens {
        let positions = simulation.next_frame()?;
        let elongation = (column(&positions, to) - column(&positions, from)) / gauge - 1.0;
        let load = -super::force_on(&simulation, jaw.clone()).x / width;
        softens = law.softens_at(elongation);
        if !softens {
            points.push(Point { elongation, load, law: law.load_at(elongation) });
        }
    }
    let worst_deviation = points.iter().map(|p| (p.load / p.law - 1.0).abs()).fold(0.0, f64::max);
    Ok(Tension {
        direction_degrees: degrees,
        stiffness: points.first().map_or(f64::NAN, |p| p.load / p.elongation),
        points,
        worst_deviation,
        softens,
    })
}

/// A fabric's law under uniaxial stress S = σ d⊗d.
pub struct Law<'a> {
    fabric: &'a Fabric,
    rest: Stiffness,
    direction: DVec2,
}

impl<'a> Law<'a> {
    /// For a direction at an angle to the warp [°].
    pub fn new(fabric: &'a Fabric, degrees: f64) -> Self {
        let value = |key| fabric.value(key).unwrap_or(f64::NAN);
        let (warp, weft, nu) = (value("stretch_warp"), value("stretch_weft"), value("poisson"));
        let scale = 1.0 / (1.0 - nu * nu);
        let rest = [warp * scale, weft * scale, nu * (warp * weft).sqrt() * scale, value("shear")];
        Law { fabric, rest, direction: DVec2::from_angle(degrees.to_radians()) }
    }

    /// Load per width at an elongation [N/m]: the strain σ C⁻¹ s with that elongation, s the direction of the stress, by substitution.
    pub fn load_at(&self, elongation: f64) -> f64 {
        let (d, stretch) = (self.direction, 1.0 + elongation);
        let s = DVec3::new(d.x * d.x, d.y * d.y, d.x * d.y);
        let along = 0.5 * (stretch * stretch - 1.0);
        let (mut strain, mut stress) = (DVec3::ZERO, 0.0);
        for _ in 0..SUBSTITUTIONS {
            let [c11, c22, c12, c33] = self.fabric.stretch_table.as_ref().map_or(self.rest, |t| t.table.at(strain));
            let det = c11 * c22 - c12 * c12;
            let per_stress = DVec3::new((c22 * s.x - c12 * s.y) / det, (c11 * s.y - c12 * s.x) / det, s.z / c33);
            stress = along / per_stress.dot(s);
            let next = per_stress * stress;
            // A stiffness of 0 in the table has no answer; no line gets longer than this.
            let next =
                if next.is_finite() { next.clamp(DVec3::splat(-10.0), DVec3::splat(10.0)) } else { DVec3::splat(10.0) };
            strain = (strain + next) * 0.5;
        }
        stress * stretch
    }

    /// Whether the load falls where a strip gets longer.
    fn softens_at(&self, elongation: f64) -> bool {
        self.load_at(elongation + SLIGHTLY) < self.load_at(elongation)
    }

    /// The elongation at a load per width [N/m], or another one if it is less [-].
    fn elongation_at(&self, load: f64, most: f64) -> f64 {
        if self.load_at(most) < load {
            return most;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.load_at(middle) < load { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}
