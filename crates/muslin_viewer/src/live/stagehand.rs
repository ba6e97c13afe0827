//! The thread that owns the simulation: does what pages order, advances, and gives frames to all.

use super::{Beginning, MOST_ORDERS, Order, show::Show, stats};
use crate::{
    describe,
    document::Source,
    exhibit::Exhibit,
    faults::Fault,
    hinge::Picked,
    hub::{Client, Hub},
    message::Message,
    outbox::Parcel,
};
use glam::DVec3;
use muslin::measure::Measure;
use serde_json::{Value, json};
use std::{
    cell::Cell,
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, TryRecvError},
    },
    time::{Duration, Instant},
};

/// Slowest and fastest time [-].
const SPEEDS: [f64; 2] = [0.01, 16.0];
/// Pauses between the numbers of a picked vertex.
const NUMBERS_EVERY: Duration = Duration::from_millis(50);

/// The thread's own things.
pub struct Stagehand {
    source: Source,
    hub: Arc<Hub>,
    inbox: Receiver<Order>,
    waiting: Arc<AtomicUsize>,
    show: Option<Show>,
    /// What is shown of a scene that cannot run.
    exhibit: Option<Box<Exhibit>>,
    faults: Vec<Fault>,
    playing: bool,
    speed: f64,
    epoch: u32,
    /// When the next frame is due.
    due: Instant,
    /// What each page has picked.
    picked: BTreeMap<u64, Picked>,
    numbers_due: Instant,
    /// Dials that were turned and wait to be applied together.
    turned: BTreeMap<String, f64>,
    /// Whether a page wants the present frame in another way: it is made once for all wishes that came together.
    stale: bool,
}

impl Stagehand {
    /// Reads the scene; nothing runs yet.
    pub fn new(source: Source, hub: Arc<Hub>, inbox: Receiver<Order>, waiting: Arc<AtomicUsize>) -> Self {
        let now = Instant::now();
        let (picked, turned) = (BTreeMap::new(), BTreeMap::new());
        let mut stage = Stagehand {
            source,
            hub,
            inbox,
            waiting,
            show: None,
            exhibit: None,
            faults: Vec::new(),
            playing: false,
            speed: 1.0,
            epoch: 0,
            due: now,
            picked,
            numbers_due: now,
            turned,
            stale: false,
        };
        stage.reset();
        stage
    }

    /// Reads the scene anew.
    fn reset(&mut self) {
        self.epoch += 1;
        self.picked.clear();
        self.turned.clear();
        match Show::new(&self.source) {
            Ok(show) => {
                self.faults = show.crossings();
                (self.show, self.exhibit) = (Some(show), None);
            }
            Err(refusal) => {
                (self.faults, self.exhibit) = (refusal.faults, refusal.exhibit);
                (self.show, self.playing) = (None, false);
            }
        }
    }

    /// Lets time run or stand at first.
    pub fn begin(&mut self, beginning: Beginning) {
        self.playing = beginning == Beginning::Playing && self.show.is_some();
    }

    /// Does what is ordered and advances, until the session is dropped.
    pub fn run(&mut self) {
        loop {
            let patience = match self.playing {
                true => self.due.saturating_duration_since(Instant::now()),
                false => Duration::from_secs(3600),
            };
            match self.inbox.recv_timeout(patience) {
                Ok(order) => self.obey(order),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
            }
            // All that wait, so that a hundred moves of a hand cost one frame; no more than could wait at once, so that
            // whoever never ceases to talk does not stop time.
            for _ in 0..MOST_ORDERS {
                match self.inbox.try_recv() {
                    Ok(order) => self.obey(order),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            self.apply_turned();
            if std::mem::take(&mut self.stale) {
                self.publish();
            }
            if self.playing && Instant::now() >= self.due {
                self.advance();
            }
        }
    }

    /// One frame on, if it is done before new orders come; one step of it in any case.
    fn advance(&mut self) {
        let Some(show) = &mut self.show else { return };
        let (waiting, has_begun) = (&self.waiting, Cell::new(false));
        match show.next_frame(&|| has_begun.replace(true) && waiting.load(Ordering::Relaxed) > 0) {
            Ok(true) => {
                let pause = Duration::from_secs_f64(1.0 / (show.frames_per_second() * self.speed));
                // Late frames are not made up for: time would leap.
                self.due = (self.due + pause).max(Instant::now());
                self.publish();
            }
            Ok(false) => {}
            Err(fault) => {
                self.playing = false;
                self.faults = vec![fault];
                self.tell_state();
            }
        }
    }

    fn obey(&mut self, order: Order) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        match order {
            Order::Joined(client) => self.introduce(&client),
            Order::Left(id) => {
                self.picked.remove(&id);
                if let Some(show) = &mut self.show {
                    show.holds.release_all_of(id);
                    show.apply_hands();
                }
            }
            Order::Said(client, message) => {
                if let Err(reason) = self.act(&client, message) {
                    client.tell(&json!({ "type": "refused", "reason": reason }));
                }
            }
        }
    }

    fn act(&mut self, client: &Arc<Client>, message: Message) -> Result<(), String> {
        if let Message::Reset {} = message {
            self.reset();
            self.playing = false;
            self.hub.clients().iter().for_each(|client| self.introduce(client));
            return Ok(());
        }
        let show = self.show.as_mut().ok_or("the scene is faulty; mend the file and reset")?;
        match message {
            Message::Play {} => {
                self.playing = true;
                self.due = Instant::now();
            }
            Message::Pause {} => self.playing = false,
            Message::Step {} => {
                self.playing = false;
                match show.next_frame(&|| false) {
                    Ok(_) => self.publish(),
                    Err(fault) => self.faults = vec![fault],
                }
            }
            Message::Restart {} => {
                show.restart().map_err(|error| error.to_string())?;
                self.faults = show.crossings();
                self.publish();
            }
            Message::Speed { value } => self.speed = value.clamp(SPEEDS[0], SPEEDS[1]),
            Message::Field { .. } | Message::Contacts { .. } | Message::Boxes { .. } => {
                self.stale = true;
                return Ok(());
            }
            Message::Grab { id, vertex, target } => {
                show.holds.grab((client.id, id), vertex, DVec3::from_array(target), &show.simulation)?;
                show.apply_hands();
            }
            Message::Move { id, target } => {
                show.holds.move_to((client.id, id), DVec3::from_array(target))?;
                show.apply_hands();
                // The page knows where its own hand is.
                return Ok(());
            }
            Message::Release { id } => {
                show.holds.release((client.id, id))?;
                show.apply_hands();
            }
            Message::Pin { vertex } => {
                show.holds.pin(vertex, &show.simulation)?;
                show.apply_hands();
            }
            Message::Unpin { vertex } => {
                show.holds.unpin(vertex, show.simulation.model())?;
                show.apply_hands();
            }
            Message::Cut { pin } => {
                show.holds.cut(pin, &show.simulation)?;
                show.apply_hands();
            }
            Message::Set { values } => {
                self.turned.extend(values);
                return Ok(());
            }
            Message::Pick { vertex, other, .. } => {
                match vertex {
                    Some(vertex) => self.picked.insert(client.id, Picked { vertex, other }),
                    None => self.picked.remove(&client.id),
                };
                self.numbers_due = Instant::now();
                self.tell_numbers();
                return Ok(());
            }
            Message::Save {} => {
                client.tell(&json!({ "type": "saved", "text": show.saved() }));
                return Ok(());
            }
            Message::Frame { .. } | Message::Loop { .. } => return Err("a live scene has no recorded frames".into()),
            Message::Ack { .. } | Message::Reset {} => {}
        }
        self.tell_state();
        Ok(())
    }

    /// Turns the dials: a slider under way sends many values, and each costs a new system.
    fn apply_turned(&mut self) {
        if self.turned.is_empty() {
            return;
        }
        let values = std::mem::take(&mut self.turned);
        if let Some(show) = &mut self.show {
            if let Err(reason) = show.turn(&values) {
                self.hub.tell_all(&json!({ "type": "refused", "reason": reason }));
            }
            self.tell_state();
        }
    }

    /// Tells a page everything from the beginning.
    fn introduce(&mut self, client: &Client) {
        client.outbox.forget_frames();
        let runs = match (&self.show, &self.exhibit) {
            (Some(show), _) => show.describe(),
            (None, Some(exhibit)) => exhibit.describe(&self.source.name),
            (None, None) => json!([]),
        };
        let measures = self.show.as_ref().map_or_else(Measure::of_motion, |show| Measure::told_by(&show.simulation));
        client.tell(&json!({
            "type": "hello", "mode": "live", "epoch": self.epoch, "client": client.id, "title": self.source.name,
            "runs": runs, "fields": describe::fields(&measures), "stats": stats::names(), "colours": describe::colours(),
        }));
        let topology = match (&self.show, &self.exhibit) {
            (Some(show), _) => Some(show.topology(self.epoch)),
            (None, exhibit) => exhibit.as_ref().map(|exhibit| exhibit.topology(self.epoch)),
        };
        topology.into_iter().for_each(|bytes| client.outbox.send(Parcel::Binary(Arc::new(bytes))));
        client.tell(&self.state());
        if let Some(show) = &mut self.show {
            let sequence = self.hub.next_sequence();
            let measure = Measure::ALL[client.field.load(Ordering::Relaxed)];
            lay_over(show, client, self.epoch, &mut BTreeMap::new());
            client.outbox.offer(sequence, show.frame(measure, self.epoch, sequence));
        } else if let Some(exhibit) = &self.exhibit {
            let sequence = self.hub.next_sequence();
            client.outbox.offer(sequence, Arc::new(exhibit.frame(self.epoch, sequence)));
        }
    }

    fn state(&self) -> Value {
        let mut state = self.show.as_ref().map_or(json!({}), Show::state);
        state["type"] = "state".into();
        state["playing"] = self.playing.into();
        state["speed"] = self.speed.into();
        state["faults"] = serde_json::to_value(&self.faults).unwrap_or(Value::Null);
        state
    }

    fn tell_state(&self) {
        self.hub.tell_all(&self.state());
    }

    /// Gives the present frame to all pages. A frame is made once for all that colour it alike.
    fn publish(&mut self) {
        let Some(show) = &mut self.show else { return };
        let sequence = self.hub.next_sequence();
        let mut made: BTreeMap<usize, Arc<Vec<u8>>> = BTreeMap::new();
        let mut overlays = BTreeMap::new();
        for client in self.hub.clients() {
            let field = client.field.load(Ordering::Relaxed);
            let frame = made.entry(field).or_insert_with(|| show.frame(Measure::ALL[field], self.epoch, sequence));
            lay_over(show, &client, self.epoch, &mut overlays);
            client.outbox.offer(sequence, frame.clone());
        }
        self.tell_numbers();
    }

    fn tell_numbers(&mut self) {
        let Some(show) = &mut self.show else { return };
        if self.picked.is_empty() || Instant::now() < self.numbers_due {
            return;
        }
        self.numbers_due = Instant::now() + NUMBERS_EVERY;
        for client in self.hub.clients() {
            if let Some(numbers) = self.picked.get(&client.id).and_then(|picked| show.numbers(*picked)) {
                client.tell(&numbers);
            }
        }
    }
}

/// Gives a page what it wants to be laid over the next frame, made once for all that want the same: contacts under 0,
/// boxes under one more than their level.
fn lay_over(show: &Show, client: &Client, epoch: u32, made: &mut BTreeMap<u32, Arc<Vec<u8>>>) {
    if client.contacts.load(Ordering::Relaxed) {
        let contacts = made.entry(0).or_insert_with(|| Arc::new(show.contacts(epoch)));
        client.outbox.lay_over(0, contacts.clone());
    }
    let boxes = client.boxes.load(Ordering::Relaxed);
    if let Some(level) = boxes.checked_sub(1) {
        let boxes = made.entry(boxes).or_insert_with(|| Arc::new(show.boxes(epoch, level as usize)));
        client.outbox.lay_over(1, boxes.clone());
    }
}
