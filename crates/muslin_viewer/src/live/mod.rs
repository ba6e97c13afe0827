//! A simulation that runs while it is watched.
//!
//! One thread owns it. Pages send orders through a queue; between two steps the thread does them all, and then goes on.
//! It never waits for a page: frames go into outboxes that drop what is not taken.

mod hold;
mod picked;
mod saving;
mod show;
mod stagehand;
mod stats;

use crate::{
    document::Source,
    hub::{Client, Hub, Session},
    message::Message,
    outbox::{Parcel, WantedFrame},
};
use muslin::measure::Measure;
use stagehand::Stagehand;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

/// Orders that may wait; a page that sends more is told so.
const MOST_ORDERS: usize = 1024;

/// How a live session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// Time runs at once.
    Playing,
    /// It stands until somebody lets it run.
    Paused,
}

enum Order {
    Joined(Arc<Client>),
    Left(u64),
    Said(Arc<Client>, Message),
}

/// A live simulation, as the server sees it.
pub struct Live {
    orders: SyncSender<Order>,
    /// Orders that wait; the simulation looks at it between steps.
    waiting: Arc<AtomicUsize>,
}

impl Live {
    /// Starts the thread. It ends when the session is dropped.
    pub fn start(source: Source, hub: Arc<Hub>, beginning: Beginning) -> std::io::Result<Self> {
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = waiting.clone();
        thread::Builder::new().name("muslin-live".into()).spawn(move || {
            let mut stage = Stagehand::new(source, hub, inbox, counter);
            stage.begin(beginning);
            stage.run();
        })?;
        Ok(Live { orders, waiting })
    }

    fn order(&self, order: Order) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // The thread has ended only if it panicked; then there is nobody to tell.
        let _ = self.orders.send(order);
    }
}

impl Session for Live {
    fn joined(&self, client: &Arc<Client>) {
        self.order(Order::Joined(client.clone()));
    }

    fn left(&self, client: &Arc<Client>) {
        self.order(Order::Left(client.id));
    }

    fn hear(&self, client: &Arc<Client>, message: Message) -> Result<(), String> {
        match message {
            Message::Field { name } => {
                let found = Measure::ALL.iter().position(|m| m.name() == name);
                client.field.store(found.ok_or_else(|| format!("no field `{name}`"))?, Ordering::Relaxed);
                // Drawn anew also while time stands.
                self.order(Order::Said(client.clone(), Message::Field { name }));
                Ok(())
            }
            Message::Contacts { shown } => {
                client.contacts.store(shown, Ordering::Relaxed);
                self.order(Order::Said(client.clone(), message));
                Ok(())
            }
            Message::Boxes { level } => {
                client.boxes.store(level.map_or(0, |level| level.saturating_add(1)), Ordering::Relaxed);
                self.order(Order::Said(client.clone(), message));
                Ok(())
            }
            message => {
                self.waiting.fetch_add(1, Ordering::Relaxed);
                self.orders.try_send(Order::Said(client.clone(), message)).map_err(|_| {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    "too many messages wait".to_string()
                })
            }
        }
    }

    fn frame(&self, _: WantedFrame) -> Option<Parcel> {
        None
    }
}
