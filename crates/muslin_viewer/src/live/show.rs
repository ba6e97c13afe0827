//! A scene on stage: its simulation, and everything that pages need of it.

use super::{hold::Holds, saving, stats};
use crate::{
    describe, dials,
    document::{Document, Source},
    exhibit::Exhibit,
    faults::{Fault, crossings},
    skin::Skin,
    wire::{self, Caption},
};
use glam::{DVec3, Vec3};
use muslin::{
    Scene,
    dynamics::forces::CurvatureProbe,
    measure::{Gauge, Measure, Scale},
    render::Camera,
    sim::{PressingContact, SimError, Simulation, Stage, Tally},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// A scene on stage.
pub struct Show {
    document: Document,
    /// As the file says.
    file: Scene,
    /// As it is.
    pub(super) scene: Scene,
    /// The simulation.
    pub simulation: Simulation,
    /// What hands hold.
    pub holds: Holds,
    /// Positions that are shown [m].
    pub(super) positions: Vec<DVec3>,
    skin: Skin,
    pub(super) gauge: Gauge,
    /// Measures curvatures once somebody picks a hinge.
    pub(super) probe: Option<CurvatureProbe>,
    scales: [Scale; Measure::ALL.len()],
    normals: Vec<Vec3>,
    /// Wall-clock time of each stage within the last frame [s].
    costs: Vec<f64>,
    /// What had been counted before the last frame.
    before: Box<Tally>,
    /// Whether a dial has been turned.
    changed: bool,
}

/// Why a scene cannot be put on stage.
pub struct Refusal {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What can be shown of it.
    pub exhibit: Option<Box<Exhibit>>,
}

impl Show {
    /// Reads a scene and builds it; the refusal says why it cannot be.
    pub fn new(source: &Source) -> Result<Self, Refusal> {
        let plain = |error: String| Refusal { faults: vec![Fault::plain(error)], exhibit: None };
        // The loader's own messages point into the file; the document's only say that it is no TOML.
        let file = muslin::load(&source.name, &source.settings).map_err(|error| {
            let exhibit = Document::read(source).ok().and_then(|document| Exhibit::of_files(&document)).map(Box::new);
            let located = exhibit.iter().flat_map(|exhibit| exhibit.faults.clone());
            Refusal { faults: [Fault::plain(error.to_string())].into_iter().chain(located).collect(), exhibit }
        })?;
        let file = file.scene;
        let document = Document::read(source).map_err(plain)?;
        let read = document.scene().map_err(plain)?;
        if read != file {
            return Err(plain("these settings cannot be written into the scene file; put them there".into()));
        }
        let simulation = Simulation::new(&file).map_err(|error| match Exhibit::of_start(&file, &error) {
            Some(exhibit) => Refusal { faults: exhibit.faults.clone(), exhibit: Some(Box::new(exhibit)) },
            None => plain(error.to_string()),
        })?;
        let model = simulation.model();
        // Faulty elements are marked in the part that comes with frames: where triangles cross, all bodies are in it.
        let all = !crossings(model, &simulation.state().positions).is_empty();
        let moves: Vec<bool> =
            file.cloths.iter().map(|_| true).chain(model.obstacle_moves().map(|moves| moves || all)).collect();
        Ok(Show {
            skin: Skin::new(&model.mesh, &model.bodies, &moves),
            gauge: Gauge::new(model),
            probe: None,
            positions: simulation.state().positions.clone(),
            scene: file.clone(),
            file,
            document,
            holds: Holds::default(),
            scales: [Scale::default(); Measure::ALL.len()],
            normals: Vec::new(),
            costs: vec![0.0; Stage::ALL.len()],
            before: Box::new(simulation.tally().clone()),
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
        *self.before = self.simulation.tally().clone();
        Ok(())
    }

    /// Simulates to the next frame, or until `stop`; whether there is a new frame.
    pub fn next_frame(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, Fault> {
        let tally = self.simulation.tally().clone();
        let before: Vec<f64> = tally.stages.iter().map(|cost| cost.wall_seconds).collect();
        let result = self.simulation.next_frame_unless(stop);
        let after = self.simulation.tally().stages.iter().map(|cost| cost.wall_seconds);
        let costs: Vec<f64> = after.zip(before).map(|(a, b)| a - b).collect();
        match result {
            Ok(Some(positions)) => {
                self.positions = positions;
                (self.costs, self.before) = (costs, Box::new(tally));
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
        let number = Measure::ALL.iter().position(|m| *m == measure).unwrap_or(0);
        let range = match measure.needs_contacts() {
            true => [0.0, self.gauge.measure_contacts(measure, simulation)],
            false if measure.needs_creases() => {
                self.gauge.measure_creases(simulation);
                self.scales[number].follow(&self.gauge.values)
            }
            false => {
                self.gauge.measure(measure, model, &self.positions, &simulation.state().velocities);
                self.scales[number].follow(&self.gauge.values)
            }
        };
        let caption = Caption {
            run: 0,
            epoch,
            sequence,
            frame: simulation.frame() as u32,
            time: simulation.frame_time(simulation.frame()),
            field: number as u32,
            range,
            stats: stats::of(simulation, &self.costs, &self.before),
        };
        self.skin.moving.normals(&self.positions, &mut self.normals);
        Arc::new(wire::frame(&caption, &self.skin.moving, &self.positions, &self.normals, &self.gauge.values))
    }

    /// Contacts and impact zones of the last step as bytes.
    pub fn contacts(&self, epoch: u32) -> Vec<u8> {
        let contacts: Vec<PressingContact> = self.simulation.pressing_contacts().collect();
        wire::contacts(0, epoch, &contacts, self.simulation.impact_zones())
    }

    /// The boxes on a level of the broad phase's tree as bytes.
    pub fn boxes(&self, epoch: u32, level: usize) -> Vec<u8> {
        wire::boxes(0, epoch, &self.simulation.search_boxes(level))
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
            "view": describe::view(&model.mesh, &model.bodies, &[&model.mesh.positions], camera),
            "vertices": model.mesh.positions.len(), "triangles": model.mesh.triangles.len(),
        }])
    }

    /// What changes only when somebody does something.
    pub fn state(&self) -> Value {
        let mut state = self.holds.describe(self.simulation.model(), self.simulation.state().time);
        state["dials"] = serde_json::to_value(dials::dials(&self.file, &self.scene)).unwrap_or(Value::Null);
        state["contact"] = json!({
            "handled": self.simulation.has_contact(), "levels": self.simulation.search_levels(),
        });
        state["beside"] = json!(self.document.folder_of_files());
        state["changed"] = (self.changed || self.holds.changes_the_scene()).into();
        state
    }
}
