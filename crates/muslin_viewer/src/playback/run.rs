//! One recording: its frames as the page wants them.

use super::series;
use crate::{
    describe,
    outbox::WantedFrame,
    skin::Skin,
    wire::{self, Caption},
};
use glam::{DVec3, Vec3};
use muslin::{
    io::recording::{self, Hints, Recording},
    measure::{Gauge, Measure, Scale},
    model::Model,
    recorded::{RecordedCloth, RecordedMeasures},
    reel::model_with,
};
use serde_json::{Value, json};
use std::path::Path;

/// Frames per second of formats that do not say it [1/s].
const USUAL_RATE: f64 = 60.0;

/// A recording that pages play back.
pub struct Run {
    pub(super) recording: Box<dyn Recording>,
    skin: Skin,
    /// The cloth's rest shape, for what it can be coloured by; `None` if the recording has no pattern.
    pub(super) measured: Option<(Model, Gauge)>,
    /// The cloths as the report of the run has them.
    pub(super) cloths: Vec<RecordedCloth>,
    /// What the run wrote beyond positions; `None` if it wrote nothing.
    pub(super) told: Option<RecordedMeasures>,
    /// Numbers of a frame that were recorded, and the largest gap so far [m].
    recorded: Vec<f32>,
    largest_gap: f32,
    scales: [Scale; Measure::ALL.len()],
    pub(super) positions: Vec<DVec3>,
    before: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    normals: Vec<Vec3>,
    series: Value,
    /// Where to look from at first.
    view: Value,
}

/// Frames beside the first that a view takes in.
const OVERVIEW: usize = 4;

/// A view in which some frames from all over a recording can be seen: what moves does not leave it.
fn overview(recording: &mut dyn Recording, start: &[DVec3]) -> Value {
    let (cast, mut frames) = (recording.cast().clone(), vec![start.to_vec()]);
    for k in 1..=OVERVIEW {
        let mut positions = Vec::new();
        // One that cannot be read is told when somebody asks for it.
        let read = recording.read(k * cast.frames / OVERVIEW, &mut positions);
        if read.is_ok() && positions.len() == start.len() && positions.iter().all(|p| p.is_finite()) {
            frames.push(positions);
        }
    }
    let frames: Vec<&[DVec3]> = frames.iter().map(Vec::as_slice).collect();
    describe::view(&cast.mesh, &cast.bodies, &frames, None)
}

impl Run {
    /// Opens a run's directory.
    pub fn open(directory: &Path) -> Result<Self, String> {
        let hints = Hints { otherwise: Some(USUAL_RATE), ..Hints::default() };
        let mut recording = recording::open(directory, &hints).map_err(|error| error.to_string())?;
        let cast = recording.cast();
        let skin = Skin::new(&cast.mesh, &cast.bodies, &cast.moving);
        let cloths = RecordedCloth::all(directory);
        let materials: Vec<_> = cloths.iter().map(|cloth| cloth.material.clone()).collect();
        let measured = model_with(cast, &materials).map(|model| {
            let gauge = Gauge::new(&model);
            (model, gauge)
        });
        let mut positions = Vec::new();
        recording.read(0, &mut positions).map_err(|error| error.to_string())?;
        let view = overview(&mut *recording, &positions);
        Ok(Run {
            view,
            skin,
            measured,
            cloths,
            told: RecordedMeasures::open(directory),
            recorded: Vec::new(),
            largest_gap: 0.0,
            scales: Default::default(),
            positions,
            before: Vec::new(),
            velocities: Vec::new(),
            normals: Vec::new(),
            series: series::of(directory),
            recording,
        })
    }

    /// Whether its frames can be coloured by a measure.
    pub fn tells(&self, measure: Measure) -> bool {
        measure.of_positions() || self.told.as_ref().is_some_and(|told| told.tells(measure))
    }

    /// Curves over time, without the type of a message.
    pub fn series(&self) -> &Value {
        &self.series
    }

    /// What a page is told of it.
    pub fn describe(&self) -> Value {
        let cast = self.recording.cast();
        json!({
            "name": cast.name, "description": "", "framesPerSecond": cast.frames_per_second, "frames": cast.frames,
            "bodies": describe::bodies(&cast.mesh, &cast.bodies),
            "view": self.view,
            "vertices": cast.mesh.positions.len(), "triangles": cast.mesh.triangles.len(),
        })
    }

    /// What stays the same, as bytes.
    pub fn topology(&self, run: u32, epoch: u32) -> Vec<u8> {
        let mut normals = Vec::new();
        self.skin.still.normals(&self.positions, &mut normals);
        let still = wire::frame(&Caption::default(), &self.skin.still, &self.positions, &normals, &[]);
        wire::topology(run, epoch, [&self.skin.moving, &self.skin.still], &still)
    }

    /// Reads the positions of a frame.
    pub(super) fn read(&mut self, frame: usize) -> Result<(), String> {
        let cast = self.recording.cast();
        let (frames, count) = (cast.frames, cast.mesh.positions.len());
        if frame > frames {
            return Err(format!("there are frames 0 to {frames}"));
        }
        self.recording.read(frame, &mut self.positions).map_err(|error| error.to_string())?;
        if self.positions.len() != count {
            return Err(format!("the frame has {} vertices instead of {count}", self.positions.len()));
        }
        Ok(())
    }

    /// A frame as bytes.
    pub fn frame(&mut self, wanted: WantedFrame, epoch: u32, sequence: u32) -> Result<Vec<u8>, String> {
        self.read(wanted.frame)?;
        let rate = self.recording.cast().frames_per_second;
        let measure = *Measure::ALL.get(wanted.field).unwrap_or(&Measure::Fabric);
        if measure == Measure::Velocity {
            self.find_velocities(wanted.frame, rate)?;
        }
        if !measure.of_positions() {
            self.recall(measure, wanted.frame)?;
        }
        let values: &[f32] = match &mut self.measured {
            _ if !measure.of_positions() => &self.recorded,
            Some((model, gauge)) => {
                gauge.measure(measure, model, &self.positions, &self.velocities);
                &gauge.values
            }
            None => &[],
        };
        let range = match measure {
            Measure::Gap => [0.0, self.largest_gap],
            Measure::Friction => [0.0, 1.0],
            _ => self.scales[wanted.field.min(Measure::ALL.len() - 1)].follow(values),
        };
        let caption = Caption {
            run: wanted.run as u32,
            epoch,
            sequence,
            frame: wanted.frame as u32,
            time: wanted.frame as f64 / rate,
            field: wanted.field as u32,
            range,
            stats: Vec::new(),
        };
        self.skin.moving.normals(&self.positions, &mut self.normals);
        Ok(wire::frame(&caption, &self.skin.moving, &self.positions, &self.normals, values))
    }

    /// Sets `recorded` to what the run wrote, with the numbers that a live scene has: where nothing presses, the gap is the
    /// largest that was seen.
    fn recall(&mut self, measure: Measure, frame: usize) -> Result<(), String> {
        self.recorded.clear();
        let Some(told) = self.told.as_ref().filter(|told| told.tells(measure)) else { return Ok(()) };
        told.read(measure, frame, &mut self.recorded).map_err(|error| error.to_string())?;
        if measure == Measure::Gap {
            let finite = self.recorded.iter().copied().filter(|gap| gap.is_finite());
            let largest = finite.fold(self.largest_gap, f32::max);
            self.recorded.iter_mut().for_each(|gap| *gap = gap.min(largest));
            self.largest_gap = largest;
        }
        Ok(())
    }

    /// Velocities from the frame before; at the start from the one after.
    pub(super) fn find_velocities(&mut self, frame: usize, rate: f64) -> Result<(), String> {
        let (other, sign) = if frame > 0 { (frame - 1, rate) } else { (1, -rate) };
        self.velocities.clear();
        if other > self.recording.cast().frames {
            self.velocities.resize(self.positions.len(), DVec3::ZERO);
            return Ok(());
        }
        self.recording.read(other, &mut self.before).map_err(|error| error.to_string())?;
        self.velocities.extend(self.positions.iter().zip(&self.before).map(|(now, then)| (*now - *then) * sign));
        Ok(())
    }
}
