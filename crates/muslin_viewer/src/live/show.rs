//! A scene on stage: its simulation, and everything that pages need of it.

use super::{hold::Holds, saving};
use crate::{
    describe, dials,
    document::{Document, Source},
    faults::{Fault, crossings},
    skin::Skin,
    wire::{self, Caption},
};
use glam::{DVec3, Vec3};
use muslin::{
    Scene,
    measure::{Gauge, Measure, Scale},
    render::Camera,
    sim::{SimError, Simulation, Stage, report::largest_strain},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// A scene on stage.
pub struct Show {
    document: Document,
    /// As the file says.
    file: Scene,
    /// As it is.
    scene: Scene,
    /// The simulation.
    pub simulation: Simulation,
    /// What hands hold.
    pub holds: Holds,
    /// Positions that are shown [m].
    positions: Vec<DVec3>,
    skin: Skin,
    gauge: Gauge,
    scales: [Scale; Measure::ALL.len()],
    normals: Vec<Vec3>,
    /// Wall-clock time of each stage within the last frame [s].
    costs: Vec<f64>,
    /// Whether a dial has been turned.
    changed: bool,
}

impl Show {
    /// Reads a scene and builds it; the faults say why it cannot be.
    pub fn new(source: &Source) -> Result<Self, Vec<Fault>> {
        let plain = |error: String| vec![Fault::plain(error)];
        // The loader's own messages point into the file; the document's only say that it is no TOML.
        let file = muslin::load(&source.name, &source.settings).map_err(|e| plain(e.to_string()))?.scene;
        let document = Document::read(source).map_err(plain)?;
        let read = document.scene().map_err(plain)?;
        if read != file {
            return Err(plain("these settings cannot be written into the scene file; put them there".into()));
        }
        let simulation = Simulation::new(&file).map_err(|e| plain(e.to_string()))?;
        let model = simulation.model();
        let moves: Vec<bool> = file.cloths.iter().map(|_| true).chain(model.obstacle_moves()).collect();
        Ok(Show {
            skin: Skin::new(&model.mesh, &model.bodies, &moves),
            gauge: Gauge::new(model),
            positions: simulation.state().positions.clone(),
            scene: file.clone(),
            file,
            document,
            holds: Holds::default(),
            scales: [Scale::default(); Measure::ALL.len()],
            normals: Vec::new(),
            costs: vec![0.0; Stage::ALL.len()],
            changed: false,
            simulation,
        })
    }

    /// Frames per second of the scene [1/s].
    pub fn frames_per_second(&self) -> f64 {
        self.scene.frames_per_second
    }

    /// Back to time zero; turned dials stay, hands let go.
    pub fn restart(&mut self) -> Result<(), SimError> {
        self.simulation = Simulation::new(&self.scene)?;
        self.positions.clone_from(&self.simulation.state().positions);
        self.holds = Holds::default();
        self.scales = Default::default();
        self.costs.fill(0.0);
        Ok(())
    }

    /// Simulates to the next frame, or until `stop`; whether there is a new frame.
    pub fn next_frame(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, Fault> {
        let before: Vec<f64> = self.simulation.tally().stages.iter().map(|cost| cost.wall_seconds).collect();
        let result = self.simulation.next_frame_unless(stop);
        let after = self.simulation.tally().stages.iter().map(|cost| cost.wall_seconds);
        let costs: Vec<f64> = after.zip(before).map(|(a, b)| a - b).collect();
        match result {
            Ok(Some(positions)) => {
                self.positions = positions;
                self.costs = costs;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(Fault::of_step(&error, self.simulation.model())),
        }
    }

    /// Tells the simulation what hands hold now.
    pub fn apply_hands(&mut self) {
        self.simulation.set_hands(self.holds.hands());
    }

    /// Turns dials; on an error nothing changes.
    pub fn turn(&mut self, values: &BTreeMap<String, f64>) -> Result<(), String> {
        let (mut document, mut scene) = (self.document.clone(), self.scene.clone());
        for (id, value) in values {
            dials::turn(&mut document, &self.file, &scene, id, *value)?;
            scene = document.scene()?;
        }
        let simulation = self.simulation.carried_on(&scene).map_err(|e| e.to_string())?;
        (self.document, self.scene, self.simulation, self.changed) = (document, scene, simulation, true);
        Ok(())
    }

    /// The scene as it is, as a file's text.
    pub fn saved(&self) -> String {
        saving::text(&self.document, &self.scene, self.simulation.model(), &self.holds)
    }

    /// Triangles that cross now.
    pub fn crossings(&self) -> Vec<Fault> {
        crossings(self.simulation.model(), &self.positions)
    }

    /// A frame as bytes, coloured by a measure.
    pub fn frame(&mut self, measure: Measure, epoch: u32, sequence: u32) -> Arc<Vec<u8>> {
        let simulation = &self.simulation;
        let model = simulation.model();
        self.gauge.measure(measure, model, &self.positions, &simulation.state().velocities);
        let number = Measure::ALL.iter().position(|m| *m == measure).unwrap_or(0);
        let caption = Caption {
            run: 0,
            epoch,
            sequence,
            frame: simulation.frame() as u32,
            time: simulation.frame_time(simulation.frame()),
            field: number as u32,
            range: self.scales[number].follow(&self.gauge.values),
            stats: self.stats(),
        };
        self.skin.moving.normals(&self.positions, &mut self.normals);
        Arc::new(wire::frame(&caption, &self.skin.moving, &self.positions, &self.normals, &self.gauge.values))
    }

    /// What stays the same, as bytes.
    pub fn topology(&self, epoch: u32) -> Vec<u8> {
        let mut normals = Vec::new();
        self.skin.still.normals(&self.positions, &mut normals);
        let still = wire::frame(&Caption::default(), &self.skin.still, &self.positions, &normals, &[]);
        wire::topology(0, epoch, [&self.skin.moving, &self.skin.still], &still)
    }

    /// What a page is told of the scene.
    pub fn describe(&self) -> Value {
        let model = self.simulation.model();
        let camera = self.scene.camera.map(|c| Camera::new(c.position, c.target, c.field_of_view));
        json!([{
            "name": self.scene.name, "description": self.scene.description,
            "framesPerSecond": self.scene.frames_per_second, "frames": self.scene.frames(),
            "bodies": describe::bodies(&model.mesh, &model.bodies),
            "view": describe::view(&model.mesh, &model.bodies, &model.mesh.positions, camera),
            "vertices": model.mesh.positions.len(), "triangles": model.mesh.triangles.len(),
        }])
    }

    /// What changes only when somebody does something.
    pub fn state(&self) -> Value {
        let mut state = self.holds.describe(self.simulation.model(), self.simulation.state().time);
        state["dials"] = serde_json::to_value(dials::dials(&self.file, &self.scene)).unwrap_or(Value::Null);
        state["changed"] = (self.changed || self.holds.changes_the_scene()).into();
        state
    }

    /// Names, groups and units of [`Show::stats`].
    pub fn stat_names() -> Value {
        let mut names = vec![
            json!({ "name": "kinetic", "group": "Energy", "unit": "J" }),
            json!({ "name": "elastic", "group": "Energy", "unit": "J" }),
            json!({ "name": "gravity", "group": "Energy", "unit": "J" }),
        ];
        names.extend(Stage::ALL.iter().map(|s| json!({ "name": s.name(), "group": "Stage cost", "unit": "ms" })));
        names.push(json!({ "name": "residual", "group": "Residual", "unit": "vertex weights" }));
        names.push(json!({ "name": "Newton", "group": "Iterations", "unit": "per step" }));
        names.push(json!({ "name": "strain", "group": "Largest strain", "unit": "%" }));
        names.into()
    }

    fn stats(&self) -> Vec<f32> {
        let simulation = &self.simulation;
        let (energy, start) = (simulation.energy(), simulation.start_energy());
        // Gravity has no zero of its own; the start is as good as any, and keeps the curve in the picture.
        let mut stats = vec![energy.kinetic, energy.elastic, energy.gravity - start.gravity];
        stats.extend(self.costs.iter().map(|seconds| 1e3 * seconds));
        let last = simulation.last_outcome();
        stats.push(last.map_or(0.0, |outcome| outcome.worst_residual));
        stats.push(last.map_or(0.0, |outcome| outcome.newton_iterations as f64));
        stats.push(100.0 * largest_strain(simulation.model(), simulation.state()).stretch);
        stats.into_iter().map(|s| s as f32).collect()
    }

    /// The numbers of a vertex.
    pub fn vertex(&mut self, vertex: u32) -> Option<Value> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let v = vertex as usize;
        let (position, velocity) = (*self.positions.get(v)?, *state.velocities.get(v)?);
        let body = model.body_of_vertex(v);
        let mut numbers = json!({
            "type": "vertex", "vertex": vertex, "body": body.name, "number": v - body.vertices.start,
            "position": position.to_array(), "velocity": velocity.to_array(), "mass": model.masses[v],
        });
        for measure in [Measure::Strain, Measure::Shear, Measure::Curvature] {
            self.gauge.measure(measure, model, &self.positions, &state.velocities);
            if let Some(value) = self.gauge.values.get(v) {
                numbers[measure.name()] = (*value).into();
            }
        }
        Some(numbers)
    }
}
