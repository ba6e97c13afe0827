//! Recordings, played back. Each page has its own clock and asks for the frames it wants, so nothing runs here.

use crate::{
    describe,
    faults::Fault,
    hub::{Client, Hub, Session},
    message::Message,
    outbox::{Parcel, WantedFrame},
    skin::Skin,
    wire::{self, Caption},
};
use glam::{DVec3, Vec3};
use muslin::{
    io::recording::{self, Hints, RecordedFields, Recording},
    measure::{Gauge, Measure, Scale},
    model::Model,
    reel::model_of,
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, atomic::Ordering},
};

/// Runs side by side.
pub const MOST_RUNS: usize = 2;
/// Frames per second of formats that do not say it [1/s].
const USUAL_RATE: f64 = 60.0;
/// Largest table of totals [bytes]; a longer one is not plotted.
const LARGEST_TABLE: u64 = 32 << 20;

/// Recordings that pages play back.
pub struct Playback {
    directories: Vec<PathBuf>,
    hub: Arc<Hub>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    runs: Vec<Arc<Mutex<Run>>>,
    faults: Vec<Fault>,
    epoch: u32,
}

struct Run {
    recording: Box<dyn Recording>,
    skin: Skin,
    /// The cloth's rest shape, for what it can be coloured by; `None` if the recording has no pattern.
    measured: Option<(Model, Gauge)>,
    /// What the run wrote about its contacts; `None` if it wrote nothing.
    contacts: Option<RecordedFields>,
    /// Numbers of a frame that were recorded, and the largest gap so far [m].
    recorded: Vec<f32>,
    largest_gap: f32,
    scales: [Scale; Measure::ALL.len()],
    positions: Vec<DVec3>,
    before: Vec<DVec3>,
    velocities: Vec<DVec3>,
    normals: Vec<Vec3>,
    series: Value,
}

impl Playback {
    /// Opens run directories, one or two. One that cannot be read is a fault that the page shows.
    pub fn open(directories: Vec<PathBuf>, hub: Arc<Hub>) -> Self {
        let playback = Playback { directories, hub, inner: Mutex::default() };
        playback.reload();
        playback
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn reload(&self) {
        let mut inner = self.lock();
        let epoch = inner.epoch + 1;
        *inner = Inner { epoch, ..Inner::default() };
        for directory in self.directories.iter().take(MOST_RUNS) {
            match Run::open(directory) {
                Ok(run) => inner.runs.push(Arc::new(Mutex::new(run))),
                Err(reason) => inner.faults.push(Fault::plain(reason)),
            }
        }
    }

    fn introduce(&self, client: &Client) {
        let (runs, faults, epoch) = {
            let inner = self.lock();
            (inner.runs.clone(), inner.faults.clone(), inner.epoch)
        };
        let runs: Vec<MutexGuard<'_, Run>> =
            runs.iter().map(|run| run.lock().unwrap_or_else(|poisoned| poisoned.into_inner())).collect();
        let title: Vec<String> = self.directories.iter().map(|d| d.display().to_string()).collect();
        client.tell(&json!({
            "type": "hello", "mode": "playback", "epoch": epoch, "client": client.id, "title": title.join(" · "),
            "runs": runs.iter().map(|run| run.describe()).collect::<Vec<_>>(),
            "fields": describe::fields(if runs.iter().any(|run| run.contacts.is_some()) { &Measure::ALL } else { Measure::of_motion() }),
            "stats": [], "colours": describe::colours(),
        }));
        for (number, run) in runs.iter().enumerate() {
            client.outbox.send(Parcel::Binary(Arc::new(run.topology(number as u32, epoch))));
            let mut series = run.series.clone();
            series["type"] = "series".into();
            series["run"] = number.into();
            client.tell(&series);
        }
        client.tell(&json!({ "type": "state", "playing": false, "faults": faults }));
    }
}

impl Session for Playback {
    fn joined(&self, client: &Arc<Client>) {
        self.introduce(client);
    }

    fn left(&self, _: &Arc<Client>) {}

    fn hear(&self, client: &Arc<Client>, message: Message) -> Result<(), String> {
        match message {
            Message::Frame { run, frame } => {
                if run >= self.lock().runs.len() {
                    return Err(format!("there is no run {run}"));
                }
                let field = client.field.load(Ordering::Relaxed);
                client.outbox.want(WantedFrame { run, frame, field });
                Ok(())
            }
            Message::Field { name } => {
                let found = Measure::ALL.iter().position(|m| m.name() == name);
                client.field.store(found.ok_or_else(|| format!("no field `{name}`"))?, Ordering::Relaxed);
                Ok(())
            }
            Message::Reset {} => {
                self.reload();
                self.hub.clients().iter().for_each(|client| self.introduce(client));
                Ok(())
            }
            _ => Err("a recording can only be watched".into()),
        }
    }

    fn frame(&self, wanted: WantedFrame) -> Option<Parcel> {
        let (run, epoch) = {
            let inner = self.lock();
            (inner.runs.get(wanted.run)?.clone(), inner.epoch)
        };
        let mut run = run.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let sequence = self.hub.next_sequence();
        Some(match run.frame(wanted, epoch, sequence) {
            Ok(frame) => Parcel::Binary(Arc::new(frame)),
            Err(reason) => {
                let message = json!({ "type": "missing", "run": wanted.run, "frame": wanted.frame, "reason": reason });
                Parcel::Text(message.to_string().into())
            }
        })
    }
}

impl Run {
    fn open(directory: &Path) -> Result<Self, String> {
        let hints = Hints { otherwise: Some(USUAL_RATE), ..Hints::default() };
        let mut recording = recording::open(directory, &hints).map_err(|error| error.to_string())?;
        let cast = recording.cast();
        let skin = Skin::new(&cast.mesh, &cast.bodies, &cast.moving);
        let measured = model_of(cast).map(|model| {
            let gauge = Gauge::new(&model);
            (model, gauge)
        });
        let mut positions = Vec::new();
        recording.read(0, &mut positions).map_err(|error| error.to_string())?;
        let told = |fields: &RecordedFields| fields.has("contact_gap") && fields.has("friction_state");
        Ok(Run {
            skin,
            measured,
            contacts: RecordedFields::open(directory).filter(told),
            recorded: Vec::new(),
            largest_gap: 0.0,
            scales: Default::default(),
            positions,
            before: Vec::new(),
            velocities: Vec::new(),
            normals: Vec::new(),
            series: series(directory),
            recording,
        })
    }

    fn describe(&self) -> Value {
        let cast = self.recording.cast();
        json!({
            "name": cast.name, "description": "", "framesPerSecond": cast.frames_per_second, "frames": cast.frames,
            "bodies": describe::bodies(&cast.mesh, &cast.bodies),
            "view": describe::view(&cast.mesh, &cast.bodies, &self.positions, None),
            "vertices": cast.mesh.positions.len(), "triangles": cast.mesh.triangles.len(),
        })
    }

    fn topology(&self, run: u32, epoch: u32) -> Vec<u8> {
        let mut normals = Vec::new();
        self.skin.still.normals(&self.positions, &mut normals);
        let still = wire::frame(&Caption::default(), &self.skin.still, &self.positions, &normals, &[]);
        wire::topology(run, epoch, [&self.skin.moving, &self.skin.still], &still)
    }

    fn frame(&mut self, wanted: WantedFrame, epoch: u32, sequence: u32) -> Result<Vec<u8>, String> {
        let cast = self.recording.cast();
        let (frames, rate) = (cast.frames, cast.frames_per_second);
        if wanted.frame > frames {
            return Err(format!("there are frames 0 to {frames}"));
        }
        let count = cast.mesh.positions.len();
        self.recording.read(wanted.frame, &mut self.positions).map_err(|error| error.to_string())?;
        if self.positions.len() != count {
            return Err(format!("the frame has {} vertices instead of {count}", self.positions.len()));
        }
        let measure = *Measure::ALL.get(wanted.field).unwrap_or(&Measure::Fabric);
        if measure == Measure::Velocity {
            self.find_velocities(wanted.frame, rate)?;
        }
        if measure.needs_contacts() {
            self.recall_contacts(measure, wanted.frame)?;
        }
        let values: &[f32] = match &mut self.measured {
            _ if measure.needs_contacts() => &self.recorded,
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
    fn recall_contacts(&mut self, measure: Measure, frame: usize) -> Result<(), String> {
        self.recorded.clear();
        let Some(fields) = &self.contacts else { return Ok(()) };
        let name = if measure == Measure::Gap { "contact_gap" } else { "friction_state" };
        self.recorded = fields.read(frame, name).map_err(|error| error.to_string())?;
        if measure == Measure::Friction {
            self.recorded.iter_mut().for_each(|state| *state *= 0.5);
            return Ok(());
        }
        self.largest_gap = self.recorded.iter().copied().fold(self.largest_gap, f32::max);
        let largest = self.largest_gap;
        self.recorded.iter_mut().filter(|gap| **gap < 0.0).for_each(|gap| *gap = largest);
        Ok(())
    }

    /// Velocities from the frame before; at the start from the one after.
    fn find_velocities(&mut self, frame: usize, rate: f64) -> Result<(), String> {
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

/// Columns of `totals.csv` worth a plot: end of the name, group, unit, factor.
const PLOTTED: [(&str, &str, &str, f64); 4] = [
    ("_energy_J", "Energy", "J", 1.0),
    ("_work_J", "Work", "J", 1.0),
    ("max_strain", "Largest strain", "%", 100.0),
    ("max_speed_m_s", "Largest speed", "m/s", 1.0),
];

/// The totals of a run, if it wrote them.
fn series(directory: &Path) -> Value {
    let path = directory.join("totals.csv");
    let fits = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST_TABLE);
    let text = if fits { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect();
    let column = |k: usize, factor: f64| -> Vec<f64> {
        rows.iter().map(|row| row.get(k).map_or(f64::NAN, |value| value * factor)).collect()
    };
    let time = names.iter().position(|name| name.starts_with("time")).map_or(Vec::new(), |k| column(k, 1.0));
    let curves = names.iter().enumerate().filter_map(|(k, name)| {
        let (ending, group, unit, factor) = PLOTTED.iter().find(|(ending, ..)| name.ends_with(ending))?;
        let label = name.strip_suffix(ending).filter(|rest| !rest.is_empty()).unwrap_or(name);
        Some(json!({ "name": label, "group": group, "unit": unit, "values": column(k, *factor) }))
    });
    json!({ "curves": curves.collect::<Vec<_>>(), "time": time })
}
