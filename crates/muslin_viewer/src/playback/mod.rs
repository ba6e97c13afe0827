//! Recordings, played back. Each page has its own clock and asks for the frames it wants, so nothing runs here.

mod picked;
mod run;
mod series;

use crate::{
    describe,
    faults::Fault,
    hinge::Picked,
    hub::{Client, Hub, Session},
    message::Message,
    outbox::{Parcel, WantedFrame},
};
use muslin::measure::Measure;
use run::Run;
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, atomic::Ordering},
};

/// Runs side by side.
pub const MOST_RUNS: usize = 2;

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

    fn run(&self, number: usize) -> Result<Arc<Mutex<Run>>, String> {
        self.lock().runs.get(number).cloned().ok_or_else(|| format!("there is no run {number}"))
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
        let runs: Vec<MutexGuard<'_, Run>> = runs.iter().map(|run| taken(run)).collect();
        let title: Vec<String> = self.directories.iter().map(|d| d.display().to_string()).collect();
        let told = |m: &Measure| m.of_positions() || runs.iter().any(|run| run.tells(*m));
        let measures: Vec<Measure> = Measure::ALL.into_iter().filter(told).collect();
        client.tell(&json!({
            "type": "hello", "mode": "playback", "epoch": epoch, "client": client.id, "title": title.join(" · "),
            "runs": runs.iter().map(|run| run.describe()).collect::<Vec<_>>(),
            "fields": describe::fields(&measures),
            "stats": [], "colours": describe::colours(),
        }));
        for (number, run) in runs.iter().enumerate() {
            client.outbox.send(Parcel::Binary(Arc::new(run.topology(number as u32, epoch))));
            client.tell(&of_run(run.series().clone(), "series", number));
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
                self.run(run)?;
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
            Message::Pick { vertex: None, .. } => Ok(()),
            Message::Pick { vertex: Some(vertex), other, run, frame } => {
                let numbers = taken(&*self.run(run)?).numbers(Picked { vertex, other }, frame)?;
                client.tell(&of_run(numbers, "vertex", run));
                Ok(())
            }
            Message::Loop { run, vertex, other } => {
                let points = picked::whole_loop(&*self.run(run)?, [vertex, other])?;
                client.tell(&of_run(points, "loop", run));
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
        let mut run = taken(&run);
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

/// Nobody panics while holding a run; if somebody did, it is still whole.
fn taken(run: &Mutex<Run>) -> MutexGuard<'_, Run> {
    run.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A message of this type about a run.
fn of_run(mut message: Value, kind: &str, run: usize) -> Value {
    message["type"] = kind.into();
    message["run"] = run.into();
    message
}
