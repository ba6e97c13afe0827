//! The frames of a scene or of a recording, one after the other, for whoever draws them.

use crate::{error::Error, recorded::RecordedMeasures};
use glam::DVec3;
use muslin_io::{
    output::Cast,
    recording::{self, Hints, Recording},
};
use muslin_model::{BodyKind, Cloth, Environment, Material, Mesh, Model};
use muslin_render::Camera;
use muslin_sim::Simulation;
use std::path::Path;

/// Frames per second of formats that do not say it [1/s].
const USUAL_RATE: f64 = 60.0;

enum Origin {
    Recorded(Box<dyn Recording>),
    Simulated(Box<Simulation>),
}

/// Frames, read or simulated as they are asked for.
pub struct Reel {
    origin: Origin,
    cast: Cast,
    /// Where the scene wants to be seen from, if it says.
    pub camera: Option<Camera>,
    /// Positions of the frame read last [m].
    pub positions: Vec<DVec3>,
    /// Its velocities [m/s]; of a recording from the frame before.
    pub velocities: Vec<DVec3>,
    /// The cloths as a model, to be measured; `None` if a recording has no pattern.
    pub model: Option<Model>,
    /// What the run of a recording wrote beyond positions.
    pub recorded: Option<RecordedMeasures>,
}

impl Reel {
    /// Opens a scene, by its name or file, or a recording.
    pub fn open(input: &str, settings: &[String]) -> Result<Self, Error> {
        let path = Path::new(input);
        let is_scene = input.ends_with(".toml") || muslin_io::builtin::find(input).is_some();
        if is_scene || !path.exists() {
            return Reel::of_scene(input, settings);
        }
        let hints = Hints { otherwise: Some(USUAL_RATE), ..Hints::default() };
        let recording = recording::open(path, &hints)?;
        let cast = recording.cast().clone();
        let model = model_of(&cast);
        let origin = Origin::Recorded(recording);
        let mut reel = Reel {
            origin,
            cast,
            camera: None,
            positions: Vec::new(),
            velocities: Vec::new(),
            model,
            recorded: RecordedMeasures::open(path),
        };
        reel.read(0)?;
        Ok(reel)
    }

    fn of_scene(input: &str, settings: &[String]) -> Result<Self, Error> {
        let scene = muslin_io::load(input, settings)?.scene;
        let simulation = Simulation::new(&scene)?;
        let cast = Cast::of(simulation.model(), &scene.name, scene.frames_per_second, scene.frames());
        Ok(Reel {
            camera: scene.camera.map(|c| Camera::new(c.position, c.target, c.field_of_view)),
            positions: simulation.state().positions.clone(),
            velocities: simulation.state().velocities.clone(),
            model: Some(simulation.model().clone()),
            origin: Origin::Simulated(Box::new(simulation)),
            cast,
            recorded: None,
        })
    }

    /// The bodies, and how many frames there are.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// The simulation that makes the frames, if they are simulated.
    pub fn simulation(&self) -> Option<&Simulation> {
        match &self.origin {
            Origin::Simulated(simulation) => Some(simulation),
            Origin::Recorded(_) => None,
        }
    }

    /// Whether frames must be simulated, each once and in order.
    pub fn is_simulated(&self) -> bool {
        matches!(self.origin, Origin::Simulated(_))
    }

    /// Reads a frame. A simulated one must not lie before the last.
    pub fn read(&mut self, frame: usize) -> Result<(), Error> {
        match &mut self.origin {
            Origin::Recorded(recording) => {
                let rate = self.cast.frames_per_second;
                let (other, sign) = if frame > 0 { (frame - 1, rate) } else { (1, -rate) };
                self.velocities.clear();
                if other <= self.cast.frames {
                    recording.read(other, &mut self.velocities)?;
                }
                recording.read(frame, &mut self.positions)?;
                self.velocities.resize(self.positions.len(), DVec3::ZERO);
                let still = other > self.cast.frames;
                for (then, now) in self.velocities.iter_mut().zip(&self.positions) {
                    *then = if still { DVec3::ZERO } else { (*now - *then) * sign };
                }
            }
            Origin::Simulated(simulation) => {
                while simulation.frame() < frame {
                    self.positions = simulation.next_frame()?;
                }
                self.velocities.clone_from(&simulation.state().velocities);
            }
        }
        Ok(())
    }
}

/// The cloths of a recording as a model, to measure them; `None` if it has no pattern.
pub fn model_of(cast: &Cast) -> Option<Model> {
    model_with(cast, &[])
}

/// The same with the materials of its cloths, as far as they are known.
pub fn model_with(cast: &Cast, materials: &[Option<Material>]) -> Option<Model> {
    let mesh = &cast.mesh;
    let cloths = cast.bodies.iter().filter(|b| b.kind == BodyKind::Cloth).enumerate().map(|(number, body)| {
        let first = body.vertices.start as u32;
        let triangles = mesh.triangles.get(body.triangles.clone())?;
        Some(Cloth {
            name: body.name.clone(),
            mesh: Mesh {
                positions: mesh.positions.get(body.vertices.clone())?.to_vec(),
                triangles: triangles.iter().map(|tri| tri.map(|v| v.wrapping_sub(first))).collect(),
                uv: mesh.uv.get(body.triangles.clone())?.to_vec(),
                texture: Vec::new(),
            },
            material: materials.get(number).cloned().flatten().unwrap_or_else(Material::woven_cotton),
            pins: Vec::new(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        })
    });
    Model::new(cloths.collect::<Option<Vec<_>>>()?, Vec::new(), Environment::default()).ok()
}
