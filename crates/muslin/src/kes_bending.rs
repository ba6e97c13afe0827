//! The pure bending test of the Kawabata system (KES-FB2), on virtual cloth.
//!
//! A strip that is aligned with the grid is held in two clamps, two columns of vertices each. One clamp stands, the other is
//! led along the way on which the strip between them has the same curvature everywhere, to ±2.5 cm⁻¹ and back. The curvature
//! is the clamps' turn against each other over the length that the free hinges stand for; the moment per width comes from
//! virtual work: what the moving clamp did in a step over its turn in that step. Nothing of the bending model is asked.

use glam::{DVec2, DVec3};
use muslin_model::{Environment, Field, Material, shapes::Triangulation};
use muslin_sim::{
    Hands, Scene, Settings, SimError, Simulation,
    scene::{BendModel, Claims, ClothShape, ClothSpec, Placement, StartSpec, StretchModel},
    settings::{ContactMethod, ContactSettings, IntegratorKind},
};

/// Largest curvature of the Kawabata test [1/m].
pub const LARGEST_CURVATURE: f64 = 250.0;
/// Length of the specimen between the clamps of the Kawabata test [m].
pub const LENGTH: f64 = 0.01;

/// Columns of vertices that a clamp holds.
const CLAMP: usize = 2;
/// Rows of vertices across the strip.
const ROWS: usize = 5;
/// Width of a cell over its length [-], unless asked otherwise. Along the free borders the wings of hinges miss their counterparts:
/// what is left shears the strip by a flow of moment times curvature times this ratio, and cloth is soft in shear.
const CELL: f64 = 0.25;

/// The yarns that the strip bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A strip along the warp.
    Warp,
    /// A strip along the weft.
    Weft,
}

/// How a clamp goes from turn to turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Evenly, as the machine does.
    Even,
    /// Without a jerk at the turns, for quick tests: a strip that is not calmed would swing on.
    Gentle,
}

impl Pace {
    /// Part of the way [-] after a part of the time [-].
    fn way(self, part: f64) -> f64 {
        match self {
            Pace::Even => part,
            Pace::Gentle => 0.5 - 0.5 * (std::f64::consts::PI * part).cos(),
        }
    }
}

/// What is tested, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct BendingTest {
    /// The fabric; its viscosities are left out, because the test is slow.
    pub material: Material,
    /// Its bending model.
    pub bend: BendModel,
    /// Direction of the strip.
    pub along: Along,
    /// Hinges between the clamps, at least one.
    pub hinges: usize,
    /// Width of a cell over its length [-]: narrow cells shear less, wide ones allow explicit schemes longer steps.
    pub cell: f64,
    /// How the clamp goes.
    pub pace: Pace,
    /// Steps of each quarter of the cycle.
    pub steps: usize,
    /// Time of each quarter [s].
    pub quarter: f64,
}

impl BendingTest {
    /// A test of a fabric as fine and as slow as needed.
    pub fn new(material: Material, bend: BendModel) -> Self {
        BendingTest {
            material,
            bend,
            along: Along::Warp,
            hinges: 10,
            cell: CELL,
            pace: Pace::Even,
            steps: 100,
            quarter: 10.0,
        }
    }

    /// Bends the strip to one side, to the other, and to the first again: the first quarter and one closed loop.
    pub fn run(&self) -> Result<BendingLoop, SimError> {
        let spacing = LENGTH / self.hinges as f64;
        let width = self.cell * spacing * (ROWS - 1) as f64;
        let mut simulation = Simulation::new(&self.scene(spacing, width))?;
        let mut points = vec![LoopPoint { curvature: 0.0, moment: 0.0 }];
        let (mut time, mut lost, mut kept) = (0.0, 0.0, 0.0);
        // Quarters: up, down through zero (two), up through zero (two).
        let corners = [0.0, LARGEST_CURVATURE, -LARGEST_CURVATURE, LARGEST_CURVATURE];
        for (leg, ends) in corners.windows(2).enumerate() {
            if leg == 1 {
                kept = -held(&simulation);
            }
            let steps = if leg == 0 { self.steps } else { 2 * self.steps };
            for n in 1..=steps {
                let curvature = ends[0] + (ends[1] - ends[0]) * self.pace.way(n as f64 / steps as f64);
                let turn = (curvature - points[points.len() - 1].curvature) * LENGTH;
                simulation.set_hands(Hands { held: self.clamps(spacing, curvature, &simulation), ..Hands::default() });
                time += self.quarter / self.steps as f64;
                let before = simulation.tally().work;
                simulation.step_to(time)?;
                let after = simulation.tally().work;
                points.push(LoopPoint { curvature, moment: (after.pins - before.pins) / (turn * width) });
                if leg > 0 {
                    lost += before.damping - after.damping;
                }
            }
        }
        kept += held(&simulation);
        let area = LENGTH * width;
        Ok(BendingLoop { points, first: self.steps, lost: lost / area, kept: kept / area })
    }

    /// Where the clamps hold the strip at a curvature [1/m].
    fn clamps(&self, spacing: f64, curvature: f64, simulation: &Simulation) -> Vec<(u32, DVec3)> {
        let columns = self.hinges + 2;
        let (mut place, mut held) = (DVec3::ZERO, Vec::new());
        for column in 0..columns {
            if column < CLAMP || column + CLAMP >= columns {
                for row in 0..ROWS {
                    let v = column * ROWS + row;
                    held.push((v as u32, place + DVec3::Y * simulation.model().mesh.positions[v].y));
                }
            }
            let (sine, cosine) = (curvature * spacing * column as f64).sin_cos();
            place += DVec3::new(cosine, 0.0, sine) * spacing;
        }
        held
    }

    fn scene(&self, spacing: f64, width: f64) -> Scene {
        let mut material = self.material.clone();
        for viscosity in [
            &mut material.damping_warp,
            &mut material.damping_weft,
            &mut material.damping_shear,
            &mut material.damping_bend,
        ] {
            *viscosity = Field::Uniform(0.0);
        }
        let length = spacing * (self.hinges + 1) as f64;
        let cloth = ClothSpec {
            name: "strip".into(),
            shape: ClothShape::Grid {
                vertices: [self.hinges + 2, ROWS],
                size: DVec2::new(length, width),
                triangulation: Triangulation::Alternating,
            },
            // The standing clamp begins at the origin.
            placement: Placement { translation: DVec3::X * (0.5 * length), ..Placement::default() },
            material,
            stretch: StretchModel::Membrane,
            bend: self.bend,
            loads: Vec::new(),
            wrinkles: Vec::new(),
            pins: Vec::new(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            warp_angle: if self.along == Along::Warp { 0.0 } else { std::f64::consts::FRAC_PI_2 },
            perturbation: 0.0,
            perturbation_seed: 0,
        };
        let step = self.quarter / self.steps as f64;
        Scene {
            name: "kes-bending".into(),
            description: String::new(),
            duration: 5.0 * self.quarter,
            frames_per_second: 1.0 / step,
            settings: Settings {
                step,
                integrator: IntegratorKind::BackwardEuler,
                adaptive: None,
                contact: ContactSettings { method: ContactMethod::None, ..ContactSettings::default() },
                ..Settings::default()
            },
            environment: Environment { gravity: DVec3::ZERO, ..Environment::default() },
            cloths: vec![cloth],
            obstacles: Vec::new(),
            start: StartSpec::default(),
            claims: Claims::default(),
            camera: None,
        }
    }
}

/// Energy that a strip holds [J].
fn held(simulation: &Simulation) -> f64 {
    let energy = simulation.energy();
    energy.kinetic + energy.elastic
}

/// One reading of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopPoint {
    /// Curvature [1/m].
    pub curvature: f64,
    /// Moment per width [N].
    pub moment: f64,
}

/// The readings of a test, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct BendingLoop {
    /// All readings, the flat strip first.
    pub points: Vec<LoopPoint>,
    /// The reading at which the closed loop begins and with which it ends.
    pub first: usize,
    /// Energy per area that the fabric itself says it lost in the closed loop [J/m²].
    pub lost: f64,
    /// Energy per area, kinetic and stored, by which the strip has more at the end of the loop than at its beginning [J/m²]:
    /// next to nothing in a slow test, swings in a quick one.
    pub kept: f64,
}

impl BendingLoop {
    /// Work per area of the closed loop, by trapezia [J/m²]: its area.
    pub fn area(&self) -> f64 {
        let pairs = self.points[self.first..].windows(2);
        pairs.map(|p| 0.5 * (p[0].moment + p[1].moment) * (p[1].curvature - p[0].curvature)).sum()
    }

    /// The moment of one leg of the loop at a curvature, between its readings [N].
    fn at(&self, leg: Leg, curvature: f64) -> f64 {
        let middle = (self.first + self.points.len()) / 2;
        let leg = match leg {
            Leg::Falling => &self.points[self.first..=middle],
            Leg::Rising => &self.points[middle..],
        };
        let crossing = |p: &&[LoopPoint]| (p[0].curvature - curvature) * (p[1].curvature - curvature) <= 0.0;
        let Some([a, b]) = leg.windows(2).find(crossing) else { return f64::NAN };
        a.moment + (b.moment - a.moment) * (curvature - a.curvature) / (b.curvature - a.curvature)
    }

    /// B as Kawabata reads it: mean slope between 0.5 and 1.5 cm⁻¹, on both sides [N·m].
    pub fn rigidity(&self) -> f64 {
        let slope = |leg, sign: f64| (self.at(leg, 150.0 * sign) - self.at(leg, 50.0 * sign)) / (100.0 * sign);
        0.5 * (slope(Leg::Rising, 1.0) + slope(Leg::Falling, -1.0))
    }

    /// 2HB as Kawabata reads it: width of the loop at 1 cm⁻¹, on both sides [N].
    pub fn hysteresis(&self) -> f64 {
        let width = |k: f64| self.at(Leg::Rising, k) - self.at(Leg::Falling, k);
        0.5 * (width(100.0) + width(-100.0))
    }
}

/// The two ways of a closed loop.
#[derive(Clone, Copy)]
enum Leg {
    Falling,
    Rising,
}
