//! Numbers that cloth is coloured by.

use glam::DVec3;
use muslin_dynamics::forces::CurvatureProbe;
use muslin_model::Model;
use muslin_sim::{Grip, Simulation};

/// What cloth may be coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Its own colours.
    Fabric,
    /// The larger elongation along warp and weft [-].
    Strain,
    /// Shear angle between warp and weft [rad].
    Shear,
    /// Size of the curvature tensor, √(κ₁₁² + κ₂₂² + 2 κ₁₂²) [1/m].
    Curvature,
    /// Speed [m/s].
    Velocity,
    /// Smallest gap of a contact that presses [m]; where none does, the gap at which contact begins.
    Gap,
    /// What friction does: 0 nothing presses, ½ all contacts stick, 1 one slips [-].
    Friction,
    /// Largest angle by which the rest shape of a hinge at the vertex has moved [rad].
    Residual,
}

impl Measure {
    /// All, in the order of their numbers on the wire.
    pub const ALL: [Measure; 8] = [
        Measure::Fabric,
        Measure::Strain,
        Measure::Shear,
        Measure::Curvature,
        Measure::Velocity,
        Measure::Gap,
        Measure::Friction,
        Measure::Residual,
    ];

    /// Those that a simulation can tell.
    pub fn told_by(simulation: &Simulation) -> Vec<Measure> {
        let told = |m: &Measure| {
            (!m.needs_contacts() || simulation.has_contact()) && (!m.needs_creases() || remembers_bends(simulation))
        };
        Measure::ALL.into_iter().filter(told).collect()
    }

    /// Those that positions and velocities tell.
    pub fn of_motion() -> Vec<Measure> {
        Measure::ALL.into_iter().filter(|m| m.of_positions()).collect()
    }

    /// Whether positions and velocities tell it.
    pub fn of_positions(self) -> bool {
        !self.needs_contacts() && !self.needs_creases()
    }

    /// One word, as people type it.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Fabric => "fabric",
            Measure::Strain => "strain",
            Measure::Shear => "shear",
            Measure::Curvature => "curvature",
            Measure::Velocity => "velocity",
            Measure::Gap => "gap",
            Measure::Friction => "friction",
            Measure::Residual => "residual",
        }
    }

    /// The unit of its numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Fabric | Measure::Strain | Measure::Friction => "",
            Measure::Shear | Measure::Residual => "rad",
            Measure::Curvature => "1/m",
            Measure::Velocity => "m/s",
            Measure::Gap => "m",
        }
    }

    /// Whether only a simulation with contact can tell it: positions alone do not.
    pub fn needs_contacts(self) -> bool {
        matches!(self, Measure::Gap | Measure::Friction)
    }

    /// Whether only cloth whose bending has a memory can tell it.
    pub fn needs_creases(self) -> bool {
        self == Measure::Residual
    }

    /// By its word.
    pub fn find(name: &str) -> Option<Measure> {
        Measure::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// Measures a cloth, with room that is kept from frame to frame.
pub struct Gauge {
    probe: Option<CurvatureProbe>,
    curvatures: Vec<DVec3>,
    /// Rest area around each vertex [m²].
    areas: Vec<f64>,
    sums: Vec<f64>,
    /// A number per vertex of the model; obstacles have none.
    pub values: Vec<f32>,
}

impl Gauge {
    /// Prepares for a model.
    pub fn new(model: &Model) -> Self {
        let mut areas = vec![0.0; model.cloth_vertices().len()];
        for face in model.cloth_triangles() {
            let area = model.mesh.rest_area(face);
            model.mesh.triangles[face].iter().for_each(|&v| areas[v as usize] += area);
        }
        Gauge { probe: None, curvatures: Vec::new(), areas, sums: Vec::new(), values: Vec::new() }
    }

    /// Sets `values` to a measure of a frame. Quantities of triangles become means around vertices, weighted by area.
    pub fn measure(&mut self, measure: Measure, model: &Model, positions: &[DVec3], velocities: &[DVec3]) {
        self.values.clear();
        match measure {
            Measure::Fabric | Measure::Gap | Measure::Friction | Measure::Residual => {}
            Measure::Velocity => {
                let cloth = model.cloth_vertices().len().min(velocities.len());
                self.values.extend(velocities[..cloth].iter().map(|v| v.length() as f32));
            }
            Measure::Strain => self.spread(model, |face| {
                let [u, v] = axes(model, positions, face);
                u.length().max(v.length()) - 1.0
            }),
            Measure::Shear => self.spread(model, |face| {
                let [u, v] = axes(model, positions, face);
                (u.dot(v) / (u.length() * v.length())).clamp(-1.0, 1.0).asin().abs()
            }),
            Measure::Curvature => {
                let probe = self.probe.get_or_insert_with(|| CurvatureProbe::new(model));
                let mut curvatures = std::mem::take(&mut self.curvatures);
                probe.measure(positions, &mut curvatures);
                self.spread(model, |face| {
                    let k: DVec3 = curvatures[face];
                    (k.x * k.x + k.y * k.y + 2.0 * k.z * k.z).sqrt()
                });
                self.curvatures = curvatures;
            }
        }
    }

    /// Sets `values` to a measure of the contacts at the end of a simulation's last step, and returns their upper end.
    pub fn measure_contacts(&mut self, measure: Measure, simulation: &Simulation) -> f32 {
        let (nothing, most) = match measure {
            Measure::Gap => (simulation.contact_range() as f32, simulation.contact_range() as f32),
            _ => (0.0, 1.0),
        };
        self.values.clear();
        self.values.resize(self.areas.len(), nothing);
        for contact in simulation.pressing_contacts() {
            for v in contact.vertices {
                let Some(value) = self.values.get_mut(v as usize) else { continue };
                *value = match (measure, contact.grip) {
                    (Measure::Gap, _) => value.min(contact.gap as f32),
                    (_, Grip::Sticks) => value.max(0.5),
                    (_, Grip::Slips) => 1.0,
                };
            }
        }
        most
    }

    /// Sets `values` to the largest residual angle of a hinge at each vertex, at the end of a simulation's last step.
    pub fn measure_creases(&mut self, simulation: &Simulation) {
        let system = simulation.system();
        self.values.clear();
        self.values.resize(self.areas.len(), 0.0);
        for force in system.forces.iter().filter(|force| force.crease_count() > 0) {
            for element in 0..force.crease_count() {
                let Some(bend) = force.bend(element) else { continue };
                // The ends of the edge come last.
                for &v in &force.stencil(element)[2..] {
                    let value = &mut self.values[system.model_from_solver[v as usize] as usize];
                    *value = value.max(bend.residual.abs() as f32);
                }
            }
        }
    }

    fn spread(&mut self, model: &Model, of_face: impl Fn(usize) -> f64) {
        self.sums.clear();
        self.sums.resize(self.areas.len(), 0.0);
        for face in model.cloth_triangles() {
            let share = of_face(face) * model.mesh.rest_area(face);
            model.mesh.triangles[face].iter().for_each(|&v| self.sums[v as usize] += share);
        }
        self.values.extend(self.sums.iter().zip(&self.areas).map(|(sum, area)| (sum / area) as f32));
    }
}

/// Whether hinges of a simulation remember how they were bent.
pub(crate) fn remembers_bends(simulation: &Simulation) -> bool {
    simulation.system().forces.iter().any(|force| force.crease_count() > 0 && force.bend(0).is_some())
}

/// Warp and weft of a triangle as they are now: unit length is no strain [-].
fn axes(model: &Model, positions: &[DVec3], face: usize) -> [DVec3; 2] {
    let [p0, p1, p2] = model.mesh.uv[face];
    let [x0, x1, x2] = model.mesh.triangles[face].map(|v| positions[v as usize]);
    let (a, b, d1, d2) = (p1 - p0, p2 - p0, x1 - x0, x2 - x0);
    let det = a.perp_dot(b);
    [(d1 * b.y - d2 * a.y) / det, (d2 * a.x - d1 * b.x) / det]
}

/// The ends of the colours, which follow the largest number without flicker: up at once, down only after it has been
/// well below for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    high: f32,
    low_frames: u32,
}

/// Frames before the scale falls.
const PATIENCE: u32 = 90;
/// It falls when the largest number is below this part of it [-].
const WELL_BELOW: f32 = 0.4;

impl Scale {
    /// The ends for a frame's numbers, which never fall: for pictures that are compared.
    pub fn rise(&mut self, values: &[f32]) -> [f32; 2] {
        let most = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
        if most > self.high {
            self.high = round_up(most);
        }
        [0.0, self.high]
    }

    /// The upper end now.
    pub fn highest(&self) -> f32 {
        self.high
    }

    /// The ends for a frame's numbers.
    pub fn follow(&mut self, values: &[f32]) -> [f32; 2] {
        let most = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
        if most > self.high {
            (self.high, self.low_frames) = (round_up(most), 0);
        } else if most < WELL_BELOW * self.high {
            self.low_frames += 1;
            if self.low_frames > PATIENCE {
                (self.high, self.low_frames) = (round_up(most), 0);
            }
        } else {
            self.low_frames = 0;
        }
        [0.0, self.high]
    }
}

/// The next 1, 2 or 5 times a power of ten.
fn round_up(value: f32) -> f32 {
    if !(value > 0.0) {
        return 0.0;
    }
    let power = 10f32.powf(value.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|step| step * power).find(|&end| end >= value).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Simulation {
        Simulation::new(&muslin_io::load("hang", &["resolution=8".into()]).unwrap().scene).unwrap()
    }

    #[test]
    fn a_stretched_sheet_has_that_strain_everywhere() {
        let simulation = sheet();
        let model = simulation.model();
        // Along both axes, whichever the warp is.
        let positions: Vec<DVec3> = model.mesh.positions.iter().map(|p| *p * 1.05).collect();
        let mut gauge = Gauge::new(model);
        gauge.measure(Measure::Strain, model, &positions, &[]);
        assert_eq!(gauge.values.len(), 64);
        assert!(gauge.values.iter().all(|v| (v - 0.05).abs() < 1e-6), "{:?}", gauge.values);
        gauge.measure(Measure::Shear, model, &positions, &[]);
        assert!(gauge.values.iter().all(|v| v.abs() < 1e-6));
    }

    #[test]
    fn a_sheet_rolled_onto_a_cylinder_has_its_curvature() {
        let simulation = sheet();
        let model = simulation.model();
        let radius = 0.7;
        let start = &model.mesh.positions;
        let width = start.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let rolled: Vec<DVec3> = start
            .iter()
            .map(|p| {
                let (sin, cos) = ((p.x - width) / radius).sin_cos();
                DVec3::new(radius * sin, p.y + radius * (1.0 - cos), p.z)
            })
            .collect();
        let flat = start.iter().all(|p| (p.y - start[0].y).abs() < 1e-9);
        let mut gauge = Gauge::new(model);
        gauge.measure(Measure::Curvature, model, &rolled, &[]);
        let middle = gauge.values[3 * 8 + 3];
        assert!(flat && (f64::from(middle) * radius - 1.0).abs() < 0.02, "{middle} against {}", 1.0 / radius);
    }

    #[test]
    fn the_scale_rises_at_once_and_falls_with_patience() {
        let mut scale = Scale::default();
        assert_eq!(scale.follow(&[0.013]), [0.0, 0.02]);
        assert_eq!(scale.follow(&[0.9, f32::NAN]), [0.0, 1.0]);
        for _ in 0..PATIENCE {
            assert_eq!(scale.follow(&[0.1]), [0.0, 1.0]);
        }
        assert!(scale.follow(&[0.1])[1] < 0.21);
        assert_eq!(Scale::default().follow(&[0.0]), [0.0, 0.0]);
    }

    /// A small sheet that lies on a slope of some angle [degrees], with some friction.
    fn on_a_slope(angle: f64, friction: &str) -> Simulation {
        let (sin, cos) = angle.to_radians().sin_cos();
        let (along, down) = (9.81 * sin, -9.81 * cos);
        let text = format!(
            "duration = 3\n[settings]\nstep = \"1/60\"\ncontact = {{ method = \"implicit\", friction_object = {friction} }}\n\
             [environment]\ngravity = [{along}, 0, {down}]\n\
             [[cloth]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", size = [0.1, 0.1], vertices = [4, 4] }}\n\
             translation = [0, 0, 0.0006]\n[[obstacle]]\nname = \"slope\"\nshape = {{ kind = \"plane\", size = 9 }}\n"
        );
        let scene = muslin_io::scene_file::parse("slope.toml", &text, "slope", &[]).unwrap().scene;
        let mut simulation = Simulation::new(&scene).unwrap();
        (0..60).for_each(|_| drop(simulation.next_frame().unwrap()));
        simulation
    }

    #[test]
    fn a_sheet_sticks_below_the_angle_of_friction_and_slips_above_it() {
        let law = |law: &str| {
            format!("{{ law = \"{law}\", kinetic = 0.1, static = 0.3, stribeck_speed = 0.1, viscosity = 0.1 }}")
        };
        let laws = ["0.3".to_string(), law("stiction"), law("stribeck"), law("viscous")];
        // The tangent of 16.7° is 0.3, of 5.7° 0.1.
        let angles = [(8.0, 0.5), (30.0, 1.0)];
        for (friction, (angle, expected)) in laws.iter().flat_map(|law| angles.map(|angle| (law, angle))) {
            let simulation = on_a_slope(angle, friction);
            let mut gauge = Gauge::new(simulation.model());
            assert_eq!(gauge.measure_contacts(Measure::Friction, &simulation), 1.0);
            let pressed: Vec<f32> = gauge.values.iter().copied().filter(|v| *v > 0.0).collect();
            assert!(
                pressed.len() >= 8 && pressed.iter().all(|v| *v == expected),
                "{friction}, {angle}°: {:?}",
                gauge.values
            );
            let range = gauge.measure_contacts(Measure::Gap, &simulation);
            let gaps = gauge.values.iter().filter(|gap| **gap < range).count();
            assert!(gaps == pressed.len() && gauge.values.iter().all(|gap| *gap > 0.1 * range), "{:?}", gauge.values);
        }
    }
}
